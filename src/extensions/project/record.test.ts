import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { homeOf } from "../../system/home.ts";
import { changeDecisions, readDecisions, recordFile, TrustError } from "./record.ts";

let folder = "";
const home = () => homeOf({ HOOKLINE_HOME: folder });
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), "hookline-record-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const trusted = { hash: "a".repeat(64), files: { "config.yaml": "b" }, at: 1 };

test("what was decided is there again, in a file for the user alone; a folder's name is only a name", async () => {
	for (const [name, decided] of [["/b", { trusted }], ["/a", { declined: "c" }], ["__proto__", { trusted, declined: "c" }]] as const) await changeDecisions(home(), (decisions) => void decisions.set(name, decided));
	assert.deepEqual(readDecisions(home()), { decisions: new Map<string, object>([["/a", { declined: "c" }], ["/b", { trusted }], ["__proto__", { trusted, declined: "c" }]].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)) as [string, object][]) });
	assert.equal(statSync(recordFile(home())).mode & 0o777, 0o600);
});

for (const [what, text] of [
	["no JSON", "{"],
	["a list", "[]"],
	["of a later version", `{"version":2,"folders":{}}`],
	["without folders", `{"version":1}`],
	["with a decision that is none", `{"version":1,"folders":{"/a":true}}`],
	["with a hash that is none", `{"version":1,"folders":{"/a":{"trusted":{"hash":"*","files":{},"at":1}}}}`],
	["with files that have no hashes", `{"version":1,"folders":{"/a":{"trusted":{"hash":"${"a".repeat(64)}","files":{"x":1},"at":1}}}}`],
] as const) {
	test(`a file ${what} trusts nothing, says so, and is left as it is`, async () => {
		writeFileSync(recordFile(home()), text, { mode: 0o600 });
		const { decisions, problem } = readDecisions(home());
		assert.equal(decisions.size, 0);
		assert.match(problem ?? "", /trust\.json cannot be relied on, so no folder is trusted: .*\. Mend it, or move it away/);
		await assert.rejects(changeDecisions(home(), (all) => void all.set("/b", { trusted })), TrustError);
		assert.equal(readFileSync(recordFile(home()), "utf8"), text);
	});
}

test("a file that others may write to is not the user's word", async () => {
	await changeDecisions(home(), (decisions) => void decisions.set("/a", { trusted }));
	chmodSync(recordFile(home()), 0o622);
	assert.match(readDecisions(home()).problem ?? "", /others may write to it/);
});

test("a home that cannot be written is a sentence", async () => {
	mkdirSync(join(folder, "trust.lock"));
	await assert.rejects(changeDecisions(home(), () => {}), { name: "TrustError", message: /trust\.json cannot be written \(.*\), so nothing was changed/ });
});
