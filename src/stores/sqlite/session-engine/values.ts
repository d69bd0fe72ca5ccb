// What comes in from callers: names that a row can hold, and plain data as JSON.
import { createHash } from "node:crypto";
import { describe } from "../../../events/registration.ts";
import type { NewMessage } from "../../session-engine.ts";
import { StoreError } from "../../store.ts";

const longestName = 512;

/** @throws StoreError `bad-value` */
export function checkName(what: string, name: unknown): void {
	if (typeof name === "string" && name.length > 0 && name.length <= longestName && name.isWellFormed() && !name.includes("\0")) return;
	const given = typeof name === "string" ? JSON.stringify(name.slice(0, 40)) : describe(name);
	throw new StoreError("bad-value", `${what} must be text of 1 to ${longestName} characters, not ${given}.`);
}

/** @throws StoreError `bad-value` for what JSON cannot hold */
export function jsonOf(what: string, value: unknown): string {
	let why: unknown;
	try {
		const json: unknown = JSON.stringify(value);
		if (typeof json === "string") return json;
	} catch (error) {
		why = error;
	}
	const reason = why instanceof Error ? why.message.split("\n")[0] : `it is ${describe(value)}`;
	throw new StoreError("bad-value", `${what} cannot be kept, ${reason}. Give plain data, as JSON holds.`, why);
}

/** A message that may be written, its body as JSON. */
export interface CheckedMessage {
	readonly session: string;
	readonly id: string;
	readonly kind: string;
	readonly json: string;
	readonly notBefore: number | undefined;
}

/** @throws StoreError `bad-value` */
export function checked(session: string, { id, kind, body, notBefore }: NewMessage): CheckedMessage {
	checkName("The session of a message", session);
	checkName("The id of a message", id);
	checkName("The kind of a message", kind);
	if (notBefore !== undefined && !Number.isFinite(notBefore)) throw new StoreError("bad-value", `Message ${id}: notBefore must be a time in ms since the epoch, not ${describe(notBefore)}.`);
	return { session, id, kind, json: jsonOf(`The body of message ${id}`, body), notBefore: notBefore === undefined ? undefined : Math.ceil(notBefore) };
}

/** 32 characters that stand for these names, and for no others. */
export function keyOf(...names: readonly (string | number)[]): string {
	return createHash("sha256").update(JSON.stringify(names)).digest("hex").slice(0, 32);
}
