// A gateway that is killed where it begins to write: at each system call that changes a file of its home, in a scripted conversation, one after the other.
// A few of them each time. HOOKLINE_WRITES=0-300 HOOKLINE_SEED=7 takes the first 300 in the order of that seed; all of them take more than half an hour.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { ChatEvent } from "../../src/platforms/http/log.ts";
import { eventually } from "../../src/system/test-waiting.ts";
import { callTerminal, Place } from "../cli/program.ts";
import { Served, texts } from "./served.ts";
import { startTraced, tracedCalls, type WriteCall, whyNoStrace } from "./write-calls.ts";

const [from = 0, to = 0] = (process.env["HOOKLINE_WRITES"] ?? "0-6").split("-").map(Number);
const seed = Number(process.env["HOOKLINE_SEED"] ?? Date.now() % 1_000_000);
const sideBySide = 2;
const why = whyNoStrace();

/** The conversation, with a gateway that may die once in it. */
class Script {
	readonly #place: Place;
	#gateway: Served | undefined;
	deaths = 0;

	constructor(place: Place) {
		this.#place = place;
		place.config('agent: {retry_base_ms: 1}\ngateway: {http: {port: 0}, home_chat: "http:home"}\n');
	}

	/** As any client: again, until it is taken and handled. */
	async say(id: string, text: string): Promise<{ readonly how: string; readonly said: readonly string[] }> {
		for (;; await pause(20)) {
			const gateway = await this.gateway();
			const taken = await gateway.say(text, { id }).catch(() => undefined);
			const about = taken && (await gateway.handled(id).catch(() => undefined));
			const handled = about?.find(({ type }) => type === "handled");
			if (about && handled?.type === "handled") return { how: handled.how, said: texts(about) };
		}
	}

	/** The one that runs; a new one when it died. */
	async gateway(traced?: ReturnType<typeof startTraced>): Promise<Served> {
		if (traced !== undefined) this.#gateway = await Served.of(traced, this.#place.home).catch(() => undefined);
		const { running } = this.#gateway ?? {};
		if (this.#gateway !== undefined && (await Promise.race([running!.ended, pause(0)])) === undefined) return this.#gateway;
		this.deaths++;
		return (this.#gateway = await Served.of(this.#place.start(["gateway", "run", "--model", "rehearsal"]), this.#place.home));
	}

	async run(traced: ReturnType<typeof startTraced>): Promise<void> {
		const place = this.#place;
		await this.gateway(traced);
		const effects = () => (place.made("effects") ? place.read("effects").trim().split("\n") : []);
		const cutOff = (how: string) => how === "interrupted";
		const one = await this.say("one", callTerminal("echo one >> effects"));
		if (!cutOff(one.how)) assert.deepEqual([one.said, effects()], [["DONE"], ["one"]]);
		let two = await this.say("two", callTerminal("rm -rf x; echo two >> effects"));
		for (let i = 0; ; i++) {
			const [, id] = /\bQuestion (\w{6})(?::| is open)/.exec(two.said.join("\n")) ?? [];
			if (id === undefined) break;
			two = await this.say(`yes ${i}`, `/approve ${id}`);
		}
		if (!cutOff(two.how)) assert.deepEqual([two.said, effects().at(-1)], [["DONE"], "two"]);
		const three = await this.say("three", 'CALL send_message {"to": "http:other", "text": "to another chat"}');
		const four = await this.say("four", '/cron add soon "in 1s" CALL terminal {"command": "echo job >> effects"}');
		const isAdded = four.how !== "interrupted" || JSON.stringify((await this.say("list", "/cron list")).said).includes("soon");
		if (isAdded) {
			// It answers no message.
			const ofJob = async () => texts((await this.#events("a")).filter((event) => event.type === "message" && event.reply_to === undefined));
			await eventually(async () => (await ofJob()).length > 0, "the job has come to its end");
			const [text = "", ...more] = await ofJob();
			assert.match(text, /^DONE$|^The job soon was interrupted/);
			assert.deepEqual(more, []);
			if (text === "DONE") assert.ok(effects().includes("job"));
		}
		const five = await this.say("five", "SAY bye");
		if (!cutOff(five.how)) assert.deepEqual(five.said, ["bye"]);
		const others = texts(await this.#events("other"));
		if (!cutOff(three.how)) assert.deepEqual(others, ["to another chat"]);
		assert.ok(others.length <= 1, "it arrives once");
		assert.equal(new Set(effects()).size, effects().length, `nothing is done twice: ${effects().join()}`);
		const events = await this.#events("a");
		const handled = events.flatMap((event) => (event.type === "handled" ? [event.message_id] : []));
		assert.equal(new Set(handled).size, handled.length, "each message is handled once");
		assert.equal((await place.run(["gateway", "undelivered", "list"])).stdout, "");
		const { running } = await this.gateway();
		// Not a signal: strace would keep it to itself. It may be killed on its way out.
		await place.run(["gateway", "stop"]);
		await running.ended;
		assert.equal((await place.run(["gateway", "status"])).code, 1);
		nothingTorn(place.home);
	}

	async #events(chat: string): Promise<readonly ChatEvent[]> {
		for (;; await pause(20)) {
			const events = await (await this.gateway()).events(chat).catch(() => undefined);
			if (events !== undefined) return events;
		}
	}
}

/** Each database is whole, each JSON file and each line of JSON can be read. */
function nothingTorn(home: string): void {
	for (const { name, parentPath } of readdirSync(home, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())) {
		const path = join(parentPath, name);
		if (name.endsWith(".db")) {
			using database = new DatabaseSync(path);
			assert.deepEqual(database.prepare("PRAGMA integrity_check").all().map((row) => ({ ...row })), [{ integrity_check: "ok" }], path);
			assert.deepEqual(database.prepare("PRAGMA foreign_key_check").all(), [], path);
		} else if (name.endsWith(".json")) JSON.parse(readFileSync(path, "utf8"));
		else if (name.endsWith(".jsonl")) for (const line of readFileSync(path, "utf8").split("\n").filter(Boolean)) JSON.parse(line);
	}
	assert.ok(existsSync(join(home, "hookline.db")));
}

const words = ({ call, path, n }: WriteCall) => `${call} of ${path}, ${n}`;

test(`killed at a system call that changes a file (${to - from} of them, seed ${seed}): nothing is torn, lost or done twice`, { skip: why ?? false, timeout: 4 * 3600_000 }, async (t) => {
	await using whole = new Place();
	await new Script(whole).run(startTraced(whole));
	const all = tracedCalls(whole);
	assert.ok(all.length > 100, `strace saw only ${all.length} calls`);
	// Each call has its place by itself: how many there are differs a little from run to run.
	const placeOf = (call: WriteCall) => createHash("sha256").update(`${seed} ${words(call)}`).digest("hex");
	const left = all.map((call) => ({ call, place: placeOf(call) })).sort((one, other) => (one.place < other.place ? -1 : 1)).map(({ call }) => call).slice(from, to);
	const tried = left.length;
	const failed: string[] = [];
	let killed = 0;
	await Promise.all(
		Array.from({ length: sideBySide }, async () => {
			for (let call = left.pop(); call !== undefined; call = left.pop()) {
				await using place = new Place();
				const script = new Script(place);
				await script.run(startTraced(place, call)).catch((error: unknown) => failed.push(`${words(call!)}: ${error instanceof Error ? error.message : String(error)}`));
				killed += script.deaths;
			}
		}),
	);
	t.diagnostic(`${all.length} calls in the script; ${tried} tried, ${killed} of them killed it (seed ${seed})`);
	assert.deepEqual(failed, []);
});
