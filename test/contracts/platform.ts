// What every platform has to do. A platform brings a person who is at its other end: the fake of its own protocol, or the real thing on loopback.
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Accepted, Door, Inbound, Platform } from "../../src/gateway/platform.ts";
import { eventually } from "../../src/system/test-waiting.ts";

export interface Implementation {
	readonly name: string;
	/** A platform that nobody has used. */
	open(): Promise<Opened>;
}

export interface Opened extends AsyncDisposable {
	readonly platform: Platform;
	/** Sends a message as a person does; rejects when the platform does not take it. */
	say(message: { readonly chat: string; readonly text: string; readonly id: string }): Promise<unknown>;
	/** The texts that the person sees in a chat, oldest first. */
	sees(chat: string): Promise<readonly string[]>;
}

const signal = new AbortController().signal;
const outbound = (key: string, text: string, chatId = "a") => ({ key, chatId, text, purpose: "answer" as const });

class RealDoor implements Door {
	readonly messages: Inbound[] = [];
	answer: () => Promise<Accepted> = async () => ({ kind: "accepted" });

	accept(message: Inbound): Promise<Accepted> {
		this.messages.push(message);
		return this.answer();
	}
}

export function platformContract({ name, open }: Implementation): void {
	describe(`platform ${name}`, { timeout: 60_000 }, () => {
		it("hands a message in as it was said, with who, where and the platform's own number for it", async () => {
			await using opened = await open();
			const door = new RealDoor();
			await opened.platform.start(door);
			await opened.say({ chat: "a", text: "häl\nlo 👋", id: "1" });
			await eventually(() => door.messages.length === 1, "the message comes in");
			const [message] = door.messages;
			assert.deepEqual([message!.chatId, message!.text, message!.messageId], ["a", "häl\nlo 👋", "1"]);
			assert.ok(message!.userId.length > 0 && message!.chatType.length > 0);
		});

		it("tells nobody that a message was taken before it is kept", async () => {
			await using opened = await open();
			const door = new RealDoor();
			const kept = Promise.withResolvers<Accepted>();
			door.answer = () => kept.promise;
			await opened.platform.start(door);
			let told = false;
			const said = opened.say({ chat: "a", text: "x", id: "1" }).then(() => (told = true));
			await eventually(() => door.messages.length === 1, "the message comes in");
			assert.equal(told, false);
			kept.resolve({ kind: "accepted" });
			await said;
		});

		it("goes on when a message cannot be kept, and does not tell that it was taken", async () => {
			await using opened = await open();
			const door = new RealDoor();
			door.answer = async () => {
				throw new Error("the disk is full");
			};
			await opened.platform.start(door);
			await assert.rejects(opened.say({ chat: "a", text: "x", id: "1" }));
			door.answer = async () => ({ kind: "accepted" });
			await opened.say({ chat: "a", text: "y", id: "2" });
			assert.equal(door.messages.at(-1)?.text, "y");
		});

		it("shows texts in the order in which they were sent, in their own chats", async () => {
			await using opened = await open();
			await opened.platform.start(new RealDoor());
			for (let i = 0; i < 5; i++) await opened.platform.send(outbound(`a${i}`, `text ${i}`), signal);
			await opened.platform.send(outbound("b", "elsewhere", "b"), signal);
			assert.deepEqual(await opened.sees("a"), ["text 0", "text 1", "text 2", "text 3", "text 4"]);
			assert.deepEqual(await opened.sees("b"), ["elsewhere"]);
		});

		it("takes a text of its longest length, and hands it on unharmed", async () => {
			await using opened = await open();
			await opened.platform.start(new RealDoor());
			assert.ok(opened.platform.maxText >= 64);
			const text = `<b>*_\`ü${"x".repeat(opened.platform.maxText - 8)}`;
			await opened.platform.send(outbound("long", text), signal);
			assert.deepEqual(await opened.sees("a"), [text]);
		});

		it("sends after it was stopped, and takes no message", async () => {
			await using opened = await open();
			const door = new RealDoor();
			await opened.platform.start(door);
			await opened.platform.stop();
			await opened.say({ chat: "a", text: "late", id: "1" }).catch(() => {});
			await opened.platform.send(outbound("last", "a last word"), signal);
			assert.deepEqual(await opened.sees("a"), ["a last word"]);
			assert.deepEqual(door.messages, []);
		});

		it("shows what happens while a turn works without making anybody wait, also where nobody looks", async () => {
			await using opened = await open();
			await opened.platform.start(new RealDoor());
			for (let i = 0; i < 10_000; i++) opened.platform.show?.({ chatId: "a" }, { kind: "delta", text: "x", replyTo: "1" });
			opened.platform.show?.({ chatId: "a" }, { kind: "typing" });
		});
	});
}
