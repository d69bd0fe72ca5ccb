// How many requests of extensions the code at work lies inside of: a hook can ask the agent for the very thing it is called for.
import { AsyncLocalStorage } from "node:async_hooks";

const depth = new AsyncLocalStorage<number>();

/** 0 outside of any. */
export const askingDepth = (): number => depth.getStore() ?? 0;

/** Runs something that deep. What crosses to another process has to be brought back to where it was called: hosts keep the number of each call. */
export const atAskingDepth = <Result>(level: number, run: () => Result): Result => depth.run(level, run);
