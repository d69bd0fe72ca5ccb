// What Python code asks of the agent: through the services, and through the modules that code written for Hermes imports.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { OpenSessions } from "../../src/agent/open-sessions.ts";
import { agentRequests } from "../../src/agent/requests.ts";
import type { JsonObject } from "../../src/events/payloads/facts.ts";
import { pythonServices } from "../../src/extensions/requests-from-python.ts";
import type { LoadedUnit } from "../../src/hosts/python/unit.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { callOf, open as openPython, program, told } from "../contracts/python-host.ts";
import { guard } from "../engine.ts";
import { callTerminal, type Opened, open, type OpenOptions } from "./open.ts";

const gatewayLoader = join(import.meta.dirname, "../../src/dialects/hermes-gateway/loader.py");

class Asking implements AsyncDisposable {
	readonly agent: Opened;
	readonly python: ReturnType<typeof openPython>;
	readonly requests: ReturnType<typeof agentRequests>;
	readonly sessionId: string;

	constructor(agent: Opened) {
		this.agent = agent;
		const { runtime, conversation } = agent;
		const sessions = new OpenSessions();
		sessions.enter(conversation.session);
		sessions.attach(conversation);
		this.sessionId = conversation.session.id;
		this.requests = agentRequests({ agent: () => runtime.agent(), place: runtime.place, open: sessions });
		const kept = new Map<string, unknown>();
		const state = { get: (key: string) => kept.get(key), set: (key: string, value: unknown) => void kept.set(key, value), delete: (key: string) => void kept.delete(key), keys: () => [...kept.keys()] };
		this.python = openPython({ services: { ...pythonServices(this.requests, () => state), greet: async () => "hello" }, environment: { HERMES_HOME: join(agent.folder, "hermes") } });
	}

	/** Asks a service as code of a unit does. */
	asker(): Promise<LoadedUnit> {
		return this.python.load("asker", program("asking.py"));
	}

	/** A handler of a gateway hook. */
	async handler(text: string): Promise<LoadedUnit> {
		const file = join(this.agent.folder, "hooks/boot/handler.py");
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
		return this.python.host.load({ name: "hooks/boot", loader: gatewayLoader, settings: { file } });
	}

	get logged(): readonly string[] {
		return this.python.logged;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.requests[Symbol.asyncDispose]();
		await this.python[Symbol.asyncDispose]();
		await this.agent[Symbol.asyncDispose]();
	}
}

const ask = async (options?: OpenOptions): Promise<Asking> => new Asking(await open(options));
const fired = (context: JsonObject = {}): JsonObject => ({ event_type: "agent:start", context });

describe("the services of Python code", { concurrency: 2 }, () => {
	test("run tools, call models, hold conversations and keep notes", async () => {
		await using asking = await ask();
		const unit = await asking.asker();
		const answer = (service: string, args: JsonObject) => told(unit, { service, args: { session_id: asking.sessionId, ...args } });
		assert.match((await answer("callTool", { tool: "terminal", args: { command: "pwd", workdir: "/" } }) as { text: string }).text, /^\/$/m);
		assert.deepEqual(await answer("complete", { messages: [{ role: "system", content: "Be a pirate." }, { role: "user", content: [{ type: "text", text: "SYSTEM pirate" }] }] }), { text: "YES", model: "rehearsal", usage: { inputTokens: 7, outputTokens: 1, cachedTokens: 0 } });
		const conversed = (await answer("converse", { text: "SAY hello" })) as JsonObject;
		assert.deepEqual([conversed["final_response"], conversed["completed"], conversed["error"], conversed["api_calls"]], ["hello", true, null, 1]);
		assert.deepEqual(conversed["messages"], [{ role: "user", content: "SAY hello" }, { role: "assistant", content: "hello" }]);
		assert.deepEqual(await answer("model", {}), { name: "rehearsal", provider: "rehearsal", model: "rehearsal" });
		assert.equal(await answer("setActiveTools", { names: ["terminal"] }), null);
		assert.deepEqual(((await answer("tools", {})) as JsonObject)["active"], ["terminal"]);
		assert.equal(await answer("say", { text: "hello" }), false);
		assert.equal(await answer("state.set", { key: "a", value: [1] }), null);
		assert.deepEqual([await answer("state.get", { key: "a" }), await answer("state.get", { key: "b" }), await answer("state.keys", {})], [[1], null, ["a"]]);
		await answer("state.delete", { key: "a" });
		assert.deepEqual(await answer("state.keys", {}), []);
	});

	test("say what is wrong with an argument", async () => {
		await using asking = await ask();
		const unit = await asking.asker();
		const mistakes: readonly (readonly [service: string, args: JsonObject, expected: string])[] = [
			["callTool", { args: {} }, "'tool' is missing; it must be a text."],
			["callTool", { tool: "terminal", args: "ls" }, `'args' must be a dict, not "ls".`],
			["complete", { messages: "hello" }, `'messages' must be a list of messages, each {"role": …, "content": …}.`],
			["complete", { messages: [{ role: "robot", content: "" }] }, `messages[0]: 'role' must be system, user, assistant or tool, not "robot".`],
			["complete", { messages: [{ role: "user", content: "x" }], max_tokens: 0 }, "'max_tokens' must be a whole number over 0, not 0."],
			["converse", { text: "x", history: [{ role: "tool", content: "x" }] }, "conversation_history[0]: a message of a tool has the id of its call as 'tool_call_id'."],
			["converse", { text: "x", surface: "telegram" }, "'surface' must be one of terminal, run, dashboard, editor, gateway, cron, boot, test, not 'telegram'."],
			["setActiveTools", { names: ["terminal", 1] }, `'names' must be a list of texts, not ["terminal",1].`],
			["say", { text: "x", session_id: 1 }, "'session_id' must be a text, not 1."],
		];
		for (const [service, args, expected] of mistakes) {
			const answer = String(await told(unit, { service, args }));
			assert.ok(answer.startsWith(`threw: ServiceError: ${expected} (`), answer);
		}
	});

	test("a call of a tool from inside its own hook, in another process, comes to an end all the same", async () => {
		const held: { unit?: LoadedUnit } = {};
		let calls = 0;
		const answers: unknown[] = [];
		const hook = guard("tool.calling", async ({ sessionId }) => {
			calls++;
			answers.push(await told(held.unit!, { service: "callTool", args: { session_id: sessionId, tool: "terminal", args: { command: "true" } } }));
			return undefined;
		});
		await using asking = await ask({ hooks: [hook] });
		held.unit = await asking.asker();
		await asking.agent.submit(callTerminal("true"));
		assert.equal(calls, 9);
		assert.match(String(answers[0]), /^threw: ServiceError: asker asked for the tool terminal, which was not done: extensions ask for such things from inside each other, 8 levels deep\./);
	});

	test("what a call asked for ends with that call", async () => {
		await using asking = await ask();
		const unit = await asking.asker();
		const slow = { service: "converse", args: { text: `SLOW 60000 ${"word ".repeat(10)}` } };
		for (const id of [0, 1]) {
			const stop = new AbortController();
			const called = told(unit, slow, { id, signal: stop.signal });
			await eventually(async () => (await asking.agent.heard("turn.started")).length === id + 1, "the turn has begun");
			stop.abort();
			assert.match(String(await called), /^interrupted/);
			await eventually(async () => (await asking.agent.heard("turn.ended")).length === id + 1, "the turn has ended");
		}
		assert.deepEqual((await asking.agent.heard("turn.ended")).map(({ interrupted }) => interrupted), [true, true]);
	});
});

describe("AIAgent", { concurrency: 2 }, () => {
	test("runs a real turn, from a thread of a handler as well, and what it prints and logs is known to be the handler's", async () => {
		await using asking = await ask();
		const unit = await asking.handler(`
import logging, threading
from gateway.run import _resolve_gateway_model, _resolve_runtime_agent_kwargs
from run_agent import AIAgent
logger = logging.getLogger("hooks.boot")

def work():
    agent = AIAgent(model=_resolve_gateway_model(), **_resolve_runtime_agent_kwargs(), platform="gateway", quiet_mode=True, max_iterations=5)
    result = agent.run_conversation("CALL terminal {\\"command\\": \\"echo from the turn\\"}")
    logger.info("%s %s %s", result["final_response"], result["completed"], len(result["messages"]))
    print(agent.session_id == result["session_id"], result["messages"][2]["content"].splitlines()[0])

async def handle(event_type, context):
    threading.Thread(target=work, daemon=True).start()
`);
		await callOf(unit, fired());
		await eventually(() => asking.logged.length === 2, "it logged and printed");
		assert.deepEqual(asking.logged, ["hooks/boot: INFO hooks.boot: DONE True 4", "hooks/boot: True from the turn"]);
		const [ended] = await asking.agent.heard("turn.ended");
		assert.deepEqual([ended?.surface, ended?.parentSessionId], ["gateway", undefined]);
	});

	test("remembers what it is given, knows its tools, and belongs to the session it was asked in", async () => {
		await using asking = await ask();
		const unit = await asking.handler(`
from run_agent import AIAgent

def handle(event_type, context):
    first = AIAgent().run_conversation("SAY the river")
    print(AIAgent().run_conversation("SEEN river", conversation_history=first["messages"])["final_response"])
    print(AIAgent(enabled_toolsets=["file", "browser"], disabled_toolsets=["web"]).chat("TOOLS"))
    print("memory" in AIAgent(skip_memory=True).chat("TOOLS"), "memory" in AIAgent().chat("TOOLS"))
    print(AIAgent(ephemeral_system_prompt="Be a pirate.").chat("SYSTEM pirate"))
    print(AIAgent().run_conversation("SYSTEM pirate", system_message="Be a pirate.")["final_response"])
    print(AIAgent(max_iterations=1).run_conversation("LOOP 3 terminal {\\"command\\": \\"true\\"}")["error"][:31])
`);
		await callOf(unit, fired({ session_id: asking.sessionId }));
		await eventually(() => asking.logged.length === 7, "it printed all");
		assert.deepEqual(asking.logged.map((line) => line.replace("hooks/boot: ", "")), ["2", "AIAgent: there are no tools here for the toolset browser.", "read_file,write_file,patch,search_files", "False True", "YES", "YES", "The turn was ended after 1 step"]);
		for (const { parentSessionId } of await asking.agent.heard("turn.ended")) assert.equal(parentSessionId, asking.sessionId);
	});

	test("names what changes nothing here, and what it has not", async () => {
		await using asking = await ask();
		const unit = await asking.handler(`
from run_agent import AIAgent

def handle(event_type, context):
    agent = AIAgent(model="", api_key="sk-x", base_url="https://example.invalid/v1", save_trajectories=True, fallback_model=None)
    agent.run_conversation("SAY x", stream_callback=print)
    try:
        agent.interrupt()
    except AttributeError as error:
        print(error)
    try:
        AIAgent(model="gpt-x", provider="opnai").chat("SAY x")
    except Exception as error:
        print(type(error).__name__, error)
`);
		await callOf(unit, fired());
		await eventually(() => asking.logged.length === 4, "it printed all");
		assert.deepEqual(asking.logged, [
			"hooks/boot: AIAgent: api_key, base_url, save_trajectories change nothing here. Models, their addresses and keys are in Hookline's config.yaml.",
			"hooks/boot: run_conversation: stream_callback changes nothing here. Models, their addresses and keys are in Hookline's config.yaml.",
			"hooks/boot: AIAgent has no 'interrupt' in Hookline. It has run_conversation, chat, close, model, provider, platform, max_iterations and session_id.",
			"hooks/boot: ServiceError There is no model provider 'opnai'. Did you mean 'openai'?",
		]);
	});

	test("hermes_constants know the home", async () => {
		await using asking = await ask();
		const unit = await asking.handler(`
from hermes_constants import display_hermes_home, get_config_path, get_hermes_dir, get_hermes_home

def handle(event_type, context):
    (get_hermes_home() / "image_cache").mkdir(parents=True)
    for path in (get_hermes_home(), get_config_path(), display_hermes_home(), get_hermes_dir("cache/images", "image_cache"), get_hermes_dir("cache/audio", "audio_cache")):
        print(path)
`);
		await callOf(unit, fired());
		await eventually(() => asking.logged.length === 5, "it printed all");
		const home = join(asking.agent.folder, "hermes");
		assert.deepEqual(asking.logged.map((line) => line.replace("hooks/boot: ", "")), [home, join(home, "config.yaml"), home, join(home, "image_cache"), join(home, "cache/audio")]);
	});
});
