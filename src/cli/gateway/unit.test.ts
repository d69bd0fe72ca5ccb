// What systemd and launchd read. `systemd-analyze verify` took programs with a space, $, %, ;, *, @ and ü in their names; the other forms follow systemd.syntax(7).
import assert from "node:assert/strict";
import { test } from "node:test";
import { launchdAgent, systemdUnit, type UnitFacts } from "./unit.ts";

const facts: UnitFacts = {
	words: ["/opt/my node/50%/$x/node", "--flag", `a "b" $HOME %h \\n`],
	environment: { HOOKLINE_HOME: "/projects/a b/50% \"q\" $x \\" },
	folder: `/projects/a b/50% "q" $x`,
	environmentFile: "/projects/a b/50%/gateway.env",
	output: "/projects/<out>",
	label: "hookline.gateway",
};
const lineOf = (unit: string, name: string) => unit.split("\n").filter((line) => line.startsWith(`${name}=`)).map((line) => line.slice(name.length + 1));

test("in a unit of systemd spaces, percent signs, quotes, backslashes and dollars stay what they are", () => {
	const unit = systemdUnit(facts);
	assert.deepEqual(lineOf(unit, "ExecStart"), [String.raw`"/opt/my node/50%%/$x/node" "--flag" "a \"b\" $$HOME %%h \\n"`]);
	assert.deepEqual(lineOf(unit, "Environment"), [String.raw`"HOOKLINE_HOME=/projects/a b/50%% \"q\" $x \\"`]);
	assert.deepEqual(lineOf(unit, "WorkingDirectory"), [`/projects/a b/50%% "q" $x`]);
	assert.deepEqual(lineOf(unit, "EnvironmentFile"), ["-/projects/a b/50%%/gateway.env"]);
	assert.deepEqual(lineOf(unit, "Restart"), ["on-failure"]);
});

test("a folder that ends in a space or a backslash keeps it, and a program that systemd would refuse is started by another", () => {
	const unit = systemdUnit({ ...facts, folder: "/projects/a ", words: [`/opt/it's/node`, "x"] });
	assert.deepEqual(lineOf(unit, "WorkingDirectory"), ["/projects/a /"]);
	assert.deepEqual(lineOf(systemdUnit({ ...facts, folder: "/projects/a\\" }), "WorkingDirectory"), ["/projects/a\\/"]);
	assert.deepEqual(lineOf(unit, "ExecStart"), [`"/usr/bin/env" "/opt/it's/node" "x"`]);
});

test("an agent of launchd holds any text, is started at log-in, and again only after a failure", () => {
	const agent = launchdAgent({ ...facts, words: ["/opt/a&b/node", "<x>"], environment: { "A&B": "c<d" } });
	assert.match(agent, /<string>\/opt\/a&amp;b\/node<\/string>\n\t\t<string>&lt;x&gt;<\/string>/);
	assert.match(agent, /<key>A&amp;B<\/key>\n\t\t<string>c&lt;d<\/string>/);
	assert.match(agent, /<key>RunAtLoad<\/key>\n\t<true\/>\n\t<key>KeepAlive<\/key>\n\t<dict>\n\t\t<key>SuccessfulExit<\/key>\n\t\t<false\/>/);
	assert.match(agent, /<key>StandardErrorPath<\/key>\n\t<string>\/projects\/&lt;out&gt;<\/string>/);
});
