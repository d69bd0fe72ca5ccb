// Hermes plugins in a real Python, for tests: plugins are files, the agent behind them an object of functions.
import assert from "node:assert/strict";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { HookFailure } from "../../src/events/failure.ts";
import type { JsonObject } from "../../src/events/payloads/facts.ts";
import { LoadError } from "../../src/hosts/host.ts";
import type { LoadedUnit, PythonServices } from "../../src/hosts/python/unit.ts";
import { folderWith } from "./host.ts";
import { callOf, open, type Opened } from "./python-host.ts";

const loader = fileURLToPath(new URL("../../src/dialects/hermes-plugin/loader.py", import.meta.url));
const hooks = { pre_tool_call: ["tool_name", "args", "task_id", "session_id"], post_tool_call: ["tool_name", "result"], pre_gateway_dispatch: ["event", "gateway", "session_store"] };

export class Plugins implements AsyncDisposable {
	readonly opened: Opened;
	readonly #folders: AsyncDisposable[] = [];

	constructor(services: PythonServices = {}) {
		this.opened = open({ services });
	}

	/** A plugin of that id; `python` is its __init__.py, or all of its files. */
	async load(id: string, python: string | Readonly<Record<string, string>>, settings: JsonObject = {}): Promise<Plugin> {
		const folder = await folderWith(typeof python === "string" ? { "__init__.py": python } : python);
		this.#folders.push(folder);
		try {
			return new Plugin(await this.opened.host.load({ name: `plugins/${id}`, loader, settings: { file: join(folder.path, "__init__.py"), id, hooks, notCarried: { on_stream_start: "why" }, ...settings } }));
		} catch (error) {
			if (error instanceof LoadError) error.message = error.message.replaceAll(folder.path, "");
			throw error;
		}
	}

	async refusal(python: string | Readonly<Record<string, string>>): Promise<string> {
		const error = await this.load("a", python).then(() => assert.fail("it was loaded"), (error: unknown) => error);
		assert.ok(error instanceof LoadError, String(error));
		return error.message;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.opened[Symbol.asyncDispose]();
		for (const folder of this.#folders) await folder[Symbol.asyncDispose]();
	}
}

export class Plugin {
	readonly unit: LoadedUnit;

	constructor(unit: LoadedUnit) {
		this.unit = unit;
	}

	get what(): readonly JsonObject[] {
		return this.unit.callbacks.map(({ what }) => what);
	}

	get warnings(): readonly unknown[] {
		return this.what.flatMap(({ kind, text }) => (kind === "warning" ? [text] : []));
	}

	/** Calls what was registered under that name. */
	call(name: string, payload: JsonObject): Promise<unknown> {
		const id = this.unit.callbacks.findIndex(({ what }) => what["name"] === name);
		assert.ok(id >= 0, `'${name}' was registered`);
		return callOf(this.unit, payload, { id });
	}

	hook(name: string, args: JsonObject, more: JsonObject = {}): Promise<unknown> {
		return this.call(name, { arguments: args, session_id: "s1", turn_id: "t1", ...more });
	}

	tool(name: string, args: JsonObject = {}): Promise<unknown> {
		return this.call(name, { tool: name, args, session_id: "s1", turn_id: "t1", call_id: "c1" });
	}

	/** The failure in words. */
	async failure(called: Promise<unknown>): Promise<string> {
		const error = await called.then((value) => assert.fail(`it gave ${JSON.stringify(value)}`), (error: unknown) => error);
		assert.ok(error instanceof HookFailure, String(error));
		return `${error.kind}: ${error.message.replaceAll(/\(\/\S+?(__init__\.py:\d+)\)/g, "($1)")}`;
	}
}
