// The floor of a process that waits. Prints the bytes it occupies.
const { promise, resolve } = Promise.withResolvers<void>();
process.once("message", resolve);
process.send?.("ready");
await promise;
process.send?.(process.memoryUsage().rss);
process.disconnect();
