// Which Python is taken, and what is said when there is none.
import assert from "node:assert/strict";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { folderWith } from "../../../test/contracts/host.ts";
import { choosePython, findPython } from "./find.ts";

test("what config.yaml names comes first, then the folder's own environment, then python3 on PATH", async () => {
	await using folder = await folderWith({ ".venv/bin/python": "", "bin/python3": "", "bin/python3.12": "", "bin/no": "" });
	const at = (path: string) => join(folder.path, path);
	for (const path of [".venv/bin/python", "bin/python3", "bin/python3.12"]) chmodSync(at(path), 0o755);
	const path = `relative:${at("bin")}`;
	assert.deepEqual(choosePython(undefined, folder.path), { venv: at(".venv") });
	assert.deepEqual(choosePython({ executable: "python3.12" }, folder.path), { executable: "python3.12" });
	assert.deepEqual(choosePython(undefined, at("bin")), {});
	assert.deepEqual(findPython({ venv: at(".venv") }, path), { file: at(".venv/bin/python") });
	assert.deepEqual(findPython({ executable: "python3.12" }, path), { file: at("bin/python3.12") });
	assert.deepEqual(findPython({ executable: at("bin/python3") }, ""), { file: at("bin/python3") });
	assert.deepEqual(findPython({}, path), { file: at("bin/python3") });
	const why = (choice: Parameters<typeof findPython>[0]) => {
		const found = findPython(choice, path);
		return "why" in found ? found.why : found.file;
	};
	assert.match(why({ executable: at("bin/no") }), /^There is no program '.+\/bin\/no', which is to run Python hooks/);
	assert.match(why({ executable: "python3", venv: at(".venv") }), /^config\.yaml has both python\.executable and python\.venv, and only one can run Python hooks\. Remove the other\.$/);
	const none = findPython({}, at(""));
	assert.ok("why" in none && none.why.startsWith("There is no 'python3' on PATH, and hooks written in Python need one."));
});
