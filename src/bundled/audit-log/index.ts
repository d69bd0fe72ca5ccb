// Writes down what the agent did: each tool call before it runs, how it came out, each approval, each hook that failed, each session.
// A call that cannot be written down does not run: the guard throws then, and guards are closed.
import { createHash } from "node:crypto";
import { isAbsolute } from "node:path";
import { defineExtension, type Facts, type JsonObject } from "hookline";
import { AuditFile } from "./file.ts";
import { lastRecords, type Verified, verify } from "./verify.ts";

/** Characters of arguments, as JSON, that are written down; of longer ones their beginning and their hash. */
const mostArgs = 8_192;
const shown = 20;

export default defineExtension((hooks, hookline) => {
	const { folder } = hookline.config;
	if (typeof folder !== "string" || !isAbsolute(folder)) throw new Error(`'folder' must be an absolute path, and is ${JSON.stringify(folder)}. Set it in config.yaml, under extensions.${hookline.name}.config.`);
	const file = new AuditFile(folder);
	const write = (what: string, { sessionId, turnId }: Facts, fields: JsonObject) => file.append({ what, sessionId, turnId, ...fields });

	hooks.guard("tool.calling", { name: "record" }, (call) => {
		write("tool.calling", call, { callId: call.callId, tool: call.toolName, args: bounded(call.args) });
	});
	hooks.observe("tool.called", { name: "outcome" }, (call) => {
		const { callId, toolName: tool, status, durationMs, blockedBy, result } = call;
		write("tool.called", call, { callId, tool, status, ms: Math.round(durationMs), blockedBy, result: { chars: result.text.length, sha256: sha256(result.text) } });
	});
	hooks.observe("approval.requested", { name: "asked" }, (asked) => {
		const { approvalId, event, toolName: tool, digest, command, reasons } = asked;
		write("approval.requested", asked, { approvalId, event, tool, digest, command: bounded(command), reasons });
	});
	hooks.observe("approval.resolved", { name: "answered" }, (answered) => {
		const { approvalId, approved, choice, by, reason, waitedMs } = answered;
		write("approval.resolved", answered, { approvalId, approved, choice, by, reason, waitedMs: Math.round(waitedMs) });
	});
	hooks.observe("hook.failed", { name: "failures" }, (failed) => {
		// Its own is most likely that nothing can be written.
		if (failed.extension === hookline.name) return;
		const { hook, event, failure, message } = failed;
		write("hook.failed", failed, { hook, event, failure, message });
	});
	hooks.observe("session.started", { name: "began" }, (session) => write("session.started", session, { model: session.model, resumed: session.resumed, cwd: session.cwd, surface: session.surface }));
	hooks.observe("session.ended", { name: "ended" }, (session) => write("session.ended", session, { reason: session.reason, turns: session.turns }));

	hookline.registerCommand({
		name: "audit",
		summary: `the last ${shown} records of the audit log; 'verify' looks whether any was changed`,
		anytime: true,
		complete: () => ["verify"],
		run(args) {
			if (args === "") return lastRecords(folder, shown).join("\n") || "Nothing is written down yet.";
			if (args !== "verify") throw new Error(`there is no '${args}'. /audit shows the last records, /audit verify looks whether any was changed.`);
			const verified = verify(folder, file.name);
			if (verified.problems.length > 0) throw new Error(inWords(verified));
			return inWords(verified);
		},
	});
	hookline.onUnload(() => file.close());
});

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

function bounded(value: unknown): unknown {
	const json = JSON.stringify(value);
	return json.length <= mostArgs ? value : { begins: json.slice(0, 1_000), chars: json.length, sha256: sha256(json) };
}

function inWords({ folder, files, records, problems, notes }: Verified): string {
	const looked = `${records} records in ${files} files of ${folder}`;
	const verdict = problems.length === 0 ? `The audit log is whole: ${looked}.` : `the audit log was changed (${looked}):`;
	return [verdict, ...problems, ...notes].join("\n");
}
