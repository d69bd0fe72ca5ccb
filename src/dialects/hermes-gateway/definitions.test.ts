// A handler in TypeScript is the same in this process and in one of its own.
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import { engineWith, inWords } from "../../../test/engine.ts";
import { samplePayload } from "../../events/samples.ts";
import { type Host, LoadError } from "../../hosts/host.ts";
import { inlineHost } from "../../hosts/inline.ts";
import { nodeHost } from "../../hosts/node.ts";
import { gatewayHost } from "./definitions.ts";
import { type Subscription, subscriptionsOf } from "./events.ts";

let folder = "";
beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), "hookline-gateway-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const onStray = () => {};
const python = () => Promise.reject(new Error("no Python is needed"));
const durable = { get: () => undefined, set: () => {}, delete: () => {}, keys: () => [] };
const hosts: Readonly<Record<string, () => Host>> = { inline: () => inlineHost({ onStray }), node: () => nodeHost({ name: "user", onStray, log: () => {}, stateOf: () => durable }) };

for (const [name, open] of Object.entries(hosts)) {
	describe(`in the ${name} host`, () => {
		async function load(text: string, events: readonly string[], scripts: Host) {
			const file = join(folder, "handler.ts");
			writeFileSync(file, text);
			const found = [{ name: "hooks/a", file, subscriptions: events.flatMap((event) => subscriptionsOf(event) as readonly Subscription[]) }];
			return gatewayHost(found, { python, scripts: async () => scripts }).load({ name: "hooks/a", file, trust: "user" });
		}

		for (const [how, text] of [
			["as a function of its name", "export async function handle(type: string, { command }: { command: string }) { return { decision: 'deny', message: type + ' ' + command }; }"],
			["as the default export", "export default (type: string, { command }: { command: string }) => ({ decision: 'deny', message: type + ' ' + command });"],
			["as a part of the default export", "export default { handle: (type: string, { command }: { command: string }) => ({ decision: 'deny', message: type + ' ' + command }) };"],
		] as const) {
			test(`a handler may be exported ${how}`, async () => {
				await using host = open();
				const { definitions } = await load(text, ["command:help"], host);
				const engine = engineWith(definitions);
				const outcome = await engine.dispatch("command.running", samplePayload("command.running", { cwd: "/", at: 0, eventId: "e" }));
				assert.equal(inWords(outcome), "blocked by hooks/a/command.help (decision): command:help help");
				const [hook] = engine.hooks();
				assert.deepEqual({ ...hook?.source }, { extension: "hooks/a", file: join(folder, "handler.ts"), trust: "user", dialect: "hermes-gateway", rank: 1 });
				assert.deepEqual([hook?.host, hook?.onError, hook?.ifItFails], [name, "open", "open: things go on without it, with a warning"]);
			});
		}

		test("a file without a handler is refused in words for its author", async () => {
			await using host = open();
			await assert.rejects(load("export const handle = 7;", ["agent:start"], host), (error) => error instanceof LoadError && /its 'handle' is 7\. It must be a function:\n  export async function handle/.test(error.why));
		});
	});
}
