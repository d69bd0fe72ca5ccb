import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { homeOf } from "../../system/home.ts";
import { findProject, type Project, revokeTrust, trustProject } from "./project.ts";
import { TrustedHooks } from "./trusted.ts";

let place: string;
beforeEach(() => {
	place = realpathSync(mkdtempSync(join(tmpdir(), "hookline-trusted-")));
	mkdirSync(join(place, "work/.hookline"), { recursive: true });
	mkdirSync(join(place, "bin"));
	write("work/.hookline/config.yaml", "hooks:\n  pre_tool_call:\n    - command: ./check.sh\n    - command: mytool\n");
	write("work/check.sh", "#!/bin/sh\necho one\n");
	write("bin/mytool", "#!/bin/sh\necho tool\n");
});
afterEach(() => rmSync(place, { recursive: true, force: true, maxRetries: 3 }));

const home = () => homeOf({ HOOKLINE_HOME: join(place, "home") });
const write = (path: string, text: string): void => writeFileSync(join(place, path), text, { mode: 0o755 });

async function found(): Promise<Project> {
	const project = await findProject(join(place, "work"), { home: home(), environment: { PATH: join(place, "bin"), HOME: place }, warn: assert.fail });
	assert.deepEqual(project?.problems, []);
	return project!;
}

/** What each hook would be started with: the bytes of its file, or why not. */
async function started(hooks: TrustedHooks, { hooks: all }: Project): Promise<readonly string[]> {
	return Promise.all(all.map(async ({ hook }) => {
		const consented = await hooks.for(hook);
		return consented.kind === "unapproved" ? consented.reason : readFileSync([consented.file, ...consented.args].at(-1)!, "utf8");
	}));
}

test("the bytes that were trusted run, whatever lies there by now; a program found on PATH must be what it was", async () => {
	await trustProject(await found(), home());
	const project = await found();
	assert.equal(project.state, "trusted");
	const hooks = new TrustedHooks(project, home());
	write("work/check.sh", "#!/bin/sh\necho swapped\n");
	assert.deepEqual(await started(hooks, project), ["#!/bin/sh\necho one\n", "#!/bin/sh\necho tool\n"]);
	rmSync(join(home().path, "approved"), { recursive: true });
	write("bin/mytool", "#!/bin/sh\necho swapped\n");
	const [check, tool] = await started(hooks, project);
	assert.equal(check, "#!/bin/sh\necho one\n");
	assert.match(tool!, /project:shell\/2 \(mytool\) is not started: the program .*mytool has changed since .*work was trusted/);
});

test("trust that is taken back counts from the next start on, and so does a record that is broken", async () => {
	await trustProject(await found(), home());
	const project = await found();
	const hooks = new TrustedHooks(project, home());
	assert.equal((await started(hooks, project))[0], "#!/bin/sh\necho one\n");
	await revokeTrust(project.folder, home());
	assert.match((await started(hooks, project))[0]!, /is not started: .*work is not trusted any more/);
	await trustProject(project, home());
	assert.equal((await started(hooks, project))[0], "#!/bin/sh\necho one\n");
	writeFileSync(join(home().path, "trust.json"), "{");
	assert.match((await started(hooks, project))[0]!, /is not trusted any more/);
});
