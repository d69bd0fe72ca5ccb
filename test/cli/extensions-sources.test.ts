// Where extensions can be installed from, and what each of these ways refuses.
import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { startNpmRegistry } from "../programs/npm-registry.ts";
import { archiveOf, blocked, git, guardPackage, infoOf, sources, writeFiles } from "./package-source.ts";
import { callTerminal, extension, Place } from "./program.ts";

test("git: a tag, a commit that no branch leads to any more, and ways to reach a repository that start programs", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await using author = await sources["git"]!(place.folder);
	author.publish("1.0.0", guardPackage("1.0.0"));
	author.publish("2.0.0", guardPackage("2.0.0"));
	const commit = git(join(place.folder, "git-work"), "rev-parse", "v1.0.0");
	assert.equal((await place.run(["extensions", "install", `${author.source}#v1.0.0`, "--yes"])).code, 0);
	assert.equal((await infoOf(place)).source["commit"], commit);
	assert.match((await place.run(["extensions", "update"])).stderr, /calm 1\.0\.0 is the newest/);
	assert.equal((await place.run(["extensions", "remove", "calm"])).code, 0);
	assert.equal((await place.run(["extensions", "install", `${author.source}#${commit}`, "--yes"])).code, 0);
	assert.equal((await infoOf(place)).version, "1.0.0");
	assert.equal((await place.run(["extensions", "remove", "calm"])).code, 0);
	for (const source of ["git+ext::sh -c touch% made", "ext::sh -c touch% made", `${author.source}#--upload-pack=touch`, "git+http://127.0.0.1/x.git", "git+file://-oProxy/x.git"]) {
		const { code, stderr } = await place.run(["extensions", "install", source, "--yes"]);
		assert.equal(code, 1, source);
		assert.match(stderr, /is no branch, tag or commit|is reached in a way that is not used|is nothing that can be installed/, source);
	}
	assert.ok(!place.made("made"));
	const missing = await place.run(["extensions", "install", `${author.source}#v9`, "--yes"]);
	assert.match(missing.stderr, /^hookline: git could not get file:.*: fatal: couldn't find remote ref v9\.$/m);
	assert.deepEqual(readdirSync(join(place.home, "extensions")), [], "nothing is left of what was tried");
});

test("npm: a package that is not what its registry says, that needs others, or is not there", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await using registry = await startNpmRegistry();
	const packageJson = (more: object) => JSON.stringify({ name: "x", version: "1.0.0", ...more });
	registry.publish("other", "1.0.0", archiveOf({ ...guardPackage("1.0.0"), "package.json": packageJson({}) }), "sha512-AAAA");
	registry.publish("needy", "1.0.0", archiveOf({ ...guardPackage("1.0.0"), "package.json": packageJson({ dependencies: { "left-pad": "1", hookline: "*" } }) }));
	registry.publish("bundling", "1.0.0", archiveOf({ ...guardPackage("1.0.0"), "package.json": packageJson({ dependencies: { pad: "1" }, bundleDependencies: ["pad"] }), "node_modules/pad/package.json": "{}" }));
	registry.publish("plain", "1.0.0", archiveOf({ "package.json": packageJson({}) }));
	const install = (name: string) => place.run(["extensions", "install", name, "--yes"], { env: { npm_config_registry: registry.url } });
	assert.match((await install("other")).stderr, /npm could not get 'other@latest': .*(?:integrity|EINTEGRITY)/i);
	assert.match((await install("needy")).stderr, /'calm' needs packages of npm, and does not bring them: left-pad\./);
	assert.match((await install("nowhere")).stderr, /npm could not get 'nowhere@latest': /);
	assert.match((await install("plain")).stderr, /There is no EXTENSION\.yaml in it, so it is no extension that can be installed\./);
	assert.match((await install("plain/../../x")).stderr, /is neither a package of npm/);
	assert.deepEqual(readdirSync(join(place.home, "extensions")), []);
	const bundling = await install("bundling@^1.0.0");
	assert.equal(bundling.code, 0, bundling.stderr);
});

test("a link is loaded as it lies there; what it registers beyond its grants is not", { timeout: 120_000 }, async () => {
	await using place = new Place();
	const folder = join(place.folder, "calm");
	writeFiles(folder, guardPackage("1.0.0"));
	assert.equal((await place.run(["extensions", "install", folder, "--link", "--yes"])).code, 0);
	assert.equal(await blocked(place), "[Blocked by calm/no-touch] Says 1.0.0.");
	assert.match((await place.run(["hooks", "list"])).stdout, /calm\/no-touch\t.*node/, "not in our own process");
	writeFiles(folder, { "index.ts": guardPackage("1.0.1")["index.ts"]! });
	assert.equal(await blocked(place), "[Blocked by calm/no-touch] Says 1.0.1.");
	writeFiles(folder, { "index.ts": extension(`	hooks.observe("*", () => {});`) });
	assert.match((await place.run(["run", callTerminal("touch made")])).stderr, /it hooks \*, which you have not granted it/);
	assert.equal((await place.run(["extensions", "remove", "calm"])).code, 0);
	assert.ok(existsSync(join(folder, "index.ts")), "the folder itself stays");
});
