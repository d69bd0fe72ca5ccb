// One dispatch of an event that is about to happen: transform, guard, ask. Every such event goes through here.
//
// Transforms run one after the other and may change the value. Guards run all at once on the final value and change nothing, so whatever
// an outcome `go` carries was judged by every guard exactly as it is. A block is stronger than an ask, an ask than an allow, an allow than
// silence. As long as no handler returns a promise, nothing here makes one.
import { type AnyInterceptSpec, catalog } from "../events/catalog.ts";
import type { Decision } from "../events/decision.ts";
import { HookFailure, toFailure } from "../events/failure.ts";
import type { InterceptEvent, Payloads } from "../events/payloads/all.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import { readAnswer, readRewrite } from "./answer.ts";
import { Call, type EngineParts } from "./context.ts";
import { Waiting } from "./deadline.ts";
import { digestOf } from "./digest.ts";
import { failureReason, suspension } from "./failure.ts";
import type { Matchable } from "./matcher.ts";
import type { ApprovalAnswer, ApprovalQuestion, Blocked, DispatchOptions, Go, Injection, Outcome } from "./outcome.ts";
import type { Hook, Plan } from "./plan.ts";
import type { DispatchEntry } from "./trace.ts";

/** A guard's word, or a transform's that also judges. */
interface Opinion {
	readonly hook: Hook;
	readonly kind: "allow" | "ask" | "block";
	readonly reason: string;
	readonly failed: boolean;
}

const noMetadata: JsonObject = Object.freeze({});
const noInjections: readonly Injection[] = Object.freeze([]);

export class Dispatch {
	readonly #parts: EngineParts;
	readonly #event: InterceptEvent;
	readonly #plan: Plan;
	readonly #spec: AnyInterceptSpec;
	readonly #options: DispatchOptions;
	readonly #entry: DispatchEntry | undefined;
	#payload: Payloads[InterceptEvent];
	#metadata = noMetadata;
	#injections: readonly Injection[] = noInjections;
	#opinions: readonly Opinion[] = [];
	/** Counts the rewrites; a judging transform that answered at an older version is asked again. */
	#version = 0;
	#judgedAt: Map<Hook, number> | undefined;
	/** Set by a transform that blocks or responds, which ends the chain. */
	#ended: Outcome | undefined;
	/** Guards whose answer is still waited for. */
	#unheard = 0;
	/** Settles the promise that was given out, once a handler made us wait. */
	#resolve: ((outcome: Outcome | Promise<Outcome>) => void) | undefined;
	/** End of the handler before, in ms: one clock reading serves as the end of one handler and the start of the next. */
	#clock = 0;

	/** `payload` is frozen already. `entry` is this dispatch's record, when tracing is on. */
	constructor(parts: EngineParts, event: InterceptEvent, plan: Plan, payload: Payloads[InterceptEvent], options: DispatchOptions, entry: DispatchEntry | undefined) {
		this.#parts = parts;
		this.#event = event;
		this.#plan = plan;
		this.#spec = catalog[event];
		this.#payload = payload;
		this.#options = options;
		this.#entry = entry;
	}

	run(): Outcome | Promise<Outcome> {
		if (this.#entry !== undefined) this.#clock = this.#entry.started;
		const outcome = this.#transform(0);
		if (outcome !== undefined) return outcome;
		this.#parts.waiting++;
		return new Promise((resolve) => (this.#resolve = resolve));
	}

	/** The transforms from one on, then the guards. Undefined when a handler is waited for: its answer goes on from there. */
	#transform(from: number): Outcome | Promise<Outcome> | undefined {
		const { transforms } = this.#plan;
		for (let i = from; i < transforms.length; i++) {
			const hook = transforms[i]!;
			if (!this.#concerns(hook)) continue;
			const started = this.#clock;
			const answer = this.#call(hook);
			if (answer instanceof Waiting) {
				answer.start((settled) => this.#goOn(() => (this.#take(hook, this.#waited(settled), started) ? this.#finish(this.#ended!) : this.#transform(i + 1))));
				return undefined;
			}
			if (this.#take(hook, answer, started)) return this.#finish(this.#ended!);
		}
		return this.#guard();
	}

	/** All guards at once. Undefined when some are waited for: the last answer goes on from there. */
	#guard(): Outcome | Promise<Outcome> | undefined {
		// This loop counts as one: a guard that stops the turn ends those that wait while the others are still to be asked.
		this.#unheard++;
		for (const hook of this.#plan.guards) if (this.#concerns(hook)) this.#question(hook, false);
		if (this.#judgedAt !== undefined) for (const [hook, version] of this.#judgedAt) if (version < this.#version) this.#question(hook, true);
		return --this.#unheard === 0 ? this.#judge() : undefined;
	}

	#question(hook: Hook, again: boolean): void {
		const started = this.#clock;
		const answer = this.#call(hook);
		if (!(answer instanceof Waiting)) return this.#hear(hook, answer, again, started);
		this.#unheard++;
		answer.start((settled) =>
			this.#goOn(() => {
				this.#hear(hook, this.#waited(settled), again, started);
				return --this.#unheard === 0 ? this.#judge() : undefined;
			}),
		);
	}

	/** Goes on after a wait; the dispatch is over when that gives an outcome. */
	#goOn(next: () => Outcome | Promise<Outcome> | undefined): void {
		let outcome: Outcome | Promise<Outcome> | undefined;
		try {
			outcome = next();
		} catch (defect) {
			// One of our own: who waits for the outcome must learn of it, or the agent would hang.
			outcome = Promise.reject(defect as Error);
		}
		if (outcome === undefined) return;
		this.#parts.waiting--;
		this.#resolve!(outcome);
	}

	/** The strongest opinion decides; among blocks one with a reason of its own, then the lowest priority number: never the order of calls. */
	#judge(): Outcome | Promise<Outcome> {
		if (this.#options.signal?.aborted) return this.#finish(interrupted);
		if (this.#opinions.length === 0) return this.#finish(this.#go());
		const of = (kind: Opinion["kind"]) => this.#opinions.filter((opinion) => opinion.kind === kind).toSorted(byStanding);
		const [block] = of("block");
		if (block !== undefined) return this.#finish({ kind: "blocked", reason: block.reason, by: block.hook.id, cause: block.failed ? "failure" : "decision" });
		const asks = of("ask");
		if (asks.length > 0) return this.#ask(asks);
		const [allow] = of("allow");
		return this.#finish(allow === undefined ? this.#go() : { ...this.#go(), allowedBy: allow.hook.id });
	}

	async #ask(asks: readonly Opinion[]): Promise<Outcome> {
		const value = this.#value();
		const digest = digestOf(value);
		// A judging transform that was asked again may have said the same twice.
		const isFirst = (opinion: Opinion, i: number) => asks.findIndex((other) => other.hook === opinion.hook && other.reason === opinion.reason) === i;
		const reasons = asks.filter(isFirst).map((opinion) => ({ hook: opinion.hook.id, reason: opinion.reason }));
		const signal = this.#options.signal ?? new AbortController().signal;
		const question = { event: this.#event, payload: this.#payload, value, reasons, digest, signal };
		const answer = this.#waited(await answerOf(this.#options.ask, question));
		if (signal.aborted) return this.#finish(interrupted);
		if (answer.approved) return this.#finish({ ...this.#go(), approval: { by: answer.by, digest } });
		return this.#finish({ kind: "blocked", reason: answer.reason, by: answer.by, cause: "denied" });
	}

	/** Calls a handler: its answer, its failure, or what is to be waited for. */
	#call(hook: Hook): unknown {
		if (hook.suspendedUntil > 0) {
			const held = suspension(hook, this.#parts.now());
			if (held !== undefined) return held;
		}
		const started = this.#clock;
		const answer = new Call(this.#parts, hook, this.#payload, this.#metadata, this.#options.signal, started).run();
		if (this.#entry === undefined) return answer;
		// Read before the next handler runs, so that none is charged with the time of another.
		this.#clock = this.#parts.now();
		const ms = this.#clock - started;
		// What ran without a pause cannot be cut short, but its answer came too late all the same.
		if (ms <= hook.timeoutMs || answer instanceof HookFailure) return answer;
		// What it still promises is of no use, but somebody has to be there when it is broken.
		if (answer instanceof Waiting) answer.start(() => {});
		return new HookFailure("timed-out", `answered after ${Math.round(ms)} ms, but had ${hook.timeoutMs} ms`);
	}

	/** An answer that was waited for: whatever came next is timed from now on. */
	#waited<Answer>(answer: Answer): Answer {
		if (this.#entry !== undefined) this.#clock = this.#parts.now();
		return answer;
	}

	/** Takes a transform's answer into account, all of it or, when a part is wrong, nothing. True when that ended the chain. */
	#take(hook: Hook, answer: unknown, started: number): boolean {
		const before = this.#payload;
		const decisions = this.#read(hook, answer);
		if (decisions instanceof HookFailure) {
			if (this.#fail(hook, decisions, started)) this.#ended = decisions.kind === "interrupted" ? interrupted : { kind: "blocked", reason: failureReason(hook, decisions), by: hook.id, cause: "failure" };
			return this.#ended !== undefined;
		}
		if (hook.judges) (this.#judgedAt ??= new Map()).set(hook, this.#version);
		for (const decision of decisions) {
			if (decision.kind === "block") {
				if (this.#ended?.kind !== "blocked") this.#ended = { kind: "blocked", reason: decision.reason, by: hook.id, cause: "decision" };
			} else if (decision.kind === "respond") this.#ended ??= { kind: "responded", text: decision.text, by: hook.id };
			else if (decision.kind === "inject") this.#injections = [...this.#injections, { text: decision.text, as: decision.as ?? this.#spec.injects![0]!, by: hook.id }];
			else if (decision.kind === "allow" || decision.kind === "ask") this.#opine(hook, decision, false);
			if (decision.metadata !== undefined) this.#metadata = Object.freeze({ ...this.#metadata, ...decision.metadata });
		}
		this.#note(hook, decisions, started, before);
		return this.#ended !== undefined;
	}

	/** Takes a guard's answer into account. Asked `again`, a judging transform can only refuse. */
	#hear(hook: Hook, answer: unknown, again: boolean, started: number): void {
		const decisions = this.#read(hook, answer, again);
		if (decisions instanceof HookFailure) {
			if (this.#fail(hook, decisions, started)) this.#opinions = [...this.#opinions, { hook, kind: "block", reason: failureReason(hook, decisions), failed: true }];
			return;
		}
		for (const decision of decisions) if (decision.kind === "block" || decision.kind === "ask" || decision.kind === "allow") this.#opine(hook, decision, again);
		this.#note(hook, decisions, started, undefined, again ? ["asked again, on the final value"] : undefined);
	}

	#opine(hook: Hook, decision: Decision & { kind: "allow" | "ask" | "block" }, again: boolean): void {
		if (decision.kind === "allow" && (again || !hook.mayAllow)) return;
		this.#opinions = [...this.#opinions, { hook, kind: decision.kind, reason: decision.reason ?? "", failed: false }];
	}

	/** The decisions in an answer, the rewrites among them already carried out; or the failure that it is. */
	#read(hook: Hook, answer: unknown, again = false): readonly Decision[] | HookFailure {
		if (answer instanceof HookFailure) return answer;
		if (answer === undefined || answer === null) {
			hook.failuresInARow = 0;
			return noDecisions;
		}
		try {
			const decisions = readAnswer(hook, this.#spec, answer);
			if (!again) this.#rewrite(decisions);
			hook.failuresInARow = 0;
			return decisions;
		} catch (thrown) {
			return toFailure(thrown);
		}
	}

	/** Carries out the rewrites among some decisions when all of them are valid. An earlier allow was about another value and is gone. */
	#rewrite(decisions: readonly Decision[]): void {
		let changes: JsonObject | undefined;
		for (const decision of decisions) if (decision.kind === "rewrite") changes = { ...changes, ...readRewrite(this.#spec, decision.value) };
		if (changes === undefined) return;
		for (const field in changes) {
			const mistake = this.#options.validate?.(field, changes[field]);
			if (mistake !== undefined) throw new HookFailure("invalid-rewrite", `its rewrite of ${field} is not valid: ${mistake}`);
		}
		this.#payload = Object.freeze({ ...this.#payload, ...changes });
		this.#version++;
		this.#opinions = this.#opinions.filter((opinion) => opinion.kind !== "allow");
	}

	/** Records a failure; true when it blocks. */
	#fail(hook: Hook, failure: HookFailure, started: number): boolean {
		const blocks = hook.closed || failure.kind === "interrupted";
		if (this.#entry !== undefined) {
			this.#clock = this.#parts.now();
			this.#entry.hooks.push({ hook, started, ms: this.#clock - started, decisions: undefined, decision: "failed", failure, before: undefined, after: undefined, notes: undefined });
		}
		if (failure.kind !== "interrupted") this.#parts.failed(hook, failure, this.#payload, blocks ? "blocked" : "passed");
		return blocks;
	}

	#note(hook: Hook, decisions: readonly Decision[], started: number, before?: object, notes?: readonly string[]): void {
		if (this.#entry === undefined) return;
		const changed = before !== undefined && before !== this.#payload;
		this.#entry.hooks.push({ hook, started, ms: this.#clock - started, decisions, decision: undefined, failure: undefined, before: changed ? before : undefined, after: changed ? this.#payload : undefined, notes });
	}

	#concerns(hook: Hook): boolean {
		return hook.matchesRest === undefined || hook.matchesRest(this.#payload as Matchable);
	}

	/** What an approval is bound to: the field that can be rewritten, or all of them. */
	#value(): unknown {
		const payload = this.#payload as unknown as JsonObject;
		const fields = Object.keys(this.#spec.rewrites);
		return fields.length === 1 ? payload[fields[0]!] : Object.fromEntries(fields.map((field) => [field, payload[field]]));
	}

	#go(): Go {
		return { kind: "go", payload: this.#payload, injections: this.#injections, metadata: this.#metadata };
	}

	#finish(outcome: Outcome): Outcome {
		if (this.#entry !== undefined) this.#parts.trace!.finish(this.#entry, outcome, this.#clock);
		return outcome;
	}
}

const noDecisions: readonly Decision[] = Object.freeze([]);
const interrupted: Blocked = Object.freeze({ kind: "blocked", reason: "Stopped by the user.", by: "person", cause: "interrupted" });

const byStanding = (a: Opinion, b: Opinion) => Number(a.failed) - Number(b.failed) || a.hook.priority - b.hook.priority || (a.hook.id < b.hook.id ? -1 : Number(a.hook.id > b.hook.id));

/** The approver's answer. No approver, an approver that throws, an answer that is none and a stopped turn are all a no. */
async function answerOf(approver: DispatchOptions["ask"], question: ApprovalQuestion): Promise<ApprovalAnswer> {
	if (approver === undefined) return { approved: false, by: "nobody-there", reason: "This needs a person's approval, and nobody is there to give it." };
	try {
		const answer = await Promise.race([approver(question), aborted(question.signal)]);
		return answer.approved === true || answer.approved === false ? answer : noAnswer("the answer was neither yes nor no");
	} catch (error) {
		return noAnswer(`asking failed: ${toFailure(error).message}`);
	}
}

const noAnswer = (why: string) => ({ approved: false, by: "engine", reason: `This needs a person's approval, and ${why}` }) as const;

function aborted(signal: AbortSignal): Promise<never> {
	return new Promise((_, reject) => {
		if (signal.aborted) reject(new Error("stopped"));
		else signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true });
	});
}
