// Packages that should not be: each is refused with its reason, before anything of it is written.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { tar, type TarEntry, tgz } from "../programs/tar-file.ts";
import { archiveOf, guardPackage, writeFiles } from "./package-source.ts";
import { Place } from "./program.ts";

const good: readonly TarEntry[] = Object.entries(guardPackage("1.0.0")).map(([path, text]) => ({ path: `package/${path}`, text }));
const manifest = (text: string) => archiveOf({ ...guardPackage("1.0.0"), "EXTENSION.yaml": text });
const megabyte = 1024 * 1024;

/** What it is, the archive, and what is said about it. FILE stands for its path. */
const bad: readonly (readonly [what: string, archive: () => Buffer, says: RegExp])[] = [
	["a path out of it", () => tgz([...good, { path: "package/../../out", text: "x" }]), /^FILE holds 'package\/\.\.\/\.\.\/out', a path that leads out of it, so it is not installed\.$/],
	["an absolute path", () => tgz([...good, { path: "/tmp/out", text: "x" }]), /holds '\/tmp\/out', a path that is not within it/],
	["a link to the root", () => tgz([...good, { path: "package/root", type: "2", link: "/" }]), /holds 'package\/root', a link, and links are not followed/],
	["a file through a link", () => tgz([...good, { path: "package/d", type: "2", link: "/tmp" }, { path: "package/d/out", text: "x" }]), /holds 'package\/d', a link/],
	["a hard link", () => tgz([...good, { path: "package/passwd", type: "1", link: "/etc/passwd" }]), /holds 'package\/passwd', a hard link/],
	["a device", () => tgz([...good, { path: "package/null", type: "3" }]), /holds 'package\/null', a device/],
	["a pipe", () => tgz([...good, { path: "package/pipe", type: "6" }]), /holds 'package\/pipe', a pipe/],
	["a name with a line break", () => tgz([...good, { path: "package/a\nb", text: "x" }]), /a name with characters that no file should have/],
	["a backslash", () => tgz([...good, { path: "package/..\\out", text: "x" }]), /holds 'package\/\.\.[\\/]+out', a (?:name with characters|path that leads out)/],
	["the same file twice", () => tgz([...good, { path: "package/index.ts", text: "x" }]), /holds 'package\/index\.ts' twice/],
	["names that differ in case alone", () => tgz([...good, { path: "package/INDEX.ts", text: "x" }]), /holds 'package\/INDEX\.ts' twice/],
	["a bomb: little that becomes much", () => tgz([...good, { path: "package/big", text: Buffer.alloc(64 * megabyte) }]), /holds more than 32 MB/],
	["a bomb of many files", () => tgz([...good, ...Array.from({ length: 2_500 }, (_, i) => ({ path: `package/${i}`, text: "" }))]), /holds more than 2000 files and folders/],
	["a bomb behind the end of the archive", () => gzipSync(Buffer.concat([tar(good), Buffer.alloc(64 * megabyte)])), /holds more than 32 MB/],
	["a length that is a lie", () => tgz([...good, { path: "package/big", text: "x", claims: 0o7777777 * 4096 }]), /holds more than 32 MB/],
	["half an archive", () => tgz([...good, { path: "package/noise", text: Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7919) % 251)) }]).subarray(0, 300), /cannot be read: unexpected end of file/],
	["no archive", () => Buffer.from("#!/bin/sh\necho hello\n".repeat(100)), /FILE (?:is damaged|cannot be read|holds no file)/],
	["an empty archive", () => tgz([]), /is damaged: Unrecognized archive format/],
	["an archive of folders", () => tgz([{ path: "package/", type: "5" }, { path: "package/src/", type: "5" }]), /holds no file/],
	["no manifest", () => archiveOf({ "index.ts": "" }), /There is no EXTENSION\.yaml in it/],
	["no code", () => archiveOf({ "EXTENSION.yaml": "name: calm\nversion: 1.0.0\n" }), /'calm' cannot be installed: it has no index\.ts, index\.mts, index\.js, index\.mjs, __init__\.py/],
	["a main that is not there", () => manifest("name: calm\nversion: 1.0.0\nmain: lib/start.js\n"), /its EXTENSION\.yaml says 'main: lib\/start\.js', and there is no such file/],
	["a main outside", () => manifest("name: calm\nversion: 1.0.0\nmain: ../start.js\n"), /^EXTENSION\.yaml:3:1: 'main' does not fit\. The file that is loaded/],
	["a manifest of a later format", () => manifest("manifest: 2\nname: calm\nversion: 1.0.0\nmagic: true\n"), /^EXTENSION\.yaml:1:1: it has format 2, and 1 is what this Hookline knows: it is made for a later one\. Update Hookline\.$/],
	["a manifest for a later Hookline", () => manifest("name: calm\nversion: 1.0.0\nhookline: '>=99.0.0'\n"), /^EXTENSION\.yaml: it is made for Hookline >=99\.0\.0, and this is \d+\.\d+\.\d+\./],
	["a misspelt field", () => manifest("name: calm\nversion: 1.0.0\npermisions: {}\n"), /^EXTENSION\.yaml:3:1: 'permisions' is unknown: did you mean 'permissions'/],
	["a misspelt event", () => manifest("name: calm\nversion: 1.0.0\nevents:\n  - tool.caling\n"), /^EXTENSION\.yaml:4:5: there is no event 'tool\.caling': did you mean 'tool\.calling'\.$/],
	["a dependency that is missing", () => manifest("name: calm\nversion: 1.0.0\ndependencies: { base: ^1.0.0 }\n"), /'calm' 1\.0\.0 cannot be installed: it needs the extension 'base' \^1\.0\.0, and there is none\. Install that\./],
	["a need of itself", () => manifest("name: calm\nversion: 1.0.0\ndependencies: { calm: ^1.0.0 }\n"), /cannot be installed: it is one of a circle .*: calm → calm\./],
];

test("each bad package is refused with its reason, and nothing of it is anywhere", { timeout: 240_000 }, async () => {
	await using place = new Place();
	for (const [i, [what, archive, says]] of bad.entries()) {
		const file = join(place.folder, `bad-${i}.tgz`);
		writeFileSync(file, archive());
		const { code, stderr } = await place.run(["extensions", "install", file, "--yes"]);
		assert.match(stderr.replaceAll(file, "FILE").replace(/^hookline: /, "").trimEnd(), says, what);
		assert.equal(code, 1, what);
	}
	assert.deepEqual(readdirSync(join(place.home, "extensions")), []);
	assert.ok(!existsSync("/tmp/out") && !existsSync(join(place.home, "out")) && !existsSync(join(place.home, "extensions.lock.json")));
});

test("a folder with a link or a pipe in it is refused; git's own folder and packages of npm stay behind", { timeout: 120_000 }, async () => {
	await using place = new Place();
	const folder = join(place.folder, "calm");
	writeFiles(folder, { ...guardPackage("1.0.0"), ".git/config": "", "node_modules/x/index.js": "", "sub/__pycache__/a.pyc": "" });
	mkdirSync(join(folder, "sub"), { recursive: true });
	const packed = await place.run(["extensions", "pack", folder]);
	assert.deepEqual([packed.code, packed.stdout], [0, `${join(place.work, "calm-1.0.0.tgz")}\n`], packed.stderr);
	assert.equal((await place.run(["extensions", "install", folder, "--yes"])).code, 0);
	assert.deepEqual(readdirSync(join(place.home, "extensions/calm"), { recursive: true }).toSorted(), ["EXTENSION.yaml", "index.ts"]);
	assert.equal((await place.run(["extensions", "remove", "calm"])).code, 0);
	assert.equal((await place.run(["extensions", "install", packed.stdout.trim(), "--yes"])).code, 0);
	assert.deepEqual(readdirSync(join(place.home, "extensions/calm")).toSorted(), ["EXTENSION.yaml", "index.ts"]);
	symlinkSync("/etc/passwd", join(folder, "passwd"));
	const linked = await place.run(["extensions", "pack", folder]);
	assert.deepEqual([linked.code, linked.stderr], [1, `hookline: ${folder} holds 'passwd', a link, and links are not followed, so it is not installed.\n`]);
});
