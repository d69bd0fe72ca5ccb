// A home of Hermes Agent, as it is read: its folder, and the settings in its config.yaml.
import { lstatSync, realpathSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Node } from "yaml";
import { readRegular } from "../../system/regular-file.ts";

/** There is nothing that could be imported. The message is for the person. */
export class ImportError extends Error {
	override readonly name = "ImportError";
}

export interface HermesHome {
	/** Absolute, without links. */
	readonly path: string;
	/** How commands in its config.yaml may name it, the likeliest first. */
	readonly spellings: readonly string[];
	readonly configFile: string;
	/** What config.yaml sets; empty when there is none, or none that can be read. */
	readonly config: Readonly<Record<string, unknown>>;
	/** Why config.yaml cannot be read, in a sentence. */
	readonly configProblem?: string;
	readonly placeOf: (path: readonly string[]) => { readonly line: number; readonly column: number };
}

export interface WhereHermesIs {
	/** As it was asked for. */
	readonly from: string | undefined;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly userHome: string;
	/** Of Hookline, absolute. */
	readonly ownHome: string;
}

const mostConfigBytes = 8 * 1024 * 1024;

/** @throws ImportError when there is no such home, or when it is Hookline's as well. */
export async function openHermesHome({ from, environment, userHome, ownHome }: WhereHermesIs): Promise<HermesHome> {
	const usual = join(userHome, ".hermes");
	const asked = from ?? environment["HERMES_HOME"]?.trim();
	const named = resolve(asked ? asked.replace(/^~(?=\/|$)/, userHome) : usual);
	const found = statSync(named, { throwIfNoEntry: false });
	if (found === undefined) throw new ImportError(`There is no Hermes home ${named}, so nothing was imported. Where it is elsewhere, say so: hookline import hermes --from DIR`);
	if (!found.isDirectory()) throw new ImportError(`${named} is no folder, so it is no Hermes home, and nothing was imported.`);
	const path = realpathSync(named);
	if (lstatSync(ownHome, { throwIfNoEntry: false }) !== undefined && realpathSync(ownHome) === path) {
		throw new ImportError(`${named} is the home of Hookline as well, so what lies in it is here already. To have two, let HOOKLINE_HOME point to another folder.`);
	}
	const configFile = join(path, "config.yaml");
	return { path, spellings: [...new Set([named, path, usual])], configFile, ...(await readHermesConfig(configFile)) };
}

type ReadConfig = Pick<HermesHome, "config" | "configProblem" | "placeOf">;

/** As PyYAML reads it, which Hermes does: YAML 1.1, where `yes` is true and the last of two equal keys counts. */
async function readHermesConfig(file: string): Promise<ReadConfig> {
	const nothing = { config: {}, placeOf: () => ({ line: 1, column: 1 }) };
	let text: string;
	try {
		if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return nothing;
		const read = readRegular(realpathSync(file), mostConfigBytes);
		if (read === "too long") return { ...nothing, configProblem: `${file} is larger than 8 MB, which no settings are.` };
		text = read.bytes.toString("utf8");
	} catch (error) {
		return { ...nothing, configProblem: `${file} cannot be read: ${messageOf(error)}.` };
	}
	const { LineCounter, parseDocument } = await import("yaml");
	const lines = new LineCounter();
	const document = parseDocument(text, { version: "1.1", uniqueKeys: false, strict: false, lineCounter: lines, logLevel: "error" });
	const placeOf = (path: readonly string[]) => {
		for (let length = path.length; length > 0; length--) {
			const offset = (document.getIn(path.slice(0, length), true) as Node | null | undefined)?.range?.[0];
			if (offset === undefined) continue;
			const { line, col } = lines.linePos(offset);
			return { line, column: col };
		}
		return { line: 1, column: 1 };
	};
	const [broken] = document.errors;
	if (broken !== undefined) return { ...nothing, configProblem: `${file} is not YAML: ${broken.message.split("\n", 1)[0]!}` };
	try {
		const value: unknown = document.toJS({ maxAliasCount: 100 });
		return { config: objectOf(value), placeOf };
	} catch (error) {
		return { ...nothing, configProblem: `${file} has aliases that cannot be followed: ${messageOf(error)}.` };
	}
}

export const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {});

/** Without a full stop. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).replace(/\.$/, "");

/** The lines, from 1, on which code and no remark does. */
export const namesHermesFolder = (text: string): readonly number[] => text.split("\n").flatMap((line, i) => (/(?<![\w-])\.hermes(?![\w-])/.test(line) && !/^\s*(?:#|\/\/|\*|""")/.test(line) ? [i + 1] : []));
