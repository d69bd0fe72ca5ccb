// The slash commands that only a conversation at a terminal has: about the view, the run, and what is loaded.
import { type Command, CommandRefused } from "../../agent/conversation.ts";
import type { Runtime } from "../../runtime.ts";
import { visibleLine } from "../../system/visible.ts";
import { extensionsCommand } from "../extensions/loaded-command.ts";
import { recordLines } from "../hooks/trace.ts";
import { exportCommand } from "../sessions/export-command.ts";
import type { Meter } from "./meter.ts";
import type { ChatInput, ChatView } from "./view.ts";

const tracedAtOnce = 10;
const mostTraced = 200;

export interface ChatCommandParts {
	readonly runtime: Runtime;
	readonly view: ChatView;
	readonly meter: Meter;
	readonly input: () => ChatInput;
}

export function chatCommands({ runtime, view, meter, input }: ChatCommandParts): readonly Command[] {
	return [
		exportCommand,
		{
			name: "stop",
			summary: "end the turn that runs, like Ctrl-C",
			anytime: true,
			run: () => (input().stop() ? undefined : "Nothing runs."),
		},
		{
			name: "clear",
			summary: "empty the screen; the conversation stays as it is",
			anytime: true,
			run() {
				view.clear();
				return undefined;
			},
		},
		{
			name: "status",
			summary: "session, model, use of its window, cost, hooks",
			anytime: true,
			run: ({ session, parts }) => statusLines(input().status(), session.place.cwd, session.messages.length, parts.store.location, meter).join("\n"),
		},
		{
			name: "trace",
			summary: `what hooks did in this session: /trace, or /trace N for the last N dispatches`,
			anytime: true,
			run({ session, parts }, args) {
				const limit = args === "" ? tracedAtOnce : Number(args);
				if (!Number.isInteger(limit) || limit < 1 || limit > mostTraced) throw new CommandRefused(`/trace takes a number from 1 to ${mostTraced}, not '${args}'.`);
				// What is still in the engine's own memory belongs to it as well.
				parts.engine.recent(1);
				const records = parts.store.trace.recent({ sessionId: session.id, limit: limit * 20 }).filter(({ hooks }) => hooks.some(({ hook }) => !hook.startsWith("hookline/")));
				if (records.length === 0) return "No hook has run in this session yet.";
				return records.slice(0, limit).toReversed().map(recordLines).join("\n");
			},
		},
		{
			name: "hooks",
			summary: "the hooks that are live in this conversation, and those that were left out",
			anytime: true,
			async run() {
				// With all that reads and approves shell hooks, which a conversation without any does not need.
				const { hostWords, notLive, shellHooksNow } = await import("../hooks/shell-rows.ts");
				const hooks = runtime.engine.hooks();
				const shell = shellHooksNow(runtime);
				const lines = [
					...hooks.map((hook) => `${hook.id}  ${hook.stage} ${hook.event}  ${hook.host === "shell" ? `${hostWords(hook, shell)}  ` : ""}(if it fails, ${hook.ifItFails})`),
					...notLive(shell, hooks).map(({ hook, reason = "it was not approved when this conversation began." }) => `${hook.id}  LEFT OUT of ${hook.event}: ${visibleLine(reason)}`),
				];
				return lines.length === 0 ? "There are no hooks." : lines.join("\n");
			},
		},
		extensionsCommand(() => runtime),
		{
			name: "reload",
			summary: "take up what has changed in the extensions and their settings; /reload NAME takes only that one",
			async run(_, args) {
				const done = await runtime.extensions.reload(args === "" ? undefined : args).catch((error: unknown) => {
					throw new CommandRefused(`Nothing was reloaded: ${error instanceof Error ? error.message : String(error)}`);
				});
				if (done.length === 0) return args === "" ? `There are no extensions in ${runtime.home.extensions}.` : `There is no extension '${args}'.`;
				return done.map(({ name, did, about }) => `${name}  ${did}: ${visibleLine(about)}`).join("\n");
			},
		},
		{
			name: "keys",
			summary: "what the keys do, those of extensions included",
			anytime: true,
			run: () => (view.keys.length === 0 ? "This conversation is lines; it has no keys of its own." : view.keys.join("\n")),
		},
		{
			name: "tools",
			summary: "the tools the model can call",
			anytime: true,
			run: ({ session }) => session.tools.map(({ name, description }) => `${name.padEnd(16)} ${visibleLine(description.split(/(?<=\.)\s/, 1)[0]!)}`).join("\n"),
		},
	];
}

function statusLines(status: ReturnType<ChatInput["status"]>, cwd: string, messages: number, store: string, { tokens, calls }: Meter): readonly string[] {
	const { usedTokens, windowTokens, costUsd } = status;
	const use = windowTokens === undefined ? `${usedTokens} tokens; how many it takes is not known` : `${usedTokens} of ${windowTokens} tokens (${Math.round((usedTokens / windowTokens) * 100)} %)`;
	return [
		`session   ${status.session}, ${messages} messages, in ${cwd}`,
		`model     ${status.model}`,
		`window    ${use}`,
		`used      ${calls} model calls, ${tokens.inputTokens} tokens in (${tokens.cachedTokens} from the cache), ${tokens.outputTokens} out`,
		`cost      ${costUsd === undefined ? "not known: a model that was used has no price here" : `$${costUsd.toFixed(4)}`}`,
		`hooks     ${status.hooks}${status.pending.map(({ hook, event, forMs }) => `; ${hook} holds ${event} for ${(forMs / 1000).toFixed(1)} s`).join("")}`,
		`kept in   ${store}`,
	];
}
