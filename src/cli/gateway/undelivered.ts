// `hookline gateway undelivered`: texts that reached nobody and messages that could not be handled. Their store is shared by processes, so it is all the
// same whether a gateway runs.
import { existsSync } from "node:fs";
import { deliverySession, kinds, type Letter } from "../../gateway/letters.ts";
import { targetText } from "../../gateway/target.ts";
import type { DeadLetter, SessionEngine } from "../../stores/session-engine.ts";
import { openSqliteSessionEngine } from "../../stores/sqlite/session-engine.ts";
import { type Home, homeOf } from "../../system/home.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { note, printJson, printTable, when } from "../output.ts";
import { type GivenUpText, givenUpTexts, settleText } from "./given-up.ts";
import { findLive } from "./live.ts";

interface Entry {
	readonly id: string;
	/** A text of the agent, or a message to it. */
	readonly kind: "text" | "message";
	/** In ms since the epoch. */
	readonly at: number;
	readonly where: string;
	readonly why: string;
	readonly text: string;
	retry(): Promise<void>;
	drop(): Promise<void>;
}

/** @returns the exit code. */
export async function list({ json = false }: { readonly json?: boolean }): Promise<number> {
	await using opened = open(homeOf(process.env));
	const entries = await opened.entries();
	if (json) printJson(entries.map(({ id, kind, at, where, why, text }) => ({ id, kind, at, where, why, text })));
	else printTable(["ID", "WHAT", "SINCE", "CHAT", "WHY", "TEXT"], entries.map(({ id, kind, at, where, why, text }) => [id, kind, when(at), where, why, text]), "Everything has arrived.");
	return exitCodes.fine;
}

/** Once more: a text is delivered, a message handled. */
export async function retry(ids: readonly string[], { all = false }: { readonly all?: boolean }): Promise<number> {
	const home = homeOf(process.env);
	const count = await forEach(home, ids, all, (entry) => entry.retry());
	const runs = (await findLive(home)) !== undefined;
	note(`${count} ${count === 1 ? "is" : "are"} tried again ${runs ? "now; what fails once more is listed again" : "when the gateway is started"}.`);
	return exitCodes.fine;
}

/** Forgets them. */
export async function drop(ids: readonly string[], { all = false }: { readonly all?: boolean }): Promise<number> {
	const count = await forEach(homeOf(process.env), ids, all, (entry) => entry.drop());
	note(`${count} ${count === 1 ? "is" : "are"} forgotten.`);
	return exitCodes.fine;
}

async function forEach(home: Home, ids: readonly string[], all: boolean, act: (entry: Entry) => Promise<void>): Promise<number> {
	if (all === ids.length > 0) throw new UsageError("Give the ids that 'hookline gateway undelivered list' shows, or --all.");
	await using opened = open(home);
	const entries = await opened.entries();
	const unknown = ids.find((id) => !entries.some((entry) => entry.id === id));
	if (unknown !== undefined) throw new CommandError(`There is no '${unknown}'; nothing was done. 'hookline gateway undelivered list' shows what there is.`);
	const chosen = all ? entries : entries.filter(({ id }) => ids.includes(id));
	for (const entry of chosen) await act(entry);
	return chosen.length;
}

function open(home: Home): AsyncDisposable & { entries(): Promise<readonly Entry[]> } {
	const sessions = existsSync(home.database) ? openSqliteSessionEngine(home.database) : undefined;
	return {
		async entries() {
			if (sessions === undefined) return [];
			const letters = (await allDeadLetters(sessions)).map((letter) => ofMessage(letter, sessions));
			return [...givenUpTexts(home).map((text) => ofText(text, home, sessions)), ...letters].toSorted((a, b) => a.at - b.at);
		},
		async [Symbol.asyncDispose]() {
			await sessions?.close();
		},
	};
}

function ofText({ id, at, why, reply }: GivenUpText, home: Home, sessions: SessionEngine): Entry {
	const target = { platform: reply.platform, ...reply.chat };
	return {
		id,
		kind: "text",
		at,
		where: targetText(target),
		why,
		text: reply.text,
		async retry() {
			await sessions.append(deliverySession(target), { id: `retry ${id}`, kind: kinds.text, body: reply });
			settleText(home, id);
		},
		drop: async () => settleText(home, id),
	};
}

function ofMessage({ number, session, message, why }: DeadLetter, sessions: SessionEngine): Entry {
	// Whatever waits there: a message of a person, a job, a text.
	const { text, sender } = (message.body ?? {}) as Partial<Letter>;
	return {
		id: `m-${number}`,
		kind: "message",
		at: message.at,
		where: sender?.platform === undefined ? session : targetText({ platform: sender.platform, chatId: sender.chatId ?? "", ...(sender.threadId !== undefined && { threadId: sender.threadId }) }),
		why,
		text: typeof text === "string" ? text : JSON.stringify(message.body),
		retry: async () => void (await sessions.requeue(session, message.id)),
		drop: async () => void (await sessions.discard(session, message.id)),
	};
}

/** They come by the hundred. */
async function allDeadLetters(sessions: SessionEngine): Promise<readonly DeadLetter[]> {
	const all: DeadLetter[] = [];
	for (let page: readonly DeadLetter[]; (page = await sessions.deadLetters({ after: all.at(-1)?.number ?? 0 })).length > 0; ) all.push(...page);
	return all;
}
