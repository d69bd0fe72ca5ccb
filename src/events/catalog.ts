// The single source of every event: its kind, the decisions it takes, its time-out, its failure policy, its line of documentation.
// Types, the docs page, `hookline hooks events`, the dialect maps and the parity test derive from this table.
import type { EventName, InterceptEvent, ObserveEvent, Payloads, Rewrites } from "./payloads/all.ts";

export type DecisionKind = "pass" | "rewrite" | "inject" | "respond" | "ask" | "allow" | "block";

/** Where in a dispatch a hook runs. `docs/engine.md` draws the order. */
export type Stage = "transform" | "guard" | "wrap" | "observe";
export const stages = ["transform", "guard", "wrap", "observe"] as const satisfies readonly Stage[];

export type FailurePolicy = "open" | "closed";

/** Who reads injected text: the model as its system prompt, or as if the user had said it. */
export type InjectAs = "system" | "user";

/** How the value of a rewrite is checked before it is taken. `json` is checked by the caller's own schema on top (a tool's input schema). */
export type RewriteShape = "text" | "json" | "messages" | "result";

export interface InterceptSpec<Name extends InterceptEvent> {
	readonly kind: "intercept";
	readonly decisions: readonly Exclude<DecisionKind, "pass">[];
	/** The payload fields a rewrite may replace. One field: `rewrite(value)` gives the value itself. More: an object of some of them. */
	readonly rewrites: { readonly [Field in keyof Payloads[Name]]?: RewriteShape };
	/** Where injected text may go, the default first. */
	readonly injects?: readonly InjectAs[];
	/** Only `tool.calling` and `model.calling` have an operation that wrappers can run around. */
	readonly wrappable?: true;
	/** The event that tells observers how it came out. */
	readonly twin?: ObserveEvent;
	readonly timeoutMs: number;
	readonly onError: Readonly<Record<"transform" | "guard" | "wrap", FailurePolicy>>;
	/** What the agent does when this event is blocked, or a hook that is closed fails: completes "if it fails, …". */
	readonly ifBlocked: string;
	readonly summary: string;
}

export interface ObserveSpec {
	readonly kind: "observe";
	readonly timeoutMs: number;
	/** Fires many times a second: only failures of its observers are traced. */
	readonly frequent?: true;
	/** Traced also where nobody hooks it. */
	readonly always?: true;
	readonly summary: string;
}

export type EventSpec<Name extends EventName> = Name extends InterceptEvent ? InterceptSpec<Name> : ObserveSpec;

/** Guards close by default, transforms and wrappers open: a broken formatter must not stop the agent, a broken guard must. */
const byStage = { transform: "open", guard: "closed", wrap: "open" } as const;
const seconds = (n: number) => n * 1000;
const told = (summary: string) => ({ kind: "observe", timeoutMs: seconds(30), summary }) as const;

export const catalog = {
	"message.receiving": {
		kind: "intercept",
		decisions: ["rewrite", "respond", "block"],
		rewrites: { text: "text" },
		twin: "message.received",
		timeoutMs: seconds(10),
		onError: byStage,
		ifBlocked: "the message is dropped before anybody reads it",
		summary: "An inbound platform message, before the access check and pairing.",
	},
	"message.sending": {
		kind: "intercept",
		decisions: ["rewrite", "block"],
		rewrites: { text: "text" },
		twin: "message.sent",
		timeoutMs: seconds(10),
		onError: byStage,
		ifBlocked: "the text is withheld and the person is told so",
		summary: "Any text on its way to a person, on every path.",
	},
	"command.running": {
		kind: "intercept",
		decisions: ["rewrite", "respond", "block"],
		rewrites: { name: "text", args: "text" },
		twin: "command.ran",
		timeoutMs: seconds(10),
		onError: byStage,
		ifBlocked: "the command does not run",
		summary: "A slash command, after its access check (which is repeated after a rewrite).",
	},
	"input.receiving": {
		kind: "intercept",
		decisions: ["rewrite", "respond", "block"],
		rewrites: { text: "text" },
		timeoutMs: seconds(10),
		onError: byStage,
		ifBlocked: "the text does not join the conversation",
		summary: "User text on every surface, before it joins the conversation. It may become a slash command.",
	},
	"session.switching": {
		kind: "intercept",
		decisions: ["block"],
		rewrites: {},
		twin: "session.switched",
		timeoutMs: seconds(10),
		onError: byStage,
		ifBlocked: "the conversation stays where it is",
		summary: "The conversation is about to move to a new, resumed or forked session.",
	},
	"session.compacting": {
		kind: "intercept",
		decisions: ["rewrite", "block"],
		rewrites: { summary: "text", instructions: "text" },
		twin: "session.compacted",
		timeoutMs: seconds(60),
		onError: byStage,
		ifBlocked: "the context is not compacted",
		summary: "Before the context is compacted; a rewrite gives the summary or its instructions.",
	},
	"turn.starting": {
		kind: "intercept",
		decisions: ["rewrite", "inject", "block"],
		rewrites: { systemPrompt: "text" },
		injects: ["user", "system"],
		twin: "turn.started",
		timeoutMs: seconds(30),
		onError: byStage,
		ifBlocked: "the turn ends before the model is called, with the reason as its answer",
		summary: "Once per turn, before the first model call.",
	},
	"model.calling": {
		kind: "intercept",
		decisions: ["rewrite", "inject", "block"],
		rewrites: { messages: "messages" },
		injects: ["user", "system"],
		wrappable: true,
		twin: "model.called",
		timeoutMs: seconds(30),
		onError: byStage,
		ifBlocked: "the model is not called and the turn ends with the reason as its answer",
		summary: "Before every model call.",
	},
	"model.requesting": {
		kind: "intercept",
		decisions: ["rewrite"],
		rewrites: { body: "json", headers: "json" },
		timeoutMs: seconds(10),
		onError: byStage,
		ifBlocked: "the request is not sent and the turn fails with the reason",
		summary: "The provider's own request body and headers, before they are sent.",
	},
	"tool.calling": {
		kind: "intercept",
		decisions: ["rewrite", "ask", "allow", "block"],
		rewrites: { args: "json" },
		wrappable: true,
		twin: "tool.called",
		timeoutMs: seconds(30),
		onError: byStage,
		ifBlocked: "the tool does not run and the model is told the reason",
		summary: "Before every tool call, built-in or not, subagents included.",
	},
	"terminal.returning": {
		kind: "intercept",
		decisions: ["rewrite"],
		rewrites: { output: "text" },
		timeoutMs: seconds(10),
		onError: byStage,
		ifBlocked: "the output is withheld and the model is told so",
		summary: "Raw terminal output, before it is cut, stripped of escape sequences and redacted.",
	},
	"tool.returning": {
		kind: "intercept",
		decisions: ["rewrite", "inject"],
		rewrites: { result: "result" },
		injects: ["user"],
		timeoutMs: seconds(10),
		onError: byStage,
		ifBlocked: "the result is withheld and the model is told so",
		summary: "A tool result on its way to the model, every tool.",
	},
	"tool.persisting": {
		kind: "intercept",
		decisions: ["rewrite"],
		rewrites: { result: "result" },
		timeoutMs: seconds(10),
		onError: byStage,
		ifBlocked: "the store keeps a note in place of the result",
		summary: "A tool result on its way to the store.",
	},
	"turn.answering": {
		kind: "intercept",
		decisions: ["rewrite"],
		rewrites: { text: "text" },
		timeoutMs: seconds(10),
		onError: byStage,
		ifBlocked: "the answer is withheld and the person is told so",
		summary: "The final text of a turn, before delivery.",
	},
	"turn.ending": {
		kind: "intercept",
		decisions: ["inject"],
		rewrites: {},
		injects: ["user"],
		twin: "turn.ended",
		timeoutMs: seconds(60),
		onError: byStage,
		ifBlocked: "the turn ends as failed, and says which hook could not judge it",
		summary: "The agent is about to stop; injected text makes it go on, a bounded number of times.",
	},
	"shell.running": {
		kind: "intercept",
		decisions: ["rewrite", "respond", "block"],
		rewrites: { command: "text" },
		timeoutMs: seconds(30),
		onError: byStage,
		ifBlocked: "the command does not run",
		summary: "A command the user typed with an exclamation mark.",
	},
	"subagent.starting": {
		kind: "intercept",
		decisions: ["rewrite", "block"],
		rewrites: { goal: "text" },
		twin: "subagent.started",
		timeoutMs: seconds(10),
		onError: byStage,
		ifBlocked: "the child does not run and the model is told the reason",
		summary: "Before a delegated child runs.",
	},
	"gateway.started": told("The gateway accepts messages."),
	"gateway.stopped": told("The gateway has stopped."),
	"message.received": told("A platform message was accepted."),
	"message.sent": told("A text has reached a person."),
	"reaction.added": told("Somebody reacted to a message."),
	"reaction.removed": told("Somebody took a reaction back."),
	"command.ran": told("A slash command has run, or was refused."),
	"session.started": told("A session began, or was taken up again."),
	"session.ended": told("A session is over for this process."),
	"session.reset": told("A conversation was given a fresh session."),
	"session.switched": told("The conversation moved to another session."),
	"session.compacted": told("The context was compacted."),
	"turn.started": told("The agent began to work on a message."),
	"turn.ended": told("A turn is over: completed, failed or interrupted."),
	"step.started": told("The agent began a step: one model answer and its tool calls."),
	"step.ended": told("A step is over."),
	"model.streamed": { kind: "observe", timeoutMs: seconds(30), frequent: true, summary: "A piece of the model's answer arrived." },
	"model.called": told("A model call gave an answer."),
	"model.failed": told("A model call failed; says whether it is tried again, or another model asked."),
	"model.selected": told("The model of the conversation was set or changed."),
	"tool.called": told("A tool call is over: ok, error or blocked."),
	"approval.requested": told("A person is being asked."),
	"approval.resolved": told("The question was answered, or nobody answered in time."),
	"subagent.started": told("A delegated child began."),
	"subagent.stopped": told("A delegated child is done."),
	"extension.loaded": told("An extension was loaded and its hooks are live."),
	"extension.failed": told("An extension could not be loaded, or failed outside of any call."),
	"extension.refused": { kind: "observe", timeoutMs: seconds(30), always: true, summary: "An extension tried what it was not granted." },
	"hook.failed": told("A hook threw, timed out, answered nonsense or lost its host."),
	"config.changed": told("The configuration was read again and differs."),
} as const satisfies { [Name in EventName]: EventSpec<Name> };

/** All event names, intercepts first, in the order of the catalog. */
export const eventNames = Object.keys(catalog) as readonly EventName[];

/** The row of any intercept event, for code that works on all of them alike. */
export type AnyInterceptSpec = Omit<InterceptSpec<InterceptEvent>, "rewrites"> & { readonly rewrites: Readonly<Record<string, RewriteShape>> };

/** The catalog row of an event, as wide as callers that loop over all events need it. */
export function specOf(event: EventName): AnyInterceptSpec | ObserveSpec {
	return catalog[event];
}

export function isEventName(name: string): name is EventName {
	return Object.hasOwn(catalog, name);
}

type CatalogRow<Name extends EventName> = (typeof catalog)[Name];
/** The decisions an event takes, `pass` left out. */
export type DecisionsOf<Name extends InterceptEvent> = CatalogRow<Name>["decisions"][number];
/** The events a wrapper can run around. */
export type WrappableEvent = { [Name in InterceptEvent]: CatalogRow<Name> extends { wrappable: true } ? Name : never }[InterceptEvent];
/** The events that take any of the decisions given. */
export type EventsTaking<Kind extends DecisionKind> = { [Name in InterceptEvent]: Extract<DecisionsOf<Name>, Kind> extends never ? never : Name }[InterceptEvent];
/** What `rewrite` takes at an event; `never` where nothing can be rewritten. */
export type RewriteOf<Name extends InterceptEvent> = Name extends keyof Rewrites ? Rewrites[Name] : never;
