// An extension that writes down the name of every event that reaches it, one a line, into the file named by RECORD.
// What it decides makes the others happen: it asks about one command and fails once.
import { appendFileSync } from "node:fs";
import { ask, defineExtension, eventNames } from "hookline";

const record = (event: string) => appendFileSync(process.env["RECORD"]!, `${event}\n`);

export default defineExtension((hooks) => {
	for (const event of eventNames) {
		if (event === "session.switching") hooks.guard(event, { name: event }, () => record(event));
		else if (/ing$/.test(event)) hooks.transform(event as "input.receiving", { name: event }, () => record(event));
	}
	hooks.observe("*", { name: "all" }, (_, { event }) => record(event));
	hooks.guard("tool.calling", { name: "asks" }, (call) => (String(call.args["command"]).includes("ask") ? ask("Shall it?") : undefined));
	hooks.transform("input.receiving", { name: "fails" }, (input) => {
		if (input.text.includes("fail")) throw new Error("as it should");
	});
});
