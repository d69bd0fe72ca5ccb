// Extensions in temporary files, loaded into a host of either kind, as the tests of the API need them.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Brings, CallPlace, ToolCallPlace } from "../../src/events/brings.ts";
import type { JsonObject } from "../../src/events/payloads/facts.ts";
import type { AgentSide } from "../../src/hosts/asks.ts";
import type { LoadedExtension } from "../../src/hosts/host.ts";
import { folderWith, openHost, stateIn } from "./host.ts";

export interface Opened extends AsyncDisposable {
	readonly path: string;
	readonly logged: string[];
	readonly strays: string[];
	readonly values: Map<string, string>;
	/** Of the extension loaded last, also after it changed. */
	brings(): Brings;
	load(name: string, body: string): Promise<LoadedExtension>;
}

export async function open(kind: string, side: AgentSide = {}): Promise<Opened> {
	const folder = await folderWith({});
	const logged: string[] = [];
	const strays: string[] = [];
	const values = new Map<string, string>();
	const host = openHost(kind, {
		log: (from, message) => void logged.push(`${from}: ${message}`),
		onStray: ({ extension, message }) => void strays.push(`${extension}: ${message}`),
		stateOf: () => stateIn(values),
		cwd: folder.path,
		...side,
	});
	let brought: Brings | undefined;
	return {
		path: folder.path,
		logged,
		strays,
		values,
		brings: () => brought ?? assert.fail("nothing was brought"),
		async load(name, body) {
			const file = `${name}.ts`;
			await writeFile(join(folder.path, file), `import { block, defineExtension, rewrite } from "hookline";\nexport default defineExtension(async (hooks, hookline) => {\n${body}\n});\n`);
			const loaded = await host.load({ name, file: join(folder.path, file), trust: "user" }, { onBrings: (now) => void (brought = now) });
			brought = loaded.brings;
			return loaded;
		},
		async [Symbol.asyncDispose]() {
			await host[Symbol.asyncDispose]();
			await folder[Symbol.asyncDispose]();
		},
	};
}

export const place = (more: Partial<ToolCallPlace> = {}): ToolCallPlace => ({ signal: new AbortController().signal, cwd: "/projects/a", sessionId: "s1", turnId: "t1", callId: "c1", update: () => {}, ...more });
export const runTool = (brings: Brings, name: string, args: JsonObject = {}, more: Partial<ToolCallPlace> = {}) => toolNamed(brings, name).run(args, place(more));
export const toolNamed = ({ tools }: Brings, name: string) => tools.find((tool) => tool.name === name) ?? assert.fail(`there is no tool ${name}`);
export const runCommand = ({ commands }: Brings, name: string, args = "", more: Partial<CallPlace> = {}) => (commands.find((one) => one.name === name) ?? assert.fail(`there is no command ${name}`)).run(args, place(more));
export const textOf = async (brings: Brings, name: string, args: JsonObject = {}, more: Partial<ToolCallPlace> = {}) => (await runTool(brings, name, args, more)).text;

/** A tool in a line, whose arguments are anything. */
export const tool = (name: string, run: string, more = ""): string => `hookline.registerTool({ name: "${name}", description: "A test.", parameters: { type: "object" }, ${more} run: ${run} });`;
