// `hookline sessions …`: finding, reading, changing and writing down what was kept.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Message } from "../../src/events/payloads/model.ts";
import { openSqliteStore } from "../../src/stores/sqlite.ts";
import type { Store } from "../../src/stores/store.ts";
import { callTerminal, extension, jsonLines, Place } from "./program.ts";

const hooks = extension(`	hooks.guard("tool.calling", { name: "no-sudo", tool: "terminal" }, (call) => (/sudo/.test(String(call.args.command)) ? block("No <b>sudo</b> \\u202e here.") : undefined));
	hooks.transform("tool.calling", { name: "loud", tool: "terminal" }, (call) => (/heron/.test(String(call.args.command)) ? rewrite({ command: "echo HERON" }) : undefined));
	hooks.transform("input.receiving", { name: "polite" }, ({ text }) => (/stork/.test(text) ? rewrite(text + " please") : undefined));`);

/** Puts messages into a home without a model: what a conversation would have left there. */
function keep(place: Place, id: string, messages: readonly Message[], use: (store: Store) => void = () => {}): void {
	using store = openSqliteStore(join(place.home, "hookline.db"), { onProblem: assert.fail });
	store.sessions.create({ id, cwd: place.work, model: "rehearsal", surface: "run", systemPrompt: "Be good.", tools: "[]" });
	store.sessions.append(id, messages);
	use(store);
}

const hostile = '</pre><script>alert(1)</script><img src="http://127.0.0.1/x"> \u001b[2J\u202e ```\n````\n# not a heading ![x](http://127.0.0.1/y) & end \ud800';

describe("a session with hooks", { concurrency: 2 }, () => {
	const place = new Place();
	let id = "";
	before(async () => {
		place.extension("gate.ts", hooks);
		await place.run([], { stdin: `${callTerminal("sudo ls")}\n${callTerminal("echo heron")}\nSAY stork\n` });
		id = (await place.sessions())[0]!.id;
	});
	after(() => place[Symbol.asyncDispose]());

	test("show tells what was said, which tools ran, and who blocked or rewrote it in how many ms", async () => {
		const { code, stdout } = await place.run(["sessions", "show", "latest"]);
		assert.equal(code, 0);
		assert.match(stdout, /── 1 · .+ · user\nCALL terminal \{"command":"sudo ls"\}\n/);
		assert.match(stdout, /── 3 · .+ · failed result of terminal\n {4}terminal \{"command":"sudo ls"\}\n(.*\n)?  ⚑ gate\/no-sudo blocked \(guard of tool\.calling, [\d.]+ ms\): No <b>sudo<\/b> \\u\{202e\} here\.\n/);
		assert.match(stdout, /  ⚑ gate\/loud rewrote \(transform of tool\.calling, [\d.]+ ms\)\n {6}args\.command: "echo heron" → "echo HERON"\n/);
		assert.match(stdout, /── 9 · .+ · user\n  ⚑ gate\/polite rewrote \(transform of input\.receiving, .+\n {6}text: "SAY stork" → "SAY stork please"\nSAY stork please\n/);
		assert.equal(stdout.match(/no-sudo blocked/g)?.length, 1, "a decision stands at its own call only");
	});

	test("show --json gives the same for programs", async () => {
		const { stdout } = await place.run(["sessions", "show", id, "--json"]);
		const { session, messages } = JSON.parse(stdout) as { session: { id: string }; messages: { number: number; message: Message; hooks: { outcome: string; by?: string }[] }[] };
		assert.equal(session.id, id);
		assert.deepEqual(messages.map(({ number }) => number), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
		assert.deepEqual(messages.filter(({ hooks }) => hooks.some(({ outcome }) => outcome === "blocked")).map(({ number, hooks }) => [number, hooks[0]?.by]), [[3, "gate/no-sudo"]]);
	});

	test("the page needs nothing else: no script, no address, hook decisions beside the call, both colour schemes", async () => {
		const { code, stdout } = await place.run(["sessions", "export", id, "--format", "html"]);
		assert.equal(code, 0);
		assert.match(stdout, /^<!doctype html>/);
		assert.match(stdout, /<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">/);
		assert.match(stdout, /@media \(prefers-color-scheme: dark\)/);
		assert.doesNotMatch(stdout, /<script|<link|<img|<iframe|src=|url\(|@import|https?:/i);
		const call = /<article class="call" id="m3">[\s\S]*?<\/article>/.exec(stdout)?.[0] ?? "";
		assert.match(call, /<pre>\{\n {2}&quot;command&quot;: &quot;sudo ls&quot;\n\}<\/pre>/);
		assert.match(call, /<li class="no">gate\/no-sudo blocked \(guard of tool\.calling, [\d.]+ ms\)<br><q>No &lt;b&gt;sudo&lt;\/b&gt; \\u\{202e\} here\.<\/q><\/li>/);
		for (const tag of ["article", "div", "ul", "li", "pre", "details", "main", "h2"]) {
			assert.equal(stdout.match(new RegExp(`<${tag}[ >]`, "g"))?.length, stdout.match(new RegExp(`</${tag}>`, "g"))?.length, `every ${tag} is closed`);
		}
	});

	test("Markdown and JSON lines carry the decisions as well", async () => {
		const { stdout: text } = await place.run(["sessions", "export", id]);
		assert.match(text, /\n### 3\. terminal: failed · .+\n\n```json\n\{\n {2}"command": "sudo ls"\n\}\n```\n\n(- Hook gate\/loud .+\n)?- Hook gate\/no-sudo blocked .+: No &lt;b\\>sudo&lt;\/b\\> .*here\./);
		const [header, ...messages] = jsonLines((await place.run(["sessions", "export", id, "--json"])).stdout);
		assert.deepEqual([header?.["format"], header?.["version"], messages.length], ["hookline-session", 1, 10]);
		assert.deepEqual(messages.map(({ number }) => number), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
		assert.match(JSON.stringify(messages[2]), /"outcome":"blocked".*"by":"gate\/no-sudo"/);
	});

	test("a fork has the decisions of the calls it took over", async () => {
		const { code, stdout, stderr } = await place.run(["sessions", "fork", id, "--at", "4"]);
		assert.equal(code, 0);
		assert.match(stdout, /^\d{8}-\d{6}-\w{4}\n$/);
		assert.match(stderr, /^It begins with 4 messages of \S+\. Go on: hookline --session \S+\n$/);
		assert.match((await place.run(["sessions", "show", stdout.trim()])).stdout, /Forked from  \S+, after message 4\n[\s\S]*gate\/no-sudo blocked/);
		assert.equal((await place.run(["run", "--session", stdout.trim(), "SEEN heron"])).stdout, "0\n");
		assert.match((await place.run(["sessions", "fork", id, "--at", "2"])).stderr, /^hookline: Message 2 of session \S+ stands between a tool call and its results\. Fork at 1 or 3\.\n$/);
		await place.run(["sessions", "delete", stdout.trim(), "--yes"]);
	});
});

describe("writing into a file", () => {
	test("a file that is there is left as it is, until --force replaces it; the ending says the format", async () => {
		await using place = new Place();
		keep(place, "s1", [{ role: "user", text: "a heron" }]);
		writeFileSync(join(place.work, "out.html"), "mine");
		const refused = await place.run(["sessions", "export", "s1", "--output", "out.html"]);
		assert.equal(refused.code, 1);
		assert.match(refused.stderr, /^hookline: \/.+\/out\.html is there already and was left as it is\. Name another file, or add --force to replace it\.\n$/);
		assert.equal(place.read("out.html"), "mine");
		const replaced = await place.run(["sessions", "export", "s1", "--output", "out.html", "--force"]);
		assert.deepEqual([replaced.code, replaced.stdout], [0, ""]);
		assert.match(place.read("out.html"), /^<!doctype html>[\s\S]*a heron[\s\S]*<\/html>\n$/);
		await place.run(["sessions", "export", "s1", "--output", "new.jsonl"]);
		assert.equal(jsonLines(place.read("new.jsonl")).length, 2);
		assert.equal(statSync(join(place.work, "new.jsonl")).mode & 0o777, 0o600);
		assert.deepEqual(readdirSync(place.work).sort(), ["new.jsonl", "out.html"], "nothing half-written is left");
	});

	test("a file that cannot be written, and a format there is not, are named", async () => {
		await using place = new Place();
		keep(place, "s1", [{ role: "user", text: "hi" }]);
		mkdirSync(join(place.work, "folder"));
		const missing = await place.run(["sessions", "export", "s1", "--output", "no/such/folder.md"]);
		assert.match(missing.stderr, /^hookline: \/.+\/no\/such\/folder\.md cannot be written: ENOENT.+ Name another file, or make its folder writable\.\n$/);
		assert.match((await place.run(["sessions", "export", "s1", "--output", "folder", "--force"])).stderr, /folder cannot be written: E\w+/);
		const wrong = await place.run(["sessions", "export", "s1", "--format", "pdf"]);
		assert.deepEqual([wrong.code, wrong.stderr], [2, "hookline: --format must be jsonl, md, html, not 'pdf'.\n"]);
		assert.equal((await place.run(["sessions", "export", "s1", "--json", "--format", "md"])).code, 2);
		assert.deepEqual(readdirSync(place.work), ["folder"]);
	});

	test("/export writes the session one is in, and never over another file", async () => {
		await using place = new Place();
		const { stdout } = await place.run([], { stdin: "/export out.md\nSAY heron\n/export out.md\n/export out.md\n" });
		assert.match(stdout, /^Nothing was said yet, so there is nothing to export\.\nheron\nThis session is in \/.+\/out\.md\.\n\/.+\/out\.md is there already and was left as it is\. Name another file\.\n$/);
		assert.match(place.read("out.md"), /```markdown\nheron\n```/);
	});
});

test("what a model or a tool wrote is text in every format: no markup, nothing a terminal obeys, no way out of its block", async () => {
	await using place = new Place();
	keep(place, "s1", [
		{ role: "user", text: hostile },
		{ role: "assistant", text: hostile, reasoning: hostile, toolCalls: [{ id: "1", name: "</h2><script>", arguments: `${hostile} no json` }] },
		{ role: "tool", callId: "1", name: "</h2><script>", text: hostile, isError: true },
	]);
	const [page, markdown, lines, shown] = await Promise.all([["export", "s1", "--format", "html"], ["export", "s1"], ["export", "s1", "--json"], ["show", "s1"]].map(async (args) => (await place.run(["sessions", ...args])).stdout));
	for (const text of [page, markdown, lines, shown]) assert.doesNotMatch(text ?? "", /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
	assert.doesNotMatch(page ?? "", /<script|<img/);
	assert.equal(page?.match(/<\/pre>/g)?.length, page?.match(/<pre>/g)?.length);
	let fence = "";
	for (const line of (markdown ?? "").split("\n")) {
		const run = /^(`{3,})(\w*)$/.exec(line);
		if (fence === "" && run) fence = run[1]!;
		else if (fence !== "" && run && run[2] === "" && run[1]!.length >= fence.length) fence = "";
		else if (fence === "") assert.doesNotMatch(line, /(?<!\\)<|!\[/, "outside of the fences nothing is markup");
	}
	assert.equal(fence, "", "every fence is closed");
	const [, first, second] = jsonLines(lines ?? "") as readonly { message?: Message }[];
	assert.equal(first?.message?.text, hostile, "the value itself is what it was");
	assert.equal(second?.message?.text, hostile);
});

test("where a provider uses the id of a call again, each decision stands at its own call", async () => {
	await using place = new Place();
	const call: readonly Message[] = [{ role: "assistant", text: "", toolCalls: [{ id: "1", name: "terminal", arguments: "{}" }] }];
	keep(place, "s1", [{ role: "user", text: "go" }], ({ sessions, trace }) => {
		for (const [i, decision] of (["block", "pass"] as const).entries()) {
			sessions.append("s1", call);
			const at = Date.now();
			const facts = { sessionId: "s1", callId: "1" };
			trace.record({ id: `d${i}`, event: "tool.calling", at, ms: 1, facts, outcome: "go", hookSet: "", hooks: [{ hook: `gate/${i}`, stage: "guard", startedAt: at, ms: 1, decision }] });
			sessions.append("s1", [{ role: "tool", callId: "1", name: "terminal", text: "done" }]);
			// The next call comes in another millisecond.
			for (const now = Date.now(); Date.now() === now; );
		}
	});
	const { stdout } = await place.run(["sessions", "show", "s1"]);
	assert.match(stdout, /── 3 .+\n.*\n  ⚑ gate\/0 blocked .+\n {4}done\n[\s\S]*── 5 .+\n.*\n  ⚑ gate\/1 let it pass .+\n {4}done\n$/);
});

describe("finding", () => {
	test("search finds words in what was said and what tools gave, by role, folder and time", async () => {
		await using place = new Place();
		keep(place, "s1", [
			{ role: "user", text: `${"x ".repeat(200)}where do herons nest?` },
			{ role: "assistant", text: "", toolCalls: [{ id: "1", name: "terminal", arguments: '{"command":"grep heron birds.txt"}' }] },
			{ role: "tool", callId: "1", name: "terminal", text: "heron: in\treeds \u001b[2J" },
		]);
		const search = async (...args: readonly string[]) => (await place.run(["sessions", "search", ...args])).stdout;
		const rows = (await search("heron")).trimEnd().split("\n").map((line) => line.split("\t"));
		assert.deepEqual(rows.map((row) => [row[0], row[1], row[3], row[4]]), [
			["s1", "3", "tool", "heron: in reeds \\u{1b}[2J"],
			["s1", "2", "assistant", 'terminal {"command":"grep heron birds.txt"}'],
			["s1", "1", "user", `…${"x ".repeat(15)}where do herons nest?`],
		]);
		assert.match(await search("nest", "herons", "--role", "user"), /^s1\t1\t/);
		assert.equal(await search("heron", "--folder", "/nowhere"), "");
		assert.equal((await search("heron", "--folder", ".", "--since", "1h", "--limit", "2")).trimEnd().split("\n").length, 2);
		assert.equal(await search("heron", "--since", "2999-01-01"), "");
		const [hit] = JSON.parse(await search("reeds", "--json")) as Record<string, unknown>[];
		assert.deepEqual([hit?.["sessionId"], hit?.["number"], hit?.["role"], hit?.["cwd"]], ["s1", 3, "tool", place.work]);
		assert.equal((await place.run(["sessions", "search", "walrus"])).stderr, "No message has this word. Words are found by their beginning.\n");
	});

	for (const [args, sentence] of [
		[["search"], /missing required argument 'words'/],
		[["search", "**"], /^hookline: There is no word to look for in '\*\*'\./],
		[["search", "x", "--role", "usr"], /^hookline: --role must be user, assistant, tool, system, not 'usr'\. Did you mean 'user'\?/],
		[["search", "x", "--since", "yesterday"], /^hookline: --since must be a date such as 2026-11-01/],
		[["search", "x", "--limit", "0"], /^hookline: --limit must be a whole number from 1, not '0'\./],
		[["exprot", "s1"], /^hookline: There is no command 'sessions exprot'\. Did you mean 'export'\?/],
		[["name", "latest"], /^hookline: There is no name\. Write it behind the session: /],
		[["name", "latest", "x", "--remove"], /^hookline: A name and --remove contradict each other\./],
		[["fork", "latest", "--at", "two"], /^hookline: --at must be a whole number from 1, not 'two'\./],
	] as const) {
		test(`wrong: sessions ${args.join(" ")}`, async () => {
			await using place = new Place();
			const { code, stdout, stderr } = await place.run(["sessions", ...args]);
			assert.deepEqual([code, stdout], [2, ""]);
			assert.match(stderr, sentence);
		});
	}

	test("a session that there is not is named, with the nearest one", async () => {
		await using place = new Place();
		for (const verb of ["show", "export", "fork", "delete"]) {
			assert.deepEqual(await place.run(["sessions", verb, "latest"]), { code: 1, stdout: "", stderr: "hookline: There is no session 'latest'. 'hookline sessions' lists them.\n" });
		}
		keep(place, "20261121-153012-k3f9", [{ role: "user", text: "hi" }]);
		assert.match((await place.run(["sessions", "show", "20261121-153021-k3f9"])).stderr, /Did you mean '20261121-153012-k3f9'\?/);
	});
});

describe("names", () => {
	test("a name shows in the list and can be taken away", async () => {
		await using place = new Place();
		keep(place, "s1", [{ role: "user", text: "hi" }]);
		assert.deepEqual(await place.run(["sessions", "name", "s1", "release", "notes"]), { code: 0, stdout: "", stderr: "Session s1 is now called release notes.\n" });
		assert.match((await place.run(["sessions"])).stdout, /\trelease notes\n$/);
		assert.equal((await place.sessions())[0]?.name, "release notes");
		assert.equal((await place.run(["sessions", "name", "s1", "--remove", "--json"])).stdout, '{"id":"s1"}\n');
		assert.match((await place.run(["sessions", "list", "--limit", "1"])).stdout, /\thi\n$/);
	});
});

describe("deleting", () => {
	test("without a terminal nothing is deleted unless --yes is given; then its trace goes too", async () => {
		await using place = new Place();
		place.extension("gate.ts", hooks);
		await place.run(["run", callTerminal("sudo ls")]);
		const [session] = await place.sessions();
		const refused = await place.run(["sessions", "delete", "latest"]);
		assert.equal(refused.code, 1);
		assert.match(refused.stderr, /^hookline: Nothing was deleted: nobody is at a terminal to be asked about session \S+ \(4 messages: CALL terminal .+\)\. Add --yes to delete without a question\.\n$/);
		assert.notEqual((await place.trace("--session", session!.id)).length, 0);
		assert.equal((await place.run(["sessions", "delete", "latest", "--yes", "--json"])).stdout, `{"deleted":["${session!.id}"]}\n`);
		assert.deepEqual([await place.sessions(), await place.trace("--session", session!.id)], [[], []]);
	});

	test("one that is in use is not deleted, and one unknown id deletes none of the others", async () => {
		await using place = new Place();
		keep(place, "s2", [{ role: "user", text: "hi" }]);
		const running = place.start([]);
		running.write("SAY hello\n");
		await running.shows("hello");
		const inUse = (await place.sessions()).find((session) => session.inUseBy !== undefined)!;
		const refused = await place.run(["sessions", "delete", inUse.id, "--yes"]);
		assert.equal(refused.code, 1);
		assert.match(refused.stderr, /^hookline: Session \S+ is in use by process \d+/);
		assert.equal((await place.run(["sessions", "delete", "s2", "s9", "--yes"])).code, 1);
		assert.equal((await place.sessions()).length, 2);
	});

	const skip = spawnSync("python3", ["-c", "import pty"]).status === 0 ? false : "there is no python3 to make a pseudo-terminal with";
	test("on a terminal it asks: no keeps the session, yes deletes it", { skip }, async () => {
		await using place = new Place();
		keep(place, "s1", [{ role: "user", text: "hi" }]);
		for (const [answer, left] of [["n", 1], ["y", 0]] as const) {
			const running = place.onTerminal(["sessions", "delete", "s1"]);
			await running.shows("Delete it?");
			running.write(`${answer}\r`);
			assert.equal((await running.ended).code, 0);
			assert.equal((await place.sessions()).length, left, answer);
		}
	});
});

test("10,000 messages are searched and exported in every format, and quickly", { timeout: 120_000 }, async () => {
	await using place = new Place();
	const messages = Array.from({ length: 10_000 }, (_, i): Message => {
		if (i % 3 === 0) return { role: "assistant", text: "", toolCalls: [{ id: `c${i}`, name: "terminal", arguments: '{"command":"ls"}' }] };
		return i % 3 === 1 ? { role: "tool", callId: `c${i - 1}`, name: "terminal", text: `result ${i} ${"word ".repeat(40)}` } : { role: "user", text: `question ${i}` };
	});
	keep(place, "s1", messages, ({ trace }) => {
		for (let i = 0; i < 3000; i++) {
			const hook = { hook: "gate/a", stage: "guard", startedAt: Date.now(), ms: 0.1, decision: "pass" } as const;
			trace.record({ id: `d${i}`, event: "tool.calling", at: Date.now(), ms: 0.1, facts: { sessionId: "s1", callId: `c${i * 3}`, toolName: "terminal" }, outcome: "go", hookSet: "", hooks: [hook] });
			if (i % 100 === 0) trace.flush();
		}
	});
	const began = performance.now();
	for (const format of ["jsonl", "md", "html"]) {
		const { code } = await place.run(["sessions", "export", "s1", "--output", `out.${format}`]);
		assert.equal(code, 0);
		assert.ok(existsSync(join(place.work, `out.${format}`)));
	}
	assert.equal(jsonLines(readFileSync(join(place.work, "out.jsonl"), "utf8")).length, 10_001);
	assert.match((await place.run(["sessions", "search", "question 9998"])).stdout, /^s1\t9999\t/);
	// About 1 s here; reading the whole session again for each message would take minutes.
	assert.ok(performance.now() - began < 60_000);
});
