// `hookline run "…"`: one prompt, one answer. The answer goes to stdout, everything else to stderr.
import { basicCommands } from "../agent/commands.ts";
import { Conversation } from "../agent/conversation.ts";
import { readImageFile } from "../agent/images.ts";
import type { Engine } from "../engine/engine.ts";
import type { SessionRecord } from "../stores/sessions.ts";
import type { Store } from "../stores/store.ts";
import { openRuntime } from "../runtime.ts";
import { complete, silent } from "./answers.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { flagsFrom } from "./flags.ts";
import { keepStdoutForAnswers, note, print, warn } from "./output.ts";
import { onTerminal, readAll } from "./input.ts";
import { sessionNamed } from "./sessions/find.ts";
import { stopOnSignals } from "./signals.ts";
import { terminalApprover } from "./terminal-approver.ts";
import { ownSource } from "./own-hooks.ts";
import { askForHooks } from "./hooks/at-start.ts";
import { askForTrust } from "./trust/ask.ts";
import { writtenUi } from "./written-ui.ts";

export interface RunOptions {
	readonly model?: string;
	readonly session?: string;
	readonly continue?: boolean;
	readonly hooks: boolean;
	readonly acceptHooks?: boolean;
	readonly json?: boolean;
	/** As they were given: `name` or `name=value`. */
	readonly flag?: readonly string[];
	/** Files. */
	readonly image?: readonly string[];
}

/** @returns the exit code. */
export async function run(words: readonly string[], options: RunOptions): Promise<number> {
	const { text, origin } = await promptFrom(words);
	const images = await Promise.all((options.image ?? []).map(readImageFile));
	keepStdoutForAnswers();
	if (!options.hooks) announceNoHooks();
	await askForTrust(options);
	await askForHooks(options);
	const readLine = onTerminal();
	await using runtime = await openRuntime({
		environment: process.env,
		cwd: process.cwd(),
		surface: "run",
		model: options.model,
		hooks: options.hooks,
		acceptHooks: options.acceptHooks,
		output: options.json ? silent : complete,
		warn,
		log: (hook, message) => note(`[${hook}] ${message}`),
		ui: writtenUi(),
		flags: flagsFrom(options.flag),
		...(readLine && { approver: terminalApprover(readLine) }),
		...(options.json && { prepare: printEvents }),
	});
	using stop = stopOnSignals();
	const agent = await runtime.agent(stop.signal);
	const conversation = await Conversation.open(agent, runtime.place, basicCommands, findSession(runtime.store, options, runtime.place.cwd));
	let reason: "finished" | "failed" = "failed";
	try {
		const result = await conversation.submit(text, origin, stop.signal, images);
		if (result.completed) reason = "finished";
		if (result.interrupted) note("Stopped.");
		else if (result.error !== undefined && result.error !== result.text) warn(result.error);
		return result.interrupted ? exitCodes.interrupted : result.completed ? exitCodes.fine : exitCodes.problems;
	} finally {
		await conversation.close(reason);
	}
}

export function announceNoHooks(): void {
	warn("--no-hooks: NO EXTENSION IS LOADED AND NO HOOK RUNS, your guards included. Only Hookline's own approvals still stop what the agent does.");
}

async function promptFrom(words: readonly string[]): Promise<{ readonly text: string; readonly origin: "argument" | "piped" }> {
	if (words.length > 0) {
		const text = words.join(" ");
		if (text.trim() === "") throw new UsageError(`The prompt is empty. Write it behind run: hookline run "list the files here"`);
		return { text, origin: "argument" };
	}
	if (process.stdin.isTTY) throw new UsageError(`There is no prompt. Write it behind run, or pipe it in: hookline run "list the files here"`);
	const text = await readAll(process.stdin);
	if (text.trim() === "") throw new UsageError(`There is no prompt, neither behind run nor on stdin. Write: hookline run "list the files here"`);
	return { text: text.replace(/\n$/, ""), origin: "piped" };
}

/** The session the options mean; undefined for a new one. */
export function findSession(store: Store, options: { readonly session?: string; readonly continue?: boolean }, cwd: string): SessionRecord | undefined {
	if (options.session !== undefined && options.continue) throw new UsageError("--session and --continue contradict each other. Give one of them.");
	if (options.session !== undefined) return sessionNamed(store, options.session);
	if (!options.continue) return undefined;
	const latest = store.sessions.latest(cwd);
	if (latest === undefined) throw new CommandError(`There is no session to continue in ${cwd}. Leave out --continue to start one, or name one with --session; 'hookline sessions' lists them.`);
	return latest;
}

/** Prints every event that is told, one JSON object a line. */
function printEvents(engine: Engine): void {
	engine.register([
		{
			event: "*",
			stage: "observe",
			options: { name: "json" },
			// Not bounded: a program that reads events must miss none.
			queue: Infinity,
			host: "inline",
			source: ownSource,
			handler: (payload: object, { event }: { readonly event: string }) => {
				// What a hook may still take out of the answer is not printed before it has.
				const hooked = engine.has("turn.answering") || engine.has("message.sending");
				if (hooked && event === "model.streamed") return;
				const { text, ...rest } = payload as { readonly text?: string };
				print(JSON.stringify({ event, ...(hooked && event === "model.called" ? rest : text === undefined ? rest : { ...rest, text }) }));
			},
		},
	]);
}
