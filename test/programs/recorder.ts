// An extension that writes down the name of every event that reaches it, one a line, into the file named by RECORD; with CHILDREN only those of
// delegated children.
// What it decides makes the others happen: it asks about one command and fails once.
import { appendFileSync } from "node:fs";
import { ask, defineExtension, eventNames, type Facts } from "hookline";

function record(event: string, { parentSessionId }: Facts): void {
	if (process.env["CHILDREN"] === undefined || parentSessionId !== undefined) appendFileSync(process.env["RECORD"]!, `${event}\n`);
}

export default defineExtension((hooks) => {
	for (const event of eventNames) {
		if (event === "session.switching") hooks.guard(event, { name: event }, (facts) => record(event, facts));
		else if (/ing$/.test(event)) hooks.transform(event as "input.receiving", { name: event }, (facts) => record(event, facts));
	}
	hooks.observe("*", { name: "all" }, (facts, { event }) => record(event, facts));
	hooks.guard("tool.calling", { name: "asks" }, (call) => (String(call.args["command"]).includes("ask") ? ask("Shall it?") : undefined));
	hooks.transform("turn.starting", { name: "fails" }, (turn) => {
		if (turn.text.includes("fail")) throw new Error("as it should");
	});
});
