// Delivery parity: every event fires on every path that can cause it. One table crosses them; a path or an event that is added must be entered.
import assert from "node:assert/strict";
import { copyFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { eventNames } from "../../src/events/catalog.ts";
import type { EventName } from "../../src/events/payloads/all.ts";
import { callTerminal, Place } from "../cli/program.ts";
import { Served } from "../gateway/served.ts";
import { onScreen } from "../cli/screen.ts";

/** The ways there are today to reach the agent. */
const paths = ["argument", "piped", "json", "chat", "lines", "screen", "resumed", "subagent", "mcp", "compaction", "gateway"] as const;
type Path = (typeof paths)[number];

/** Which events a path causes with the prompts below; or why none does yet. */
const everywhere = ["argument", "piped", "json", "chat", "lines", "screen", "resumed", "mcp", "compaction", "gateway"] as const;
/** A child has a turn like any other, but nobody types to it or reads what it says. */
const alsoChildren = paths;
const expected: Readonly<Record<EventName, readonly Path[] | string>> = {
	"message.receiving": ["gateway"],
	"message.received": ["gateway"],
	"reaction.added": "HTTP has no reactions",
	"reaction.removed": "HTTP has no reactions",
	"gateway.started": ["gateway"],
	"gateway.stopped": ["gateway"],
	"subagent.starting": alsoChildren,
	"subagent.started": alsoChildren,
	"subagent.stopped": alsoChildren,
	"session.compacting": ["chat", "lines", "screen", "resumed", "mcp", "compaction", "gateway"],
	"session.compacted": ["chat", "lines", "screen", "resumed", "mcp", "compaction", "gateway"],
	// Only what a person types: a line that comes through a pipe may be anybody's.
	"shell.running": ["lines", "screen"],
	"config.changed": "nobody takes up other settings here; test/agent/reload.test.ts has it",
	"message.sending": everywhere,
	"message.sent": everywhere,
	"command.running": everywhere,
	"command.ran": everywhere,
	"input.receiving": everywhere,
	"session.switching": everywhere,
	"session.switched": everywhere,
	"session.started": alsoChildren,
	"session.ended": alsoChildren,
	"session.reset": everywhere,
	"turn.starting": alsoChildren,
	"turn.started": alsoChildren,
	"turn.answering": alsoChildren,
	"turn.ending": alsoChildren,
	"turn.ended": alsoChildren,
	"step.started": alsoChildren,
	"step.ended": alsoChildren,
	"model.calling": alsoChildren,
	"model.requesting": alsoChildren,
	"model.streamed": alsoChildren,
	"model.called": alsoChildren,
	"model.failed": alsoChildren,
	"model.selected": everywhere,
	"tool.calling": alsoChildren,
	"terminal.returning": alsoChildren.filter((path) => path !== "mcp"),
	"tool.returning": alsoChildren,
	"tool.persisting": alsoChildren,
	"tool.called": alsoChildren,
	"approval.requested": alsoChildren,
	"approval.resolved": alsoChildren,
	"extension.loaded": everywhere,
	"extension.failed": everywhere,
	"extension.refused": "nothing is installed there; test/cli/permissions.test.ts has it",
	"hook.failed": alsoChildren,
};

const delegate = (goal: string): string => `CALL delegate_task ${JSON.stringify({ tasks: [{ goal }] })}`;
const prompts = [callTerminal("echo hi"), callTerminal("echo ask"), "fail", "HTTP 400 wrong", "/help", delegate("SAY hi"), "/compact", "/new", "/model openai-compatible:other"];

const models = { "openai-compatible:other": { base_url: "http://127.0.0.1:1/v1" } };
/** JSON is YAML too. */
const settings = (more: object = {}): string => JSON.stringify({ agent: { max_attempts: 1 }, models, ...more });

const drive: Readonly<Record<Path, (place: Place, env: Readonly<Record<string, string>>) => Promise<unknown>>> = {
	argument: (place, env) => each((prompt) => place.run(["run", prompt], { env })),
	piped: (place, env) => each((prompt) => place.run(["run"], { env, stdin: prompt })),
	json: (place, env) => each((prompt) => place.run(["run", "--json", prompt], { env })),
	chat: (place, env) => place.run([], { env, stdin: `${prompts.join("\n")}\n` }),
	async lines(place, env) {
		const person = place.onTerminal([], { env });
		for (const prompt of prompts) {
			// It does not wait for what was typed before it.
			if (prompt.startsWith("/model")) await person.shows("New session");
			person.write(`${prompt}\n`);
			if (!prompt.includes("echo ask")) continue;
			await person.shows("Allow this?");
			person.write("y\n");
		}
		person.write("!echo hi\n/quit\n");
		await person.ended;
	},
	async screen(place, env) {
		const person = onScreen(place, [], { env, rows: 60 });
		await person.shows(/─\nrehearsal · /);
		for (const prompt of [...prompts, "!echo hi"]) {
			person.type(`${prompt}\r`);
			if (prompt.includes("echo ask")) {
				await person.shows(/Allow this\?[\s\S]*❯ *\n/);
				person.type("y\r");
			}
			// Sent sooner, it would join the turn that runs.
			await person.shows(prompt.startsWith("!") ? "$ echo hi" : `❯ ${prompt.slice(0, 60)}`);
			await person.hides("Working");
		}
		person.type("/quit\r");
		await person.ended;
	},
	async subagent(place, env) {
		const goals = [...prompts.filter((prompt) => !prompt.startsWith("/")), delegate("SAY deeper")];
		await place.run([], { env: { ...env, CHILDREN: "1" }, stdin: `${goals.map(delegate).join("\n")}\n` });
	},
	/** As in the chat, with the tool of a server in the place of the terminal. */
	async mcp(place, env) {
		const server = { command: process.execPath, args: [join(import.meta.dirname, "../programs/mcp-server.ts")] };
		place.config(settings({ mcp: { own: server } }));
		const calls = prompts.map((prompt) => prompt.replace("CALL terminal", "CALL mcp__own__echo"));
		await place.run([], { env, stdin: `${calls.join("\n")}\n` });
	},
	/** As in the chat, where the window is so small that room is made before anybody asks for it. */
	async compaction(place, env) {
		place.config(settings({ models: { ...models, rehearsal: { context_tokens: 1000 } } }));
		const long = `SAY ${"word ".repeat(1000)}`;
		await place.run([], { env, stdin: `${[long, long, ...prompts.filter((prompt) => prompt !== "/compact")].join("\n")}\n` });
	},
	async gateway(place, env) {
		const gateway = await Served.start(place, `models: ${JSON.stringify(models)}\ngateway: {http: {port: 0}}`, env);
		for (const prompt of prompts) await gateway.ask(prompt);
		await gateway.stop();
	},
	async resumed(place, env) {
		await place.run(["run", "SAY first"], { env: { ...env, RECORD: "/dev/null" } });
		await each((prompt) => place.run(["run", "--continue", prompt], { env }));
		await place.run(["run", "--continue", "--model", "openai-compatible:other", "hello"], { env });
	},
};

async function each(run: (prompt: string) => Promise<unknown>): Promise<void> {
	for (const prompt of prompts) await run(prompt);
}

async function recordedOn(path: Path, env: Readonly<Record<string, string>> = {}): Promise<ReadonlySet<string>> {
	await using place = new Place();
	copyFileSync(join(import.meta.dirname, "../programs/recorder.ts"), join(place.home, "extensions", "recorder.ts"));
	place.extension("z-broken.ts", "throw new Error('as it should');\n");
	place.config(settings());
	const file = join(place.folder, "record");
	rmSync(file, { force: true });
	await drive[path](place, { ...env, RECORD: file });
	return new Set(existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);
}

/** None for an event that is only explained. */
function onPaths(name: EventName): readonly Path[] {
	const found = expected[name];
	return typeof found === "string" ? [] : found;
}

const expectedOn = (path: Path): readonly EventName[] => eventNames.filter((name) => onPaths(name).includes(path));

for (const path of paths) {
	test(`every event fires on the path '${path}'`, { timeout: 120_000 }, async () => {
		const recorded = await recordedOn(path);
		assert.deepEqual([...recorded].toSorted(), expectedOn(path).toSorted());
	});
}

test("an emission that is deleted fails the comparison, each of them", { timeout: 300_000 }, async () => {
	const loader = pathToFileURL(join(import.meta.dirname, "../programs/drop-emission.mjs")).href;
	const wanted = expectedOn("chat");
	const left = [...wanted];
	const unnoticed: string[] = [];
	const work = async () => {
		for (let dropped = left.pop(); dropped !== undefined; dropped = left.pop()) {
			const recorded = await recordedOn("chat", { NODE_OPTIONS: `--import ${loader}`, DROP: dropped });
			if (wanted.every((name) => recorded.has(name))) unnoticed.push(dropped);
			else assert.ok(!recorded.has(dropped), `${dropped} was recorded although its emission was taken out`);
		}
	};
	await Promise.all([work(), work()]);
	assert.deepEqual(unnoticed, []);
});
