// Files that come with messages and go with texts.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { Files } from "../../src/gateway/files.ts";
import type { InboundFile } from "../../src/gateway/platform.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { everybody, OpenedGateway, Square } from "./square.ts";

const fileOf = (name: string, content: string | Buffer = "x", more: Partial<InboundFile> = {}): InboundFile => ({
	name,
	async read() {
		return (async function* () {
			yield Buffer.from(content);
		})();
	},
	...more,
});

const png = Buffer.from("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", "base64");

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
	const folder = mkdtempSync(join(tmpdir(), "hookline-files-"));
	try {
		await run(folder);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

test("images reach the model as images, other files by their paths, and what cannot be had is said", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square]);
	assert.deepEqual(await square.ask("IMAGES", { files: [fileOf("photo.png", png)] }), [`image/png ${png.length}`]);
	assert.match((await square.ask("", { files: [fileOf("photo.png", png)] })).join(), /^ECHO: \[The user sent photo\.png\.\]$/);
	const answer = (await square.ask("see", { files: [fileOf("notes.txt", "grün"), fileOf("no.png", "no image"), fileOf("gone.txt", "", { read: () => Promise.reject(new Error("status 404.")) })] })).join();
	const [path] = /\/\S+notes\.txt/.exec(answer)!;
	assert.match(answer, /\[The user sent the file notes\.txt, 5 bytes: .*\[The user sent the file no\.png, 8 bytes: /s);
	assert.match(answer, /\[The file gone\.txt could not be taken: status 404\.\]/);
	assert.deepEqual([readFileSync(path, "utf8"), statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777], ["grün", 0o600, 0o700]);
	assert.deepEqual(opened.warnings, []);
});

test("a message that comes twice, or cannot be kept, leaves no file behind", async () => {
	const square = new Square();
	await using opened = await OpenedGateway.open([square]);
	const files = [fileOf("a.txt")];
	const kept = () => readdirSync(join(opened.home, "gateway/files")).length;
	await square.ask("SAY once", { messageId: "x", files });
	assert.equal(kept(), 1);
	assert.equal((await square.say("SAY once", { messageId: "x", files })).kind, "duplicate");
	await assert.rejects(square.say("hello", { messageId: "y".repeat(600), files }), /The id of a message/);
	assert.equal(kept(), 1);
});

test("no name leads anywhere else, hides a file, or is too long for the disk", () =>
	inFolder(async (folder) => {
		const names = ["../../x", "..\\..\\y.txt", "/etc/passwd", "..", "", " .bashrc", "a\nb\0c.txt", `${"😀".repeat(80)}.jpeg`, `\ud83d${"ü".repeat(300)}.pdf`, "x]\u202egpj.exe"];
		const results = [];
		// Each as a message of its own: ten are the most that one brings.
		for (const name of names) results.push(await new Files(folder).keep([fileOf(name)]));
		assert.deepEqual(results.flatMap(({ problems }) => problems), []);
		const kept = results.flatMap((result) => result.kept);
		assert.deepEqual(kept.slice(0, 7).map(({ name }) => name), ["x", "y.txt", "passwd", "file", "file", "bashrc", "a_nb_u{0}c.txt"]);
		for (const { path, name } of kept) {
			assert.deepEqual([dirname(dirname(path)), basename(path)], [folder, name]);
			assert.ok(Buffer.byteLength(name) <= 200 && name.isWellFormed() && existsSync(path), name);
		}
		assert.ok(kept[7]!.name.endsWith(".jpeg") && kept[8]!.name.endsWith(".pdf"));
	}));

test("a file of more than 25 MB is not taken, whatever its platform says; nor is an eleventh", () =>
	inFolder(async (folder) => {
		const files = new Files(folder);
		const piece = Buffer.alloc(1 << 20);
		let given = 0;
		const endless = fileOf("endless.bin", "", {
			bytes: 10,
			async read() {
				return (async function* () {
					for (;;) {
						given++;
						yield piece;
					}
				})();
			},
		});
		const { kept, problems } = await files.keep([endless, fileOf("said.bin", "", { bytes: 26 << 20 })]);
		assert.deepEqual(kept, []);
		assert.deepEqual(problems, ["The file endless.bin could not be taken: it has more than 25 MB.", "The file said.bin could not be taken: it has more than 25 MB."]);
		assert.equal(given, 26);
		assert.deepEqual(readdirSync(folder), []);
		const many = await files.keep(Array.from({ length: 12 }, (_, i) => fileOf(`${i}`)));
		assert.deepEqual([many.kept.length, many.problems], [10, ["A message brings at most 10 files; the last 2 were left out."]]);
	}));

test("a platform that hangs holds a message up only so long, with all its files together, whether it listens to the signal or not", () =>
	inFolder(async (folder) => {
		const never = new Promise<never>(() => {});
		const deaf = fileOf("deaf.txt", "", { read: () => never });
		const stuck = fileOf("stuck.txt", "", {
			async read() {
				return (async function* () {
					yield Buffer.from("a piece");
					await never;
				})();
			},
		});
		const { kept, problems } = await new Files(folder).keep([fileOf("first.txt"), stuck, deaf], 50);
		assert.deepEqual(kept.map(({ name }) => name), ["first.txt"]);
		assert.deepEqual(problems, ["stuck.txt", "deaf.txt"].map((name) => `The file ${name} could not be taken: it did not come within 1 s.`));
		assert.equal(readdirSync(folder).length, 1);
	}));

test("files are there for 30 days, and not longer", () =>
	inFolder(async (folder) => {
		const files = new Files(folder);
		const { kept } = await files.keep([fileOf("old.txt"), fileOf("new.txt")]);
		const [old, young] = kept.map(({ path }) => dirname(path));
		const day = 24 * 3600_000;
		const longAgo = (Date.now() - 31 * day) / 1000;
		utimesSync(old!, longAgo, longAgo);
		await files.tidy();
		assert.deepEqual([existsSync(old!), existsSync(young!)], [false, true]);
		await files.tidy(Date.now() + 29 * day);
		assert.equal(existsSync(young!), true);
	}));

test("a file that is to be sent is copied at once, and sent also when the original is gone by then", async () => {
	const square = new Square({ maxFileBytes: 1 << 20 });
	await using opened = await OpenedGateway.open([square]);
	const path = join(opened.folder, "work/report.txt");
	writeFileSync(path, "as it was", { mode: 0o644 });
	let isDown = true;
	square.before = () => {
		if (isDown) throw new Error("503");
	};
	const files = [{ path, name: "report.txt", mediaType: "text/plain" }];
	const to = { platform: "square", chatId: "a" };
	await opened.gateway.deliver(to, "here", { key: "k", files });
	rmSync(path);
	isDown = false;
	await eventually(() => square.seen.length === 1, "it is sent");
	const [sent] = square.seen[0]!.files!;
	assert.deepEqual([sent!.name, readFileSync(sent!.path, "utf8"), statSync(sent!.path).mode & 0o777], ["report.txt", "as it was", 0o600]);
	const before = readdirSync(join(opened.home, "gateway/files")).length;
	await assert.rejects(opened.gateway.deliver(to, "again", { key: "k2", files: [{ ...files[0]!, path: sent!.path }, ...files] }), /^Error: The file .*report\.txt cannot be sent: it is not there\.$/);
	writeFileSync(path, "new");
	await opened.gateway.deliver(to, "here", { key: "k", files });
	await opened.quiet();
	assert.equal(readdirSync(join(opened.home, "gateway/files")).length, before, "what was not sent, or is the same again, leaves no copy");
	assert.equal(square.seen.length, 1);
});

test("a text whose file is gone is kept aside with its path, and holds nothing up", async () => {
	const square = new Square({ maxFileBytes: 1 << 20 });
	await using opened = await OpenedGateway.open([square], everybody);
	const path = join(opened.folder, "work/report.txt");
	mkdirSync(dirname(path), { recursive: true });
	writeFileSync(path, "x");
	const to = { platform: "square", chatId: "a" };
	const first = Promise.withResolvers<void>();
	square.before = () => first.promise;
	await opened.gateway.deliver(to, "first", { key: "1" });
	await opened.gateway.deliver(to, "with a file", { key: "2", files: [{ path, name: "report.txt", mediaType: "text/plain" }] });
	rmSync(join(opened.home, "gateway/files"), { recursive: true });
	await opened.gateway.deliver(to, "last", { key: "3" });
	first.resolve();
	await eventually(() => square.seen.length === 2, "the others are sent");
	assert.deepEqual(square.texts(), ["first", "last"]);
	const kept = JSON.parse(readFileSync(join(opened.home, "undelivered.jsonl"), "utf8")) as { why: string; text: string; files: { path: string }[] };
	assert.deepEqual([kept.why, kept.text], ["the file report.txt that belongs to it is not there any more", "with a file"]);
	assert.match(kept.files[0]!.path, /gateway\/files\/.*report\.txt$/);
});
