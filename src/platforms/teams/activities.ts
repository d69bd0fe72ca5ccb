// What Teams sends, read at the border: an activity of the Bot Framework, and what it means to the gateway.
import type { Inbound, Reaction } from "../../gateway/platform.ts";

type Fields = Readonly<Record<string, unknown>>;

/** What every activity has. The rest is looked at where it is needed. */
export interface Activity {
	readonly type: string;
	readonly channelId: string;
	readonly serviceUrl: string;
	/** Without the thread. */
	readonly chatId: string;
	readonly threadId?: string;
	readonly chatType: "dm" | "group" | "channel";
	/** The bot's own id there. */
	readonly bot: string;
	readonly fields: Fields;
}

/** A file of a message. */
export interface GivenFile {
	readonly name: string;
	readonly mediaType?: string;
	readonly url: string;
}

export type Meaning =
	/** `question`: the text whose button was pressed. */
	| { readonly kind: "message"; readonly message: Omit<Inbound, "files">; readonly files: readonly GivenFile[]; readonly question?: string }
	| { readonly kind: "reactions"; readonly reactions: readonly Reaction[] }
	/** The bot was taken out of the chat. */
	| { readonly kind: "removed" }
	| { readonly kind: "nothing" };

const chatTypes = { personal: "dm", groupChat: "group", channel: "channel" } as const;
const fileCard = "application/vnd.microsoft.teams.file.download.info";

export function readActivity(body: string): Activity | { readonly mistake: string } {
	let value: unknown;
	try {
		value = JSON.parse(body);
	} catch {
		return { mistake: "it is no JSON" };
	}
	const fields = fieldsIn(value);
	const conversation = fieldsIn(fields["conversation"]);
	const { type, channelId, serviceUrl } = fields;
	const { id, conversationType, isGroup } = conversation;
	const bot = fieldsIn(fields["recipient"])["id"];
	if (!isText(type) || !isText(channelId) || !isText(serviceUrl)) return { mistake: "it lacks its type, channelId or serviceUrl" };
	if (!isText(id) || !isText(bot)) return { mistake: "it lacks its conversation or recipient" };
	const [, chatId, threadId] = /^(.*?)(?:;messageid=(.*))?$/s.exec(id)!;
	const chatType = chatTypes[conversationType as keyof typeof chatTypes] ?? (isGroup === true ? "group" : "dm");
	return { type, channelId, serviceUrl, chatId: chatId!, ...(threadId && { threadId }), chatType, bot, fields };
}

/** @throws Error when what it says cannot be read; the message goes on "it". */
export function meaningOf(activity: Activity): Meaning {
	const { type, fields, bot } = activity;
	const changed = (key: string) => listIn(fields[key]).some((one) => fieldsIn(one)["id"] === bot);
	if (type === "message" || (type === "invoke" && fields["name"] === "adaptiveCard/action")) return messageOf(activity);
	if (type === "messageReaction") return reactionsOf(activity);
	if (type === "conversationUpdate" && changed("membersRemoved")) return { kind: "removed" };
	if (type === "installationUpdate" && String(fields["action"]).startsWith("remove")) return { kind: "removed" };
	return { kind: "nothing" };
}

function messageOf(activity: Activity): Meaning {
	const { fields, bot, chatType } = activity;
	if (isBot(fieldsIn(fields["from"]))) return { kind: "nothing" };
	const { id, replyToId } = fields;
	if (!isText(id)) throw new Error("lacks its id");
	const pressed = saysOf(fields);
	const entities = listIn(fields["entities"]).map(fieldsIn);
	const said = mentionsOf(isText(fields["text"]) ? fields["text"] : "", entities, bot);
	const isAnswer = entities.some((entity) => entity["type"] === "quotedReply" && fieldsIn(entity["quotedReply"])["senderId"] === bot);
	const toAgent = chatType !== "dm" && (pressed !== undefined || said.isMentioned || isAnswer);
	const files = pressed === undefined ? listIn(fields["attachments"]).flatMap(fileOf) : [];
	const text = pressed ?? said.text;
	if (text === "" && files.length === 0) return { kind: "nothing" };
	const message = { ...whereAndWho(activity), messageId: id, text, ...(toAgent && { toAgent: true as const }) };
	return { kind: "message", message, files, ...(pressed !== undefined && isText(replyToId) && { question: replyToId }) };
}

function reactionsOf(activity: Activity): Meaning {
	const { fields } = activity;
	const { replyToId } = fields;
	if (!isText(replyToId)) throw new Error("does not say which message was reacted to");
	const where = whereAndWho(activity);
	const reactions = (["added", "removed"] as const).flatMap((kind) =>
		listIn(fields[kind === "added" ? "reactionsAdded" : "reactionsRemoved"]).flatMap((one) => {
			const reaction = fieldsIn(one)["type"];
			return isText(reaction) ? [{ ...where, messageId: replyToId, reaction, kind }] : [];
		}),
	);
	return { kind: "reactions", reactions };
}

function whereAndWho({ chatId, threadId, chatType, fields }: Activity): Pick<Inbound, "chatId" | "threadId" | "chatType" | "userId"> {
	const { id, aadObjectId } = fieldsIn(fields["from"]);
	// The id in the directory is the same in every chat, and an administrator can look it up.
	const userId = isText(aadObjectId) ? aadObjectId : id;
	if (!isText(userId)) throw new Error("does not say who sent it");
	return { chatId, ...(threadId !== undefined && { threadId }), chatType, userId };
}

/** Those of bots begin with the number of their kind. */
const isBot = ({ id, role }: Fields) => role === "bot" || role === "skill" || String(id).startsWith("28:");

/** What a button says; Teams sends what it carries as the value of a message (Action.Submit) or of a request (Action.Execute). */
function saysOf({ value }: Fields): string | undefined {
	const given = fieldsIn(value);
	const { hookline } = { ...fieldsIn(fieldsIn(given["action"])["data"]), ...given };
	const { says } = fieldsIn(hookline);
	return isText(says) ? says : undefined;
}

function mentionsOf(text: string, entities: readonly Fields[], bot: string): { readonly text: string; readonly isMentioned: boolean } {
	let rest = text;
	let isMentioned = false;
	const mentions = entities.flatMap((entity) => (entity["type"] === "mention" && isText(entity["text"]) ? [{ mark: entity["text"], isOwn: fieldsIn(entity["mentioned"])["id"] === bot }] : []));
	for (const { mark, isOwn } of mentions) {
		if (!isOwn) continue;
		isMentioned = true;
		const start = rest.trimStart();
		if (start.startsWith(mark)) rest = start.slice(mark.length).replace(/^(?:\s|&nbsp;)+/, "");
	}
	return { text: rest.replace(/<at(?: [^>]{0,200})?>([^<]{0,200})<\/at>/g, "@$1").trim(), isMentioned };
}

function fileOf(attachment: unknown): readonly GivenFile[] {
	const { contentType, contentUrl, content, name } = fieldsIn(attachment);
	if (!isText(contentType)) return [];
	if (contentType === fileCard) {
		const { downloadUrl } = fieldsIn(content);
		return isText(downloadUrl) ? [{ name: isText(name) ? name : "file", url: downloadUrl }] : [];
	}
	if (!contentType.startsWith("image/") || !isText(contentUrl)) return [];
	// Pasted ones have no name, and `image/*` does not say of which kind they are.
	const kind = /^image\/(\w+)/.exec(contentType)?.[1] ?? "png";
	return [{ name: isText(name) ? name : `image.${kind}`, mediaType: contentType, url: contentUrl }];
}

const fieldsIn = (value: unknown): Fields => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : {});
const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
