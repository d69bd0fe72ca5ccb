// Every slash command there is behind the gateway, as an owner and as a user run it.
import assert from "node:assert/strict";
import { test } from "node:test";
import { callTerminal, Place } from "../cli/program.ts";
import { type Replied, Served } from "./served.ts";

/** What an owner is told; a user is told the same, or that it is not for them. Each finds a question open. */
const answers: Readonly<Record<string, { readonly args?: string; readonly owner: RegExp; readonly users?: true }>> = {
	help: { owner: /^\/help +what can be typed here$[\s\S]*^\/extensions +/m, users: true },
	whoami: { owner: /^http:(?:owner, owner|kitchen, user), in chat /, users: true },
	status: { owner: /^session \S+, \d+ messages\nmodel rehearsal\nQuestion \w{6} is open: terminal rm -rf src/, users: true },
	hooks: { owner: /^hookline\/approvals {2}guard tool\.calling/m },
	extensions: { owner: /^z-broken {2}NOT LOADED: /m },
	sessions: { owner: /^\S+ {2}\d+ messages {2}CALL terminal/m },
	model: { owner: /^The model is rehearsal: / },
	cron: { owner: /There are no jobs/ },
	compact: { owner: /^A question is open\. Answer it first/, users: true },
	name: { args: "release notes", owner: /^This session is now called release notes\.$/, users: true },
	resume: { args: "nothing", owner: /^There is no session 'nothing'\./ },
	approve: { owner: /^DONE$/ },
	deny: { args: "not today", owner: /^DONE$/ },
	stop: { owner: /^Stopped\.$/, users: true },
	new: { owner: /^New session \S+\.$/m, users: true },
	reset: { owner: /^New session \S+\.$/m, users: true },
	fork: { owner: /^Session \S+ goes on from message \d+ of /m },
	"undo-last": { owner: /^Taken back: CALL terminal/, users: true },
};

const said = ({ messages = [] }: Replied) => messages.join("\n");

test("an owner runs all of them, a user those that concern their own chat, and the others are refused", { timeout: 60_000 }, async () => {
	await using place = new Place();
	place.extension("z-broken.ts", "throw new Error('as it should');\n");
	const gateway = await Served.start(place, "gateway: {http: {port: 0}, messages_per_minute: 1000, access: {users: ['http:kitchen']}}");
	const run = async (name: string, words: { readonly user?: string }) => {
		const chat = `${name} of ${words.user ?? "the owner"}`;
		assert.equal((await gateway.ask(callTerminal("rm -rf src"), { chat, ...words })).status, "waits");
		return said(await gateway.ask(`/${name} ${answers[name]?.args ?? ""}`.trimEnd(), { chat, ...words }));
	};
	for (const [name, { owner, users }] of Object.entries(answers)) {
		assert.match(await run(name, {}), owner, `/${name} of an owner`);
		assert.match(await run(name, { user: "kitchen" }), users ? owner : new RegExp(`^/${name} is for the owner of this agent\\.$`), `/${name} of a user`);
	}
	const known = [...said(await gateway.ask("/help")).matchAll(/^\/(\S+)/gm)].map(([, name]) => name);
	assert.deepEqual(known.toSorted(), Object.keys(answers).toSorted(), "the table has all there are");
	assert.match(said(await gateway.ask("/quit")), /^There is no command \/quit\./);
	assert.equal(await gateway.stop(), 0);
});
