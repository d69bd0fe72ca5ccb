// The tool that sends a text to a chat, this one or another.
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename, extname } from "node:path";
import type { AgentToolContext } from "../agent/tool-context.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { ToolResult } from "../events/payloads/tool.ts";
import { didYouMean } from "../system/nearest.ts";
import { explain, resolvePath } from "../tools/path.ts";
import { failed, sized, succeeded } from "../tools/result.ts";
import type { Tool } from "../tools/tool.ts";
import type { Deliverer } from "./deliverer.ts";
import { chatHere } from "./here.ts";
import type { OutboundFile } from "./platform.ts";
import { speaking } from "./speaking.ts";
import { type Target, targetIn, targetText } from "./target.ts";

const mostFiles = 10;

interface SendArgs {
	readonly to: string;
	readonly text?: string;
	readonly files?: readonly string[];
}

type Checked<Value> = Value | { readonly mistake: string; readonly details?: JsonObject };

export const sendMessage = (deliverer: Deliverer): Tool => ({
	name: "send_message",
	description: [
		"Sends a text, with files if there are some, to a chat. What you answer goes to the chat you are in by itself: use this for other chats, for files, and where your answer goes nowhere.",
		"It is kept and tried until it has arrived.",
	].join(" "),
	parameters: {
		type: "object",
		properties: {
			to: { type: "string", description: "'home' (the owner's chat), 'here' (the chat of this turn), or PLATFORM:CHAT with the platform's own id of the chat, such as telegram:123; a thread stands behind it, slack:C024#1700000000.000100." },
			text: { type: "string", description: "In Markdown. Can be left out where there are files." },
			files: { type: "array", maxItems: mostFiles, items: { type: "string" }, description: "Paths of files to send along." },
		},
		required: ["to"],
		additionalProperties: false,
	},
	async run(args, context) {
		const { session, callId, cwd } = context as AgentToolContext;
		const { to, text = "", files: paths = [] } = args as unknown as SendArgs;
		if (text.trim() === "" && paths.length === 0) return failed("There is nothing to send: give 'text', 'files' or both.");
		const here = chatHere(session);
		const target = targetOf(to, here, deliverer);
		if ("mistake" in target) return refused(target);
		const isTheirs = [here, deliverer.home].some((own) => own !== undefined && targetText(own) === targetText(target));
		if (speaking.getStore()?.role === "user" && !isTheirs) return failed("Only the owner of this agent can have something sent to other chats, and they are not the one you are talking to. Send it to 'here' or 'home'.");
		const files: OutboundFile[] = [];
		for (const path of paths) {
			const file = await fileAt(path, cwd, target.platform, deliverer.maxFileBytes(target.platform));
			if ("mistake" in file) return refused(file);
			files.push(file);
		}
		const { turnId = "", step = 0 } = session.facts();
		// Ids of calls are the model's: some begin again with each answer.
		const sent = await deliverer.deliver(target, text, { key: `send-${createHash("sha256").update(JSON.stringify([session.id, turnId, step, callId])).digest("hex")}`, ...(files.length > 0 && { files }) });
		if ("withheld" in sent) return failed(`It was not sent: ${sent.withheld}`, { withheld: true });
		const where = targetText(target);
		return succeeded(`It is on its way to ${where}${sent.text === text ? "" : `, as a hook has changed it: ${sent.text}`}.`, { to: where, files: files.length });
	},
});

function targetOf(to: string, here: Target | undefined, deliverer: Deliverer): Checked<Target> {
	const { home } = deliverer;
	if (to === "here") return here ?? { mistake: "This turn is not part of any chat. Name one as PLATFORM:CHAT, or send it 'home'." };
	if (to === "home" && home === undefined) return { mistake: "There is no home chat: the owner can set gateway.home_chat in config.yaml. Until then name a chat as PLATFORM:CHAT.", details: { noHome: true } };
	const target = to === "home" ? home : targetIn(to);
	const known = deliverer.platforms();
	const there = known.length === 0 ? "No platform is served now." : `There is ${known.join(", ")}.`;
	if (target === undefined) return { mistake: `'${to}' is no chat. Write 'home', 'here' or PLATFORM:CHAT, with the platform's own id of the chat. ${there}` };
	if (!known.includes(target.platform)) return { mistake: `There is no platform '${target.platform}' here${to === "home" ? " (gateway.home_chat)" : ""}.${didYouMean(target.platform, known)} ${there}` };
	return target;
}

/** @param most undefined where the platform takes no files */
async function fileAt(name: string, cwd: string, platform: string, most: number | undefined): Promise<Checked<OutboundFile>> {
	if (most === undefined) return { mistake: `Files cannot be sent to ${platform}. Nothing was sent; send the text without them.` };
	const resolved = resolvePath(name, cwd);
	if ("mistake" in resolved) return resolved;
	const { path } = resolved;
	try {
		const found = await stat(path);
		if (!found.isFile()) return { mistake: `'${name}' is ${found.isDirectory() ? "a folder" : "a device, a pipe or a socket"}, not a file. Nothing was sent.` };
		if (found.size > most) return { mistake: `'${name}' has ${sized(found.size)}, and ${platform} takes ${sized(most)} at most. Nothing was sent.` };
		return { path, name: basename(path), mediaType: mediaTypes[extname(path).toLowerCase()] ?? "application/octet-stream" };
	} catch (error) {
		return { mistake: `${await explain(error, path, name)} Nothing was sent.` };
	}
}

const refused = ({ mistake, details }: { readonly mistake: string; readonly details?: JsonObject }): ToolResult => failed(mistake, details);

/** By the ending of a name. What platforms show by themselves must be called right; the rest is a file to them. */
const mediaTypes: Readonly<Record<string, string>> = {
	".png": "image/png",
	".jpg": "image/jpeg",
	".jpeg": "image/jpeg",
	".gif": "image/gif",
	".webp": "image/webp",
	".mp4": "video/mp4",
	".mp3": "audio/mpeg",
	".ogg": "audio/ogg",
	".wav": "audio/wav",
	".pdf": "application/pdf",
	".zip": "application/zip",
	".json": "application/json",
	".csv": "text/csv",
	".html": "text/html",
	".md": "text/markdown",
	".txt": "text/plain",
};
