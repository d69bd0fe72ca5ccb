// What receivers are to be told: written down as it happens, sent beside it. Nobody waits for it but the end of the process, and that not for long.
import type { OutboundTarget } from "../../dialects/hermes-outbound/target.ts";
import type { NewDelivery, OutboundStore } from "../../stores/outbound.ts";
import { advice, givenUpAfterMs, Sender } from "./sender.ts";
import { Told } from "./told.ts";

/** How often it is looked what other processes left, and what is to be tried again, in ms. */
const lookEveryMs = 1_000;
/** How long another process that writes is waited for, in ms: whatever happened waits with it. */
const patienceMs = 20;
/** How many wait in memory at most while the database takes none. */
const mostUnwritten = 10_000;

export interface OutboxOptions {
	readonly targets: readonly OutboundTarget[];
	/** By the id of the target. */
	readonly secrets: ReadonlyMap<string, string>;
	/** Closed together with this. */
	readonly store: OutboundStore;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

export class Outbox {
	readonly #store: OutboundStore;
	readonly #senders: ReadonlyMap<string, Sender>;
	readonly #told: Told;
	readonly #stop = new AbortController();
	readonly #timer: NodeJS.Timeout;
	#unwritten: NewDelivery[] = [];
	/** Not at once: whatever happened goes on first. */
	#soon: NodeJS.Immediate | undefined;

	constructor({ targets, secrets, store, warn }: OutboxOptions) {
		this.#store = store;
		this.#told = new Told(warn);
		this.#senders = new Map(targets.map((target) => [target.id, new Sender({ target, secret: secrets.get(target.id), store, told: this.#told, stop: this.#stop.signal })]));
		this.#timer = setInterval(() => this.#look(), lookEveryMs).unref();
		this.#tidy(targets);
		this.#look();
	}

	/** It is on the disk when this returns, unless the database does not take it at this moment: then it is written as soon as that does. Never throws. */
	put(delivery: NewDelivery): void {
		this.#unwritten.push(delivery);
		if (this.#unwritten.length > mostUnwritten) this.#drop(this.#unwritten.shift()!.target, 1);
		// Once it was not taken, the next look tries it: otherwise each event would wait for whoever holds up the database.
		if (this.#unwritten.length > 1 || !this.#write(patienceMs) || this.#soon !== undefined) return;
		this.#soon = setImmediate(() => {
			this.#soon = undefined;
			this.#send();
		});
	}

	/** Waits `graceMs` for what can be sent by now; the rest is left for whoever comes next. */
	async close(graceMs: number): Promise<void> {
		clearInterval(this.#timer);
		this.#write(5_000);
		const timer = setTimeout(() => this.#stop.abort(), graceMs);
		await Promise.all([...this.#senders.values()].map((sender) => sender.send()));
		clearTimeout(timer);
		this.#stop.abort();
		if (this.#unwritten.length > 0) this.#told.count("unwritten", this.#unwritten.length, (count) => `${count} deliveries to outbound webhooks are lost: the database did not take them.`);
		this.#told.tell(true);
		this.#store[Symbol.dispose]();
	}

	#look(): void {
		this.#write(patienceMs);
		this.#told.tell();
		this.#send();
	}

	/** Not waited for: behind a receiver that is slow, those who wait would be more and more. */
	#send(): void {
		for (const sender of this.#senders.values()) void sender.send();
	}

	/** Whether all of it is on the disk. */
	#write(patienceMs: number): boolean {
		if (this.#unwritten.length === 0) return true;
		try {
			for (const [target, count] of this.#store.add(this.#unwritten, patienceMs)) this.#drop(target, count);
			this.#unwritten = [];
			return true;
		} catch {
			// It is tried again; what is wrong with the database is told by who keeps conversations in it.
			return false;
		}
	}

	#drop(target: string, more: number): void {
		this.#told.count(`dropped ${target}`, more, (count) => `The outbound webhook ${target} has too many deliveries waiting: ${count === 1 ? "the oldest was" : `the ${count} oldest were`} forgotten.`);
	}

	/** Those of receivers that config.yaml no longer has. */
	#tidy(targets: readonly OutboundTarget[]): void {
		try {
			const count = this.#store.giveUpOthers(targets.map(({ id }) => id), Date.now() - givenUpAfterMs, "it is no longer in config.yaml");
			this.#told.count("others", count, () => `${count === 1 ? "A delivery" : `${count} deliveries`} to outbound webhooks that are no longer in config.yaml waited for a day. ${advice}`);
		} catch {
			// The next start does it.
		}
	}
}
