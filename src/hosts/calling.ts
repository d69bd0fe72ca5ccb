// The call in which an extension's code runs, also across its awaits and timers: what it asks of the agent belongs to that call's session.
import { AsyncLocalStorage } from "node:async_hooks";

export interface Calling {
	readonly sessionId: string | undefined;
	/** How many emissions of the bus have caused each other up to here. */
	readonly emits: number;
	/** Of the call from the agent, in a process of extensions. */
	readonly id?: number;
}

export const calling = new AsyncLocalStorage<Calling>();

/** Runs a piece of an extension's code as part of it and of that call. */
export type Enter = <Result>(place: { readonly sessionId: string | undefined }, run: () => Result) => Result;
