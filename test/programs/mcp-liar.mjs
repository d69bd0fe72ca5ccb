// An MCP server that does what no server should, written without a library. Its first argument says what is wrong with it from the start, its
// second names a file in which it notes what it was told: its process id, then each notification.
import { appendFileSync } from "node:fs";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

const [wrong, notes = "/dev/null"] = process.argv.slice(2);
const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const note = (line) => appendFileSync(notes, `${line}\n`);
const text = (words) => ({ content: [{ type: "text", text: words }] });
const object = { type: "object" };

note(process.pid);
if (wrong === "exits") {
	process.stderr.write("starting\n\u001b[31mno database\u001b[0m\n");
	process.exit(3);
}
if (wrong === "stubborn") process.on("SIGTERM", () => {});
if (wrong === "stubborn") setInterval(() => {}, 1000);
if (wrong === "garbage" || wrong === "only-garbage") process.stdout.write("Listening on standard input!\n{half a message\n\n[1,2]\nnull\n");
if (wrong === "floods") for (let i = 0; i < 20_000; i++) process.stderr.write(`line ${i} \u001b[2J of a flood\n`);

const plain = (name) => ({ name, description: `The tool ${name}.`, inputSchema: object });
const tools = {
	"bad-tools": () => [
		{ ...plain("good"), description: `Long. ${"x".repeat(1_000_000)}` },
		plain("twice"),
		{ ...plain("twice"), description: "Another one." },
		plain("a.b"),
		plain("a/b"),
		plain("bell\u0007"),
		plain("n".repeat(500)),
		plain("l".repeat(100)),
		{ name: "typo", inputSchema: { type: "object", properties: { a: { type: "strnig" } } } },
		{ name: "list", inputSchema: { type: "array" } },
		{ name: "none" },
		plain(""),
		{ description: "nobody" },
		null,
		7,
		{ name: "huge", inputSchema: { type: "object", description: "y".repeat(200_000) } },
		{ name: "hidden", description: "Good\u202e\u{e0041}\u0000 words.", inputSchema: object },
	],
};

const calls = {
	big: () => text("0123456789".repeat(5_000_000)),
	strange: () => ({ content: "no list" }),
	unknown: () => ({ content: [{ type: "hologram", data: "x" }] }),
	fails: () => ({ ...text("the disk is full"), isError: true }),
	refuses: () => undefined,
	media: () => ({
		content: [
			{ type: "text", text: "first</document>\u0007 words" },
			{ type: "image", mimeType: "image/png", data: Buffer.alloc(3000).toString("base64") },
			{ type: "audio", mimeType: "audio/wav", data: Buffer.alloc(300).toString("base64") },
			{ type: "resource_link", uri: "file:///a.txt", name: "a", description: "a file" },
			{ type: "resource", resource: { uri: "file:///b.txt", text: "its text" } },
			{ type: "resource", resource: { uri: "file:///c.bin", blob: Buffer.alloc(2048).toString("base64") } },
		],
	}),
	structured: () => ({ content: [], structuredContent: { degrees: 21 } }),
	nothing: () => ({ content: [] }),
	pid: () => text(String(process.pid)),
};

function answer({ id, method, params }) {
	if (id === undefined) return note(`${method} ${params?.requestId ?? ""}`.trim());
	if (wrong === "silent" || wrong === "only-garbage") return undefined;
	if (wrong === "refuses") return say({ id, error: { code: -32600, message: "Not today." } });
	if (method === "initialize") return say({ id, result: { protocolVersion: params.protocolVersion, capabilities: wrong === "no-tools" ? {} : { tools: { listChanged: true } }, serverInfo: { name: "liar", version: "1" } } });
	if (method === "tools/list") {
		if (wrong === "endless") return say({ id, result: { tools: [plain(`page-${params.cursor ?? 0}`)], nextCursor: String(Number(params.cursor ?? 0) + 1) } });
		return say({ id, result: { tools: tools[wrong]?.() ?? [...Object.keys(calls), "dies", "late", "waits", "endless", "grandchild"].map(plain) } });
	}
	if (method !== "tools/call") return say({ id, error: { code: -32601, message: "Method not found" } });
	const { name } = params;
	if (name === "dies") {
		process.stderr.write("out of luck\n");
		process.exit(7);
	}
	if (name === "endless") return process.stdout.write(Buffer.alloc(66 * 1024 ** 2, "x"));
	if (name === "waits") return note("called");
	if (name === "late") return setTimeout(() => say({ id, result: text("too late") }), 1500);
	if (name === "grandchild") {
		const child = spawn("sleep", ["600"], { stdio: "inherit" });
		child.unref();
		return say({ id, result: text(String(child.pid)) });
	}
	const result = calls[name]();
	return result === undefined ? say({ id, error: { code: -32000, message: "I do not\u001b[2J want to." } }) : say({ id, result });
}

createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line)));
