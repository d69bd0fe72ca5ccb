// Makes the mistakes an author makes; the tool call's command says which. None of them may do more harm than to its own hook.
import { EventEmitter } from "node:events";
import { setTimeout as pause } from "node:timers/promises";
import { defineExtension, HookFailure, type Hooks } from "hookline";

// What the types forbid is what the tests are about.
const mistakes: Record<string, (call: { args: Record<string, unknown> }, signal: AbortSignal, hooks: Hooks) => unknown> = {
	"throws an error": () => {
		throw new TypeError("x is not a function");
	},
	"throws a string": () => {
		// eslint-disable-next-line no-throw-literal
		throw "boom";
	},
	"throws a failure": () => {
		throw new HookFailure("cannot-start", "has no python");
	},
	"rejects": () => Promise.reject(new Error("no network")),
	"writes to the payload": (call) => {
		call.args["command"] = "rm";
	},
	"answers a date": () => ({ kind: "block", reason: "x", metadata: { when: new Date(0) } }),
	"answers a function": () => ({ kind: "pass", metadata: { f: () => 1 } }),
	"answers itself": () => {
		const answer: Record<string, unknown> = { kind: "pass" };
		answer["metadata"] = answer;
		return answer;
	},
	"answers a big integer": () => ({ kind: "pass", metadata: { n: 1n } }),
	"never answers": () => new Promise(() => {}),
	"stops when told": (_, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({ kind: "block", reason: "too late" }))),
	"registers late": (_, __, hooks) => hooks.guard("tool.calling", () => undefined),
	"throws in a timer": () => void setTimeout(() => fail("in a timer")),
	"throws in a callback": () => {
		const emitter = new EventEmitter().on("ready", () => fail("in a callback"));
		setImmediate(() => emitter.emit("ready"));
	},
	"throws after an answer": () => void pause(1).then(() => fail("after the answer")),
	"leaves a promise rejected": () => void Promise.reject(new Error("nobody waits for this")),
	"throws a string in a timer": () =>
		void setTimeout(() => {
			// eslint-disable-next-line no-throw-literal
			throw "a string in a timer";
		}),
};

function fail(message: string): never {
	throw new Error(message);
}

process.on("SIGUSR2", () => fail("called back by others"));

export default defineExtension((hooks) => {
	hooks.guard("tool.calling", { name: "guard", timeoutMs: 400 }, (call, context) => mistakes[String(call.args["command"])]?.(call as never, context.signal, hooks) as undefined);
});
