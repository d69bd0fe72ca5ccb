// What became of a run, as decisions. Strict: a refusal counts in every spelling, and anything else that is not a clear answer is a failure, of which the
// hook's policy says what it means.
import { type AnyInterceptSpec, specOf } from "../../events/catalog.ts";
import { ask, block, inject } from "../../events/decision.ts";
import { HookFailure } from "../../events/failure.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import type { ShellEnded } from "../../hosts/shell/job.ts";
import { questionIn, type Refusal, refusalIn, unclearFlagIn } from "../refusal.ts";
import { continuationIn, noReason, readAnswer, type Reply, startOf } from "./answer.ts";
import { decides, isHermesName } from "./events.ts";
import { readFaithfully } from "./faithful.ts";
import type { ShellHook } from "./hook.ts";
import { objectsIn, type Printed } from "./output.ts";

const silence: Reply = { decisions: [], notes: [] };

/**
 * The decisions in what a run printed and how it ended.
 * @throws HookFailure for everything that is no answer. It never puts the hook on hold: the program did run, and its next answer may be a refusal.
 */
export function readReply(hook: ShellHook, payload: JsonObject, ended: ShellEnded): Reply {
	if (!decides(hook.event)) {
		if (ended.exitCode !== 0) throw unexpectedExit(ended);
		return silence;
	}
	return hook.mode === "faithful" ? readFaithfully(hook, payload, ended) : readStrictly(hook, payload, ended);
}

function readStrictly(hook: ShellHook, payload: JsonObject, ended: ShellEnded): Reply {
	const { event } = hook;
	const spec = specOf(event) as AnyInterceptSpec;
	const printed = objectsIn(ended.stdout);
	const refusal = event === "turn.ending" ? undefined : refusalOf(hook, ended, printed);
	if (refusal !== undefined) {
		if (!spec.decisions.includes("block")) throw failure(`refused (${refusal.spelling}), but nothing can be refused at ${event}, which takes ${spec.decisions.join(", ")}`);
		return { decisions: [{ ...block(refusal.reason || noReason), metadata: { refusal: refusal.spelling } }], notes: [] };
	}
	if (ended.truncated) throw failure("printed more than 1 MiB");
	if (ended.exitCode === null) throw unexpectedExit(ended);
	const answer = printed.at(-1);
	if (answer === undefined) {
		if (event === "turn.ending" && exitRefuses(hook, ended)) return { decisions: [inject(startOf(ended.stderr) || noReason)], notes: [] };
		if (ended.exitCode !== 0) throw unexpectedExit(ended);
		if (ended.stdout.trim() === "") return silence;
		throw failure(`printed what is no JSON object: ${JSON.stringify(ended.stdout.trim().slice(0, 200))}`);
	}
	if (answer.problem !== undefined) throw failure(`its answer ${answer.problem}, so it was not taken`);
	const reply = event === "turn.ending" ? continued(answer.answer) : decided(hook, payload, answer.answer);
	if (ended.exitCode === 0) return reply;
	// Hermes takes such an answer. A closed hook is held to its exit code: what failed on the way may be what should have refused.
	if (hook.failClosed || reply.decisions.length === 0) throw unexpectedExit(ended);
	return { ...reply, notes: [...reply.notes, `exited with code ${ended.exitCode}, and its answer was taken all the same`] };
}

function decided(hook: ShellHook, payload: JsonObject, answer: JsonObject): Reply {
	const { event } = hook;
	const unclear = unclearFlagIn(answer);
	if (unclear !== undefined) throw failure(`answered with a '${unclear}' that is neither true nor false`);
	const question = questionIn(answer);
	if (question === undefined) return readAnswer(event, payload, answer);
	if (!(specOf(event) as AnyInterceptSpec).decisions.includes("ask")) throw failure(`asked for a person (${question.spelling}), but nobody is asked at ${event}`);
	return { decisions: [ask(question.reason || "A shell hook wants a person to decide.")], notes: [] };
}

function continued(answer: JsonObject): Reply {
	const text = continuationIn(answer);
	return text === undefined ? silence : { decisions: [inject(text)], notes: [] };
}

/** The refusal in a run: among the objects on standard output, as the last one on standard error, or as its exit code. */
function refusalOf(hook: ShellHook, ended: ShellEnded, printed: readonly Printed[]): Refusal | undefined {
	const onError = objectsIn(ended.stderr).at(-1);
	for (const { answer } of onError === undefined ? printed : [...printed, onError]) {
		const refusal = refusalIn(answer);
		if (refusal === undefined) continue;
		return { ...refusal, reason: refusal.reason || (exitRefuses(hook, ended) && answer !== onError?.answer ? startOf(ended.stderr) : "") };
	}
	return exitRefuses(hook, ended) ? { reason: startOf(ended.stderr), spelling: `exit code ${ended.exitCode}` } : undefined;
}

/**
 * Whether the exit code alone is a refusal. For the events of Hermes other than `pre_tool_call` it is none there, and interpreters end with 2 when they do not
 * find a script: a hook that only adds context must not end every turn by that.
 */
function exitRefuses({ event, written }: ShellHook, { exitCode }: ShellEnded): boolean {
	if (exitCode === 49) return event === "tool.calling";
	return exitCode === 2 && (event === "tool.calling" || !isHermesName(written));
}

export function unexpectedExit({ exitCode, signal, stderr }: ShellEnded): HookFailure {
	const said = startOf(stderr);
	const how = exitCode === null ? `was ended by ${signal ?? "a signal"}` : `exited with code ${exitCode}`;
	return new HookFailure("threw", said === "" ? how : `${how}: ${said}`, { counts: false });
}

const failure = (message: string) => new HookFailure("bad-answer", message, { counts: false });
