// What waits to be sent to webhooks, as it is kept until they have it. Who they are and how they are reached is the business of who sends it.
import type { Leases } from "./leases.ts";

export interface NewDelivery {
	/** The same in each try. */
	readonly id: string;
	/** Those of one target are sent in the order in which they were added. */
	readonly target: string;
	/** The name of the event as the target has it. */
	readonly event: string;
	/** JSON. */
	readonly body: string;
	/** In ms since the epoch, as all times here. */
	readonly at: number;
}

export interface Delivery extends NewDelivery {
	/** Before this one. */
	readonly tries: number;
	/** Of its target, in a row. */
	readonly failures: number;
}

/** One that was given up. */
export interface DeadDelivery extends Omit<NewDelivery, "body"> {
	readonly tries: number;
	readonly why: string;
}

export interface TargetState {
	readonly target: string;
	readonly waiting: number;
	readonly dead: number;
	/** In a row; 0 while it takes what it is sent. */
	readonly failures: number;
	/** Not before this time is it tried again. */
	readonly nextAt: number;
	/** Why the oldest that waits was not taken, when it was not. */
	readonly why?: string;
}

/** How many may wait for a target. */
export const mostWaiting = 10_000;
/** How many of a target are kept that were given up. */
export const mostDead = 1_000;

/** Every method throws StoreError when the database does not answer. Several processes may use it at a time. */
export interface OutboundStore extends Disposable {
	/** Who holds the lease of a target is the one that sends to it. */
	readonly leases: Leases;
	/**
	 * All of them or none; one whose id is known stays as it is. Where more than `mostWaiting` would wait for a target, its oldest are forgotten.
	 * `patienceMs` is how long another process is waited for, with the event loop. @returns how many were forgotten, by target
	 */
	add(deliveries: readonly NewDelivery[], patienceMs: number): ReadonlyMap<string, number>;
	/** The oldest of a target, when it may be tried by now. */
	next(target: string, now: number): Delivery | undefined;
	/** The target has it. */
	taken(id: string): void;
	/** The target will never take it. */
	refused(id: string, why: string): void;
	/** The target did not take it now: nothing of it is tried before `nextAt`, and what waits since before `givenUpBefore` is given up. @returns how many that were */
	failed(id: string, why: string, nextAt: number, givenUpBefore: number): number;
	/** Gives up what waits since before then for other targets than these. @returns how many that were */
	giveUpOthers(targets: readonly string[], before: number, why: string): number;
	/** By name. */
	targets(): readonly TargetState[];
	/** The oldest first. */
	dead(): readonly DeadDelivery[];
	/** Lets one that was given up wait again, at its old place. @returns whether there was one */
	retry(id: string, now: number): boolean;
	/** Forgets one that was given up. @returns whether there was one */
	drop(id: string): boolean;
}
