// What Telegram tells, as the gateway knows it. Nothing here is trusted to have the shape that is documented.
import type { MessageEntity } from "grammy/types";
import type { Inbound, InboundFile, Reaction } from "../../gateway/platform.ts";

/** The bot itself. */
export interface Me {
	readonly id: number;
	readonly username: string;
}

export type News =
	| { readonly kind: "message"; readonly message: Inbound }
	/** A button that was pressed, under the text `textId`. */
	| { readonly kind: "press"; readonly message: Inbound; readonly pressId: string; readonly textId: number }
	| { readonly kind: "reactions"; readonly chatId: string; readonly reactions: readonly Reaction[] }
	/** Not for us. */
	| { readonly kind: "nothing" };

type Fields = Readonly<Record<string, unknown>>;

/** The kinds of updates that are asked for. */
export const wanted = ["message", "callback_query", "message_reaction"] as const;

/** @throws TypeError when an update is not what it should be; the message says which part is not. */
export function newsOf(update: unknown, me: Me, read: (fileId: string) => InboundFile["read"]): News {
	const { message, callback_query: press, message_reaction: reaction } = fieldsOf(update, "update");
	if (message !== undefined) return messageNews(fieldsOf(message, "message"), me, read);
	if (press !== undefined) return pressNews(fieldsOf(press, "callback_query"));
	if (reaction !== undefined) return reactionNews(fieldsOf(reaction, "message_reaction"));
	return nothing;
}

const nothing: News = { kind: "nothing" };

function messageNews(message: Fields, me: Me, read: (fileId: string) => InboundFile["read"]): News {
	const id = numberIn(message, "message_id");
	const where = placeOf(message);
	// Who writes in the name of a group or a channel is nobody in particular.
	if (message["from"] === undefined || message["sender_chat"] !== undefined) return nothing;
	const from = fieldsOf(message["from"], "from");
	if (from["is_bot"] === true || from["id"] === me.id) return nothing;
	const entities = (message["entities"] ?? message["caption_entities"] ?? []) as readonly MessageEntity[];
	const files = filesOf(message, read);
	const words = textOf(message);
	if (words === undefined && files.length === 0) return nothing;
	const said = addressedTo(me, words ?? "", entities);
	if (said === undefined) return nothing;
	const toAgent = said.toAgent || repliesTo(me, message["reply_to_message"]);
	return { kind: "message", message: { ...where, messageId: String(id), userId: String(numberIn(from, "id")), text: said.text, ...(toAgent && { toAgent }), ...(files.length > 0 && { files }) } };
}

function textOf({ text, caption, sticker, location }: Fields): string | undefined {
	if (typeof text === "string") return text;
	if (typeof caption === "string") return caption;
	if (sticker !== undefined) return String(fieldsOf(sticker, "sticker")["emoji"] ?? "");
	if (location === undefined) return undefined;
	const { latitude, longitude } = fieldsOf(location, "location");
	return `location: ${String(latitude)}, ${String(longitude)}`;
}

/** Without a mention of the bot at its beginning; undefined when it is a command for another bot. */
function addressedTo(me: Me, text: string, entities: readonly MessageEntity[]): { readonly text: string; readonly toAgent: boolean } | undefined {
	const own = `@${me.username}`.toLowerCase();
	const partOf = ({ offset, length }: MessageEntity) => text.slice(offset, offset + length);
	const first = entities.find(({ offset }) => offset === 0);
	if (first?.type === "bot_command") {
		const [command = "", bot] = partOf(first).split("@");
		if (bot !== undefined && `@${bot}`.toLowerCase() !== own) return undefined;
		// What Telegram's own button says when somebody opens the chat.
		return { text: command === "/start" ? "/help" : command + text.slice(first.length), toAgent: true };
	}
	const isOwn = (entity: MessageEntity) => (entity.type === "mention" && partOf(entity).toLowerCase() === own) || (entity.type === "text_mention" && entity.user?.id === me.id);
	if (first !== undefined && isOwn(first)) return { text: text.slice(first.length).replace(/^[\s,:]+/, ""), toAgent: true };
	return { text, toAgent: entities.some(isOwn) };
}

/** The first message of a topic is its author's, and everything in the topic answers it. */
function repliesTo(me: Me, answered: unknown): boolean {
	if (typeof answered !== "object" || answered === null) return false;
	const { from, forum_topic_created: topic } = answered as Fields;
	return topic === undefined && (from as Fields | undefined)?.["id"] === me.id;
}

function pressNews(press: Fields): News {
	const { id: pressId, data, message: under } = press;
	const from = fieldsOf(press["from"], "from");
	if (typeof pressId !== "string") throw new TypeError("'id' of callback_query is no text");
	if (from["is_bot"] === true || typeof data !== "string" || under === undefined) return nothing;
	const text = fieldsOf(under, "message");
	const textId = numberIn(text, "message_id");
	const message: Inbound = { ...placeOf(text), messageId: `${textId}.${pressId}`, userId: String(numberIn(from, "id")), text: data, toAgent: true };
	return { kind: "press", message, pressId, textId };
}

function reactionNews(told: Fields): News {
	const { user, old_reaction: before, new_reaction: after } = told;
	// Anonymous ones have none.
	if (user === undefined) return nothing;
	const where = placeOf(told);
	const who = { ...where, userId: String(numberIn(fieldsOf(user, "user"), "id")), messageId: String(numberIn(told, "message_id")) };
	const [old, now] = [reactionsIn(before), reactionsIn(after)];
	const added = now.filter((one) => !old.includes(one)).map((reaction) => ({ ...who, reaction, kind: "added" as const }));
	const removed = old.filter((one) => !now.includes(one)).map((reaction) => ({ ...who, reaction, kind: "removed" as const }));
	return { kind: "reactions", chatId: where.chatId, reactions: [...removed, ...added] };
}

function reactionsIn(list: unknown): readonly string[] {
	if (!Array.isArray(list)) throw new TypeError("a list of reactions is none");
	return list.map((one) => {
		const { emoji, custom_emoji_id: custom, type } = fieldsOf(one, "reaction");
		return String(emoji ?? custom ?? type);
	});
}

function placeOf(message: Fields): Pick<Inbound, "chatId" | "threadId" | "chatType"> {
	const chat = fieldsOf(message["chat"], "chat");
	const type = chat["type"];
	// In a supergroup without topics an answer has a thread as well, of no use to anybody.
	const thread = message["is_topic_message"] === true ? { threadId: String(numberIn(message, "message_thread_id")) } : {};
	return { chatId: String(numberIn(chat, "id")), ...thread, chatType: type === "private" ? "dm" : type === "channel" ? "channel" : "group" };
}

const extensions = { photo: "jpg", voice: "ogg", audio: "mp3", video: "mp4", video_note: "mp4", animation: "mp4", document: "bin" } as const;

function filesOf(message: Fields, read: (fileId: string) => InboundFile["read"]): readonly InboundFile[] {
	// An animation comes as a document too.
	const found = (Object.keys(extensions) as (keyof typeof extensions)[]).filter((kind) => message[kind] !== undefined && !(kind === "document" && message["animation"] !== undefined));
	return found.map((kind) => {
		const sizes = message[kind];
		// Photos come in several sizes, the largest last.
		const file = fieldsOf(Array.isArray(sizes) ? sizes.at(-1) : sizes, kind);
		const { file_id: id, file_name: name, mime_type: mediaType, file_size: bytes } = file;
		if (typeof id !== "string") throw new TypeError(`'file_id' of ${kind} is no text`);
		const own = typeof name === "string" ? name.replace(/^.*[/\\]/s, "") : "";
		return {
			name: own === "" || own === "." || own === ".." ? `${kind.replace("_", "-")}.${extensions[kind]}` : own,
			...(typeof mediaType === "string" ? { mediaType } : kind === "photo" && { mediaType: "image/jpeg" }),
			...(typeof bytes === "number" && { bytes }),
			read: read(id),
		};
	});
}

function fieldsOf(value: unknown, what: string): Fields {
	if (typeof value !== "object" || value === null) throw new TypeError(`its '${what}' is no object`);
	return value as Fields;
}

function numberIn(fields: Fields, name: string): number {
	const value = fields[name];
	if (!Number.isSafeInteger(value)) throw new TypeError(`its '${name}' is no number`);
	return value as number;
}
