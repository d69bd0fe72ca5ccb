import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

test("a command that only writes shows notices on stderr, says at its end how many it left out, and asks nobody", () => {
	const program = `
		import { writtenUi } from ${JSON.stringify(new URL("written-ui.ts", import.meta.url).href)};
		const me = writtenUi()("painter");
		for (let i = 0; i < 30; i++) me.notify("note " + i, "warning");
		me.status("a", "b");
		me.widget("a", ["b"]);
		console.log(["notify", "select", "confirm", "input", "status", "widget"].filter((part) => me.can(part)), await me.select("a", ["b"]), await me.confirm("a", "b"), await me.input("a"));`;
	const { stdout, stderr, status } = spawnSync(process.execPath, ["--disable-warning=ExperimentalWarning", "--input-type=module", "-e", program], { encoding: "utf8" });
	assert.equal(status, 0, stderr);
	assert.equal(stdout, "[ 'notify' ] undefined false undefined\n");
	const lines = Array.from({ length: 20 }, (_, i) => `[painter] warning: note ${i}`);
	assert.equal(stderr, `${[...lines, "[painter] warning: 10 more notices left out: it writes too many."].join("\n")}\n`);
});
