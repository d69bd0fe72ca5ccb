// A small process that serves a session engine and may die of it: node session-engine-program.ts <module> <place> <world> <what> [more].
// The world is a file to which each effect adds a line: what happened outside, whatever the journal says.
import { appendFileSync, readFileSync } from "node:fs";
import { IndeterminateError, type Effect, type SessionEngine, type StepCall, type Turn, type Verdict } from "../../src/stores/session-engine.ts";

export type Moment = "before" | "in" | "after" | "never";
const die = () => process.kill(process.pid, "SIGKILL");

/** One step of this effect, with the end of the process before its work, between work and record, or after the record. */
export const stepThatDies = (world: string, effect: Effect, moment: Moment) => async (turn: Turn): Promise<void> => {
	const fn = ({ key }: StepCall) => {
		if (moment === "before") die();
		appendFileSync(world, `${effect} ${key}\n`);
		if (moment === "in") die();
		return "done";
	};
	const verify = ({ key }: StepCall): Verdict<string> => (happened(world, `${effect} ${key}`) ? { happened: true, result: "seen" } : { happened: false });
	const result = await turn.step("work", effect === "verify" ? { effect, timeoutMs: 60_000, verify } : { effect, timeoutMs: 60_000 }, fn).catch(indeterminate);
	if (moment === "after") die();
	turn.emit("answer", result);
};

/** A turn with a step of each kind, state and a message to another session. */
export const worldly = (world: string) => async (turn: Turn): Promise<void> => {
	const tell = (what: string) => ({ key }: StepCall) => appendFileSync(world, `${what} ${key}\n`);
	appendFileSync(world, `begin ${turn.session} ${turn.fence}\n`);
	const number = await turn.step("look", { effect: "pure", timeoutMs: 60_000 }, () => turn.message.body);
	await turn.step("charge", { effect: "idempotent", timeoutMs: 60_000 }, tell("charge"));
	const verify = ({ key }: StepCall): Verdict<void> => (happened(world, `post ${key}`) ? { happened: true, result: undefined } : { happened: false });
	await turn.step("post", { effect: "verify", timeoutMs: 60_000, verify }, tell("post"));
	const mailed = await turn.step("mail", { effect: "once", timeoutMs: 60_000 }, (call) => (tell("mail")(call), call.key)).catch(indeterminate);
	const count = Number((await turn.get("count")) ?? 0) + 1;
	turn.set("count", count);
	turn.emit("answer", { number, count, mailed });
	if (turn.message.kind === "text" && Number(number) % 5 === 0) turn.send(`child of ${turn.session}`, { id: `of ${turn.message.id}`, kind: "from parent", body: number });
	appendFileSync(world, `end ${turn.session} ${turn.fence}\n`);
};

const happened = (world: string, line: string) => readFileSync(world, "utf8").includes(`${line}\n`);
const indeterminate = (error: unknown): string => {
	if (error instanceof IndeterminateError) return "indeterminate";
	throw error;
};

async function main([module = "", place = "", world = "", what = "", ...more]: readonly string[]): Promise<void> {
	const { open } = (await import(module)) as { open(place: string): SessionEngine };
	const engine = open(place);
	const say = (line: string) => process.stdout.write(`${line}\n`);
	const handler = what === "die" ? stepThatDies(world, more[0] as Effect, more[1] as Moment) : worldly(world);
	await engine.serve(handler, { concurrency: 4, onProblem: (text) => console.error(text), pauseMs: () => 0, crashes: 1_000_000 });
	say("serving");
	if (what === "append") for (let i = Number(more[0]); ; i++) {
		await engine.append(`s${i % 8}`, { id: `m${i}`, kind: "text", body: i });
		say(String(i));
	}
	process.stdin.resume().once("end", () => void engine.close());
}

if (process.argv[1] === import.meta.filename) await main(process.argv.slice(2));
