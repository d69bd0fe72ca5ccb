// The cache promise, on the bytes: within a session a request begins with the bytes of the request before it, until a hook changes something.
import assert from "node:assert/strict";
import { test } from "node:test";
import { startModelServer, type LoggedRequest } from "../programs/model-server.ts";
import { callTerminal, extension, Place } from "./program.ts";

/** The text of one field of a request, as it went over the wire. */
function fieldText({ bytes, body }: LoggedRequest, field: string): string {
	const text = bytes.toString();
	const found = JSON.stringify(body[field]);
	assert.ok(text.includes(`"${field}":${found}`), `${field} is written as JSON.stringify would`);
	return found;
}

/** The messages without the closing bracket, so that more may follow. */
const opened = (request: LoggedRequest): string => fieldText(request, "messages").slice(0, -1);

function systemOf(request: LoggedRequest): string {
	const [first] = request.body["messages"] as { role: string }[];
	assert.equal(first?.role, "system");
	return JSON.stringify(first);
}

function assertCacheable(requests: readonly LoggedRequest[]): void {
	for (const [i, request] of requests.entries()) {
		assert.equal(systemOf(request), systemOf(requests[0]!), `system message of request ${i + 1}`);
		assert.equal(fieldText(request, "tools"), fieldText(requests[0]!, "tools"), `tools of request ${i + 1}`);
		if (i > 0) assert.ok(opened(request).startsWith(`${opened(requests[i - 1]!)},`), `request ${i + 1} begins with request ${i}`);
	}
}

test("over turns, steps and a resume in other processes, system prompt and tools stay and each request begins with the one before", async () => {
	await using place = new Place();
	await using server = await startModelServer();
	const env = { HOOKLINE_MODEL: "openai-compatible:loopback", HOOKLINE_BASE_URL: server.baseUrl };
	const first = await place.run([], { env, stdin: `SAY hello "there" \\u00e9 é 🦩\n${callTerminal("echo 'a \"quote\" 🦩'; false")}\nPAR 2 terminal {"command":"echo $i"}\n` });
	assert.equal(first.code, 0);
	assert.equal(server.requests.length, 5);
	const second = await place.run(["run", "--continue", `LOOP 2 read_file {"path":"nowhere-$i"}`], { env });
	assert.equal(second.stdout, "DONE\n");
	// A third one, which even has a hook that adds to the user's message: that becomes part of the conversation.
	place.extension("branch.ts", extension(`hooks.transform("turn.starting", () => inject("The branch is main."));`));
	await place.run(["run", "--continue", "SAY bye"], { env });
	await place.run(["run", "--continue", "SAY bye again"], { env });
	assert.equal(server.requests.length, 10);
	assertCacheable(server.requests);
	assert.match(opened(server.requests[9]!), /<context source=\\"branch#1\\">\\nThe branch is main\./);
});

test("a hook that rewrites the system prompt changes that turn only; the next is cached again from the old prompt on", async () => {
	await using place = new Place();
	await using server = await startModelServer();
	const env = { HOOKLINE_MODEL: "openai-compatible:loopback", HOOKLINE_BASE_URL: server.baseUrl };
	place.extension("pirate.ts", extension(`hooks.transform("turn.starting", (turn) => turn.text.includes("pirate") ? rewrite(turn.systemPrompt + " Arr.") : undefined);`));
	await place.run([], { env, stdin: "SAY one\nSAY pirate\nSAY three\n" });
	const [one, pirate, three] = server.requests;
	assert.ok(one && pirate && three);
	assert.notEqual(systemOf(one), systemOf(pirate));
	assert.match(systemOf(pirate), / Arr\."\}$/);
	assert.equal(systemOf(three), systemOf(one));
	assert.ok(opened(three).startsWith(`${opened(one)},`));
});
