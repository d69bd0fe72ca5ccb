// What a call gave, as the model reads it: named by its source, bounded, and with a word for everything that is no text.
import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/client";
import type { ToolResult } from "../../events/payloads/tool.ts";
import { sized } from "../result.ts";
import { fenced, readableCharacters } from "../web-document.ts";

const shownCharacters = 30_000;

/** `tool` as the server calls it. */
export function resultOf(server: string, tool: string, { content, structuredContent, isError = false }: CallToolResult): ToolResult {
	const said = content.map(textOf).join("\n");
	// Servers are to say the same in `content`; some do not.
	const whole = said.trim() === "" && structuredContent !== undefined ? JSON.stringify(structuredContent, undefined, 1) : said;
	const leftOut = Math.max(0, whole.length - shownCharacters);
	const text = readableCharacters(whole.slice(0, shownCharacters)).trim();
	const note = leftOut === 0 ? "" : `\n[cut: ${leftOut.toLocaleString("en-US")} more characters; ask the tool for less at once]`;
	return { text: `${fenced(`MCP server ${server}, tool ${tool}`, text === "" ? "(no output)" : text)}${note}`, isError, details: { server, tool, ...(leftOut > 0 && { leftOut }) } };
}

function textOf(block: ContentBlock): string {
	switch (block.type) {
		case "text":
			return block.text;
		case "image":
		case "audio":
			return `[${block.type} left out: ${block.mimeType}, ${sizeOf(block.data)}]`;
		case "resource_link":
			return `[resource: ${block.uri}${block.description === undefined ? "" : ` (${block.description})`}]`;
		case "resource":
			return "text" in block.resource ? `[resource ${block.resource.uri}]\n${block.resource.text}` : `[resource left out: ${block.resource.uri}, ${block.resource.mimeType ?? "binary"}, ${sizeOf(block.resource.blob)}]`;
	}
}

/** Of what is written in base64. */
const sizeOf = (base64: string): string => sized(Math.floor((base64.length * 3) / 4));
