// What an extension wants to know again the next time.

/** The durable values of one extension: plain data under text keys. Every method throws StoreError when the database does not answer. */
export interface ExtensionState {
	/** The value, a fresh copy each time; undefined when there is none. */
	get(key: string): unknown;
	/** @throws StoreError `bad-value` for what JSON cannot hold, `over-quota` beyond 1 MB for the whole extension; the old value then stands. */
	set(key: string, value: unknown): void;
	/** Whether there was one. */
	delete(key: string): boolean;
	/** All of them, sorted by key. */
	entries(): readonly (readonly [key: string, value: unknown])[];
}

export interface States {
	of(extension: string): ExtensionState;
}

/** Bytes of keys and JSON an extension may keep. */
export const stateQuota = 1024 * 1024;
/** Characters. */
export const maxStateKeyLength = 256;

/** The name under which a session keeps things of its own (its todo list). No extension can be called that. */
export const stateOfSession = (id: string): string => `session:${id}`;
