// What Discord tells about, in the gateway's words.
import {
	type APIAttachment,
	type APIInteraction,
	ApplicationCommandOptionType,
	ApplicationCommandType,
	ComponentType,
	type GatewayMessageCreateDispatchData,
	type GatewayMessageReactionAddDispatchData,
	type GatewayMessageReactionRemoveDispatchData,
	InteractionContextType,
	InteractionType,
	MessageReferenceType,
	MessageType,
} from "discord-api-types/v10";
import type { Inbound, InboundFile, Reaction } from "../../gateway/platform.ts";
import { type Place, placeOf } from "./places.ts";

/** A button, or a slash command. */
export interface Pressed {
	readonly message: Inbound;
	readonly kind: "button" | "command";
}

/** Whether a person said it: not a bot, this one neither, and not Discord itself. */
export function isSaid({ author, webhook_id: webhook, type }: GatewayMessageCreateDispatchData): boolean {
	return author.bot !== true && author.system !== true && webhook === undefined && (type === MessageType.Default || type === MessageType.Reply);
}

/**
 * Undefined where there is nothing to answer: a sticker, or what the bot may not read.
 * @param botId whose mention is not part of the text
 * @throws TypeError when Discord sent something else
 */
export function messageIn(message: GatewayMessageCreateDispatchData, { chatType, ...chat }: Place, botId: string): Inbound | undefined {
	if (![message.id, message.channel_id, message.author.id, message.content].every((value) => typeof value === "string")) throw new TypeError("a message without its id, channel, author or text");
	const forwarded = (message.message_snapshots ?? []).map(({ message: snapshot }) => snapshot);
	const said = [message.content, ...forwarded.map(({ content }) => content)].filter((part) => part !== "").join("\n");
	const text = said.replace(new RegExp(`^\\s*<@!?${botId}>[\\s,:]*`), "");
	const files = [message, ...forwarded].flatMap(({ attachments }) => attachments ?? []).map(fileOf);
	if (text === "" && files.length === 0) return undefined;
	const { author, id, mentions, referenced_message: answered, message_reference: reference } = message;
	const isAnswer = answered?.author.id === botId && reference?.type !== MessageReferenceType.Forward;
	const toAgent = chatType !== "dm" && (isAnswer || mentions?.some((user) => user.id === botId));
	return { ...chat, chatType, messageId: id, userId: author.id, text, ...(toAgent && { toAgent }), ...(files.length > 0 && { files }) };
}

function fileOf({ filename, content_type: mediaType, size, url }: APIAttachment): InboundFile {
	return {
		name: filename.split(/[\\/]/).at(-1) || "file",
		...(mediaType !== undefined && { mediaType }),
		...(typeof size === "number" && { bytes: size }),
		async read(signal) {
			// The address is signed; the bot's token has no business there.
			const response = await fetch(url, { signal });
			if (!response.ok || response.body === null) throw new Error(`Discord does not give the file ${filename}: it answers ${response.status}.`);
			return response.body;
		},
	};
}

/** Undefined for what no person of this chat has pressed here. */
export function pressedIn(interaction: APIInteraction): Pressed | undefined {
	const { id, channel, context } = interaction;
	const user = interaction.member?.user ?? interaction.user;
	if (user === undefined || user.bot === true || channel === undefined || context === InteractionContextType.PrivateChannel) return undefined;
	// It has no number as messages have, nothing can be a reply to it.
	const from = (place: Place, text: string): Inbound => ({ ...place, messageId: `interaction:${id}`, userId: user.id, text, ...(place.chatType !== "dm" && { toAgent: true }) });
	const place = placeOf(channel);
	if (interaction.type === InteractionType.MessageComponent && interaction.data.component_type === ComponentType.Button) return { kind: "button", message: from(place, interaction.data.custom_id) };
	if (interaction.type === InteractionType.ApplicationCommand && interaction.data.type === ApplicationCommandType.ChatInput) {
		const words = (interaction.data.options ?? []).flatMap((option) => (option.type === ApplicationCommandOptionType.String ? [option.value] : []));
		return { kind: "command", message: from(place, [`/${interaction.data.name}`, ...words].join(" ")) };
	}
	return undefined;
}

/** Undefined for the bot's own, and those of others. */
export function reactionIn(given: GatewayMessageReactionAddDispatchData | GatewayMessageReactionRemoveDispatchData, kind: Reaction["kind"], place: Place, botId: string): Reaction | undefined {
	const { user_id: userId, message_id: messageId, emoji } = given;
	if (userId === botId || ("member" in given && given.member?.user?.bot === true) || emoji.name === null) return undefined;
	return { ...place, userId, messageId, reaction: typeof emoji.id === "string" ? `:${emoji.name}:` : emoji.name, kind };
}
