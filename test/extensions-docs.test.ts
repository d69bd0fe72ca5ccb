// What docs/extensions.md shows runs, in both hosts, and has the types it claims.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import type { Brings, ToolCallPlace } from "../src/events/brings.ts";
import { kebabNames } from "../src/events/kebab-hooks.ts";
import type { AgentRequests } from "../src/events/requests.ts";
import { noUi } from "../src/events/ui.ts";
import type { LoadedExtension } from "../src/hosts/host.ts";
import { eventually } from "../src/system/test-waiting.ts";
import { folderWith, openHost, stateIn } from "./contracts/host.ts";
import { engineWith, facts, inWords, toolCall, toolCalled, turnStart } from "./engine.ts";

const page = readFileSync(join(import.meta.dirname, "../docs/extensions.md"), "utf8");
const examples = Object.fromEntries([...page.matchAll(/```ts\n\/\/ (\w+\.ts)\n([\s\S]*?)```/g)].map(([, file, text]) => [file!, text!]));

const place = (more: Partial<ToolCallPlace> = {}): ToolCallPlace => ({ signal: new AbortController().signal, cwd: "/projects/a", sessionId: "s1", callId: "c1", update: () => {}, ...more });

interface Shown {
	readonly loaded: LoadedExtension;
	readonly brings: Brings;
	readonly logged: string[];
	readonly values: Map<string, string>;
	readonly asked: string[];
}

/** What is done with each example, by its file. */
const uses: Readonly<Record<string, (shown: Shown) => Promise<void>>> = {
	async "words.ts"({ brings: { tools } }) {
		const updates: string[] = [];
		assert.equal((await tools[0]!.run({ text: "two words" }, place({ update: (text) => void updates.push(text) }))).text, "2 words");
		assert.deepEqual(updates, ["counting …"]);
	},
	async "dice.ts"({ brings: { tools } }) {
		assert.match((await tools[0]!.run({ sides: 6 }, place())).text, /^[1-6]$/);
		assert.deepEqual(await tools[0]!.run({ sides: 1 }, place()), { text: "The arguments do not fit: 'sides': must be above 1", isError: true });
	},
	async "deploy.ts"({ brings: { commands, shortcuts }, asked }) {
		assert.equal(await commands[0]!.run("staging", place()), "Deployed to staging.");
		assert.deepEqual(await commands[0]!.complete?.("pro", place()), ["production"]);
		await shortcuts?.[0]?.run(place());
		assert.deepEqual(asked, ["say Deploy to staging."]);
	},
	async "looking.ts"({ loaded, brings }) {
		assert.deepEqual(brings.flags, [{ name: "look-only", summary: "the agent changes nothing", type: "boolean", default: false }]);
		assert.equal(inWords(await engineWith(loaded.definitions).dispatch("tool.calling", toolCall())), "go");
	},
	async "acme.ts"({ brings: { providers } }) {
		const { complete, ...provider } = providers![0]!;
		assert.deepEqual([complete, provider.name, provider.keyVariable, provider.login?.kind], [undefined, "acme", "ACME_API_KEY", "key"]);
	},
	async "parrot.ts"({ brings: { providers } }) {
		const said: string[] = [];
		const answer = await providers![0]!.complete!({ model: "grey", messages: [{ role: "user", text: "Hello there" }], tools: [] }, { signal: new AbortController().signal, onDelta: (delta) => void said.push(delta) });
		assert.deepEqual([said, answer], [["Hello ", "there "], { finish: "stop", usage: { inputTokens: 1, outputTokens: 1 } }]);
	},
	async "budget.ts"({ loaded, logged }) {
		const engine = engineWith(loaded.definitions);
		assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "go");
		assert.equal(inWords(await engine.dispatch("tool.calling", toolCall())), "blocked by budget#1 (decision): The 1 commands of the budget are used up.");
		await eventually(() => logged.includes("1 of 1"), "it was logged");
	},
	async "explain.ts"({ brings: { commands }, asked }) {
		assert.equal(await commands[0]!.run("a.txt", place()), "It is a file.");
		assert.deepEqual(asked, ['callTool read_file {"path":"a.txt"}', "complete Explain this in a sentence:\nHello."]);
	},
	async "counter.ts"({ loaded, logged }) {
		engineWith(loaded.definitions).tell("tool.called", toolCalled());
		await eventually(() => logged.includes('heard {"n":1}'), "it was heard");
	},
	async "careful.ts"({ loaded }) {
		assert.equal(inWords(await engineWith(loaded.definitions).dispatch("shell.running", { ...facts(), command: "git push" })), "blocked by careful#1 (decision): Nobody is here to be asked.");
	},
	async "branch.ts"({ loaded }) {
		const outcome = await engineWith(loaded.definitions).dispatch("turn.starting", { ...turnStart(), cwd: import.meta.dirname });
		assert.equal(outcome.kind, "go", "with or without a repository");
	},
	async "clock.ts"({ loaded, values }) {
		await loaded.unload();
		await eventually(() => values.get("left") === "true", "it left");
	},
	async "audit.ts"({ loaded, logged }) {
		const engine = engineWith(loaded.definitions);
		assert.equal(inWords(await engine.dispatch("tool.calling", toolCall({ command: "sudo rm" }))), "blocked by audit#1 (decision): Not with sudo.");
		engine.tell("message.sent", { ...facts(), text: "Done.", purpose: "answer" });
		await eventually(() => logged.includes("sent test s1"), "it was logged");
	},
};

const agent = (asked: string[]) => ({
	say: async (_, text) => (asked.push(`say ${text}`), "queued" as const),
	callTool: async (_, name, args) => (asked.push(`callTool ${name} ${JSON.stringify(args)}`), { text: "Hello.", isError: false }),
	complete: async (_, { messages }) => (asked.push(`complete ${messages[0]?.text}`), { text: "It is a file.", model: "rehearsal", usage: {} }),
}) satisfies Partial<AgentRequests>;

test("every example has its use, and every kebab-case name its row", () => {
	assert.deepEqual(Object.keys(examples).toSorted(), Object.keys(uses).toSorted());
	for (const name of kebabNames) assert.ok(page.includes(`\`${name}\``), name);
});

for (const kind of ["inline", "node"] as const) {
	describe(`the examples in the ${kind} host`, () => {
		for (const [file, text] of Object.entries(examples)) {
			test(file, async () => {
				await using folder = await folderWith({ [file]: text });
				const logged: string[] = [];
				const asked: string[] = [];
				const values = new Map<string, string>();
				await using host = openHost(kind, { agent: agent(asked) as unknown as AgentRequests, uiOf: () => noUi, configOf: () => ({ most: 1 }), stateOf: () => stateIn(values), log: (_, message) => void logged.push(message) });
				const loaded = await host.load({ name: file.replace(".ts", ""), file: join(folder.path, file), trust: "user" });
				await uses[file]!({ loaded, brings: loaded.brings!, logged, values, asked });
			});
		}
	});
}

test("the examples have the types they use", { timeout: 120_000 }, async () => {
	const repository = join(import.meta.dirname, "..");
	const options = { module: "nodenext", target: "esnext", strict: true, noEmit: true, skipLibCheck: true, allowImportingTsExtensions: true, types: ["node"], typeRoots: [join(repository, "node_modules/@types")], paths: { hookline: [join(repository, "src/extension.ts")] } };
	await using folder = await folderWith({ ...examples, "package.json": '{"type":"module"}', "tsconfig.json": JSON.stringify({ compilerOptions: options, include: ["*.ts"] }) });
	const { status, stdout } = spawnSync(process.execPath, [join(repository, "node_modules/typescript/bin/tsc"), "-p", folder.path], { encoding: "utf8" });
	assert.equal(stdout, "");
	assert.equal(status, 0);
});
