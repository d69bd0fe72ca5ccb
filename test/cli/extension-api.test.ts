// What an extension brings, asks and is told, through the real program.
import assert from "node:assert/strict";
import { afterEach, beforeEach, test } from "node:test";
import { Place } from "./program.ts";

let place: Place;
beforeEach(() => void (place = new Place()));
afterEach(() => place[Symbol.asyncDispose]());

const greeter = (word: string) => `import { defineExtension } from "hookline";
export default defineExtension((hooks, hookline) => {
	hookline.registerFlag({ name: "loud", summary: "shouts", type: "boolean" });
	hookline.registerFlag({ name: "whom", summary: "who is greeted", type: "string", default: "nobody" });
	hookline.registerTool({
		name: "greet",
		description: "Greets.",
		parameters: { type: "object", properties: {} },
		run: () => "${word} " + hookline.flags.get("whom") + (hookline.flags.get("loud") ? "!" : "."),
	});
	hookline.registerCommand({ name: "word", summary: "shows the word", run: () => "the word is ${word}" });
	hookline.registerCommand({ name: "say", summary: "lets the model say something", run: async (args) => "It was " + (await hookline.sendMessage("SAY " + args)) + "." });
});
`;

for (const host of ["inline", "node"]) {
	test(`a tool and the flags of an extension work in one run (${host} host)`, { timeout: 60_000 }, async () => {
		place.config(`extensions: {greeter: {host: ${host}}}`);
		place.extension("greeter.ts", greeter("hello"));
		const plain = await place.run(["run", "--json", "CALL greet {}"]);
		assert.match(plain.stdout, /"text":"hello nobody\\."|hello nobody\./);
		const { stdout, stderr, code } = await place.run(["run", "--flag", "whom=you", "--flag", "loud", "--flag", "lod", "--json", "CALL greet {}"]);
		assert.equal(code, 0);
		assert.match(stdout, /hello you!/);
		assert.match(stderr, /No extension has a flag 'lod', so --flag lod changes nothing\. Did you mean 'loud'\?/);
	});
}

test("in a chat an extension begins a turn, and a new version of it is taken up by /reload", { timeout: 60_000 }, async () => {
	place.extension("greeter.ts", greeter("hello"));
	const chat = place.onTerminal([], { env: { TERM: "dumb" } });
	await chat.shows("Ctrl-D leaves.");
	chat.write("/say good morning\n");
	await chat.shows("It was queued.");
	await chat.shows(/good morning[\s\S]*good morning/);
	chat.write("/word\n");
	await chat.shows("the word is hello");
	place.extension("greeter.ts", greeter("welcome"));
	chat.write("/reload greeter\n");
	await chat.shows(/greeter {2}(?:reloaded|unchanged)/);
	chat.write("/word\n");
	await chat.shows("the word is welcome");
	chat.write("/reload greter\n");
	await chat.shows("There is no extension 'greter'.");
	chat.write("/quit\n");
	assert.equal((await chat.ended).code, 0);
});
