// Does what no extension should; the tool call's command says what. Only for the node host: inline, some of it would be the end of us.
import { spawn } from "node:child_process";
import { closeSync, writeSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { defineExtension } from "hookline";

const deeds: Record<string, () => unknown> = {
	"loops for ever": () => {
		for (;;);
	},
	"exits": () => process.exit(3),
	"exits after a while": async () => {
		await pause(20);
		process.exit();
	},
	"exits in a timer": () => void setTimeout(() => process.exit(4), 20),
	"hoards objects": () => {
		const all: unknown[] = [];
		for (;;) all.push({ n: all.length, more: [all.length] });
	},
	"hoards buffers": async () => {
		const all: Buffer[] = [];
		for (let mb = 0; mb < 2048; mb += 16) {
			all.push(Buffer.alloc(16 * 1024 * 1024, 1));
			await pause(0);
		}
		return { kind: "block", reason: `hoarded ${all.length * 16} MB` };
	},
	"aborts": () => process.abort(),
	"kills itself": () => process.kill(process.pid, "SIGKILL"),
	"crashes": () => process.kill(process.pid, "SIGSEGV"),
	"writes garbage into the pipe": () => void writeSync(3, "garbage\n"),
	"answers a call nobody made": () => void writeSync(3, `${JSON.stringify({ t: "answer", id: 4711 })}\n`),
	"answers for another extension with trust": () => void writeSync(3, `${JSON.stringify({ t: "state", name: "somebody", key: "k", value: 1 })}\n`),
	"closes the pipe": () => closeSync(3),
	"floods its output": async () => {
		const lines = `${"x".repeat(99)}\n`.repeat(500);
		for (let bytes = 0; bytes < 30_000_000; bytes += lines.length) await new Promise((resolve) => process.stdout.write(lines, resolve));
	},
	"answers too much": () => ({ kind: "block", reason: "x".repeat(17 * 1024 * 1024) }),
	"leaves a program behind": () => {
		const child = spawn("sleep", ["1000"], { stdio: "ignore" });
		return { kind: "block", reason: String(child.pid) };
	},
	"tells its process": () => ({ kind: "block", reason: String(process.pid) }),
	"tells its environment": () => ({ kind: "block", reason: JSON.stringify(process.env) }),
	"answers after a while": () => pause(50, { kind: "block", reason: "after a while" }),
	"waits": () => pause(30_000),
};

export default defineExtension((hooks) => {
	hooks.guard("tool.calling", { name: "guard", timeoutMs: 10_000 }, (call) => deeds[String(call.args["command"])]?.() as undefined);
	hooks.guard("shell.running", { name: "short", timeoutMs: 200 }, (shell) => deeds[shell.command]?.() as undefined);
});
