// A status in words, for what no small test can bring about.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { GatewayStatus } from "./control.ts";
import { inWords } from "./status.ts";

const status: GatewayStatus = {
	state: "ready",
	version: "1.2.3",
	pid: 7,
	since: 0,
	model: "rehearsal",
	address: "http://127.0.0.1:7717",
	cwd: "/projects/x",
	platforms: [{ name: "http", started: true, connected: true }],
	turnsRunning: 2,
	waiting: 1,
	undelivered: 3,
	givenUp: 0,
	memoryBytes: 100_400_000,
};

test("a platform that cannot be reached, and one that was given up, are told apart from those that work", () => {
	const words = inWords({ ...status, platforms: [...status.platforms, { name: "telegram", started: true, connected: false }, { name: "slack", started: false, connected: false }] });
	assert.match(words, /platforms {2}http, telegram \(NOT CONNECTED\), slack \(NOT STARTED: the log says why\)/);
});

test("what runs, waits and was given up is counted, and where to look for the latter is said", () => {
	const words = inWords({ ...status, givenUp: 4 });
	assert.match(words, /2 running; 1 message waits\n.*3 not delivered yet; 4 given up \('hookline gateway undelivered list'\)\n.*hookline 1\.2\.3, 100 MB$/);
	assert.match(inWords(status), /0 given up\n/);
});
