// The calls under way between the agent and a child process, over all restarts of it.
import { HookFailure, toFailure } from "../../events/failure.ts";
import { askingDepth } from "../../system/asking-depth.ts";
import { type FromChild, type FromParent, maxLine } from "../protocol.ts";
import type { Job } from "./job.ts";
import type { Member } from "./member.ts";
import type { HostProcess, ProcessEnd } from "./process.ts";

/** How long a child may take to show that it is alive after a call was called off. */
const pongMs = 250;

interface Call {
	readonly id: number;
	readonly job: Job;
	/** How many requests of extensions it lies inside of. */
	readonly depth: number;
	readonly resolve: (answer: unknown) => void;
	readonly reject: (failure: unknown) => void;
	readonly onAbort: () => void;
	/** What each run of the operation inside a wrapper gave, as it is. */
	readonly runs: { readonly thrown: boolean; readonly value: unknown }[];
	sent: boolean;
	/** Nobody waits any longer. A late answer is handed on all the same, where somebody reports it. */
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

	/** Has something done in the child. @throws HookFailure, or the reason of the job's signal. */
	call(job: Job): Promise<unknown> {
		return new Promise((resolve, reject) => {
			const id = ++this.#ids;
			const call: Call = { id, job, depth: askingDepth(), resolve, reject, onAbort: () => this.#callOff(call), runs: [], sent: false, off: false };
			this.#calls.set(id, call);
			job.signal.addEventListener("abort", call.onAbort);
			if (++this.#open === 1) this.#process?.ref();
			if (job.signal.aborted) this.#callOff(call);
			else this.#send(call);
		});
	}

	/** How many requests of extensions that call of that extension lies inside of; 0 when it is over. */
	depthOf(id: number | undefined, member: Member): number {
		const call = id === undefined ? undefined : this.#calls.get(id);
		return call?.job.member === member ? call.depth : 0;
	}

	/** Sends what waited for an extension that is back, or fails it when it will not come back. */
	release(member: Member): void {
		for (const call of this.#calls.values()) if (call.job.member === member && !call.sent && !call.off) this.#send(call);
	}

	/** Resolves when no call of an extension is under way. */
	async settled(member: Member): Promise<void> {
		while ([...this.#calls.values()].some((call) => call.job.member === member && !call.off)) await new Promise<void>((resolve) => this.#onSettled.push(resolve));
	}

	/** Takes an answer, or another word about a call; false for one about a call that nobody made. */
	hear(message: FromChild & { t: "answer" | "next" | "pong" | "log" | "update" }): boolean {
		if (message.t === "pong") {
			if (this.#awaitedPong !== undefined && message.ping >= this.#awaitedPong.ping) {
				clearTimeout(this.#awaitedPong.timer);
				this.#awaitedPong = undefined;
			}
			return message.ping <= this.#pings;
		}
		const call = message.id === undefined ? undefined : this.#calls.get(message.id);
		if (call === undefined || !call.sent) return false;
		if (message.t === "log") call.job.log(message.message);
		else if (message.t === "update") {
			if (!call.off) call.job.update?.(message.text, message.channel);
		} else if (message.t === "next") return this.#runInside(call, message.run);
		else this.#answer(call, message);
		return true;
	}

	/** Whose fault an end was, as far as the calls tell. */
	guiltyOf(end: ProcessEnd): Member | undefined {
		return (this.#calls.get(end.runningCall) ?? (end.stuck ? this.#suspect : undefined))?.job.member;
	}

	/** The child has ended: its calls fail, those of bystanders without being counted. What was not sent yet waits for the next child. */
	failSent(end: ProcessEnd, guilty: Member | undefined): void {
		const running = this.#calls.get(end.runningCall);
		this.#suspect = undefined;
		for (const call of [...this.#calls.values()]) {
			if (!call.sent) continue;
			this.#calls.delete(call.id);
			if (call.off) continue;
			const own = guilty === undefined || call.job.member === guilty;
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

	/** Sends a call, leaves it waiting while its extension is being started again, or fails it. */
	#send(call: Call): void {
		const { member } = call.job;
		if (member.broken !== undefined) return this.#drop(call, new HookFailure("cannot-start", `it cannot run: ${member.broken}`));
		if (!member.live || this.#process === undefined) return;
		let json: string;
		try {
			json = call.job.encode(call.id);
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

	#answer(call: Call, { answer, failure, sameAs, turn }: FromChild & { t: "answer" }): void {
		this.#calls.delete(call.id);
		if (!call.off) {
			this.#close(call);
			if (turn !== undefined) call.job.takeTurn?.(turn);
		}
		const same = sameAs === undefined ? undefined : call.runs[sameAs];
		if (same !== undefined) (same.thrown ? call.reject : call.resolve)(same.value);
		else if (failure !== undefined) call.reject(new HookFailure(failure.kind, failure.message, { counts: failure.counts }));
		else call.resolve(answer);
	}

	/** A wrapper in the child called `next()`; false when it is no wrapper. */
	#runInside(call: Call, run: number): boolean {
		const { id } = call;
		const { next } = call.job;
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

	/** Nobody waits any longer: the child is told, and must show that it is alive. */
	#callOff(call: Call): void {
		call.off = true;
		this.#close(call);
		const child = this.#process;
		if (!call.job.hearsLate) call.reject(call.job.signal.reason);
		if (!call.sent || child === undefined) return void this.#calls.delete(call.id);
		const { kind, message, counts } = toFailure(call.job.signal.reason);
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
		call.job.signal.removeEventListener("abort", call.onAbort);
		if (--this.#open === 0) this.#process?.unref();
		for (const resolve of this.#onSettled.splice(0)) resolve();
	}
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
