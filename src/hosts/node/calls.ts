// The calls under way between the engine and a child process, over all restarts of it.
import type { HookContext } from "../../events/context.ts";
import { HookFailure, toFailure } from "../../events/failure.ts";
import type { Facts } from "../../events/payloads/facts.ts";
import { type Entry, type FromChild, type FromParent, maxLine } from "../protocol.ts";
import type { Member } from "./member.ts";
import type { HostProcess, ProcessEnd } from "./process.ts";

/** How long a child may take to show that it is alive after a call was called off. */
const pongMs = 250;

type Next = () => Promise<unknown>;

interface Call {
	readonly id: number;
	readonly member: Member;
	readonly index: number;
	readonly payload: Facts;
	readonly context: HookContext;
	readonly next: Next | undefined;
	readonly resolve: (answer: unknown) => void;
	readonly reject: (failure: unknown) => void;
	readonly onAbort: () => void;
	/** What each run of the operation inside a wrapper gave, as it is. */
	readonly runs: { readonly thrown: boolean; readonly value: unknown }[];
	sent: boolean;
	/** The engine waits no longer. A late answer is handed on all the same, for the engine to report it. */
	off: boolean;
}

export class Calls {
	readonly #calls = new Map<number, Call>();
	#ids = 0;
	/** Of the calls somebody still waits for. */
	#open = 0;
	#process: HostProcess | undefined;
	#pings = 0;
	#awaitedPong: { readonly ping: number; readonly timer: NodeJS.Timeout } | undefined;
	/** The call that was called off when the child turned out to be stuck. */
	#suspect: Call | undefined;
	readonly #onSettled: (() => void)[] = [];
	/** The payload last sent, as JSON: the hooks of one dispatch share it. */
	#payload: { readonly of: Facts; readonly json: string } | undefined;

	get idle(): boolean {
		return this.#open === 0;
	}

	/** From now on calls go to this child; undefined while there is none. */
	use(child: HostProcess | undefined): void {
		this.#process = child;
		clearTimeout(this.#awaitedPong?.timer);
		this.#awaitedPong = undefined;
		if (this.#open > 0) child?.ref();
	}

	/** A handler for the engine that calls the extension's hook of that index. */
	handlerOf(member: Member, index: number): (payload: Facts, context: HookContext) => Promise<unknown> {
		return (payload, context) => this.#call(member, index, payload, context, undefined);
	}

	wrapperOf(member: Member, index: number): (payload: Facts, next: Next, context: HookContext) => Promise<unknown> {
		return (payload, next, context) => this.#call(member, index, payload, context, next);
	}

	/** Sends what waited for an extension that is back, or fails it when it will not come back. */
	release(member: Member): void {
		for (const call of this.#calls.values()) if (call.member === member && !call.sent && !call.off) this.#send(call);
	}

	/** Resolves when no call of an extension is under way. */
	async settled(member: Member): Promise<void> {
		while ([...this.#calls.values()].some((call) => call.member === member && !call.off)) await new Promise<void>((resolve) => this.#onSettled.push(resolve));
	}

	/** Takes an answer, or another word about a call; false for one about a call that nobody made. */
	hear(message: FromChild & { t: "answer" | "next" | "pong" | "log" }): boolean {
		if (message.t === "pong") {
			if (this.#awaitedPong !== undefined && message.ping >= this.#awaitedPong.ping) {
				clearTimeout(this.#awaitedPong.timer);
				this.#awaitedPong = undefined;
			}
			return message.ping <= this.#pings;
		}
		const call = message.id === undefined ? undefined : this.#calls.get(message.id);
		if (call === undefined || !call.sent) return false;
		if (message.t === "log") call.context.log(message.message);
		else if (message.t === "next") return this.#runInside(call, message.run);
		else this.#answer(call, message);
		return true;
	}

	/** Whose fault an end was, as far as the calls tell. */
	guiltyOf(end: ProcessEnd): Member | undefined {
		return (this.#calls.get(end.runningCall) ?? (end.stuck ? this.#suspect : undefined))?.member;
	}

	/** The child has ended: its calls fail, those of bystanders without being counted. What was not sent yet waits for the next child. */
	failSent(end: ProcessEnd, guilty: Member | undefined): void {
		const running = this.#calls.get(end.runningCall);
		this.#suspect = undefined;
		for (const call of [...this.#calls.values()]) {
			if (!call.sent) continue;
			this.#calls.delete(call.id);
			if (call.off) continue;
			const own = guilty === undefined || call.member === guilty;
			const counts = running === undefined ? own : call === running;
			const subject = guilty?.extension.name ?? "an extension in it";
			const message = own && guilty !== undefined ? `its process ended: it ${end.did}` : `the process it shares with others ended: ${subject} ${end.did}`;
			this.#close(call);
			call.reject(new HookFailure(end.stuck && call === running ? "timed-out" : "host-ended", message, { counts }));
		}
	}

	/** Fails everything: the host is closing. */
	failAll(message: string): void {
		for (const call of [...this.#calls.values()]) {
			this.#calls.delete(call.id);
			if (call.off) continue;
			this.#close(call);
			call.reject(new HookFailure("host-ended", message, { counts: false }));
		}
	}

	#call(member: Member, index: number, payload: Facts, context: HookContext, next: Next | undefined): Promise<unknown> {
		return new Promise((resolve, reject) => {
			const id = ++this.#ids;
			const call: Call = { id, member, index, payload, context, next, resolve, reject, onAbort: () => this.#callOff(call), runs: [], sent: false, off: false };
			this.#calls.set(id, call);
			context.signal.addEventListener("abort", call.onAbort);
			if (++this.#open === 1) this.#process?.ref();
			this.#send(call);
		});
	}

	/** Sends a call, leaves it waiting while its extension is being started again, or fails it. */
	#send(call: Call): void {
		const { member } = call;
		if (member.broken !== undefined) return this.#drop(call, new HookFailure("cannot-start", `it cannot run: ${member.broken}`));
		if (!member.live || this.#process === undefined) return;
		let json: string;
		try {
			json = this.#encode(call);
		} catch (error) {
			return this.#drop(call, new HookFailure("cannot-start", `its payload cannot cross to another process: ${toFailure(error).message}`));
		}
		if (json.length > maxLine) {
			const mib = Math.round(json.length / 1024 / 1024);
			return this.#drop(call, new HookFailure("cannot-start", `its payload is ${mib} MiB long, and a call to another process takes 16 MiB`));
		}
		call.sent = true;
		this.#process.sendText(json);
	}

	#encode({ id, member, index, payload, context }: Call): string {
		if (this.#payload?.of !== payload) this.#payload = { of: payload, json: JSON.stringify(payload) };
		const turn = plainEntries(context.turn.state);
		const { hook, event, metadata, cause } = context;
		const head = JSON.stringify({ t: "call", id, extension: member.number, index, hook, event, turnId: context.turn.id, turn, metadata, cause });
		return `${head.slice(0, -1)},"payload":${this.#payload.json}}`;
	}

	#answer(call: Call, { answer, failure, sameAs, turn }: FromChild & { t: "answer" }): void {
		this.#calls.delete(call.id);
		if (!call.off) {
			this.#close(call);
			for (const [key, value] of turn ?? []) {
				if (value === undefined) call.context.turn.state.delete(key);
				else call.context.turn.state.set(key, value);
			}
		}
		const same = sameAs === undefined ? undefined : call.runs[sameAs];
		if (same !== undefined) (same.thrown ? call.reject : call.resolve)(same.value);
		else if (failure !== undefined) call.reject(new HookFailure(failure.kind, failure.message, { counts: failure.counts }));
		else call.resolve(answer);
	}

	/** A wrapper in the child called `next()`; false when it is no wrapper. */
	#runInside(call: Call, run: number): boolean {
		const { next, id } = call;
		if (next === undefined) return false;
		const child = this.#process;
		const tell = (thrown: boolean, value: unknown) => {
			call.runs[run] = { thrown, value };
			if (this.#process === child) child?.sendText(insideJson(id, run, thrown, value));
		};
		next().then(
			(result) => tell(false, result),
			(error: unknown) => tell(true, error),
		);
		return true;
	}

	/** The engine waits no longer: the child is told, and must show that it is alive. */
	#callOff(call: Call): void {
		call.off = true;
		this.#close(call);
		const child = this.#process;
		if (!call.sent || child === undefined) return void this.#calls.delete(call.id);
		const { kind, message, counts } = toFailure(call.context.signal.reason);
		const ping = ++this.#pings;
		child.send({ t: "cancel", id: call.id, why: { kind, message, counts }, ping });
		// A later ping gives it no more time: the first one that is not answered decides.
		if (this.#awaitedPong !== undefined) return;
		const timer = setTimeout(() => {
			// After a busy moment of our own the timer comes before an answer that is already here: look once more.
			setImmediate(() => {
				if (this.#process !== child || this.#awaitedPong?.ping !== ping) return;
				this.#suspect = call;
				child.kill("kept its process busy after its time was up", true);
			});
		}, pongMs);
		this.#awaitedPong = { ping, timer };
	}

	#drop(call: Call, failure: HookFailure): void {
		this.#calls.delete(call.id);
		this.#close(call);
		call.reject(failure);
	}

	/** Nobody waits for this call any more. */
	#close(call: Call): void {
		call.context.signal.removeEventListener("abort", call.onAbort);
		if (--this.#open === 0) this.#process?.unref();
		for (const resolve of this.#onSettled.splice(0)) resolve();
	}
}

/** What of a turn's state can cross. Hooks in our own process may keep anything there. */
function plainEntries(state: ReadonlyMap<string, unknown>): readonly Entry[] | undefined {
	if (state.size === 0) return undefined;
	return [...state].filter(([, value]) => {
		try {
			return JSON.stringify(value) !== undefined;
		} catch {
			return false;
		}
	});
}

/** What a run of the operation gave, for the wrapper. What cannot cross the wrapper can still pass on unseen. */
function insideJson(id: number, run: number, thrown: boolean, value: unknown): string {
	if (thrown) return JSON.stringify({ t: "inside", id, run, failure: inParts(value) } satisfies FromParent);
	try {
		return JSON.stringify({ t: "inside", id, run, result: value } satisfies FromParent);
	} catch (error) {
		return JSON.stringify({ t: "inside", id, run, failure: inParts(error) } satisfies FromParent);
	}
}

function inParts(thrown: unknown): { readonly name: string; readonly message: string } {
	return thrown instanceof Error ? { name: thrown.name, message: thrown.message } : { name: "Error", message: toFailure(thrown).message };
}
