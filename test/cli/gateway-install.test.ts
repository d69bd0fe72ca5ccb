// Installed for the system: with a systemctl of the test's own, which writes down what it is told and starts what a unit says.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type Ended, Place } from "./program.ts";

const limit = { timeout: 60_000 };

class Installed implements AsyncDisposable {
	readonly place = new Place();
	readonly units = join(this.place.folder, "my config", "systemd", "user");
	readonly #calls = join(this.place.folder, "calls");
	readonly #env: Readonly<Record<string, string>>;

	constructor({ systemctl = true } = {}) {
		const bin = join(this.place.folder, "bin");
		mkdirSync(bin);
		const program = join(bin, "systemctl");
		// The words of a unit are words of a shell as well, as long as nothing odd is in them.
		writeFileSync(program, `#!/bin/sh\necho "$*" >> '${this.#calls}'\n[ "$2" = start ] && (eval "exec $(sed -n 's/^ExecStart=//p' '${this.units}'/"$3")") > /dev/null 2>&1 < /dev/null &\nexit 0\n`);
		chmodSync(program, 0o755);
		const tools = (process.env["PATH"] ?? "").split(":").filter((folder) => !existsSync(join(folder, "systemctl")));
		this.#env = { XDG_CONFIG_HOME: join(this.place.folder, "my config"), PATH: systemctl ? `${bin}:${process.env["PATH"] ?? ""}` : [join(import.meta.dirname, "../programs"), ...tools].join(":") };
		this.place.config("gateway: {http: {port: 0}}\n");
	}

	run(...args: readonly string[]): Promise<Ended> {
		return this.place.run(["gateway", ...args], { env: this.#env });
	}

	/** What the system was told since the last time. */
	calls(): readonly string[] {
		if (!existsSync(this.#calls)) return [];
		const lines = readFileSync(this.#calls, "utf8").trim().split("\n").filter(Boolean);
		writeFileSync(this.#calls, "");
		return lines;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.run("stop", "--now");
		await this.place[Symbol.asyncDispose]();
	}
}

const onLinux = process.platform === "linux";

test("install writes a unit and enables it, start, restart and stop go through it, and uninstall removes it", limit, async (t) => {
	if (!onLinux) return t.skip("systemd is Linux");
	await using installed = new Installed();
	const { place } = installed;
	const printed = await installed.run("install", "--print", "--model", "rehearsal");
	assert.equal(existsSync(installed.units), false, "--print writes nothing");
	const done = await installed.run("install", "--model", "rehearsal");
	assert.equal(done.code, 0, done.stderr);
	const [name, ...others] = readdirSync(installed.units);
	assert.match(name!, /^hookline-gateway-[0-9a-f]{8}\.service$/, "a home of one's own has a unit of its own");
	assert.deepEqual(others, []);
	const unit = readFileSync(join(installed.units, name!), "utf8");
	assert.equal(unit, printed.stdout);
	assert.match(unit, /^ExecStart="\/.*node" .*main\.[jt]s" "gateway" "run" "--model" "rehearsal"$/m);
	assert.match(unit, new RegExp(`^WorkingDirectory=${place.work}\nEnvironment="HOOKLINE_HOME=${place.home}"$`, "m"));
	assert.deepEqual(installed.calls(), ["--user daemon-reload", `--user enable --now ${name}`]);
	assert.match(done.stderr, /loginctl enable-linger\n.*gateway\.env/);

	const started = await installed.run("start");
	assert.equal(started.code, 0, started.stderr);
	assert.match(started.stdout, new RegExp(`^The gateway is ready at http://.* of ${name}\\.\n$`));
	assert.deepEqual(installed.calls(), [`--user start ${name}`]);
	const restarted = await installed.run("restart");
	assert.equal(restarted.code, 0, restarted.stderr);
	assert.deepEqual(installed.calls(), [`--user start ${name}`], "a stop that was asked for needs no word to systemd: it restarts only what failed");
	assert.equal((await installed.run("stop", "--now")).code, 0);
	assert.deepEqual(installed.calls(), [`--user stop --no-block ${name}`], "what is killed would be started again");
	for (const command of ["start", "restart"]) {
		const other = await installed.run(command, "--model", "rehearsal");
		assert.equal(other.code, 2);
		assert.match(other.stderr, /says how it is started\. Give --model rehearsal to 'hookline gateway install --force'/);
	}

	assert.equal((await installed.run("uninstall")).code, 0);
	assert.deepEqual(installed.calls(), [`--user disable --now ${name}`, "--user daemon-reload"]);
	assert.deepEqual(readdirSync(installed.units), []);
	assert.match((await installed.run("uninstall")).stderr, /is not installed/);
});

test("a unit that says something else is shown and left alone, until it is to be replaced", limit, async (t) => {
	if (!onLinux) return t.skip("systemd is Linux");
	await using installed = new Installed();
	await installed.run("install");
	assert.equal((await installed.run("install")).code, 0, "the same again is fine");
	const [name] = readdirSync(installed.units);
	const file = join(installed.units, name!);
	const mine = readFileSync(file, "utf8").replace("RestartSec=5", "RestartSec=60");
	writeFileSync(file, mine);
	const refused = await installed.run("install");
	assert.equal(refused.code, 1);
	assert.equal(refused.stdout, "- RestartSec=60\n+ RestartSec=5\n");
	assert.equal(readFileSync(file, "utf8"), mine);
	assert.equal((await installed.run("install", "--force")).code, 0);
	assert.match(readFileSync(file, "utf8"), /RestartSec=5\n/);
});

test("a gateway that runs by itself is not installed over, and where systemctl is missing it is said what to run", limit, async (t) => {
	if (!onLinux) return t.skip("systemd is Linux");
	await using installed = new Installed({ systemctl: false });
	assert.equal((await installed.run("start", "--model", "rehearsal")).code, 0);
	const refused = await installed.run("install");
	assert.equal(refused.code, 1);
	assert.match(refused.stderr, /already: process \d+\. End it with 'hookline gateway stop', then install it/);
	await installed.run("stop");
	const { code, stderr } = await installed.run("install");
	assert.equal(code, 1);
	assert.match(stderr, /\.service is written\.\nhookline: 'systemctl --user daemon-reload' failed \(it cannot be started: .*ENOENT\)\. Run where your own session of the system is: systemctl --user daemon-reload && systemctl --user enable --now hookline-gateway-/);
});
