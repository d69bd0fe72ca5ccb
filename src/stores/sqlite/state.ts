// Values of extensions as rows, with a running total so that the quota costs no sum.
import { describe } from "../../events/registration.ts";
import { type ExtensionState, maxStateKeyLength, type States, stateQuota } from "../state.ts";
import { StoreError } from "../store.ts";
import type { Database } from "./database.ts";

export class SqliteStates implements States {
	readonly #database: Database;

	constructor(database: Database) {
		this.#database = database;
	}

	of(extension: string): ExtensionState {
		const database = this.#database;
		const bytesAt = (key: string) => database.get<{ bytes: number }>("SELECT bytes FROM state WHERE extension = ? AND key = ?", extension, key)?.bytes;
		const total = () => database.get<{ bytes: number }>("SELECT bytes FROM state_sizes WHERE extension = ?", extension)?.bytes ?? 0;
		const setTotal = (bytes: number) =>
			database.run("INSERT INTO state_sizes (extension, bytes) VALUES (?, ?) ON CONFLICT DO UPDATE SET bytes = excluded.bytes", extension, bytes);
		return {
			get(key) {
				const row = database.get<{ json: string }>("SELECT json FROM state WHERE extension = ? AND key = ?", extension, key);
				return row && JSON.parse(row.json);
			},
			set(key, value) {
				checkKey(extension, key);
				const json = jsonOf(extension, key, value);
				const bytes = Buffer.byteLength(key) + Buffer.byteLength(json);
				database.transaction(() => {
					const after = total() - (bytesAt(key) ?? 0) + bytes;
					if (after > stateQuota) throw overQuota(extension, key, bytes, after);
					const values = [extension, key, json, bytes];
					database.run("INSERT INTO state (extension, key, json, bytes) VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET json = excluded.json, bytes = excluded.bytes", ...values);
					setTotal(after);
				});
			},
			delete(key) {
				return database.transaction(() => {
					const bytes = bytesAt(key);
					if (bytes === undefined) return false;
					database.run("DELETE FROM state WHERE extension = ? AND key = ?", extension, key);
					setTotal(total() - bytes);
					return true;
				});
			},
			entries() {
				const rows = database.all<{ key: string; json: string }>("SELECT key, json FROM state WHERE extension = ? ORDER BY key", extension);
				return rows.map(({ key, json }) => [key, JSON.parse(json) as unknown] as const);
			},
		};
	}
}

function checkKey(extension: string, key: unknown): void {
	const fits = typeof key === "string" && key.length > 0 && key.length <= maxStateKeyLength && key.isWellFormed() && !key.includes("\0");
	if (fits) return;
	const given = typeof key === "string" ? JSON.stringify(key.slice(0, 40)) : describe(key);
	throw new StoreError("bad-value", `${extension}: a key of its state must be text of 1 to ${maxStateKeyLength} characters, not ${given}.`);
}

function jsonOf(extension: string, key: string, value: unknown): string {
	let why: unknown;
	try {
		const json: unknown = JSON.stringify(value);
		if (typeof json === "string") return json;
	} catch (error) {
		why = error;
	}
	const reason = why instanceof Error ? why.message.split("\n")[0] : `it is ${describe(value)}`;
	throw new StoreError("bad-value", `${extension}: the value for '${key}' cannot be kept, ${reason}. State holds plain data, as JSON does; use delete('${key}') to remove it.`, why);
}

const overQuota = (extension: string, key: string, bytes: number, after: number) =>
	new StoreError("over-quota", `${extension}: its state would grow to ${after} bytes with '${key}' (${bytes} bytes), and an extension may keep ${stateQuota}. Delete something, or write a file of your own.`);
