import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { ensureHome, HomeError, homeOf } from "./home.ts";

const folder = mkdtempSync(join(tmpdir(), "hookline-home-"));
after(() => rmSync(folder, { recursive: true }));
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe("the home", () => {
	it("is .hookline in the user's folder unless HOOKLINE_HOME names another", () => {
		assert.deepEqual(homeOf({ HOME: "/home/x" }), {
			path: "/home/x/.hookline",
			database: "/home/x/.hookline/hookline.db",
			extensions: "/home/x/.hookline/extensions",
			config: "/home/x/.hookline/config.yaml",
			origin: "default",
		});
		assert.equal(homeOf({ HOME: "/home/x", HOOKLINE_HOME: "/srv/agent" }).database, "/srv/agent/hookline.db");
		assert.equal(homeOf({ HOME: "/home/x", HOOKLINE_HOME: "  " }).path, "/home/x/.hookline");
		assert.equal(homeOf({}).path, join(homedir(), ".hookline"));
	});

	it("a tilde and a relative path are resolved", () => {
		assert.equal(homeOf({ HOME: "/home/x", HOOKLINE_HOME: "~/agent" }).path, "/home/x/agent");
		assert.equal(homeOf({ HOME: "/home/x", HOOKLINE_HOME: "~" }).path, "/home/x");
		assert.equal(homeOf({ HOOKLINE_HOME: "a/~b" }).path, join(process.cwd(), "a/~b"));
	});

	it("is made for its user alone", () => {
		const home = homeOf({ HOOKLINE_HOME: join(folder, "deep", "home") });
		ensureHome(home);
		ensureHome(home);
		assert.equal(modeOf(home.path), 0o700);
	});

	it("the default one is tightened when others can read it, a chosen one stays as its owner made it", () => {
		const home = homeOf({ HOME: folder });
		mkdirSync(home.path);
		chmodSync(home.path, 0o755);
		ensureHome(home);
		assert.equal(modeOf(home.path), 0o700);
		const chosen = homeOf({ HOOKLINE_HOME: join(folder, "chosen") });
		mkdirSync(chosen.path);
		chmodSync(chosen.path, 0o755);
		ensureHome(chosen);
		assert.equal(modeOf(chosen.path), 0o755);
	});

	it("a file in its place is told, with what to do", () => {
		writeFileSync(join(folder, "file"), "");
		assert.throws(() => ensureHome(homeOf({ HOOKLINE_HOME: join(folder, "file") })), (error) => {
			assert.ok(error instanceof HomeError);
			assert.match(error.message, /^The home folder .+file cannot be made or used \(EEXIST.+\)\. Make it a writable folder, or set HOOKLINE_HOME to one\.$/);
			return true;
		});
		assert.throws(() => ensureHome(homeOf({ HOOKLINE_HOME: join(folder, "file", "below") })), /ENOTDIR/);
	});
});
