// Sends what waits for one receiver, one after the other, as long as it takes it. Of all processes with this home the one that holds its lease does.
import type { OutboundTarget } from "../../dialects/hermes-outbound/target.ts";
import { type Lease, SessionInUseError } from "../../stores/leases.ts";
import type { Delivery, OutboundStore } from "../../stores/outbound.ts";
import { post, type Posted } from "./post.ts";
import type { Told } from "./told.ts";

/** What was not taken for so long is given up, in ms. */
export const givenUpAfterMs = 86_400_000;
const firstPauseMs = 1_000;
const longestPauseMs = 300_000;

export interface SenderOptions {
	readonly target: OutboundTarget;
	readonly secret: string | undefined;
	readonly store: OutboundStore;
	readonly told: Told;
	/** Gives up what is being sent; whoever sends it the next time does so under the same id. */
	readonly stop: AbortSignal;
}

type Settled = Exclude<Posted, { readonly kind: "stopped" }>;

export class Sender {
	readonly #options: SenderOptions;
	#sending: Promise<void> | undefined;
	/** What became of a delivery that the store did not take: it is not sent again for that. */
	#unsettled: { readonly delivery: Delivery; readonly posted: Settled } | undefined;

	constructor(options: SenderOptions) {
		this.#options = options;
	}

	/** Sends what may be sent by now. Resolves when there is nothing more of it, or another process does it. Never throws. */
	send(): Promise<void> {
		this.#sending ??= this.#sendAll()
			// The store does not answer now. What waits is looked for again.
			.catch(() => {})
			.finally(() => (this.#sending = undefined));
		return this.#sending;
	}

	async #sendAll(): Promise<void> {
		const { target, secret, stop } = this.#options;
		if (stop.aborted || this.#next() === undefined) return;
		using lease = this.#acquire();
		if (lease === undefined) return;
		if (this.#unsettled !== undefined) this.#settle(this.#unsettled.delivery, this.#unsettled.posted);
		const ended = AbortSignal.any([stop, lease.lost]);
		for (let delivery: Delivery | undefined; !ended.aborted && (delivery = this.#next()) !== undefined; ) {
			const posted = await post(target, delivery, secret, ended);
			if (posted.kind === "stopped") return;
			this.#unsettled = { delivery, posted };
			this.#settle(delivery, posted);
		}
	}

	#next(): Delivery | undefined {
		const { store, target } = this.#options;
		return store.next(target.id, Date.now());
	}

	#acquire(): Lease | undefined {
		try {
			return this.#options.store.leases.acquire(`outbound ${this.#options.target.id}`);
		} catch (error) {
			if (error instanceof SessionInUseError) return undefined;
			throw error;
		}
	}

	#settle({ id, failures }: Delivery, posted: Settled): void {
		const { store, target, told } = this.#options;
		if (posted.kind === "taken") store.taken(id);
		else if (posted.kind === "refused") {
			store.refused(id, posted.why);
			told.count(`refused ${target.id}`, 1, (count) => `The outbound webhook ${target.id} was not delivered${times(count)}: ${posted.why}. It is not tried again. ${advice}`);
		} else {
			const now = Date.now();
			const pauseMs = Math.min(Math.max(posted.retryAfterMs ?? 0, Math.min(firstPauseMs * 2 ** failures, longestPauseMs)), givenUpAfterMs);
			const givenUp = store.failed(id, posted.why, now + pauseMs, now - givenUpAfterMs);
			told.count(`given up ${target.id}`, givenUp, (count) => `The outbound webhook ${target.id} was not delivered${times(count)}: it was tried for a day, and at last ${posted.why}. ${advice}`);
		}
		this.#unsettled = undefined;
		told.tell();
	}
}

export const advice = "'hookline hooks outbound list' shows what was given up.";
const times = (count: number): string => (count === 1 ? "" : ` ${count} times`);
