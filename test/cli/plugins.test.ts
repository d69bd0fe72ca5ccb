// A Hermes plugin in the real program.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { callTerminal, Place } from "./program.ts";

const careful = `
from tools.approval import is_approval_bypass_active

def check(tool_name, **kwargs):
    if is_approval_bypass_active():
        return {"action": "block", "message": "nobody would be asked"}
    return {"action": "approve", "message": "a person has to say so"}

def register(ctx):
    ctx.register_hook("pre_tool_call", check)
`;

test("a plugin asks a person, and knows when the user wants nobody asked", { timeout: 60_000 }, async () => {
	await using place = new Place();
	const folder = join(place.home, "plugins/careful");
	mkdirSync(folder, { recursive: true });
	writeFileSync(join(folder, "plugin.yaml"), "name: careful\n");
	writeFileSync(join(folder, "__init__.py"), careful);
	for (const mode of ["ask", "off"]) {
		place.config(`plugins: {enabled: [careful]}\napprovals: {mode: ${mode}}\n`);
		await place.run(["run", callTerminal("touch made")]);
	}
	assert.equal(place.made("made"), false);
	const calls = await place.trace("--event", "tool.calling");
	assert.deepEqual(calls.map(({ by, reason }) => [by, reason]), [["nobody-there", "This needs a person's approval (a person has to say so), and nobody is there to give it."], ["plugins/careful/pre_tool_call.check", "nobody would be asked"]]);
});
