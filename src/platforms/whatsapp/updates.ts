// What Meta tells the webhook, as the gateway knows it. Signed, but read as carefully as anything from outside.
import type { Inbound, InboundFile, Reaction } from "../../gateway/platform.ts";
import { reasonOf, recordOf } from "./graph.ts";

export interface Media {
	readonly id: string;
	readonly name: string;
	readonly mediaType?: string;
}

export type Update =
	| { readonly kind: "message"; readonly message: Inbound }
	| { readonly kind: "reaction"; readonly reaction: Reaction }
	/** A text that Meta took did not arrive after all. */
	| { readonly kind: "failed"; readonly chatId: string; readonly reason: string }
	/** Something is wrong with the account or with what Meta sent. */
	| { readonly kind: "problem"; readonly words: string };

type Read = Readonly<Record<string, unknown>>;

/** In their order. What belongs to another number of the same account is left out. */
export function updatesIn(body: unknown, phoneNumberId: string, fileOf: (media: Media) => InboundFile): readonly Update[] {
	return listOf(recordOf(body)["entry"]).flatMap((entry) =>
		listOf(entry["changes"]).flatMap((change): readonly Update[] => {
			const value = recordOf(change["value"]);
			const own = recordOf(value["metadata"]);
			if (change["field"] !== "messages" || textOf(own["phone_number_id"]) !== phoneNumberId) return [];
			const number = (textOf(own["display_phone_number"]) ?? "").replace(/\D/g, "");
			return [
				...listOf(value["errors"]).map((error): Update => ({ kind: "problem", words: reasonOf(error) })),
				...listOf(value["statuses"]).flatMap(failureIn),
				...listOf(value["messages"]).flatMap((message) => messageIn(message, number, fileOf)),
			];
		}),
	);
}

function failureIn(status: Read): readonly Update[] {
	if (status["status"] !== "failed") return [];
	const chatId = textOf(status["recipient_id"]) ?? textOf(status["recipient_user_id"]) ?? "";
	return [{ kind: "failed", chatId, reason: listOf(status["errors"]).map(reasonOf).join("; ") || "Meta says no reason" }];
}

function messageIn(message: Read, number: string, fileOf: (media: Media) => InboundFile): readonly Update[] {
	const type = textOf(message["type"]) ?? "";
	const content = recordOf(message[type]);
	const messageId = textOf(message["id"]);
	// Who shows a name instead of a number has only the other one.
	const userId = textOf(message["from"]) ?? textOf(message["from_user_id"]);
	if (messageId === undefined || userId === undefined) return [{ kind: "problem", words: "Meta sent a message without an id or a sender" }];
	if (userId === number) return [];
	const group = textOf(message["group_id"]);
	const place = { chatId: group ?? userId, chatType: group === undefined ? "dm" : "group", userId };
	if (type === "reaction") {
		const about = textOf(content["message_id"]);
		const emoji = textOf(content["emoji"]);
		return about === undefined ? [] : [{ kind: "reaction", reaction: { ...place, messageId: about, reaction: emoji ?? "", kind: emoji === undefined ? "removed" : "added" } }];
	}
	const media = mediaTypes.has(type) ? mediaIn(type, content) : undefined;
	const said = media === undefined ? saidIn(type, content, message) : (textOf(content["caption"]) ?? "");
	if (said === undefined) return [{ kind: "problem", words: `messages of the kind '${(type || "none").slice(0, 40)}' are not handed to the agent` }];
	const { text, mentioned } = withoutMention(said, number);
	const toAgent = group !== undefined && (mentioned || text.startsWith("/") || type === "interactive" || textOf(recordOf(message["context"])["from"]) === number);
	return [{ kind: "message", message: { ...place, messageId, text, ...(toAgent && { toAgent }), ...(media !== undefined && { files: [fileOf(media)] }) } }];
}

/** The words of a message without a file. */
function saidIn(type: string, content: Read, message: Read): string | undefined {
	switch (type) {
		case "text":
			return textOf(content["body"]);
		case "interactive":
			// What our own buttons say is their id.
			return textOf(recordOf(content["button_reply"])["id"]) ?? textOf(recordOf(content["list_reply"])["id"]);
		case "button":
			return textOf(content["text"]);
		case "location": {
			const place = [textOf(content["name"]), textOf(content["address"])].filter((words) => words !== undefined).join(", ");
			return `[Location: ${place}${place && " "}(${Number(content["latitude"])}, ${Number(content["longitude"])})]`;
		}
		case "contacts":
			return listOf(message["contacts"]).map(contactIn).join("\n") || undefined;
		default:
			return undefined;
	}
}

function contactIn(contact: Read): string {
	const numbers = listOf(contact["phones"]).flatMap(({ phone }) => textOf(phone) ?? []);
	const mails = listOf(contact["emails"]).flatMap(({ email }) => textOf(email) ?? []);
	return `[Contact: ${[textOf(recordOf(contact["name"])["formatted_name"]) ?? "without a name", ...numbers, ...mails].join(", ")}]`;
}

const mediaTypes = new Set(["image", "document", "audio", "video", "sticker"]);
/** Where the end of a file's name is not that of its media type. */
const endings: Readonly<Record<string, string>> = { jpeg: "jpg", mpeg: "mp3", plain: "txt", "3gpp": "3gp", quicktime: "mov" };

function mediaIn(type: string, content: Read): Media | undefined {
	const id = textOf(content["id"]);
	if (id === undefined) return undefined;
	const mediaType = textOf(content["mime_type"]);
	const part = /^\w+\/([a-z0-9]+)/i.exec(mediaType ?? "")?.[1]?.toLowerCase();
	const name = textOf(content["filename"])?.split(/[/\\]/).at(-1) || `${type}${part === undefined ? "" : `.${endings[part] ?? part}`}`;
	return { id, name, ...(mediaType !== undefined && { mediaType }) };
}

function withoutMention(text: string, number: string): { readonly text: string; readonly mentioned: boolean } {
	if (number === "") return { text, mentioned: false };
	const rest = text.replace(new RegExp(`^\\s*@${number}(?!\\d)[,:]?\\s*`), "");
	return { text: rest, mentioned: rest !== text || new RegExp(`@${number}(?!\\d)`).test(text) };
}

const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const listOf = (value: unknown): readonly Read[] => (Array.isArray(value) ? value.map(recordOf) : []);
