// What extensions bring beside hooks, as the agent takes it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Brought } from "../../src/agent/brought.ts";
import { bringsNothing, type ExtensionCommand, type ExtensionTool } from "../../src/events/brings.ts";
import type { HookDefinition } from "../../src/events/registration.ts";
import { guard } from "../engine.ts";
import { open, type Opened } from "./open.ts";

const anything = { whyNotOverride: () => undefined };
const tool = (name: string, more: Partial<ExtensionTool> = {}): ExtensionTool => ({
	name,
	description: `Says ${name}.`,
	parameters: { type: "object", properties: { to: { type: "string" } }, additionalProperties: false },
	run: async ({ to = "nobody" }) => ({ text: `${name} to ${String(to)}`, isError: false }),
	...more,
});
const command = (name: string, more: Partial<ExtensionCommand> = {}): ExtensionCommand => ({ name, summary: `does ${name}`, run: async (args) => `${name}: ${args}`, ...more });

async function opened(hooks: readonly HookDefinition[] = []): Promise<Opened & { brought: Brought }> {
	const agent = await open({ hooks });
	return Object.assign(agent, { brought: (await agent.runtime.agent()).brought as Brought });
}

describe("A tool of an extension", () => {
	test("is called by the model like any other: with arguments that fit, and past the guards", async () => {
		await using agent = await opened([guard("tool.calling", ({ args }) => (args["to"] === "evil" ? { kind: "block", reason: "not to them" } : undefined))]);
		agent.brought.set("polite", { ...bringsNothing, tools: [tool("greet")] }, anything);
		await agent.submit('SEQ\nCALL greet {"to":"you"}\nCALL greet {"too":1}\nCALL greet {"to":"evil"}');
		assert.deepEqual([agent.results[0], agent.results[2]], ["greet to you", "[Blocked by test#1] not to them"]);
		assert.match(agent.results[1]!, /do not fit the tool 'greet'/);
		assert.deepEqual((await agent.heard("tool.called")).map(({ toolName, status }) => [toolName, status]), [["greet", "ok"], ["greet", "error"], ["greet", "blocked"]]);
	});

	test("that comes while a session runs is there at its next step, and gone after it left", async () => {
		await using agent = await opened();
		await agent.submit("TOOLS");
		assert.doesNotMatch(agent.sent.at(-1)!.text, /greet/);
		agent.brought.set("polite", { ...bringsNothing, tools: [tool("greet")] }, anything);
		await agent.submit("TOOLS");
		assert.match(agent.sent.at(-1)!.text, /greet/);
		agent.brought.delete("polite");
		await agent.submit("TOOLS");
		assert.doesNotMatch(agent.sent.at(-1)!.text, /greet/);
	});

	test("whose name is taken gets the name of its extension before its own, which is said once", async () => {
		await using agent = await opened();
		agent.brought.set("one", { ...bringsNothing, tools: [tool("greet"), tool("terminal")] }, anything);
		agent.brought.set("project:two", { ...bringsNothing, tools: [tool("greet", { run: async () => ({ text: "the other", isError: false }) })] }, anything);
		await agent.submit("CALL greet {}");
		await agent.submit("CALL project_two__greet {}");
		await agent.submit("CALL one__terminal {}");
		assert.deepEqual(agent.results, ["greet to nobody", "the other", "terminal to nobody"]);
		assert.deepEqual(agent.warnings, [
			"There is a tool 'terminal' already, so the one of the extension 'one' is called 'one__terminal'.",
			"There is a tool 'greet' already, so the one of the extension 'project:two' is called 'project_two__greet'.",
		]);
	});

	test("takes the place of a built-in one only when it says so and may", async () => {
		await using agent = await opened();
		agent.brought.set("mine", { ...bringsNothing, tools: [tool("todo", { overrides: true })] }, anything);
		agent.brought.set("theirs", { ...bringsNothing, tools: [tool("memory", { overrides: true })] }, { whyNotOverride: () => "it was not granted." });
		await agent.submit("CALL todo {}");
		await agent.submit("CALL theirs__memory {}");
		assert.deepEqual(agent.results, ["todo to nobody", "memory to nobody"]);
		assert.match(agent.warnings[0]!, /^The extension 'theirs' may not take the place of the tool 'memory': it was not granted\.$/);
	});

	test("that throws, hangs or gives no result costs its own call only", { timeout: 20_000 }, async () => {
		await using agent = await opened();
		const tools = [
			tool("throws", { run: () => Promise.reject(new Error("no network")) }),
			tool("hangs", { run: () => new Promise(() => {}), timeoutMs: 20 }),
			tool("lies", { run: async () => ({ words: 1 }) as never }),
			tool("floods", { run: async () => ({ text: "x".repeat(200_000), isError: false }) }),
		];
		agent.brought.set("bad", { ...bringsNothing, tools }, anything);
		await agent.submit("CALL throws {}\nCALL hangs {}\nCALL lies {}\nCALL floods {}");
		assert.deepEqual(agent.results.slice(0, 3), [
			"The tool throws of the extension 'bad' failed: no network",
			"The tool hangs of the extension 'bad' gave nothing within 0.02 s and was stopped.",
			"The tool lies of the extension 'bad' gave no result (a text and isError).",
		]);
		assert.match(agent.results[3]!, /\[cut: 100,000 more characters\]$/);
	});

	test("that no provider could take is left out, and its author is told why", async () => {
		await using agent = await opened();
		const tools = [tool("has space"), tool("no-schema", { parameters: { type: "string" } }), tool("broken", { parameters: { type: "object", properties: { a: { type: "strin" } } } }), tool("good")];
		agent.brought.set("bad", { ...bringsNothing, tools }, anything);
		await agent.submit("TOOLS");
		assert.match(agent.sent.at(-1)!.text, /good/);
		assert.doesNotMatch(agent.sent.at(-1)!.text, /space|no-schema|broken/);
		assert.equal(agent.warnings.length, 3);
		for (const warning of agent.warnings) assert.match(warning, /^The extension 'bad' brings a tool that cannot be used: /);
	});

	test("is stopped with the turn", async () => {
		await using agent = await opened();
		const stop = new AbortController();
		let stopped: unknown;
		const run: ExtensionTool["run"] = (_, { signal }) =>
			new Promise((_resolve, reject) => {
				signal.addEventListener("abort", () => {
					stopped = signal.reason;
					reject(signal.reason);
				});
				stop.abort(new Error("enough"));
			});
		agent.brought.set("slow", { ...bringsNothing, tools: [tool("waits", { run })] }, anything);
		const { interrupted } = await agent.submit("CALL waits {}", stop.signal);
		assert.equal(interrupted, true);
		assert.ok(stopped instanceof Error);
	});

	test("is not offered while it is not active, and a name that is none is refused", async () => {
		await using agent = await opened();
		agent.brought.set("polite", { ...bringsNothing, tools: [tool("greet")] }, anything);
		await agent.submit("TOOLS");
		const { session } = agent.conversation;
		session.setActive(["greet", "read_file"]);
		await agent.submit("TOOLS");
		assert.equal(agent.sent.at(-1)!.text, "read_file,greet");
		await agent.submit("CALL terminal {\"command\":\"echo no\"}");
		assert.match(agent.results.at(-1)!, /^There is no tool 'terminal'/);
		assert.throws(() => session.setActive(["gret"]), /There is no tool 'gret'\. Did you mean 'greet'\?/);
		session.setActive(undefined);
		await agent.submit("TOOLS");
		assert.match(agent.sent.at(-1)!.text, /terminal/);
	});
});

describe("A command of an extension", () => {
	test("runs with what stands behind it, stands in /help, and is gone after it left", async () => {
		await using agent = await opened();
		agent.brought.set("ops", { ...bringsNothing, commands: [command("deploy")] }, anything);
		await agent.submit("/deploy to the moon");
		assert.equal(agent.sent.at(-1)!.text, "deploy: to the moon");
		await agent.submit("/help");
		assert.match(agent.sent.at(-1)!.text, /\/deploy +does deploy/);
		agent.brought.delete("ops");
		await agent.submit("/deploy again");
		assert.match(agent.sent.at(-1)!.text, /^There is no command \/deploy\./);
	});

	test("whose name is taken is called by the name of its extension and its own", async () => {
		await using agent = await opened();
		agent.brought.set("ops", { ...bringsNothing, commands: [command("deploy"), command("new")] }, anything);
		agent.brought.set("project:web", { ...bringsNothing, commands: [command("deploy", { run: async () => "the other" })] }, anything);
		for (const typed of ["/deploy 1", "/ops:new 2", "/project:web:deploy 3"]) await agent.submit(typed);
		assert.deepEqual(agent.sent.map(({ text }) => text), ["deploy: 1", "new: 2", "the other"]);
		assert.deepEqual(agent.warnings, [
			"There is a command /new already, so the one of the extension 'ops' is /ops:new.",
			"There is a command /deploy already, so the one of the extension 'project:web' is /project:web:deploy.",
		]);
	});

	test("that throws is told to the person, and the conversation goes on", async () => {
		await using agent = await opened();
		agent.brought.set("ops", { ...bringsNothing, commands: [command("deploy", { run: () => Promise.reject(new Error("no such server")) })] }, anything);
		const { completed } = await agent.submit("/deploy");
		assert.equal(completed, false);
		assert.equal(agent.sent.at(-1)!.text, "/deploy failed: no such server");
		await agent.submit("SAY still here");
		assert.equal(agent.sent.at(-1)!.text, "still here");
	});
});
