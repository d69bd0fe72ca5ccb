// What extensions in a child reach for in the agent: its answers to what they ask, and the bus. All of it ends with the extension, or with its process.
import { GrantError } from "../../events/grant-error.ts";
import type { UiPart } from "../../events/ui.ts";
import { atAskingDepth } from "../../system/asking-depth.ts";
import { type AgentSide, answerTo, isAskName } from "../asks.ts";
import type { Bus } from "../bus.ts";
import { type FromChild, type FromParent, maxLine } from "../protocol.ts";
import { perSecond } from "../rate.ts";
import type { Calls } from "./calls.ts";
import { runJob } from "./job.ts";
import type { Member } from "./member.ts";
import type { HostProcess } from "./process.ts";

/** Of one extension. */
const mostAsks = 64;
const mostSubscriptions = 256;
const uiParts = ["notify", "select", "confirm", "input", "status", "widget"] as const satisfies readonly UiPart[];

export interface ReachOptions extends AgentSide {
	readonly bus: Bus;
	readonly calls: Calls;
	readonly log: (from: string, message: string) => void;
	/** Something of an extension failed outside of any call. */
	readonly failed: (member: Member, message: string) => void;
}

interface Reached {
	/** By the child's number; `asks` under way, and what nobody waits for under none. */
	readonly asks: Map<number, AbortController>;
	readonly subscriptions: Map<number, Disposable>;
	readonly over: AbortController;
	readonly mayComplain: () => boolean;
	/** What the child knows of the surface, as one text. */
	can: string;
}

type Message = FromChild & { t: "ask" | "unask" | "on" | "off" };

export class Reach {
	readonly #options: ReachOptions;
	readonly #reached = new Map<Member, Reached>();
	#process: HostProcess | undefined;

	constructor(options: ReachOptions) {
		this.#options = options;
	}

	/** From now on answers go to this child; undefined while there is none: then everything that was reached for ends. */
	use(child: HostProcess | undefined): void {
		this.#process = child;
		for (const member of [...this.#reached.keys()]) this.drop(member);
	}

	/** Ends what an extension reached for. */
	drop(member: Member): void {
		const reached = this.#reached.get(member);
		this.#reached.delete(member);
		reached?.over.abort(new Error("the extension was unloaded, or its process ended"));
		for (const subscription of reached?.subscriptions.values() ?? []) subscription[Symbol.dispose]();
	}

	hear(message: Message, member: Member): void {
		const reached = this.#of(member);
		switch (message.t) {
			case "ask":
				return void atAskingDepth(this.#options.calls.depthOf(message.call, member), () => this.#answer(message, member, reached));
			case "unask":
				return reached.asks.get(message.ask)?.abort(new Error("nobody waits for it any more"));
			case "on":
				return this.#subscribe(message, member, reached);
			case "off":
				reached.subscriptions.get(message.number)?.[Symbol.dispose]();
				return void reached.subscriptions.delete(message.number);
		}
	}

	/** What the person's surface can show now; told to the child before it is called, when that has changed. */
	tellCan(member: Member): void {
		const can = this.canOf(member);
		const reached = this.#of(member);
		if (reached.can === can.join()) return;
		reached.can = can.join();
		this.#process?.send({ t: "can", extension: member.number, can });
	}

	canOf({ extension: { name } }: Member): readonly UiPart[] {
		const ui = this.#options.uiOf?.(name);
		return ui === undefined ? [] : uiParts.filter((part) => ui.can(part));
	}

	#of(member: Member): Reached {
		let reached = this.#reached.get(member);
		if (reached === undefined) {
			reached = { asks: new Map(), subscriptions: new Map(), over: new AbortController(), mayComplain: perSecond(1), can: this.canOf(member).join() };
			this.#reached.set(member, reached);
		}
		return reached;
	}

	async #answer({ ask, sessionId, what, args }: Message & { t: "ask" }, member: Member, reached: Reached): Promise<void> {
		const child = this.#process;
		const { name } = member.extension;
		const stop = new AbortController();
		const signal = AbortSignal.any([stop.signal, reached.over.signal]);
		let answer: FromParent & { t: "told" };
		try {
			if (!isAskName(what)) throw new Error(`there is no '${what}' here`);
			if (ask !== undefined && (reached.asks.size >= mostAsks || reached.asks.has(ask))) throw new Error(`${mostAsks} requests of this extension are under way; wait for one of them`);
			if (ask !== undefined) reached.asks.set(ask, stop);
			const value = await answerTo(this.#options, { extension: name, sessionId, signal, version: member }, what, args);
			answer = { t: "told", ask: ask ?? 0, ...(value !== undefined && { value }) };
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			answer = { t: "told", ask: ask ?? 0, error: message, ...(error instanceof GrantError && { refused: true }) };
			if (ask === undefined && reached.mayComplain()) this.#options.log(name, `${what}: ${message}`);
		}
		if (ask === undefined) return;
		if (reached.asks.get(ask) === stop) reached.asks.delete(ask);
		if (this.#process === child) child?.sendText(toLine(answer));
	}

	#subscribe({ number, event }: Message & { t: "on" }, member: Member, reached: Reached): void {
		const { bus, calls, log, failed } = this.#options;
		const { name } = member.extension;
		if (reached.subscriptions.size >= mostSubscriptions || reached.subscriptions.has(number)) {
			if (reached.mayComplain()) log(name, `'${event.slice(0, 200)}' is not heard: an extension can hear ${mostSubscriptions} events`);
			return;
		}
		const subscription = bus.on(event, {
			extension: name,
			hear: (args, { from, signal }, depth) => {
				this.tellCan(member);
				return calls.call(runJob(member, signal, { what: "event", name: String(number), args, emission: { event, from, depth } }, { log: (message) => log(name, message) }));
			},
			failed: (message) => failed(member, message),
			log: (message) => log(name, message),
		});
		reached.subscriptions.set(number, subscription);
	}
}

/** What cannot cross fails the ask, not the host. */
function toLine(answer: FromParent & { t: "told" }): string {
	try {
		const line = JSON.stringify(answer);
		if (line.length <= maxLine) return line;
		return JSON.stringify({ t: "told", ask: answer.ask, error: "the answer is over 16 MiB long" } satisfies FromParent);
	} catch (error) {
		return JSON.stringify({ t: "told", ask: answer.ask, error: `the answer cannot cross to another process: ${error instanceof Error ? error.message : String(error)}` } satisfies FromParent);
	}
}
