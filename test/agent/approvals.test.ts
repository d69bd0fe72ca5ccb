// Hookline's own guard in a real conversation: what nothing can approve, what a person is asked about, and how long their yes holds.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Approver, ApprovalAnswer, Question } from "../../src/agent/surface.ts";
import { allow, ask, rewrite } from "../../src/events/decision.ts";
import { guard, transform } from "../engine.ts";
import { callTerminal, open, type Opened } from "./open.ts";

const yes = (remember?: "session" | "always"): ApprovalAnswer => ({ approved: true, by: "person", ...(remember && { remember }) });

/** Answers as it is told, and keeps the questions. */
class Person implements Approver {
	readonly asked: Question[] = [];
	readonly #answer: ApprovalAnswer;
	constructor(answer: ApprovalAnswer = yes()) {
		this.#answer = answer;
	}
	async ask(question: Question): Promise<ApprovalAnswer> {
		this.asked.push(question);
		return this.#answer;
	}
}

const folderWith = (agent: Opened, name: string) => {
	mkdirSync(join(agent.work, name), { recursive: true });
	writeFileSync(join(agent.work, name, "file"), "x");
};
const call = (tool: string, args: object) => `CALL ${tool} ${JSON.stringify(args)}`;

describe("the floor", { concurrency: 4 }, () => {
	test("neither a hook's allow, nor a person, nor mode off lets it through; the model is told which rule and why", async () => {
		const person = new Person(yes("always"));
		await using agent = await open({ config: "approvals: {mode: off, unattended: allow}", approver: person, hooks: [guard("tool.calling", () => allow("fine by me"))] });
		writeFileSync(join(agent.home, "trust.json"), "{}");
		await agent.submit(callTerminal(`rm ${agent.home}/trust.json`));
		assert.match(agent.results[0] ?? "", /^\[Blocked by hookline\/approvals\] changes-guards: it would change what guards you.*\(rm .*trust\.json\)\. Nothing can approve this/);
		assert.ok(existsSync(join(agent.home, "trust.json")));
		assert.equal(person.asked.length, 0);
	});

	test("what guards the agent cannot be written by any tool, where it does not exist yet, through links and through ..", async () => {
		await using agent = await open({ approver: new Person() });
		symlinkSync(agent.home, join(agent.work, "link"));
		symlinkSync(join(agent.home, "config.yaml"), join(agent.work, "innocent.yaml"));
		const before = readFileSync(join(agent.home, "config.yaml"), "utf8");
		const tries = [
			call("write_file", { path: join(agent.home, "shell-hooks-allowlist.json"), content: "{}" }),
			call("write_file", { path: "../home/extensions/evil.ts", content: "" }),
			call("write_file", { path: "link/config.yaml", content: "" }),
			call("write_file", { path: "innocent.yaml", content: "" }),
			call("write_file", { path: ".hookline/config.yaml", content: "" }),
			call("patch", { path: "innocent.yaml", old: "agent", new: "x" }),
			callTerminal("echo x > link/extensions/a.ts"),
			callTerminal("tee innocent.yaml < /dev/null"),
			callTerminal("cd link && touch approvals.json"),
			callTerminal("mkdir .hookline"),
			callTerminal(`cp innocent.yaml $HOOKLINE_HOME/trust.json`),
			call("terminal", { command: "echo x > config.yaml", cwd: "../home" }),
		];
		for (const [i, prompt] of tries.entries()) {
			await agent.submit(prompt);
			assert.match(agent.results[i] ?? "", /^\[Blocked by hookline\/approvals\] changes-guards/, prompt);
		}
		for (const name of ["shell-hooks-allowlist.json", "extensions", "trust.json", "approvals.json"]) assert.ok(!existsSync(join(agent.home, name)), name);
		assert.ok(!existsSync(join(agent.work, ".hookline")));
		assert.equal(readFileSync(join(agent.home, "config.yaml"), "utf8"), before);
	});

	test("what a hook rewrote is what is judged", async () => {
		await using agent = await open({ hooks: [transform("tool.calling", ({ args }) => rewrite({ ...args, command: "rm -rf ~" }), { priority: 900 })] });
		await agent.submit(callTerminal("ls"));
		assert.match(agent.results[0] ?? "", /wipes-disk: it would wipe the disk/);
	});

	test("denied globs of config.yaml are a part of it", async () => {
		const person = new Person();
		await using agent = await open({ config: "approvals: {deny: ['touch secret*']}", approver: person });
		await agent.submit(callTerminal("nice touch 'secret.txt'"));
		assert.match(agent.results[0] ?? "", /denied: the user has denied 'touch secret\*' in config\.yaml \(touch secret\.txt\)/);
		await agent.submit(callTerminal("touch open.txt"));
		assert.deepEqual([existsSync(join(agent.work, "secret.txt")), existsSync(join(agent.work, "open.txt")), person.asked.length], [false, true, 0]);
	});
});

describe("what is dangerous", { concurrency: 4 }, () => {
	test("is asked about with the final arguments, the rule and the reason; the events have the keys of the specification", async () => {
		const person = new Person();
		await using agent = await open({ approver: person, hooks: [transform("tool.calling", ({ args }) => rewrite({ ...args, command: `${String(args["command"])} -rf` }), { priority: 900 })] });
		folderWith(agent, "src");
		await agent.submit(callTerminal("rm 'src'"));
		assert.ok(!existsSync(join(agent.work, "src")));
		const [question] = person.asked;
		assert.deepEqual(question?.value, { command: "rm 'src' -rf" });
		assert.deepEqual(question?.reasons, [{ hook: "hookline/approvals", reason: "deletes-folder: it deletes folders with all that is in them (rm src -rf)." }]);
		assert.equal(question?.lasts, true);
		const [requested] = await agent.heard("approval.requested");
		const { command, description, patternKey, patternKeys, sessionKey, surface } = requested!;
		assert.deepEqual({ command, description, patternKey, patternKeys, sessionKey, surface }, { command: "rm src -rf", description: question!.reasons[0]!.reason, patternKey: "deletes-folder", patternKeys: ["deletes-folder"], sessionKey: agent.conversation.session.id, surface: "test" });
		const [resolved] = await agent.heard("approval.resolved");
		assert.deepEqual([resolved?.choice, resolved?.approved, resolved?.digest], ["once", true, requested?.digest]);
	});

	test("once is for once", async () => {
		const person = new Person();
		await using agent = await open({ approver: person });
		for (let i = 0; i < 2; i++) await agent.submit(callTerminal("rm -rf src"));
		assert.equal(person.asked.length, 2);
	});

	test("for the session it holds for the same command however it is quoted, for no other and no other folder", async () => {
		const person = new Person(yes("session"));
		await using agent = await open({ approver: person });
		mkdirSync(join(agent.work, "inner"));
		for (const command of ["rm -rf src", "r''m  -rf 'src'", "nohup rm -rf src"]) await agent.submit(callTerminal(command));
		assert.equal(person.asked.length, 1);
		await agent.submit(callTerminal("rm -rf src docs"));
		assert.equal(person.asked.length, 2);
		await agent.submit(call("terminal", { command: "rm -rf src", cwd: "inner" }));
		assert.equal(person.asked.length, 3);
		await agent.submit(callTerminal("sudo rm -rf src"));
		assert.equal(person.asked.length, 4);
		assert.ok(!existsSync(join(agent.home, "approvals.json")));
		assert.deepEqual((await agent.heard("approval.resolved")).map(({ choice }) => choice), ["session", "session", "session", "session"]);
	});

	test("always holds in the next session, is kept in a file of the user's alone, and can be taken back", async () => {
		const person = new Person(yes("always"));
		await using agent = await open({ approver: person });
		await agent.submit(callTerminal("rm -rf src"));
		const file = join(agent.home, "approvals.json");
		assert.equal(statSync(file).mode & 0o777, 0o600);
		const { approvals } = JSON.parse(readFileSync(file, "utf8")) as { approvals: { rule: string; command: string; folder: string }[] };
		assert.deepEqual(approvals.map(({ rule, command, folder }) => [rule, command, folder]), [["deletes-folder", "rm -rf src", agent.work]]);
		await using next = await open({ home: agent.home, approver: person });
		await next.submit(callTerminal("rm -rf src"));
		assert.equal(person.asked.length, 1);
		await next.submit(callTerminal("rm -rf ./src"));
		assert.equal(person.asked.length, 2, "another command is asked about");
		writeFileSync(file, JSON.stringify({ version: 1, approvals: [] }));
		await using last = await open({ home: agent.home, approver: person });
		await last.submit(callTerminal("rm -rf src"));
		assert.equal(person.asked.length, 3);
	});

	test("a list that others may write to approves nothing, and that is said", async () => {
		const person = new Person(yes());
		await using agent = await open({ approver: person });
		writeFileSync(join(agent.home, "approvals.json"), JSON.stringify({ version: 1, approvals: [{ id: "p", rule: "deletes-folder", command: "rm -rf src", folder: agent.work, at: 1 }] }), { mode: 0o666 });
		const { chmodSync } = await import("node:fs");
		chmodSync(join(agent.home, "approvals.json"), 0o666);
		await agent.submit(callTerminal("rm -rf src"));
		assert.equal(person.asked.length, 1);
		assert.match(agent.warnings.join("\n"), /approvals\.json cannot be relied on, so everything is asked about: others may write to it/);
	});

	test("what is known only when it runs cannot be approved for longer", async () => {
		const person = new Person(yes("always"));
		await using agent = await open({ approver: person });
		for (let i = 0; i < 2; i++) await agent.submit(callTerminal("rm -rf src/$(date +%N)"));
		assert.deepEqual(person.asked.map(({ lasts }) => lasts), [false, false]);
		assert.ok(!existsSync(join(agent.home, "approvals.json")));
		assert.deepEqual((await agent.heard("approval.resolved")).map(({ choice }) => choice), ["once", "once"]);
	});

	test("a user's own guard that asks as well, or alone, gets no lasting yes", async () => {
		const person = new Person(yes("always"));
		await using agent = await open({ approver: person, hooks: [guard("tool.calling", () => ask("Mine."))] });
		await agent.submit(callTerminal("rm -rf src"));
		await agent.submit(callTerminal("ls"));
		assert.deepEqual(person.asked.map(({ lasts }) => lasts), [false, false]);
		assert.deepEqual((await agent.heard("approval.requested")).map(({ patternKeys }) => patternKeys), [["deletes-folder", "test#1"], ["test#1"]]);
		assert.ok(!existsSync(join(agent.home, "approvals.json")));
	});

	test("a no and its reason reach the model; nobody there is a no, unless config.yaml says otherwise", async () => {
		await using agent = await open({ approver: new Person({ approved: false, by: "person", reason: "The user said no: not today" }) });
		folderWith(agent, "src");
		await agent.submit(callTerminal("rm -rf src"));
		assert.equal(agent.results[0], "[Blocked by person] The user said no: not today");
		await using alone = await open();
		folderWith(alone, "src");
		await alone.submit(callTerminal("rm -rf src"));
		assert.match(alone.results[0] ?? "", /deletes-folder.*nobody is there to give it/);
		assert.ok(existsSync(join(agent.work, "src")) && existsSync(join(alone.work, "src")));
		assert.deepEqual((await alone.heard("approval.resolved")).map(({ choice, by }) => [choice, by]), [["deny", "nobody-there"]]);
		await using trusting = await open({ config: "approvals: {unattended: allow}" });
		folderWith(trusting, "src");
		await trusting.submit(callTerminal("rm -rf src"));
		assert.ok(!existsSync(join(trusting.work, "src")));
	});

	test("mode off asks about nothing", async () => {
		await using agent = await open({ config: "approvals: {mode: off}" });
		folderWith(agent, "src");
		await agent.submit(callTerminal("rm -rf src"));
		assert.ok(!existsSync(join(agent.work, "src")));
	});

	test("files are asked about by their path, ordinary ones are not", async () => {
		const person = new Person();
		await using agent = await open({ approver: person });
		await agent.submit(call("write_file", { path: ".env", content: "A=1\n" }));
		await agent.submit(call("write_file", { path: "notes.md", content: "rm -rf /\n" }));
		assert.deepEqual(person.asked.map(({ reasons }) => reasons[0]?.reason), [`writes-settings: it writes where keys are, or where a shell, git or the system takes its orders from (write_file ${agent.work}/.env).`]);
	});
});

test("secrets in terminal output reach neither the model nor the store nor the trace; hooks see it raw; redact off leaves it", async () => {
	const key = `ghp_${"aB3".repeat(12)}`;
	const seen: string[] = [];
	const hooks = [transform("terminal.returning", ({ output }) => void seen.push(output))];
	const command = `printf 'token \\033[1m%s\\033[0m and %s\\n' "$(echo ${key.slice(0, 20)})${key.slice(20)}" $PLAIN`;
	await using agent = await open({ hooks, environment: { HOOKLINE_TEST_TOKEN: "zebra-crossing-9" } });
	await agent.submit(callTerminal(command.replace("$PLAIN", "$(echo zebra-cros'sing-9')")));
	assert.equal(agent.results[0], "token [redacted] and [redacted]");
	assert.ok(seen[0]?.includes(key) && seen[0].includes("zebra-crossing-9"));
	await agent.runtime.engine.idle();
	const kept = JSON.stringify([agent.runtime.store.sessions.latest(agent.work), agent.messages.filter(({ role }) => role === "tool"), agent.runtime.store.trace.recent({ event: "terminal.returning" })]);
	assert.ok(!kept.includes(key) && !kept.includes("zebra-crossing-9"));
	await using plain = await open({ config: "redact: off" });
	await plain.submit(callTerminal(`echo ${key}`));
	assert.equal(plain.results[0], key);
});
