// What Slack says happened, as the gateway takes it: pure, but for the files, which are read when somebody wants them.
import type { Inbound, InboundFile, Reaction } from "../../gateway/platform.ts";
import { readText } from "./markup.ts";

/** What an envelope holds. */
export type Happening =
	/** `source` is the kind of event: Slack tells of a mention twice, as `message` and as `app_mention`. */
	| { readonly kind: "message"; readonly message: Inbound; readonly source: string }
	| { readonly kind: "press"; readonly message: Inbound; readonly under: Shown }
	| { readonly kind: "reaction"; readonly reaction: Reaction }
	/** Of no interest: edits, own words, other bots, joins. */
	| { readonly kind: "nothing" };

/** A message of ours with buttons. */
export interface Shown {
	readonly channel: string;
	readonly ts: string;
	readonly text: string;
	readonly blocks: readonly Json[];
}

export interface Self {
	readonly userId: string;
	/** Of the bot user: `/NAME stop` is a command as `/hookline stop` is. */
	readonly name: string;
	/** Whether the agent has spoken in a thread. */
	readonly spokeIn: (channel: string, thread: string) => boolean;
	readonly fileOf: (file: Json) => InboundFile;
}

export type Json = Readonly<Record<string, unknown>>;

/** Ours, so that buttons of other programs that use the same app stay theirs. */
export const buttonPrefix = "hookline-";
const nothing: Happening = { kind: "nothing" };
/** Kinds of messages in which a person says something; all others are edits, joins and the like. */
const spoken = new Set<unknown>([undefined, "file_share", "thread_broadcast", "me_message"]);

/**
 * @param type `events_api`, `interactive` or `slash_commands`
 * @throws Error when something is not where Slack's documentation says.
 */
export function read(type: string, payload: Json, self: Self): Happening {
	if (type === "slash_commands") return command(payload, self);
	if (type === "interactive") return press(payload);
	const event = json(payload, "event");
	switch (event["type"]) {
		case "message":
		case "app_mention":
			return message(event, self);
		case "reaction_added":
		case "reaction_removed":
			return reaction(event, self);
		default:
			return nothing;
	}
}

function message(event: Json, self: Self): Happening {
	const { subtype, bot_id: bot, edited, hidden, thread_ts: thread, parent_user_id: parent } = event;
	if (!spoken.has(subtype) || bot !== undefined || edited !== undefined || hidden === true) return nothing;
	const userId = words(event, "user");
	if (userId === self.userId || userId === "USLACKBOT") return nothing;
	const chatId = words(event, "channel");
	const messageId = words(event, "ts");
	const chatType = chatTypeOf(chatId);
	const said = readText(typeof event["text"] === "string" ? event["text"] : "", self.userId);
	const inThread = typeof thread === "string" && thread !== messageId ? thread : undefined;
	const toAgent = chatType !== "dm" && (said.mentions || (inThread !== undefined && (parent === self.userId || self.spokeIn(chatId, inThread))));
	// In a channel the answer opens a thread, and what is said there goes on with it.
	const threadId = inThread ?? (toAgent ? messageId : undefined);
	const files = (Array.isArray(event["files"]) ? (event["files"] as readonly Json[]) : []).filter((file) => typeof file === "object" && file !== null && file["mode"] !== "tombstone").map(self.fileOf);
	if (said.text === "" && files.length === 0) return nothing;
	return {
		kind: "message",
		source: String(event["type"]),
		message: { chatId, messageId, userId, chatType, text: said.text, ...(threadId !== undefined && { threadId }), ...(toAgent && { toAgent }), ...(files.length > 0 && { files }) },
	};
}

function reaction(event: Json, self: Self): Happening {
	const item = json(event, "item");
	const userId = words(event, "user");
	if (item["type"] !== "message" || userId === self.userId) return nothing;
	const chatId = words(item, "channel");
	const kind = event["type"] === "reaction_added" ? "added" : "removed";
	return { kind: "reaction", reaction: { chatId, chatType: chatTypeOf(chatId), userId, messageId: words(item, "ts"), reaction: words(event, "reaction"), kind } };
}

function press(payload: Json): Happening {
	if (payload["type"] !== "block_actions" || !Array.isArray(payload["actions"])) return nothing;
	const action = (payload["actions"] as readonly Json[]).find(({ action_id: id }) => typeof id === "string" && id.startsWith(buttonPrefix));
	if (action === undefined) return nothing;
	const shown = json(payload, "message");
	const channel = words(json(payload, "channel"), "id");
	const ts = words(shown, "ts");
	const { thread_ts: thread, text, blocks } = shown;
	const chatType = chatTypeOf(channel);
	return {
		kind: "press",
		message: {
			chatId: channel,
			// Once for each press, also when Slack tells of it again.
			messageId: `press:${words(action, "action_ts")}`,
			userId: words(json(payload, "user"), "id"),
			chatType,
			text: words(action, "value"),
			...(typeof thread === "string" && thread !== ts && { threadId: thread }),
			...(chatType !== "dm" && { toAgent: true }),
		},
		under: { channel, ts, text: typeof text === "string" ? text : "", blocks: Array.isArray(blocks) ? (blocks as readonly Json[]) : [] },
	};
}

/** `/hookline stop` and `/NAME stop` say `/stop`; a command with another name says itself. */
function command(payload: Json, self: Self): Happening {
	const chatId = words(payload, "channel_id");
	const name = words(payload, "command");
	const rest = (typeof payload["text"] === "string" ? payload["text"] : "").trim();
	const { text } = readText(rest, self.userId);
	const isOwn = name === "/hookline" || name.slice(1) === self.name;
	const said = isOwn ? (text === "" ? "/help" : `/${text.replace(/^\//, "")}`) : `${name} ${text}`.trim();
	const chatType = chatTypeOf(chatId);
	return {
		kind: "message",
		source: "command",
		message: { chatId, messageId: `command:${words(payload, "trigger_id")}`, userId: words(payload, "user_id"), chatType, text: said, ...(chatType !== "dm" && { toAgent: true }) },
	};
}

// Slack does not say it in every kind of event, and in all of them a direct message begins with D.
const chatTypeOf = (channel: string): string => (channel.startsWith("D") ? "dm" : "group");

function words(from: Json, name: string): string {
	const value = from[name];
	if (typeof value !== "string" || value === "") throw new Error(`'${name}' is missing`);
	return value;
}

function json(from: Json, name: string): Json {
	const value = from[name];
	if (typeof value !== "object" || value === null) throw new Error(`'${name}' is missing`);
	return value as Json;
}
