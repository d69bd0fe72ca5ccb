// The calls under way between us and a Python process, over all restarts of it.
import { HookFailure } from "../../events/failure.ts";
import { askingDepth } from "../../system/asking-depth.ts";
import { maxLine } from "../protocol.ts";
import type { Member } from "./member.ts";
import type { PythonEnd, PythonProcess } from "./process.ts";
import type { FromPython } from "./protocol.ts";
import type { PythonCall } from "./unit.ts";

/** How long a call that was called off may go on. A thread cannot be ended, so after that its process is. */
const graceMs = 1_000;
/** For a process that no longer says who is at work in it. */
const blameMs = 250;

interface Call {
	readonly id: number;
	readonly member: Member;
	readonly callback: number;
	readonly payload: PythonCall["payload"];
	readonly resolve: (answer: unknown) => void;
	readonly reject: (failure: HookFailure) => void;
	/** Where it was made, for what is asked in it. */
	readonly depth: number;
	/** Ends the waiting for its time-out and its signal. */
	readonly leave: () => void;
	sent: boolean;
	/** Nobody waits any longer, but it still runs. */
	off: NodeJS.Timeout | undefined;
}

export interface CallsOptions {
	/** An answer came that nobody waits for. */
	readonly onLate: (member: Member) => void;
	/** The process has to be ended; `blamed` keeps it from doing its work. */
	readonly onStuck: (blamed: number | undefined) => void;
}

export class Calls {
	readonly #options: CallsOptions;
	readonly #calls = new Map<number, Call>();
	readonly #onSettled: (() => void)[] = [];
	#ids = 0;
	/** Of the calls somebody waits for. */
	#open = 0;
	#process: PythonProcess | undefined;
	/** The call that does not end. */
	#stuck: { readonly call: Call; readonly timer: NodeJS.Timeout } | undefined;
	/** The payload last sent, as JSON: the hooks of one dispatch may share it. */
	#payload: { readonly of: object; readonly json: string } | undefined;

	constructor(options: CallsOptions) {
		this.#options = options;
	}

	get idle(): boolean {
		return this.#open === 0;
	}

	/** From now on calls go to this process; undefined while there is none. */
	use(process: PythonProcess | undefined): void {
		this.#process = process;
		clearTimeout(this.#stuck?.timer);
		this.#stuck = undefined;
		if (this.#open > 0) process?.ref();
	}

	call(member: Member, callback: number, { payload, timeoutMs, signal }: PythonCall): Promise<unknown> {
		if (signal.aborted) return Promise.reject(reasonOf(signal));
		return new Promise((resolve, reject) => {
			// Not AbortSignal.timeout(): its timer lets the process end.
			const timer = setTimeout(() => this.#callOff(call, new HookFailure("timed-out", `gave no answer within ${timeoutMs} ms`)), timeoutMs);
			const onAbort = () => this.#callOff(call, reasonOf(signal));
			const leave = () => {
				clearTimeout(timer);
				signal.removeEventListener("abort", onAbort);
			};
			const call: Call = { id: ++this.#ids, member, callback, payload, resolve, reject, depth: askingDepth(), leave, sent: false, off: undefined };
			signal.addEventListener("abort", onAbort);
			this.#calls.set(call.id, call);
			if (++this.#open === 1) this.#process?.ref();
			this.#send(call);
		});
	}

	/** Sends what waited for a unit that is back, or fails it when it will not come back. */
	release(member: Member): void {
		for (const call of this.#calls.values()) if (call.member === member && !call.sent) this.#send(call);
	}

	/** Resolves when nobody waits for a call of this unit. */
	async settled(member: Member): Promise<void> {
		while ([...this.#calls.values()].some((call) => call.member === member && call.off === undefined)) await new Promise<void>((resolve) => this.#onSettled.push(resolve));
	}

	/** Takes an answer; false for one to a call that nobody made. */
	answer({ id, answer, failure }: FromPython & { t: "answer" }): boolean {
		const call = this.#calls.get(id);
		if (call === undefined || !call.sent) return false;
		this.#calls.delete(id);
		if (call.off !== undefined) {
			clearTimeout(call.off);
			if (this.#stuck?.call === call) {
				clearTimeout(this.#stuck.timer);
				this.#stuck = undefined;
			}
			this.#options.onLate(call.member);
			return true;
		}
		this.#close(call);
		if (failure === undefined) call.resolve(answer ?? null);
		else call.reject(new HookFailure(failure.kind, failure.message));
		return true;
	}

	/** The process says who keeps the stuck call from ending. */
	blame({ id, unit }: FromPython & { t: "blame" }): void {
		if (this.#stuck?.call.id !== id) return;
		clearTimeout(this.#stuck.timer);
		this.#options.onStuck(unit ?? this.#stuck.call.member.number);
	}

	/** How deep in requests a call lies; 0 for one that is not under way. */
	depthOf(id: number | undefined): number {
		return id === undefined ? 0 : (this.#calls.get(id)?.depth ?? 0);
	}

	/** Whose call that is, while it is under way. */
	memberOf(id: number): Member | undefined {
		return this.#calls.get(id)?.member;
	}

	/** Whose calls are under way, when they are all of one. */
	onlyMember(): Member | undefined {
		let only: Member | undefined;
		for (const { member, sent } of this.#calls.values()) {
			if (!sent || member === only) continue;
			if (only !== undefined) return undefined;
			only = member;
		}
		return only;
	}

	/** Whose call does not end although its time is up. */
	get stuckMember(): Member | undefined {
		return this.#stuck?.call.member;
	}

	/** The process has ended: its calls fail, those of bystanders without being counted. What was not sent yet waits for the next. */
	failSent({ did }: PythonEnd, guilty: Member | undefined): void {
		for (const call of [...this.#calls.values()]) {
			if (!call.sent) continue;
			this.#calls.delete(call.id);
			if (call.off !== undefined) {
				clearTimeout(call.off);
				continue;
			}
			this.#close(call);
			const own = call.member === guilty;
			const message = own ? `its Python process ended: it ${did}` : `the Python process it shares with others ended: ${guilty?.unit.name ?? "it"} ${did}`;
			call.reject(new HookFailure("host-ended", message, { counts: own }));
		}
	}

	/** Fails everything: the host is closing. */
	failAll(message: string): void {
		for (const call of [...this.#calls.values()]) {
			this.#calls.delete(call.id);
			clearTimeout(call.off);
			if (call.off !== undefined) continue;
			this.#close(call);
			call.reject(new HookFailure("host-ended", message, { counts: false }));
		}
	}

	/** Sends a call, leaves it waiting while its unit is being loaded again, or fails it. */
	#send(call: Call): void {
		const { member } = call;
		if (member.broken !== undefined) return this.#drop(call, new HookFailure("cannot-start", `it cannot run: ${member.broken}`));
		if (!member.live || this.#process === undefined) return;
		let json: string;
		try {
			if (this.#payload?.of !== call.payload) this.#payload = { of: call.payload, json: JSON.stringify(call.payload) };
			json = `{"t":"call","id":${call.id},"unit":${member.number},"callback":${call.callback},"payload":${this.#payload.json}}`;
		} catch (error) {
			return this.#drop(call, new HookFailure("cannot-start", `its payload cannot cross to Python: ${error instanceof Error ? error.message : String(error)}`));
		}
		if (json.length > maxLine) return this.#drop(call, new HookFailure("cannot-start", `its payload is ${Math.round(json.length / 1024 / 1024)} MiB long, and a call to Python takes 16 MiB`));
		call.sent = true;
		this.#process.sendText(json);
	}

	/** Nobody waits for it any longer: the process is told, and has to show that the call has ended. */
	#callOff(call: Call, failure: HookFailure): void {
		if (call.off !== undefined) return;
		this.#close(call);
		call.reject(failure);
		const process = this.#process;
		if (!call.sent || process === undefined) return void this.#calls.delete(call.id);
		process.send({ t: "cancel", id: call.id });
		call.off = setTimeout(() => this.#askWhy(call, process), graceMs).unref();
	}

	#askWhy(call: Call, process: PythonProcess): void {
		if (this.#process !== process || this.#stuck !== undefined) return;
		process.send({ t: "blame", id: call.id });
		this.#stuck = { call, timer: setTimeout(() => this.#options.onStuck(undefined), blameMs).unref() };
	}

	#drop(call: Call, failure: HookFailure): void {
		this.#calls.delete(call.id);
		this.#close(call);
		call.reject(failure);
	}

	/** Nobody waits for this call any more. */
	#close(call: Call): void {
		call.leave();
		if (--this.#open === 0) this.#process?.unref();
		if (this.#onSettled.length > 0) for (const resolve of this.#onSettled.splice(0)) resolve();
	}
}

function reasonOf(signal: AbortSignal): HookFailure {
	return signal.reason instanceof HookFailure ? signal.reason : new HookFailure("interrupted", "was stopped together with the turn", { counts: false });
}
