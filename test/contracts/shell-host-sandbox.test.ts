import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { chmodSync, readdirSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { ShellHost } from "../../src/hosts/shell/job.ts";
import { findSandbox } from "../../src/hosts/shell/sandbox.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { folderWith } from "./host.ts";
import { inWords, jobOf, openShellHost, processesWith, whyUntested } from "./shell-host.ts";
import { hostileContract } from "./shell-host-hostile.ts";

const found = await findSandbox(process.env["PATH"] ?? "");
const untested = "why" in found ? `The sandbox is not tested: ${found.why}.` : whyUntested("spawner");
if ("why" in found || untested !== undefined) console.log(untested);
else {
	describe("in its sandbox a program", () => {
		let host: ShellHost;
		before(() => (host = openShellHost("spawner")));
		after(() => host[Symbol.asyncDispose]());
		const said = (script: string, cwd = "/", env = {}) => inWords(host.run(jobOf({ args: ["-c", script], cwd, env, sandbox: "required" })));

		test("is told of as such, also where a sandbox is only wished for", async () => {
			for (const sandbox of ["auto", "required"] as const) assert.equal((await host.run(jobOf({ args: ["-c", ":"], sandbox }))).sandboxed, true);
		});

		test("sees its folder and cannot write to it", async () => {
			await using folder = await folderWith({ "a.txt": "" });
			assert.match(await said("pwd -P; ls; touch b.txt || touch /etc/b.txt || touch ~/b.txt", folder.path), new RegExp(`^exit 1: ${folder.path}\na.txt\n$`));
			assert.deepEqual(readdirSync(folder.path), ["a.txt"]);
		});

		test("finds the script it is, wherever that lies", async () => {
			await using folder = await folderWith({ "hook.sh": "#!/bin/sh\necho found\n" });
			const file = join(folder.path, "hook.sh");
			await host.run(jobOf({ args: ["-c", `chmod +x ${file}`] }));
			assert.equal(await inWords(host.run(jobOf({ file, sandbox: "required" }))), "exit 0: found\n");
			assert.equal(await inWords(host.run(jobOf({ args: [file], sandbox: "required" }))), "exit 0: found\n");
		});

		test("has folders for temporary files and sockets of its own", async () => {
			assert.equal(await said("ls -A /tmp /run; touch /tmp/x && echo written"), "exit 0: /run:\n\n/tmp:\nwritten\n");
		});

		test("sees no process of ours", async () => {
			assert.equal(await said("tr '\\0' '\\n' < /proc/1/cmdline | head -n 1; ls -d /proc/[0-9]* | wc -l | tr -d ' ' | grep -c '^[1-6]$'"), `exit 0: ${found.file}\n1\n`);
		});

		test("reaches nobody", async () => {
			const server = createServer((socket) => socket.end("reached\n")).listen(0, "127.0.0.1");
			await new Promise((resolve) => server.once("listening", resolve));
			const { port } = server.address() as { port: number };
			try {
				// Nothing of the checkout: that may lie below /tmp, of which the sandbox has its own.
				const connect = `bash -c 'cat < /dev/tcp/127.0.0.1/${port}' 2> /dev/null || echo refused`;
				assert.equal(await inWords(host.run(jobOf({ args: ["-c", connect] }))), "exit 0: reached\n");
				assert.equal(await said(connect), "exit 0: refused\n");
			} finally {
				server.close();
			}
		});

		test("leaves nobody behind", async () => {
			const mark = `TEST_RUN=${randomUUID()}`;
			const env = { TEST_RUN: mark.slice(9) };
			assert.equal(await said("setsid sleep 600 & nohup sleep 600 >/dev/null 2>&1 & echo done", "/", env), "exit 0: done\n");
			await eventually(() => processesWith(mark).length === 0, "they are gone");
		});

		test("that is text without an interpreter line is not handed to a shell by guess", async () => {
			await using folder = await folderWith({ hook: "echo guessed\n" });
			const file = join(folder.path, "hook");
			chmodSync(file, 0o755);
			assert.match(await inWords(host.run(jobOf({ file, sandbox: "required" }))), /^cannot-start: .* needs a first line such as '#!\/bin\/sh'\.$/);
		});

		test("that is not there is said not to be there", async () => {
			assert.equal(await inWords(host.run(jobOf({ file: "/nowhere", sandbox: "required" }))), "cannot-start: could not be started in its sandbox: execvp /nowhere: No such file or directory.");
		});
	});

	hostileContract("spawner", "required");
}
