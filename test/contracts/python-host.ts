// A Python host with units in it, for tests. TEST_PYTHON names another interpreter than `python3`.
import { fileURLToPath } from "node:url";
import { HookFailure } from "../../src/events/failure.ts";
import type { JsonObject } from "../../src/events/payloads/facts.ts";
import { pythonHost } from "../../src/hosts/python/host.ts";
import type { LoadedUnit, PythonHost, PythonHostOptions, PythonServices } from "../../src/hosts/python/unit.ts";

export const python = process.env["TEST_PYTHON"] ?? "python3";
export const program = (name: string): string => fileURLToPath(new URL(`../programs/python/${name}`, import.meta.url));

export interface Opened extends AsyncDisposable {
	readonly host: PythonHost;
	readonly logged: string[];
	readonly strays: string[];
	/** Loads one of the test programs, or a file by its absolute path. */
	load(name: string, file?: string): Promise<LoadedUnit>;
}

export function open(more: Partial<PythonHostOptions> & { readonly services?: PythonServices } = {}): Opened {
	const logged: string[] = [];
	const strays: string[] = [];
	const host = pythonHost({
		name: "user",
		python: { executable: python },
		services: {},
		log: (unit, line) => void logged.push(`${unit}: ${line}`),
		onStray: ({ unit, message, during }) => void strays.push(`${unit} (${during}): ${message}`),
		...more,
	});
	const load = (name: string, file = program("hostile.py")) => host.load({ name, loader: program("plain_loader.py"), settings: { file } });
	return { host, logged, strays, load, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

export interface CallOptions {
	readonly timeoutMs?: number;
	readonly signal?: AbortSignal;
	/** Which callback; the first. */
	readonly id?: number;
}

export const callOf = (unit: LoadedUnit, payload: JsonObject, { timeoutMs = 20_000, signal = new AbortController().signal, id = 0 }: CallOptions = {}): Promise<unknown> => unit.call(id, { payload, timeoutMs, signal });

/** What a callback of hostile.py gives, or its failure in words: `threw: ValueError: no (/hostile.py:3)`. */
export async function told(unit: LoadedUnit, payload: JsonObject, options?: CallOptions): Promise<unknown> {
	try {
		return await callOf(unit, payload, options);
	} catch (error) {
		if (!(error instanceof HookFailure)) throw error;
		return `${error.kind}${error.counts ? "" : " (not counted)"}: ${error.message.replaceAll(program(""), "/")}`;
	}
}
