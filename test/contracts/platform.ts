// What every platform has to do. A platform brings a person who is at its other end: the fake of its own protocol, or the real thing on loopback.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Accepted, Door, Inbound, Platform, Reaction } from "../../src/gateway/platform.ts";
import { eventually } from "../../src/system/test-waiting.ts";

export interface Implementation {
	readonly name: string;
	/** Two chats between the agent and one person each, by the platform's ids. */
	readonly chats: readonly [string, string];
	/** A platform that nobody has used. */
	open(): Promise<Opened>;
}

export interface SentFile {
	readonly name: string;
	readonly content: string;
}

export interface Opened extends AsyncDisposable {
	readonly platform: Platform;
	/** Sends a message as a person does. Resolves with the platform's id of it when the platform was told that it was taken; rejects, or stays open, when it is not. */
	say(message: { readonly chat: string; readonly text: string; readonly file?: SentFile }): Promise<string>;
	/** The texts that the person sees in a chat, oldest first. */
	sees(chat: string): Promise<readonly string[]>;
	/** Presses the button with this label under the last text of a chat; where there are buttons. */
	press?(chat: string, label: string): Promise<unknown>;
	/** The labels of the buttons that can be pressed in a chat. */
	buttons?(chat: string): Promise<readonly string[]>;
	/** The files that the person got; where files can be sent. */
	files?(chat: string): Promise<readonly SentFile[]>;
}

const signal = new AbortController().signal;

/** A door that keeps what comes in. */
export class RealDoor implements Door {
	readonly messages: Inbound[] = [];
	readonly reactions: Reaction[] = [];
	answer: () => Promise<Accepted> = async () => ({ kind: "accepted" });

	accept(message: Inbound): Promise<Accepted> {
		this.messages.push(message);
		return this.answer();
	}

	reacted(reaction: Reaction): void {
		this.reactions.push(reaction);
	}
}

export async function contentOf(file: { read(signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> }): Promise<string> {
	const pieces: Uint8Array[] = [];
	for await (const piece of await file.read(signal)) pieces.push(piece);
	return Buffer.concat(pieces).toString("utf8");
}

export function platformContract({ name, chats: [chat, other], open }: Implementation): void {
	const outbound = (key: string, text: string, chatId = chat) => ({ key, chatId, text, purpose: "answer" as const });

	describe(`platform ${name}`, { timeout: 60_000 }, () => {
		it("hands a message in as it was said, with who, where and the platform's own number for it", async () => {
			await using opened = await open();
			const door = new RealDoor();
			await opened.platform.start(door);
			const id = await opened.say({ chat, text: "häl\nlo 👋" });
			const [message] = door.messages;
			assert.deepEqual([message!.chatId, message!.text, message!.messageId, message!.chatType], [chat, "häl\nlo 👋", id, "dm"]);
			assert.ok(message!.userId.length > 0);
			assert.equal(opened.platform.connected, true);
		});

		it("tells nobody that a message was taken before it is kept", async () => {
			await using opened = await open();
			const door = new RealDoor();
			const kept = Promise.withResolvers<Accepted>();
			door.answer = () => kept.promise;
			await opened.platform.start(door);
			let told = false;
			const said = opened.say({ chat, text: "x" }).then(() => (told = true));
			await eventually(() => door.messages.length === 1, "the message comes in");
			assert.equal(told, false);
			kept.resolve({ kind: "accepted" });
			await said;
		});

		it("goes on when a message cannot be kept, and does not tell that it was taken", async () => {
			await using opened = await open();
			const door = new RealDoor();
			let full = true;
			door.answer = async () => {
				if (full) throw new Error("the disk is full");
				return { kind: "accepted" };
			};
			await opened.platform.start(door);
			let told = false;
			const said = opened.say({ chat, text: "x" }).then(
				() => (told = true),
				() => {},
			);
			await eventually(() => door.messages.length > 0, "the message comes in");
			assert.equal(told, false);
			full = false;
			await opened.say({ chat: other, text: "y" });
			await said;
			assert.ok(door.messages.some(({ text }) => text === "y"));
		});

		it("shows texts in the order in which they were sent, in their own chats", async () => {
			await using opened = await open();
			await opened.platform.start(new RealDoor());
			for (let i = 0; i < 5; i++) await opened.platform.send(outbound(`a${i}`, `text ${i}`), signal);
			await opened.platform.send(outbound("b", "elsewhere", other), signal);
			assert.deepEqual(await opened.sees(chat), ["text 0", "text 1", "text 2", "text 3", "text 4"]);
			assert.deepEqual(await opened.sees(other), ["elsewhere"]);
		});

		it("takes a text of its longest length, and hands on every character that is no markup", async () => {
			await using opened = await open();
			await opened.platform.start(new RealDoor());
			assert.ok(opened.platform.maxText >= 64);
			const text = `<b> & ü ${"x".repeat(opened.platform.maxText - 8)}`;
			await opened.platform.send(outbound("long", text), signal);
			assert.deepEqual(await opened.sees(chat), [text]);
		});

		it("sends after it was stopped, and takes no message", async () => {
			await using opened = await open();
			const door = new RealDoor();
			await opened.platform.start(door);
			await opened.platform.stop();
			void opened.say({ chat, text: "late" }).catch(() => {});
			await opened.platform.send(outbound("last", "a last word"), signal);
			assert.deepEqual(await opened.sees(chat), ["a last word"]);
			assert.deepEqual(door.messages, []);
		});

		it("shows what happens while a turn works without making anybody wait, also where nobody looks", async () => {
			await using opened = await open();
			await opened.platform.start(new RealDoor());
			for (let i = 0; i < 10_000; i++) opened.platform.show?.({ chatId: chat }, { kind: "delta", text: "x", replyTo: "1" });
			opened.platform.show?.({ chatId: chat }, { kind: "typing" });
		});

		it("changes a text that was sent, where it can", async () => {
			await using opened = await open();
			await opened.platform.start(new RealDoor());
			assert.equal(opened.platform.editEveryMs === undefined, opened.platform.edit === undefined);
			if (opened.platform.edit === undefined) return;
			const { id } = await opened.platform.send(outbound("draft", "Let me"), signal);
			assert.ok(id !== undefined);
			await opened.platform.edit(id, outbound("whole", "Let me see: 4."), signal);
			assert.deepEqual(await opened.sees(chat), ["Let me see: 4."]);
		});

		it("hands in what a button says when it is pressed, and takes the buttons away", async () => {
			await using opened = await open();
			const door = new RealDoor();
			await opened.platform.start(door);
			if (opened.platform.buttons === undefined) return;
			const buttons = [
				{ label: "Once", says: "/approve k3m9 once" },
				{ label: "No", says: "/deny k3m9" },
			];
			await opened.platform.send({ ...outbound("ask", "May I?"), purpose: "question", buttons }, signal);
			assert.deepEqual(await opened.buttons!(chat), ["Once", "No"]);
			await opened.press!(chat, "Once");
			await eventually(() => door.messages.length === 1, "the press comes in");
			const [message] = door.messages;
			assert.deepEqual([message!.chatId, message!.text], [chat, "/approve k3m9 once"]);
			assert.ok(message!.messageId.length > 0 && message!.userId.length > 0);
			await eventually(async () => (await opened.buttons!(chat)).length === 0, "the buttons are gone");
		});

		it("takes files in and out, where it can", async () => {
			await using opened = await open();
			const door = new RealDoor();
			await opened.platform.start(door);
			if (opened.platform.maxFileBytes === undefined) return;
			await opened.say({ chat, text: "look", file: { name: "notes.txt", content: "grün" } });
			const [file] = door.messages[0]!.files!;
			assert.deepEqual([file!.name, await contentOf(file!), door.messages[0]!.text], ["notes.txt", "grün", "look"]);
			const folder = mkdtempSync(join(tmpdir(), "hookline-files-"));
			try {
				const path = join(folder, "x");
				writeFileSync(path, "blau");
				await opened.platform.send({ ...outbound("f", "here"), files: [{ path, name: "report.txt", mediaType: "text/plain" }] }, signal);
				assert.deepEqual(await opened.files!(chat), [{ name: "report.txt", content: "blau" }]);
				assert.deepEqual(await opened.sees(chat), ["here"]);
			} finally {
				rmSync(folder, { recursive: true, force: true });
			}
		});
	});
}
