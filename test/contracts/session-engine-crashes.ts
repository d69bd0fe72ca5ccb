// What every session engine has to do when processes die in the middle, and when there are several.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { after, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import type { Effect, Outgoing } from "../../src/stores/session-engine.ts";
import { type Implementation, message, options, outgoing } from "./session-engine.ts";
import { type Moment, stepThatDies, worldly } from "./session-engine-program.ts";

const program = fileURLToPath(new URL("session-engine-program.ts", import.meta.url));
/** More of both for a long look: HOOKLINE_KILLS=200 HOOKLINE_SEED=7. */
const kills = Number(process.env["HOOKLINE_KILLS"] ?? 12);
const seed = Number(process.env["HOOKLINE_SEED"] ?? Date.now() % 1_000_000);

interface Answer {
	readonly number: number;
	readonly count: number;
	readonly mailed: string;
}

export function sessionEngineCrashesContract(implementation: Implementation): void {
	const children: ChildProcess[] = [];
	after(() => {
		for (const child of children) child.kill("SIGKILL");
	});
	const newWorld = (place: string) => {
		writeFileSync(`${place}.world`, "");
		return `${place}.world`;
	};
	const start = (place: string, world: string, ...args: readonly string[]) => {
		const child = spawn(process.execPath, [program, implementation.module, place, world, ...args], { stdio: ["pipe", "pipe", "inherit"] });
		children.push(child);
		return { child, lines: createInterface(child.stdout), ended: once(child, "close") };
	};
	const worldOf = (world: string) => readFileSync(world, "utf8").split("\n").filter(Boolean);

	describe(`${implementation.name}: processes that die`, () => {
		const table: readonly (readonly [effect: Effect, moment: Moment, answer: string, happened: number])[] = [
			["pure", "before", "done", 1],
			["pure", "in", "done", 2],
			["pure", "after", "done", 1],
			["idempotent", "before", "done", 1],
			["idempotent", "in", "done", 2],
			["idempotent", "after", "done", 1],
			["verify", "before", "done", 1],
			["verify", "in", "seen", 1],
			["verify", "after", "done", 1],
			["once", "before", "indeterminate", 0],
			["once", "in", "indeterminate", 1],
			["once", "after", "done", 1],
		];
		for (const [effect, moment, answer, times] of table) {
			it(`${effect}, killed ${moment === "in" ? "between the work and its record" : `${moment} the work`}: the next process answers '${answer}', and it happened ${times} times`, async () => {
				const place = implementation.newPlace();
				const world = newWorld(place);
				await using engine = implementation.open(place);
				await engine.append("s", message(1));
				const { ended } = start(place, world, "die", effect, moment);
				assert.deepEqual(await ended, [null, "SIGKILL"]);
				await engine.serve(stepThatDies(world, effect, "never"), options);
				assert.deepEqual((await outgoing(engine, 1)).map(({ body }) => body), [answer]);
				const lines = worldOf(world);
				assert.equal(lines.length, times);
				assert.ok(new Set(lines).size <= 1, "each time with the same key");
			});
		}

		it("a message in whose turn the process dies again and again is put aside", async () => {
			const place = implementation.newPlace();
			const world = newWorld(place);
			await using engine = implementation.open(place);
			await engine.append("s", message("poison"));
			await engine.append("s", message("next"));
			for (let i = 0; i < 2; i++) await start(place, world, "die", "pure", "before").ended;
			const problems: string[] = [];
			await engine.serve(async (turn) => turn.emit("answer", turn.message.id), { ...options, crashes: 2, onProblem: (text) => problems.push(text) });
			assert.deepEqual((await outgoing(engine, 1)).map(({ body }) => body), ["mnext"]);
			assert.deepEqual(problems, ["Message mpoison of session s was given up and is a dead letter now. The process ended 2 times in the middle of its turn."]);
		});

		it(`every message that was accepted is handled exactly once over ${kills} kills at random moments (seed ${seed})`, { timeout: 60_000 + kills * 5000 }, async (test) => {
			test.diagnostic(`seed ${seed}`);
			const random = randomFrom(seed);
			const place = implementation.newPlace();
			const world = newWorld(place);
			let accepted = -1;
			for (let i = 0; i < kills; i++) {
				const { child, lines, ended } = start(place, world, "append", String(accepted + 1));
				lines.on("line", (line) => {
					if (line === "serving") setTimeout(() => child.kill("SIGKILL"), 5 + random() * 120);
					else accepted = Number(line);
				});
				await ended;
			}
			await using engine = implementation.open(place);
			await engine.serve(worldly(world), options);
			// One after all others in each session tells when everything was handled.
			const last = accepted + 2;
			const sessions = Array.from({ length: 8 }, (_, i) => `s${i}`);
			for (const session of sessions) await engine.append(session, message("last", -1));
			const found: Outgoing[] = [];
			const left = new Set(sessions);
			let children = 0;
			for await (const one of engine.outbox(0, new AbortController().signal)) {
				found.push(one);
				const { number } = one.body as Answer;
				if (number === -1) left.delete(one.session);
				if (number >= 0 && number % 5 === 0) children += one.session.startsWith("child") ? -1 : 1;
				if (left.size === 0 && children === 0) break;
			}

			const parents = found.filter(({ session }) => !session.startsWith("child"));
			const numbers = parents.map(({ body }) => (body as Answer).number).filter((number) => number >= 0);
			assert.equal(new Set(numbers).size, numbers.length, "none was handled twice");
			for (let i = 0; i <= accepted; i++) assert.ok(numbers.includes(i), `message ${i} was accepted and not handled`);
			assert.ok(numbers.every((number) => number < last), "and nothing was that nobody appended");
			for (const [session, theirs] of Map.groupBy(found, (one) => one.session)) {
				const answers = theirs.map(({ body }) => body as Answer);
				assert.deepEqual(answers.map(({ count }) => count), answers.map((_, i) => i + 1), `the state of ${session} went with its turns`);
				const order = answers.map(({ number }) => number).filter((number) => number >= 0);
				assert.deepEqual(order, order.toSorted((a, b) => a - b), `the order of ${session}`);
			}
			assert.deepEqual(found.filter(({ session }) => session.startsWith("child")).map(({ body }) => (body as Answer).number).toSorted((a, b) => a - b), numbers.filter((number) => number % 5 === 0).toSorted((a, b) => a - b), "each message to a child came once");

			const timesOf = (what: string) => Map.groupBy(worldOf(world).filter((line) => line.startsWith(`${what} `)), (line) => line.split(" ")[1] ?? "");
			assert.equal(timesOf("charge").size, found.length, "idempotent: never another key");
			assert.deepEqual([...timesOf("post").values()].map((lines) => lines.length), found.map(() => 1), "verify: exactly once");
			const mails = timesOf("mail");
			assert.ok([...mails.values()].every((lines) => lines.length === 1), "once: never twice");
			for (const { body } of found) if ((body as Answer).mailed !== "indeterminate") assert.ok(mails.has((body as Answer).mailed), "once: what is said to have happened has");
			const unknown = found.filter(({ body }) => (body as Answer).mailed === "indeterminate").length;
			assert.ok(unknown <= kills * 4, "no more in doubt than turns ran at the kills");
			test.diagnostic(`${found.length} messages, ${unknown} indeterminate`);
		});
	});

	describe(`${implementation.name}: several processes`, () => {
		it("two that serve the same store share the work, and no session runs in both at once", { timeout: 60_000 }, async () => {
			const place = implementation.newPlace();
			const world = newWorld(place);
			await using engine = implementation.open(place);
			const processes = [start(place, world, "serve"), start(place, world, "serve")];
			await Promise.all(processes.map(({ lines }) => once(lines, "line")));
			await Promise.all(Array.from({ length: 150 }, (_, i) => engine.append(`s${i % 10}`, { id: `m${i}`, kind: "other", body: i })));
			const found = await outgoing(engine, 150);
			assert.deepEqual(found.map(({ body }) => (body as Answer).number).toSorted((a, b) => a - b), Array.from({ length: 150 }, (_, i) => i));
			const running = new Set<string>();
			for (const line of worldOf(world)) {
				const [what, session = ""] = line.split(" ");
				if (what === "begin") assert.ok(!running.has(session), `${session} ran twice at once`);
				if (what === "begin") running.add(session);
				if (what === "end") running.delete(session);
			}
			for (const { child, ended } of processes) {
				child.stdin.end();
				assert.deepEqual(await ended, [0, null], "it closes its engine and ends by itself");
			}
		});
	});
}

/** Numbers from 0 to 1 that are the same for the same seed. */
function randomFrom(start: number): () => number {
	let state = start;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}
