// The host for hooks written in Python: one process for all units of a trust domain, started by the first load. What goes wrong in there ends that
// process and not the agent; it is started again with the same units.
import { atAskingDepth } from "../../system/asking-depth.ts";
import { LoadError } from "../host.ts";
import { Calls } from "./calls.ts";
import { findPython } from "./find.ts";
import type { Member } from "./member.ts";
import { type PythonEnd, PythonProcess } from "./process.ts";
import type { FromPython } from "./protocol.ts";
import type { LoadedUnit, PythonCallback, PythonHost, PythonHostOptions, PythonUnit } from "./unit.ts";

const firstPauseMs = 100;
const longestPauseMs = 5_000;
/** A process that lived this long was healthy: the next pause is the first again. */
const healthyMs = 10_000;
/** For a unit's loader. Large packages take seconds to import. */
const loadMs = 30_000;
/** For what a unit does at its end. */
const unloadMs = 5_000;

type Reply = (FromPython & { t: "loaded" | "load-failed" | "unloaded" }) | { readonly t: "ended"; readonly end: PythonEnd };

export function pythonHost(options: PythonHostOptions): PythonHost {
	return new Host(options);
}

class Host implements PythonHost {
	readonly #options: PythonHostOptions;
	readonly #members = new Map<number, Member>();
	/** Of all units there ever were: what one printed may come after it was unloaded. */
	readonly #names = new Map<number, string>();
	readonly #calls: Calls;
	/** What the process that runs now has asked, by its own number, until it is answered. */
	#asked = new Map<number, AbortController>();
	#process: PythonProcess | undefined;
	#startedAt = 0;
	#numbers = 0;
	/** Ends in a row, each soon after its start. */
	#ends = 0;
	#restart: NodeJS.Timeout | undefined;
	/** Loads and restarts go one after the other: so it is known who was at work when the process ends. */
	#turn: Promise<unknown> = Promise.resolve();
	#onReply: ((reply: Reply) => void) | undefined;
	/** Whose reply is awaited. */
	#busy: Member | undefined;
	#closed = false;

	constructor(options: PythonHostOptions) {
		this.#options = options;
		this.#calls = new Calls({
			onLate: (member) => options.log(member.unit.name, "a callback answered after its time was up; the answer was dropped"),
			onStuck: (blamed) => this.#process?.kill("did not end when its time was up", blamed),
		});
	}

	load(unit: PythonUnit): Promise<LoadedUnit> {
		return this.#inTurn(async () => {
			if (this.#closed) throw new LoadError(unit.name, { file: unit.loader }, "Hookline is closing, so nothing is loaded any more.");
			const member: Member = { number: ++this.#numbers, unit, callbacks: undefined, live: false, broken: undefined };
			this.#members.set(member.number, member);
			this.#names.set(member.number, unit.name);
			try {
				// A process that is new has the others first, as after any restart.
				await this.#reload();
				const callbacks = await this.#loadInto(member);
				member.callbacks = compared(unit, callbacks);
				let unloading: Promise<void> | undefined;
				return { name: unit.name, callbacks, call: (id, call) => this.#calls.call(member, id, call), unload: () => (unloading ??= this.#unload(member)) };
			} catch (error) {
				await this.#forget(member);
				throw error;
			}
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#closed) return;
		this.#closed = true;
		clearTimeout(this.#restart);
		this.#calls.failAll("Hookline is closing");
		await this.#process?.close();
		await this.#turn;
	}

	#inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
		const result = this.#turn.then(run);
		this.#turn = result.catch(() => {});
		return result;
	}

	/** The process, started when there is none. @throws LoadError when there can be none. */
	#running(unit: PythonUnit): PythonProcess {
		if (this.#process !== undefined) return this.#process;
		const python = findPython(this.#options.python);
		if ("why" in python) throw new LoadError(unit.name, { file: unit.loader }, python.why);
		this.#startedAt = performance.now();
		try {
			this.#process = new PythonProcess({
				executable: python.file,
				environment: this.#options.environment,
				onMessage: (message) => this.#hear(message),
				onPrinted: (number, line) => this.#options.log(this.#printedBy(number), line),
				onEnd: (end) => this.#ended(end),
			});
		} catch (error) {
			throw new LoadError(unit.name, { file: unit.loader }, `Python could not be started: ${error instanceof Error ? error.message : String(error)}`, error);
		}
		this.#calls.use(this.#process);
		return this.#process;
	}

	/** Loads a unit into the process. @throws LoadError */
	async #loadInto(member: Member): Promise<readonly PythonCallback[]> {
		const { unit, number } = member;
		const child = this.#running(unit);
		const { name, loader, settings } = unit;
		const reply = await this.#reply(member, child, loadMs, `was still being loaded after ${loadMs / 1000} s`, () => child.send({ t: "load", unit: number, name, loader, settings }));
		if (reply.t === "ended") throw new LoadError(name, { file: loader }, endedWhileLoading(reply.end));
		if (reply.t === "load-failed") throw new LoadError(name, { file: reply.file ?? loader, line: reply.line ?? undefined }, reply.why);
		if (reply.t === "unloaded") throw new LoadError(name, { file: loader }, "its Python process said that it was unloaded.");
		member.live = true;
		return reply.callbacks.map((what, id) => ({ id, what }));
	}

	async #reply(member: Member, child: PythonProcess, limitMs: number, late: string, ask: () => void): Promise<Reply> {
		this.#busy = member;
		child.ref();
		let timer: NodeJS.Timeout | undefined;
		try {
			return await new Promise<Reply>((resolve) => {
				this.#onReply = resolve;
				timer = setTimeout(() => child.kill(late, member.number), limitMs);
				ask();
			});
		} finally {
			clearTimeout(timer);
			this.#onReply = undefined;
			this.#busy = undefined;
			if (this.#calls.idle) child.unref();
		}
	}

	#hear(message: FromPython): void {
		switch (message.t) {
			case "ready":
				return;
			case "loaded":
			case "load-failed":
			case "unloaded":
				if (message.unit === this.#busy?.number) this.#onReply?.(message);
				return;
			case "answer":
				if (!this.#calls.answer(message)) this.#process?.kill("answered a call that nobody made");
				return;
			case "blame":
				return this.#calls.blame(message);
			case "ask":
				return void atAskingDepth(this.#calls.depthOf(message.call), () => this.#serve(message));
			case "forget":
				return this.#asked.get(message.ask)?.abort(new Error("Nobody waits for it any more."));
			case "stray":
				return this.#options.onStray({ unit: this.#nameOf(message.unit), message: message.message, during: "run" });
		}
	}

	async #serve({ unit, ask, name, args }: FromPython & { t: "ask" }): Promise<void> {
		const child = this.#process;
		const asked = this.#asked;
		const stop = new AbortController();
		asked.set(ask, stop);
		const member = this.#members.get(unit);
		const { services } = this.#options;
		let json: string;
		try {
			if (member === undefined) throw new Error("this unit was unloaded");
			if (!Object.hasOwn(services, name)) throw new Error(`there is no '${name}' here`);
			const value = await services[name]!(member.unit.name, args, stop.signal);
			json = JSON.stringify({ t: "told", ask, value: value ?? null });
		} catch (error) {
			json = JSON.stringify({ t: "told", ask, error: error instanceof Error ? error.message : String(error) });
		}
		asked.delete(ask);
		if (this.#process === child) child?.sendText(json);
	}

	#ended(end: PythonEnd): void {
		this.#process = undefined;
		for (const stop of this.#asked.values()) stop.abort(new Error("The Python process that asked has ended."));
		this.#asked = new Map();
		const busy = this.#busy;
		const named = end.unit === undefined ? undefined : this.#members.get(end.unit);
		const stuck = this.#calls.stuckMember;
		// What lets nobody else run does not say so; most likely it is what began last.
		const last = busy !== undefined && end.lastBegun === -busy.number ? busy : this.#calls.memberOf(end.lastBegun);
		const guilty = named ?? (stuck === undefined ? busy : last) ?? this.#calls.onlyMember() ?? last ?? stuck ?? this.#onlyOne();
		this.#calls.use(undefined);
		for (const member of this.#members.values()) member.live = false;
		this.#calls.failSent(end, guilty);
		// The first load of a unit fails with an error of its own; any later one means that it cannot run.
		const isNew = guilty !== undefined && guilty === busy && guilty.callbacks === undefined;
		if (guilty !== undefined && guilty === busy && !isNew) guilty.broken = endedWhileLoading(end);
		this.#onReply?.({ t: "ended", end });
		if (this.#closed || this.#members.size === 0) return;
		if (!isNew) this.#options.onStray({ unit: guilty?.unit.name ?? this.#options.name, message: `its Python process ended: it ${end.did}`, during: "host" });
		this.#restartLater();
	}

	#restartLater(): void {
		this.#ends = performance.now() - this.#startedAt > healthyMs ? 1 : this.#ends + 1;
		const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#ends - 1));
		clearTimeout(this.#restart);
		// A call that waits keeps us alive by its own time-out.
		this.#restart = setTimeout(() => void this.#inTurn(() => this.#reload()), pauseMs).unref();
	}

	/** Loads what was loaded before the process ended into the one that runs now. */
	async #reload(): Promise<void> {
		clearTimeout(this.#restart);
		this.#restart = undefined;
		for (const member of [...this.#members.values()]) {
			if (this.#closed || member.live || member.broken !== undefined || member.callbacks === undefined) continue;
			try {
				const callbacks = await this.#loadInto(member);
				if (compared(member.unit, callbacks) !== member.callbacks) member.broken = "what it registers has changed since it was loaded; load it again";
			} catch (error) {
				// Ended again, by another's doing: its turn comes with the next process.
				if (this.#process === undefined && member.broken === undefined) {
					if (this.#restart === undefined) this.#restartLater();
					return;
				}
				member.broken ??= error instanceof Error ? error.message : String(error);
			}
			if (member.broken !== undefined) this.#options.onStray({ unit: member.unit.name, message: `its hooks cannot run: ${member.broken}`, during: "host" });
			this.#calls.release(member);
		}
	}

	async #unload(member: Member): Promise<void> {
		await this.#calls.settled(member);
		await this.#inTurn(async () => {
			const child = this.#process;
			if (child !== undefined && member.live) await this.#reply(member, child, unloadMs, `was still being unloaded after ${unloadMs / 1000} s`, () => child.send({ t: "unload", unit: member.number }));
			await this.#forget(member);
		});
	}

	/** The last one ends the process. */
	async #forget(member: Member): Promise<void> {
		this.#members.delete(member.number);
		member.live = false;
		member.broken ??= "it was unloaded";
		this.#calls.release(member);
		if (this.#members.size > 0) return;
		clearTimeout(this.#restart);
		await this.#process?.close();
	}

	#printedBy(number: number | undefined): string {
		return number === undefined ? (this.#calls.onlyMember() ?? this.#busy ?? this.#onlyOne())?.unit.name ?? this.#options.name : this.#nameOf(number);
	}

	#nameOf(number: number | undefined): string {
		return (number === undefined ? undefined : this.#names.get(number)) ?? this.#options.name;
	}

	#onlyOne(): Member | undefined {
		const [first, second] = this.#members.values();
		return second === undefined ? first : undefined;
	}
}

const compared = ({ withoutPassing = (what) => what }: PythonUnit, callbacks: readonly PythonCallback[]): string => JSON.stringify(callbacks.map(({ what }) => withoutPassing(what)));

function endedWhileLoading({ did, started }: PythonEnd): string {
	return started ? `it ${did} while it was loaded.` : `Python could not be started for it: ${did}.`;
}
