// What tools keep and reach, through the agent as the runtime puts it together.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { block, rewrite } from "../../src/events/decision.ts";
import { guard, transform } from "../engine.ts";
import { html, json, startWebServer } from "../programs/web-server.ts";
import { open } from "./open.ts";

const call = (tool: string, args: object): string => `CALL ${tool} ${JSON.stringify(args)}`;

test("the list of a session is there when it is resumed, and not in another session", async () => {
	await using first = await open();
	await first.submit(call("todo", { action: "write", items: [{ text: "find it" }, { text: "mend it" }] }));
	await first.submit(call("todo", { action: "update", number: 1, status: "done" }));
	await first.conversation.close("finished");
	await first.runtime[Symbol.asyncDispose]();

	const again = await open({ home: first.home, resume: true });
	await again.submit(call("todo", { action: "read" }));
	assert.equal(again.results.at(-1), "1. [x] find it\n2. [ ] mend it\n(1 of 2 done; [>] is in progress)");
	await again.conversation.startAnew();
	await again.submit(call("todo", { action: "read" }));
	assert.equal(again.results.at(-1), "The list is empty.");
	await again.conversation.close("finished");
	await again.runtime[Symbol.asyncDispose]();
});

test("notes lie in the home, and another session reads them", async () => {
	await using agent = await open();
	await agent.submit(call("memory", { action: "add", scope: "user", text: "Likes tea." }));
	await agent.conversation.startAnew();
	await agent.submit(call("memory", { action: "read", scope: "user" }));
	assert.equal(agent.results.at(-1), "1 note about the user:\n- Likes tea.");
	assert.equal(readFileSync(join(agent.home, "memory", "user.md"), "utf8"), "- Likes tea.\n");
});

test("hooks judge these tools as any other", async () => {
	await using server = await startWebServer({ "/": html("<p>from the web") });
	const noNotes = guard("tool.calling", () => block("No notes here."), { extension: "strict", tool: "memory" });
	const mirror = transform("tool.calling", () => rewrite({ url: `${server.origin}/` }), { extension: "mirror", tool: "web_extract" });
	await using agent = await open({
		config: `agent: {retry_base_ms: 1}\nweb: {allow_hosts: ["${server.host}"]}\n`,
		hooks: [noNotes, mirror],
	});
	await agent.submit(call("memory", { action: "add", scope: "user", text: "x" }));
	assert.match(agent.results.at(-1)!, /^\[Blocked by strict.*\] No notes here\.$/);
	assert.equal(existsSync(join(agent.home, "memory")), false);
	await agent.submit(call("web_extract", { url: "http://169.254.169.254/" }));
	assert.equal(agent.results.at(-1), `<document source="${server.origin}/">\nfrom the web\n</document>`);
});

test("the web tools take their settings from config.yaml, and are closed without them", async () => {
	await using server = await startWebServer({ "/search": json({ results: [{ title: "T", url: "https://example.com/", content: "S" }] }) });
	await using agent = await open({ config: `web: {search: {provider: searxng, base_url: "${server.origin}"}}\n` });
	await agent.submit(call("web_search", { query: "x" }));
	assert.match(agent.results.at(-1)!, /\n1\. T\n {3}https:\/\/example\.com\/\n {3}S\n/);
	await agent.submit(call("web_extract", { url: `${server.origin}/` }));
	assert.match(agent.results.at(-1)!, /is a private, local or reserved address, which is closed/);
	assert.equal(server.requests.length, 1);
});

test("a wrong setting of the web tools stops the start with its place", async () => {
	const refused = async (config: string) => assert.rejects(open({ config }).then((opened) => opened[Symbol.asyncDispose]()), { name: "ConfigError" });
	await refused("web: {search: {provider: google}}\n");
	await refused("web: {search: {base_url: 'http://x'}}\n");
	await refused("web: {search: {provider: searxng, base_url: 'ftp://x'}}\n");
	await refused("web: {allow_hosts: ['http://127.0.0.1/']}\n");
	await refused("web: {alow_hosts: []}\n");
});
