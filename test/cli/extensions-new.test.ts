// `hookline extensions new` writes an extension whose own test passes as written, and that can be packed, installed and used.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { callTerminal, Place } from "./program.ts";

for (const lang of ["ts", "js"]) {
	test(`${lang}: its own test passes as written, and packed and installed it does what it says`, { timeout: 120_000 }, async () => {
		await using place = new Place();
		const { code, stdout, stderr } = await place.run(["extensions", "new", "no-force", "--lang", lang]);
		assert.equal(code, 0, stderr);
		assert.equal(stdout, `${join(place.work, "no-force")}\n`);
		const { test: command } = (JSON.parse(readFileSync(join(place.work, "no-force/package.json"), "utf8")) as { scripts: { test: string } }).scripts;
		const own = spawnSync(command, { cwd: join(place.work, "no-force"), shell: true, encoding: "utf8", env: { PATH: process.env["PATH"], HOME: place.folder } });
		assert.equal(own.status, 0, own.stdout + own.stderr);
		assert.match(own.stdout, /pass 2/);
		const packed = await place.run(["extensions", "pack", "no-force", "--out", "out"]);
		assert.equal(packed.stdout, `${join(place.work, "out/no-force-0.1.0.tgz")}\n`, packed.stderr);
		assert.equal((await place.run(["extensions", "install", packed.stdout.trim(), "--yes"])).code, 0);
		await place.run(["run", callTerminal("git push --force nowhere")]);
		const [record] = await place.trace("--event", "tool.calling");
		assert.ok(record?.hooks.some(({ hook, decision }) => hook === "no-force/commands" && decision === "block"), JSON.stringify(record));
	});
}

test("the same folder packed twice is the same archive, and nothing is ever overwritten", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await place.run(["extensions", "new", "mine"]);
	const again = await place.run(["extensions", "new", "mine"]);
	assert.deepEqual([again.code, again.stderr], [1, `hookline: ${join(place.work, "mine")} is there already, and is left as it is. Give the new extension another name.\n`]);
	const bytes = [];
	for (const out of ["one", "two"]) {
		await place.run(["extensions", "pack", "mine", "--out", out]);
		bytes.push(readFileSync(join(place.work, out, "mine-0.1.0.tgz")));
	}
	assert.deepEqual(bytes[0], bytes[1]);
	for (const [args, says] of [
		[["new", "../up"], /An extension is called by 1 to 64 letters/],
		[["new", "x", "--lang", "rs"], /There is no language 'rs'\..* They are ts, js\./],
		[["install", "./nowhere"], /There is no .*nowhere\./],
		[["install", "https://example.org/x.tgz"], /an address must be that of a git repository/],
	] as const) {
		const { code, stderr } = await place.run(["extensions", ...args]);
		assert.notEqual(code, 0);
		assert.match(stderr, says);
	}
});
