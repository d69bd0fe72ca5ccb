// `run --image`, and what the transcript of a session shows of images.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { jsonLines, Place } from "./program.ts";

const png = Buffer.concat([Buffer.from("89504e470d0a1a0a", "hex"), Buffer.from("a pelican")]);
const gif = Buffer.from("GIF89a a stork");
let place: Place;
beforeEach(() => {
	place = new Place();
	writeFileSync(join(place.work, "pelican.png"), png);
	writeFileSync(join(place.work, "stork"), gif);
});
afterEach(() => place[Symbol.asyncDispose]());

test("--image sends files along, in their order, and the conversation keeps them", async () => {
	assert.equal((await place.run(["run", "IMAGES", "--image", "stork", "--image", "pelican.png"])).stdout, "image/gif 14, image/png 17\n");
	assert.equal((await place.run(["run", "--continue", "IMAGES"])).stdout, "image/gif 14, image/png 17\n");
});

test("a file that cannot be sent is a sentence, and no session is begun", async () => {
	mkdirSync(join(place.work, "folder"));
	writeFileSync(join(place.work, "notes.png"), "# Notes");
	writeFileSync(join(place.work, "big.png"), Buffer.concat([png, Buffer.alloc(6 * 1024 * 1024)]));
	for (const [file, says] of [
		["nothing.png", "There is no image nothing.png."],
		["folder", "folder is no image: it is no plain file."],
		["big.png", "The image big.png has 6.0 MB; at most 5 can be sent. Make it smaller."],
		["notes.png", "notes.png is no image that can be sent: its content is neither PNG, JPEG, GIF nor WebP."],
	] as const) {
		const { code, stdout, stderr } = await place.run(["run", "IMAGES", "--image", file]);
		assert.deepEqual([code, `${stdout}${stderr}`.trim().replace(/^hookline: /, "")], [1, says]);
	}
	assert.deepEqual(await place.sessions(), []);
});

test("an exported page shows the images and loads nothing; the other formats name them", async () => {
	await place.run(["run", "IMAGES", "--image", "pelican.png"]);
	const [{ id } = { id: "" }] = await place.sessions();
	const exported = async (format: string) => (await place.run(["sessions", "export", id, "--format", format])).stdout;
	const page = await exported("html");
	assert.ok(page.includes(`<img alt="" src="data:image/png;base64,${png.toString("base64")}"><figcaption>Image pelican.png (image/png, 17 bytes)</figcaption>`));
	assert.match(page, /default-src 'none'; style-src 'unsafe-inline'; img-src data:"/);
	assert.match(await exported("md"), /^Image pelican\.png \\\(image\/png, 17 bytes\\\)$/m);
	assert.match((await place.run(["sessions", "show", id])).stdout, /Image pelican\.png \(image\/png, 17 bytes\)/);
	const [, first] = jsonLines(await exported("jsonl")) as readonly { readonly message?: { readonly images?: readonly { readonly name: string }[] } }[];
	assert.deepEqual(first?.message?.images?.map(({ name }) => name), ["pelican.png"]);
});
