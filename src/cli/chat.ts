// `hookline`: a conversation, in a full terminal with an editor, or line by line.
import { basicCommands } from "../agent/commands.ts";
import { Conversation } from "../agent/conversation.ts";
import type { Output } from "../agent/surface.ts";
import { openRuntime, type Runtime } from "../runtime.ts";
import { deedsIn, watch } from "./chat/activity.ts";
import { chatCommands } from "./chat/commands.ts";
import { InputHistory } from "./chat/history.ts";
import { Meter } from "./chat/meter.ts";
import { PlainView } from "./chat/plain-view.ts";
import { Talk } from "./chat/talk.ts";
import type { ChatView } from "./chat/view.ts";
import { exitCodes } from "./exit.ts";
import { keepStdoutForAnswers } from "./output.ts";
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
}

/** @returns the exit code. */
export async function chat(options: ChatOptions, version: string): Promise<number> {
	const terminal = process.stdin.isTTY;
	keepStdoutForAnswers();
	if (!options.hooks) announceNoHooks();
	// Before the view takes the terminal.
	await askForTrust(options);
	await askForHooks(options);
	const view = await viewFor(options);
	const meter = new Meter();
	// What happens before there is a conversation does not concern it.
	const talking: { with?: Talk } = {};
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
		const conversation = await Conversation.open(await runtime.agent(), runtime.place, commands, findSession(runtime.store, options, runtime.place.cwd));
		const history = new InputHistory(runtime.home.path);
		const hooks = () => hooksOf(runtime);
		const talk: Talk = new Talk(conversation, view, { origin: terminal ? "typed" : "piped", meter, hooks, remember: (text) => history.add(text) });
		talking.with = talk;
		try {
			view.open(talk, { banner: banner(runtime, conversation, version, hooks()), commands, cwd: runtime.place.cwd, earlier: conversation.session.messages, history: history.entries });
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
	return new Set(engine.hooks().flatMap(({ id, source }) => (source.trust === "bundled" ? [] : [id]))).size;
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
