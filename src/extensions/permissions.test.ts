import assert from "node:assert/strict";
import { test } from "node:test";
import { allows, areaNames, inWords, listOf, more, noPermissions, type Permissions, setOf } from "./permissions.ts";

const set = (some: Partial<Permissions>): Permissions => ({ ...noPermissions, ...some });
const wants = (granted: Permissions, wanted: Permissions) => more(granted, wanted).map(({ area, value }) => `${area} ${value}`);

test("what was granted holds what is the same or less, and nothing else", () => {
	const granted = set({ events: ["tool.*"], tools: { register: ["deploy_*"], override: [] }, paths: { read: ["~/notes", "."], write: ["/projects/out/"] }, hosts: ["*.example.com", "127.0.0.1:8080"], env: ["TOKEN"], exec: ["git"] });
	const wanted = set({
		events: ["tool.calling", "tool.*", "turn.starting", "*"],
		tools: { register: ["deploy_now", "deploy_*", "deploy", "*"], override: ["read_file"] },
		paths: { read: ["~/notes/a", "~/notes", "~/notes2", "./src", "/etc"], write: ["/projects/out", "/projects/outer", "/projects"] },
		hosts: ["api.example.com", "example.com", "example.com.evil.org", "127.0.0.1:8080", "127.0.0.1", "*"],
		env: ["TOKEN", "TOKENS"],
		exec: ["git", "sh"],
		inline: true,
	});
	assert.deepEqual(wants(granted, wanted), [
		"events turn.starting",
		"events *",
		"tools.register deploy",
		"tools.register *",
		"tools.override read_file",
		"paths.read ~/notes2",
		"paths.read /etc",
		"paths.write /projects/outer",
		"paths.write /projects",
		"hosts example.com",
		"hosts example.com.evil.org",
		"hosts 127.0.0.1",
		"hosts *",
		"env TOKENS",
		"exec sh",
		"inline yes",
	]);
	assert.deepEqual(more(wanted, wanted), []);
	assert.deepEqual(more("everything", wanted), []);
});

test("a star holds all of its kind, but no path", () => {
	for (const area of ["events", "tools.register", "tools.override", "hosts", "env", "exec"] as const) assert.ok(allows(setOf([{ area, value: "*" }]), area, "anything"), area);
	assert.ok(!allows(setOf([{ area: "paths.read", value: "*" }]), "paths.read", "/etc"));
});

test("a set is what its list says, area by area", () => {
	const all = areaNames.map((area) => ({ area, value: area === "inline" ? "yes" : `of ${area}` }));
	assert.deepEqual(listOf(setOf(all)), all);
	assert.deepEqual(setOf([]), noPermissions);
	assert.deepEqual(inWords([{ area: "exec", value: "git" }, { area: "events", value: "*" }, { area: "exec", value: "jq" }, { area: "inline", value: "yes" }]), ["start git, jq", "hook *", "run inside Hookline's own process, where nothing can hold it"]);
});
