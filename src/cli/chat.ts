// `hookline`: a conversation, in a full terminal with an editor, or line by line.
import { basicCommands } from "../agent/commands.ts";
import { Conversation } from "../agent/conversation.ts";
import type { AgentParts } from "../agent/parts.ts";
import type { Output } from "../agent/surface.ts";
import { openRuntime, type Runtime } from "../runtime.ts";
import { completionsOf } from "./chat/arguments.ts";
import { deedsIn, watch } from "./chat/activity.ts";
import { chatCommands } from "./chat/commands.ts";
import { InputHistory } from "./chat/history.ts";
import { Meter } from "./chat/meter.ts";
import { PlainView } from "./chat/plain-view.ts";
import { shortcutOf } from "./chat/shortcut.ts";
import { Talk } from "./chat/talk.ts";
import type { ChatView } from "./chat/view.ts";
import { exitCodes } from "./exit.ts";
import { flagsFrom } from "./flags.ts";
import { keepStdoutForAnswers } from "./output.ts";
import { isOwn } from "./own-hooks.ts";
import { announceNoHooks, findSession } from "./run.ts";
import { askForHooks } from "./hooks/at-start.ts";
import { askForTrust } from "./trust/ask.ts";

export interface ChatOptions {
	readonly model?: string;
	readonly session?: string;
	readonly continue?: boolean;
	readonly hooks: boolean;
	readonly acceptHooks?: boolean;
	readonly plain?: boolean;
	/** As they were given: `name` or `name=value`. */
	readonly flag?: readonly string[];
}

/** @returns the exit code. */
export async function chat(options: ChatOptions, version: string): Promise<number> {
	keepStdoutForAnswers();
	if (!options.hooks) announceNoHooks();
	// Before the view takes the terminal.
	await askForTrust(options);
	await askForHooks(options);
	return converse(await viewFor(options), options, version);
}

/** The conversation in a view, from its start to its end. @returns the exit code. */
export async function converse(view: ChatView, options: ChatOptions, version: string): Promise<number> {
	const terminal = process.stdin.isTTY;
	const meter = new Meter();
	// What happens before there is a conversation does not concern it.
	const talking: { with?: Talk; in?: Conversation } = {};
	try {
		await using runtime = await openRuntime({
			environment: process.env,
			cwd: process.cwd(),
			surface: "terminal",
			model: options.model,
			hooks: options.hooks,
			acceptHooks: options.acceptHooks,
			output: inOrder(view.output, () => talking.with?.joined()),
			warn: (message) => view.note(`hookline: ${message}`),
			log: (hook, message) => view.log(hook, message),
			ui: (extension) => view.ui(extension),
			onBrings: (extension, { shortcuts = [] }) => view.bind(extension, shortcuts.map((shortcut) => shortcutOf(shortcut, () => talking.in))).forEach((why) => view.note(`hookline: ${why}`)),
			onUnload: (extension) => view.dropUi(extension),
			flags: flagsFrom(options.flag),
			reloads: true,
			...(view.approver && { approver: view.approver }),
			...(terminal && {
				prepare: (engine) => {
					watch(engine, (activity) => {
						if (activity.kind === "step") talking.with?.joined();
						view.show(activity);
					});
					meter.watch(engine);
				},
				onRecord: (record) => deedsIn(record).forEach((deed) => view.show(deed)),
			}),
		});
		const commands = [...basicCommands, ...chatCommands({ runtime, view, meter, input: () => talk })];
		const agent = await agentOf(runtime);
		if (agent === undefined) return exitCodes.interrupted;
		const conversation = await Conversation.open(agent, runtime.place, commands, findSession(runtime.store, options, runtime.place.cwd));
		const history = new InputHistory(runtime.home.path);
		const hooks = () => hooksOf(runtime);
		const talk: Talk = new Talk(conversation, view, { origin: terminal ? "typed" : "piped", meter, hooks, remember: (text) => history.add(text) });
		conversation.beginTurn = (text) => talk.beginTurn(text);
		talking.with = talk;
		talking.in = conversation;
		try {
			view.open(talk, {
				banner: banner(runtime, conversation, version, hooks()),
				commands: () => [...conversation.commands.values()],
				completions: (command, args, signal) => completionsOf(conversation, command, args, signal),
				cwd: runtime.place.cwd,
				earlier: conversation.session.messages,
				history: history.entries,
			});
			if (terminal) void runtime.extensions.watch().catch((error: unknown) => view.note(`hookline: Extensions are not watched for changes (${error instanceof Error ? error.message : String(error)}); /reload takes them up.`));
			await talk.over;
		} finally {
			await view.close();
			await conversation.close("quit");
		}
		if (talk.interrupted) return exitCodes.interrupted;
		return talk.failed && !terminal ? exitCodes.problems : exitCodes.fine;
	} finally {
		await view.close();
	}
}

/** Nothing when a signal came first: MCP servers that do not answer are not waited for then. A second one ends the program. */
async function agentOf(runtime: Runtime): Promise<AgentParts | undefined> {
	const stop = new AbortController();
	const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
	const abort = () => stop.abort(new Error("Stopped by the user."));
	for (const name of names) process.once(name, abort);
	try {
		const agent = await runtime.agent(stop.signal);
		return stop.signal.aborted ? undefined : agent;
	} catch (error) {
		if (stop.signal.aborted) return undefined;
		throw error;
	} finally {
		for (const name of names) process.off(name, abort);
	}
}

/** What was sent into a turn is shown before what the model says to it. */
function inOrder({ delta, discard, message }: Output, before: () => void): Output {
	return {
		delta(text) {
			before();
			delta(text);
		},
		discard,
		message(text, purpose) {
			before();
			message(text, purpose);
		},
	};
}

/** The full view where a terminal can show it and nobody asked for lines. Loaded only then. */
async function viewFor({ plain }: ChatOptions): Promise<ChatView> {
	const terminal = process.stdin.isTTY;
	if (plain || !terminal || !process.stdout.isTTY || process.env["TERM"] === "dumb") return new PlainView(terminal);
	return new (await import("./chat/screen/screen-view.ts")).ScreenView();
}

/** How many hooks are live that are not Hookline's own. */
function hooksOf({ engine }: Runtime): number {
	return new Set(engine.hooks().flatMap(({ id, source }) => (isOwn(source) ? [] : [id]))).size;
}

function banner({ extensions, store, project }: Runtime, { session, parts }: Conversation, version: string, hooks: number): string {
	const extensionsText = `${extensions.loaded.length} extension${extensions.loaded.length === 1 ? "" : "s"}${extensions.failed.length > 0 ? `, ${extensions.failed.length} NOT LOADED` : ""}`;
	return [
		`hookline ${version} · model ${parts.model.name} · ${hooks} hook${hooks === 1 ? "" : "s"} from ${extensionsText} · session ${session.id}${store.durable ? "" : " (kept in memory only)"}`,
		project.state === "trusted" ? project.message : "",
		parts.model.name === "rehearsal" ? `The rehearsal model is offline and does what you write, for example: CALL terminal {"command":"date"}. Set another with --model or HOOKLINE_MODEL.` : "",
		"/help lists the commands. Ctrl-C stops a turn, Ctrl-D leaves.",
	]
		.filter((line) => line !== "")
		.join("\n");
}
