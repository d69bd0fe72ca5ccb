import assert from "node:assert/strict";
import { test } from "node:test";
import type { Message } from "../../events/payloads/model.ts";
import type { NewImage } from "../sessions.ts";
import { inMemory, openDatabase } from "./database.ts";
import { SqliteLeases } from "./leases.ts";
import { SqliteSessions } from "./sessions.ts";

const image = (name: string): NewImage => ({ part: { mediaType: "image/png", bytes: name.length, sha256: `sha-of-${name}`, name }, data: Buffer.from(name) });
const withImages = (...images: readonly NewImage[]): Message => ({ role: "user", text: "look", images: images.map(({ part }) => part) });
const pelican = image("pelican");
const heron = image("heron");

test("the bytes of an image are there once, as long as a message refers to them, and only in sessions that do", () => {
	using database = openDatabase(inMemory);
	const sessions = new SqliteSessions(database, new SqliteLeases(database));
	const kept = () => database.all<{ sha256: string }>("SELECT sha256 FROM images ORDER BY sha256").map(({ sha256 }) => sha256.replace("sha-of-", ""));
	for (const id of ["s1", "s2"]) sessions.create({ id, cwd: "/projects/a", model: "rehearsal", surface: "test", systemPrompt: "", tools: "[]" });
	sessions.append("s1", [withImages(pelican)], [pelican]);
	sessions.append("s1", [withImages(pelican, heron)], [pelican, heron]);
	sessions.append("s2", [withImages(heron)], [heron]);
	assert.deepEqual(kept(), ["heron", "pelican"]);
	assert.equal(sessions.image("s2", "sha-of-pelican"), undefined);
	assert.deepEqual(Buffer.from(sessions.image("s1", "sha-of-pelican")!.data), pelican.data);
	sessions.fork("s1", "f1", 1);
	sessions.dropLast("s1", 1);
	assert.deepEqual([sessions.image("s1", "sha-of-heron"), sessions.image("f1", "sha-of-heron")], [undefined, undefined]);
	assert.deepEqual(kept(), ["heron", "pelican"]);
	sessions.delete("s2");
	assert.deepEqual(kept(), ["pelican"]);
	sessions.delete("s1");
	assert.deepEqual(kept(), ["pelican"]);
	sessions.delete("f1");
	assert.deepEqual(kept(), []);
});

test("an image is kept with its message or not at all", () => {
	using database = openDatabase(inMemory);
	const sessions = new SqliteSessions(database, new SqliteLeases(database));
	assert.throws(() => sessions.append("s9", [withImages(pelican)], [pelican]), /There is no session s9/);
	assert.deepEqual(database.all("SELECT * FROM images"), []);
});
