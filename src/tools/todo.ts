// The tool that keeps a list of what is to be done in this session.
import type { ToolResult } from "../events/payloads/tool.ts";
import { counted, failed, succeeded } from "./result.ts";
import type { Kept, Tool } from "./tool.ts";

const mostItems = 100;
const longestText = 500;
const statuses = ["pending", "in_progress", "done"] as const;
type Status = (typeof statuses)[number];

interface Item {
	readonly text: string;
	readonly status: Status;
}

interface TodoArgs {
	readonly action: "read" | "write" | "update";
	readonly items?: readonly { readonly text: string; readonly status?: Status }[];
	readonly number?: number;
	readonly text?: string;
	readonly status?: Status;
}

const text = { type: "string", minLength: 1, maxLength: longestText } as const;
const status = { type: "string", enum: statuses } as const;
const key = "todo";

export const todo: Tool = {
	name: "todo",
	description: [
		"Keeps a list of what is to be done in this session, for work of several steps. Every call gives the whole list.",
		"'write' replaces the list with 'items', 'update' changes the item 'number' (its status, its text), 'read' shows it. Keep one item in progress, and mark each done when it is.",
	].join(" "),
	parameters: {
		type: "object",
		properties: {
			action: { type: "string", enum: ["read", "write", "update"] },
			items: {
				type: "array",
				maxItems: mostItems,
				description: "For 'write': the whole list, in order; empty to clear it.",
				items: { type: "object", properties: { text, status: { ...status, description: "Default pending." } }, required: ["text"], additionalProperties: false },
			},
			number: { type: "integer", minimum: 1, description: "For 'update': which item, counted from 1." },
			text: { ...text, description: "For 'update': its new text." },
			status: { ...status, description: "For 'update': its new status." },
		},
		required: ["action"],
		additionalProperties: false,
	},
	// Nothing here waits, so calls that run together cannot lose one another's change.
	async run(args, { kept }) {
		const wanted = args as unknown as TodoArgs;
		const list = itemsIn(kept);
		if (wanted.action === "read") return shown(list);
		if (wanted.action === "write") {
			if (wanted.items === undefined) return failed("'items' is missing: 'write' needs the whole list. To change one item, use 'update'.");
			return keep(kept, wanted.items.map((item) => ({ text: oneLine(item.text), status: item.status ?? "pending" })));
		}
		const { number, text: newText, status: newStatus } = wanted;
		if (number === undefined) return failed("'number' is missing: 'update' needs the number of the item, as the list shows it.");
		const item = list[number - 1];
		if (item === undefined) return failed(`There is no item ${number}; the list has ${counted(list.length, "item")}. 'write' sets a new list.`);
		if (newText === undefined && newStatus === undefined) return failed("There is nothing to change: give 'status', 'text' or both.");
		return keep(kept, list.with(number - 1, { text: newText === undefined ? item.text : oneLine(newText), status: newStatus ?? item.status }));
	},
};

function keep(kept: Kept, list: readonly Item[]): ToolResult {
	if (list.some((item) => item.text === "")) return failed("An item has no text, so nothing was changed. Say what is to be done.");
	kept.set(key, list);
	return shown(list);
}

/** What a store gives back was written by this tool, though perhaps by another version of it. */
function itemsIn(kept: Kept): readonly Item[] {
	const list = kept.get(key);
	if (!Array.isArray(list)) return [];
	return list.filter((item: Partial<Item> | null) => typeof item?.text === "string" && statuses.includes(item.status as Status)) as Item[];
}

const oneLine = (words: string): string => words.replace(/\s+/g, " ").trim();
const marks: Readonly<Record<Status, string>> = { pending: "[ ]", in_progress: "[>]", done: "[x]" };

function shown(list: readonly Item[]): ToolResult {
	const done = list.filter((item) => item.status === "done").length;
	const details = { items: list.length, done };
	if (list.length === 0) return succeeded("The list is empty.", details);
	const lines = list.map((item, i) => `${i + 1}. ${marks[item.status]} ${item.text}`);
	return succeeded(`${lines.join("\n")}\n(${done} of ${list.length} done; [>] is in progress)`, details);
}
