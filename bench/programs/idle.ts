// An agent that waits for its user: everything is opened, nothing happens. Prints the bytes it occupies.
import { openRuntime } from "../../src/runtime.ts";

const silent = { delta: () => {}, discard: () => {}, message: () => {} };
const runtime = await openRuntime({ environment: process.env, cwd: process.cwd(), surface: "terminal", hooks: true, output: silent, warn: (message) => console.error(message), log: () => {} });
await runtime.agent();
const { promise, resolve } = Promise.withResolvers<void>();
process.once("message", resolve);
process.send?.("ready");
await promise;
process.send?.(process.memoryUsage().rss);
await runtime[Symbol.asyncDispose]();
process.disconnect();
