// Loads an extension into a host, makes it leave errors that nobody can catch, and prints what the host told of each. A program of its own,
// because the test runner listens for the same errors. `node test/programs/strays.ts inline|node FILE COMMAND…`
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import type { Stray } from "../../src/hosts/host.ts";
import { commandOf, engineWith, toolCall } from "../engine.ts";
import { openHost } from "../contracts/host.ts";

const [kind = "", file = "", ...commands] = process.argv.slice(2);
const told: Stray[] = [];
const signal = new EventTarget();
await using host = openHost(kind, {
	onStray(stray) {
		told.push(stray);
		signal.dispatchEvent(new Event("stray"));
	},
});
if (commands.includes("a defect of our own")) {
	setTimeout(() => {
		throw new Error("our own defect");
	});
	await pause(10_000);
}
// A host with nothing to do keeps nobody alive.
const awake = setTimeout(() => process.exit(9), 20_000);
const loaded = await host.load({ name: "faulty", file, trust: "user" });
const engine = engineWith(loaded.definitions);
for (const command of commands) {
	const next = once(signal, "stray");
	// Called back from our own code: only the stack tells whose callback it was.
	if (command === "is called back by others") setTimeout(() => process.emit("SIGUSR2"));
	console.log(JSON.stringify({ command, outcome: commandOf(await engine.dispatch("tool.calling", toolCall({ command }))) }));
	await next;
	console.log(JSON.stringify(told.at(-1)));
}
clearTimeout(awake);
console.log(JSON.stringify({ alive: true, told: told.length }));
