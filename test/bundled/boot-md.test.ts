import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { openTestAgent, type TestAgent } from "../../src/testing.ts";

describe("boot-md", () => {
	let folder: string;
	let file: string;
	before(() => {
		folder = mkdtempSync(join(tmpdir(), "hookline-boot-"));
		file = join(folder, "BOOT.md");
	});
	after(() => rmSync(folder, { recursive: true, force: true }));

	const opened = (extensions: readonly string[] = []): Promise<TestAgent> => openTestAgent({ extensions, config: { extensions: { "boot-md": { enabled: true, config: { file } } } } });
	const said = (agent: TestAgent) => agent.log.filter((line) => line.startsWith("boot-md"));

	test("works through the checklist at the start of the gateway, through the agent's own hooks, and says what came of it", async () => {
		// The model does what it is told to by the lines of the checklist.
		writeFileSync(file, 'CALL terminal {"command":"echo checked > boot-was-here"}\n');
		await using agent = await opened();
		await agent.fire("gateway.started");
		await eventually(() => said(agent).length > 0, "it is done");
		assert.deepEqual(said(agent).map((line) => line.startsWith("boot-md: DONE")), [true]);
		assert.deepEqual((await agent.say('CALL read_file {"path":"boot-was-here"}')).calls.map(({ status }) => status), ["ok"]);
	});

	test("says nothing when nothing needs attention", async () => {
		writeFileSync(file, "SAY [SILENT]\n");
		const witness = join(folder, "witness.ts");
		writeFileSync(witness, 'import { defineExtension } from "hookline";\nexport default defineExtension((hooks) => hooks.observe("turn.ended", ({ surface, text }, ctx) => ctx.log(surface + " " + text)));\n');
		await using agent = await opened([witness]);
		await agent.fire("gateway.started");
		await eventually(() => agent.log.some((line) => line.startsWith("witness#1: boot [SILENT]")), "the turn is over");
		assert.deepEqual(said(agent), []);
	});

	describe("where there are chats", () => {
		/** A `send_message` as the gateway has it, which answers so. */
		function chats(answer: string): string {
			const extension = join(folder, "chats.ts");
			writeFileSync(extension, `import { defineExtension } from "hookline";\nexport default defineExtension((_, hookline) => hookline.registerTool({ name: "send_message", description: "Sends.", parameters: { type: "object" }, run(args) { hookline.log(JSON.stringify(args)); return ${answer}; } }));\n`);
			return extension;
		}
		/** The model answers DONE. */
		const work = 'CALL terminal {"command":"true"}\n';
		const sent = (agent: TestAgent) => agent.log.filter((line) => line.startsWith("chats"));

		test("what has to be known goes to the home chat, and to the log no more", async () => {
			writeFileSync(file, work);
			await using agent = await opened([chats('"sent"')]);
			await agent.fire("gateway.started");
			await eventually(() => sent(agent).length > 0, "it is sent");
			assert.deepEqual([sent(agent), said(agent)], [['chats: {"to":"home","text":"DONE"}'], []]);
		});

		test("without a home chat it goes to the log, and when it was refused with the reason", async () => {
			writeFileSync(file, work);
			await using homeless = await opened([chats('{ text: "There is no home chat.", isError: true, details: { noHome: true } }')]);
			await homeless.fire("gateway.started");
			await eventually(() => said(homeless).length > 0, "it is told");
			assert.deepEqual(said(homeless).map((line) => line.replace(/^[^:]+: /, "")), ["DONE"]);
			await using refused = await opened([chats('{ text: "Not now.", isError: true }')]);
			await refused.fire("gateway.started");
			await eventually(() => said(refused).length > 1, "it is told with the reason");
			assert.deepEqual(said(refused).map((line) => line.replace(/^[^:]+: /, "")), ["DONE", "This was not sent to the home chat: Not now."]);
		});

		test("[SILENT] anywhere in the answer sends nothing", async () => {
			writeFileSync(file, "SAY all is well, and so [SILENT] it is\n");
			const witness = join(folder, "witness.ts");
			writeFileSync(witness, 'import { defineExtension } from "hookline";\nexport default defineExtension((hooks) => hooks.observe("turn.ended", ({ text }, ctx) => ctx.log(text)));\n');
			await using agent = await opened([chats('"sent"'), witness]);
			await agent.fire("gateway.started");
			await eventually(() => agent.log.some((line) => line.startsWith("witness#1: all is well")), "the turn is over");
			assert.deepEqual([sent(agent), said(agent)], [[], []]);
		});
	});

	test("does nothing without a file, and tells when it cannot be read", async () => {
		rmSync(file, { force: true });
		await using none = await opened();
		await none.fire("gateway.started");
		file = folder;
		await using broken = await opened();
		await broken.fire("gateway.started");
		await eventually(() => said(broken).length > 0, "the trouble is told");
		assert.match(said(broken)[0]!, /BOOT\.md was not worked through: EISDIR/);
		assert.deepEqual(said(none), []);
	});
});
