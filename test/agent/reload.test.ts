// Extensions that change while the agent runs.
import assert from "node:assert/strict";
import { rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { callTerminal, open } from "./open.ts";

const guard = (word: string, reason: string) => `import { block, defineExtension } from "hookline";
export default defineExtension((hooks) => {
	hooks.guard("tool.calling", { name: "no", tool: "terminal" }, ({ args }) => (String(args.command).includes("${word}") ? block("${reason}") : undefined));
});
`;
const blocked = (reason: string, name = "careful") => `[Blocked by ${name}/no] ${reason}`;

for (const host of ["inline", "node"] as const) {
	describe(`An extension in the ${host} host`, () => {
		const config = `extensions: {careful: {host: ${host}}}`;

		test("is taken up again when its file is saved", { timeout: 30_000 }, async () => {
			await using agent = await open({ config, extensions: { "careful.ts": guard("echo", "the first") } });
			await agent.runtime.extensions.watch();
			await agent.submit(callTerminal("echo a"));
			agent.extension("careful.ts", guard("echo", "the second"));
			await eventually(() => agent.logged.includes("hookline: reloaded the extension 'careful': 1 hook"), "the change was seen");
			await agent.submit(callTerminal("echo b"));
			assert.deepEqual(agent.results, [blocked("the first"), blocked("the second")]);
			assert.deepEqual(agent.runtime.engine.hooks("tool.calling").filter(({ id }) => id.startsWith("careful")).length, 1);
		});

		test("that is saved with a mistake in it keeps its guard: what was forbidden stays forbidden", { timeout: 30_000 }, async () => {
			await using agent = await open({ config, extensions: { "careful.ts": guard("echo", "the first") } });
			await agent.runtime.extensions.watch();
			agent.extension("careful.ts", `${guard("echo", "the second")}\nconst = ;\n`);
			await eventually(() => agent.warnings.length > 0, "the change was seen");
			assert.match(agent.warnings[0]!, /^The extension 'careful' was not reloaded, and the version before goes on: .*careful\.ts:6/);
			await agent.submit(callTerminal("echo a"));
			assert.deepEqual(agent.results, [blocked("the first")]);
			assert.deepEqual((await agent.heard("extension.failed")).map(({ extension, during }) => [extension, during]), [["careful", "load"]]);
			agent.extension("careful.ts", guard("echo", "the third"));
			await eventually(() => agent.logged.some((line) => line.includes("reloaded")), "the change was seen");
			await agent.submit(callTerminal("echo b"));
			assert.equal(agent.results.at(-1), blocked("the third"));
		});
	});
}

test("A version whose factory throws halfway leaves nothing of itself behind", { timeout: 30_000 }, async () => {
	await using agent = await open({ extensions: { "careful.ts": guard("echo", "the first") } });
	agent.extension("careful.ts", guard("ls", "the second").replace("});\n", "\tthrow new Error('half');\n});\n"));
	const [done] = await agent.runtime.extensions.reload("careful");
	assert.deepEqual([done?.did, /half/.test(done?.about ?? "")], ["failed", true]);
	await agent.submit(callTerminal("echo a"));
	await agent.submit(callTerminal("ls"));
	assert.equal(agent.results[0], blocked("the first"));
	assert.doesNotMatch(agent.results[1]!, /Blocked/);
});

test("A turn that is under way when a version is replaced ends with the hooks it began with", { timeout: 30_000 }, async () => {
	const slow = `import { block, defineExtension } from "hookline";
export default defineExtension((hooks) => {
	hooks.guard("tool.calling", { name: "no" }, async () => {
		globalThis.asked?.();
		await globalThis.answer;
		return block("the old one, to its end");
	});
});
`;
	const parts = globalThis as { asked?: () => void; answer?: Promise<void> };
	const asked = new Promise<void>((resolve) => (parts.asked = resolve));
	const answer = Promise.withResolvers<void>();
	parts.answer = answer.promise;
	try {
		await using agent = await open({ extensions: { "careful.ts": slow } });
		const turn = agent.submit(callTerminal("echo a"));
		await asked;
		agent.extension("careful.ts", guard("echo", "the new one"));
		const reloading = agent.runtime.extensions.reload();
		await eventually(() => agent.told.filter(({ event }) => event === "extension.loaded").length > 1, "the change was seen");
		answer.resolve();
		await Promise.all([turn, reloading]);
		await agent.submit(callTerminal("echo b"));
		assert.deepEqual(agent.results, [blocked("the old one, to its end"), blocked("the new one")]);
	} finally {
		delete parts.asked;
		delete parts.answer;
	}
});

test("A file that was only touched, or deleted, changes nothing until somebody asks", { timeout: 30_000 }, async () => {
	await using agent = await open({ extensions: { "careful.ts": guard("echo", "the first"), "other.ts": guard("zzz", "never") } });
	const file = join(agent.home, "extensions/careful.ts");
	utimesSync(file, new Date(), new Date());
	assert.deepEqual((await agent.runtime.extensions.reload()).map(({ name, did }) => [name, did]), [["careful", "unchanged"], ["other", "unchanged"]]);
	await agent.runtime.extensions.watch();
	rmSync(file);
	agent.extension("other.ts", guard("zzz", "still never"));
	await eventually(() => agent.logged.some((line) => line.includes("'other'")), "the change was seen");
	await agent.submit(callTerminal("echo a"));
	assert.deepEqual(agent.results, [blocked("the first")]);
	assert.deepEqual((await agent.runtime.extensions.reload()).map(({ name, did }) => [name, did]), [["other", "unchanged"], ["careful", "removed"]]);
	await agent.submit(callTerminal("echo b"));
	assert.equal(agent.results.at(-1)!.includes("Blocked"), false);
});

test("Asked to, it takes up what is new and what config.yaml says now", { timeout: 30_000 }, async () => {
	await using agent = await open({ extensions: { "careful.ts": guard("echo", "the first") } });
	agent.extension("fresh.ts", guard("ls", "the fresh one"));
	writeFileSync(join(agent.home, "config.yaml"), "extensions: {careful: {enabled: false}}\n");
	assert.deepEqual((await agent.runtime.extensions.reload()).map(({ name, did }) => [name, did]), [["fresh", "loaded"], ["careful", "removed"]]);
	assert.deepEqual((await agent.heard("config.changed")).map(({ changed }) => changed.toSorted()), [["agent.retry_base_ms", "extensions.careful.enabled"]]);
	await agent.submit(callTerminal("echo a; ls"));
	assert.deepEqual(agent.results, [blocked("the fresh one", "fresh")]);
	writeFileSync(join(agent.home, "config.yaml"), "extensions: {careful: {enable: true}}\n");
	await assert.rejects(agent.runtime.extensions.reload(), /enable/);
	assert.deepEqual(agent.runtime.engine.hooks("tool.calling").filter(({ id }) => id === "fresh/no").length, 1);
});

test("Other settings are a change, and so is a file beside the one that is loaded", { timeout: 30_000 }, async () => {
	const index = `import { block, defineExtension } from "hookline";
import { reason } from "./reason.ts";
export default defineExtension((hooks, hookline) => {
	hooks.guard("tool.calling", { name: "no" }, () => block(reason + " " + hookline.config.word));
});
`;
	await using agent = await open({
		config: "extensions: {careful: {config: {word: one}}}",
		extensions: { "careful/EXTENSION.yaml": 'name: careful\nversion: 1.0.0\nmain: src/start.ts\nevents: ["tool.*"]\n', "careful/src/start.ts": index, "careful/src/reason.ts": 'export const reason = "first";\n' },
	});
	const said = async () => {
		await agent.submit(callTerminal("echo a"));
		return agent.results.at(-1);
	};
	assert.equal(await said(), blocked("first one"));
	writeFileSync(join(agent.home, "config.yaml"), "extensions: {careful: {config: {word: two}}}\n");
	assert.deepEqual((await agent.runtime.extensions.reload()).map(({ did }) => did), ["reloaded"]);
	assert.equal(await said(), blocked("first two"));
	agent.extension("careful/src/reason.ts", 'export const reason = "second";\n');
	assert.deepEqual((await agent.runtime.extensions.reload()).map(({ did }) => did), ["reloaded"]);
	assert.equal(await said(), blocked("second two"));
});
