// The connection: opened safely, its statements kept, its errors turned into sentences.
import { chmodSync, closeSync, fstatSync, openSync } from "node:fs";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { migrations } from "../migrations/all.ts";
import { StoreError } from "../store.ts";
import { storeError } from "./errors.ts";

export const inMemory = ":memory:";
/** How long a call waits for another process to finish its write, in ms. */
export const busyTimeoutMs = 5000;
/** "Hook" in ASCII, in the file's header: tells our files from those of other programs. */
export const applicationId = 0x486f6f6b;

/**
 * Opens the file (or `:memory:`), made for its user alone when it is new, and brings it up to this version.
 * @throws StoreError when it cannot be read and written, is damaged, or is not ours or from a later version; it is then left unchanged.
 */
export function openDatabase(path: string): Database {
	let connection: DatabaseSync | undefined;
	try {
		if (path !== inMemory) makePrivate(path);
		connection = new DatabaseSync(path, { timeout: busyTimeoutMs });
		const database = new Database(path, connection);
		if (versionOf(database) < migrations.length) migrate(database);
		else database.transaction(() => {}); // a file that cannot be written is to be known now, not in the middle of a turn
		return database;
	} catch (error) {
		connection?.close();
		throw storeError(error, path);
	}
}

/** SQLite gives its `-wal` and `-shm` files the same permissions. */
function makePrivate(path: string): void {
	const file = openSync(path, "a", 0o600);
	const { mode } = fstatSync(file);
	closeSync(file);
	if ((mode & 0o077) !== 0) chmodSync(path, 0o600);
}

/** @throws StoreError `foreign` */
function versionOf(database: Database): number {
	const number = (pragma: string) => Number(Object.values(database.get<Record<string, number>>(`PRAGMA ${pragma}`) ?? {})[0]);
	const version = number("user_version");
	const isEmpty = database.get("SELECT 1 FROM sqlite_schema LIMIT 1") === undefined;
	if (number("application_id") !== applicationId && !(isEmpty && version === 0)) {
		throw new StoreError("foreign", `${database.path} is a database of another program. It was left as it is: move it away, or set HOOKLINE_HOME to another folder.`);
	}
	if (version > migrations.length) {
		throw new StoreError(
			"foreign",
			`${database.path} was written by a later Hookline (its version is ${version}, this one knows ${migrations.length}). It was left as it is: update Hookline, or set HOOKLINE_HOME to another folder.`,
		);
	}
	return version;
}

function migrate(database: Database): void {
	if (database.path !== inMemory) useWriteAheadLog(database);
	database.transaction(() => {
		// Another process may have done it while we waited.
		const from = versionOf(database);
		for (const sql of migrations.slice(from)) database.exec(sql);
		database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`);
	});
}

/**
 * The mode stays in the file. When several processes make the same new file at once, SQLite refuses one of them without waiting (seen in 1 of 70
 * tries with three processes): both read, and both want to be alone.
 */
function useWriteAheadLog(database: Database): void {
	const deadline = Date.now() + busyTimeoutMs;
	for (;;) {
		try {
			return database.exec("PRAGMA journal_mode = WAL");
		} catch (error) {
			if (!(error instanceof StoreError && error.problem === "locked") || Date.now() > deadline) throw error;
			Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
		}
	}
}

/** Rows come back as the type the caller names: the schema is ours, so it is not checked again. */
export class Database {
	readonly path: string;
	readonly #connection: DatabaseSync;
	readonly #statements = new Map<string, StatementSync>();

	constructor(path: string, connection: DatabaseSync) {
		this.path = path;
		this.#connection = connection;
		// With the log a crash of the process loses nothing; NORMAL spares the wait for the disk at each commit.
		this.exec("PRAGMA synchronous = NORMAL");
	}

	exec(sql: string): void {
		return this.#told(() => this.#connection.exec(sql));
	}

	/** The number of changed rows and the id of the last inserted one. */
	run(sql: string, ...values: readonly SQLInputValue[]): { readonly changes: number; readonly rowId: number } {
		return this.#told(() => {
			const { changes, lastInsertRowid } = this.#prepared(sql).run(...values);
			return { changes: Number(changes), rowId: Number(lastInsertRowid) };
		});
	}

	get<Row extends object>(sql: string, ...values: readonly SQLInputValue[]): Row | undefined {
		return this.#told(() => this.#prepared(sql).get(...values) as Row | undefined);
	}

	all<Row extends object>(sql: string, ...values: readonly SQLInputValue[]): readonly Row[] {
		return this.#told(() => this.#prepared(sql).all(...values) as Row[]);
	}

	/** All that the work reads is of one moment. It must not write. */
	snapshot<Result>(work: () => Result): Result {
		this.run("BEGIN");
		try {
			return work();
		} finally {
			this.run("COMMIT");
		}
	}

	/** All of the work or nothing. Takes the write lock first: waiting for it in the middle could only end in giving up. */
	transaction<Result>(work: () => Result): Result {
		this.run("BEGIN IMMEDIATE");
		try {
			const result = work();
			this.run("COMMIT");
			return result;
		} catch (error) {
			// SQLite has already gone back by itself after some errors, a full disk among them.
			if (this.#connection.isOpen && this.#connection.isTransaction) this.run("ROLLBACK");
			throw error;
		}
	}

	/** Does the work with another limit, in ms, for waiting on other processes. */
	withPatience<Result>(ms: number, work: () => Result): Result {
		this.exec(`PRAGMA busy_timeout = ${ms}`);
		try {
			return work();
		} finally {
			this.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
		}
	}

	close(): void {
		if (this.#connection.isOpen) this.#connection.close();
	}

	[Symbol.dispose](): void {
		this.close();
	}

	#prepared(sql: string): StatementSync {
		let statement = this.#statements.get(sql);
		if (!statement) this.#statements.set(sql, (statement = this.#connection.prepare(sql)));
		return statement;
	}

	#told<Result>(work: () => Result): Result {
		try {
			return work();
		} catch (error) {
			throw storeError(error, this.path);
		}
	}
}
