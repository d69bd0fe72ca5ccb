// Keys that are kept outside the environment: in a file of the user's own, or in the system's keychain. They are looked up when a model is first
// asked, so that nothing else waits for them and a locked keychain asks for its password only when the key is needed.
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { ProcessStartError, startProcess } from "../system/process.ts";
import { ModelError } from "./model.ts";

/** `path` is absolute, or begins with `~/`. */
export type KeyPlace = { readonly kind: "file"; readonly path: string } | { readonly kind: "keychain"; readonly name: string };

/** No key is longer, in bytes. */
const longestKey = 64 * 1024;
/** How long the keychain may take, in ms; it may have to ask a person for its password. */
const keychainMs = 10_000;

/**
 * The key that is kept there.
 * @throws ModelError, not retryable; the message says what to do and never holds the key.
 */
export async function readKey(place: KeyPlace): Promise<string> {
	return place.kind === "file" ? keyInFile(place.path) : keyInKeychain(place.name);
}

const refusal = (message: string, cause?: unknown) => new ModelError(message, { retryable: false, cause });

function keyInFile(written: string): string {
	const path = written.replace(/^~(?=[/\\])/, process.env["HOME"] || homedir());
	const text = readPrivate(path).trim();
	if (text === "") throw refusal(`The key file ${path} is empty. Write the key into it, and nothing else.`);
	if (/[\r\n]/.test(text)) throw refusal(`The key file ${path} holds more than one line. Leave only the key in it.`);
	return text;
}

function readPrivate(path: string): string {
	let file: number;
	try {
		// A pipe of that name would otherwise be waited for until somebody writes into it.
		file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === "ENOENT") throw refusal(`There is no key file ${path}. Write the key into it and run: chmod 600 ${path}`, error);
		throw refusal(`The key file ${path} cannot be read: ${message}.`, error);
	}
	try {
		const stats = fstatSync(file);
		if (!stats.isFile() || stats.size > longestKey) throw refusal(`${path} is no key file: it has to be a plain file with one line in it.`);
		if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) {
			throw refusal(`Others than you can read or write the key file ${path} (its mode is ${(stats.mode & 0o777).toString(8)}), so it is not used. Run: chmod 600 ${path}`);
		}
		return readFileSync(file, "utf8");
	} finally {
		closeSync(file);
	}
}

interface Keychain {
	readonly program: string;
	lookUp(name: string): readonly string[];
	/** The command line a person stores a key with. */
	store(name: string): string;
	readonly install: string;
}

const keychains: Readonly<Partial<Record<NodeJS.Platform, Keychain>>> = {
	darwin: {
		program: "security",
		lookUp: (name) => ["find-generic-password", "-s", "hookline", "-a", name, "-w"],
		store: (name) => `security add-generic-password -s hookline -a ${name} -w`,
		install: "it belongs to macOS",
	},
	linux: {
		program: "secret-tool",
		lookUp: (name) => ["lookup", "service", "hookline", "account", name],
		store: (name) => `secret-tool store --label=hookline service hookline account ${name}`,
		install: "its package is mostly called libsecret-tools or libsecret",
	},
};

async function keyInKeychain(name: string): Promise<string> {
	const keychain = keychains[process.platform];
	if (keychain === undefined) throw refusal(`Hookline knows no keychain of this system (${process.platform}). Keep the key in a file and name it as api_key_file, or in an environment variable.`);
	const { program } = keychain;
	const { exitCode, output } = await asked(keychain, name);
	const key = output.trim();
	if (exitCode === "late") throw refusal(`The system keychain gave no answer for ${keychainMs / 1000} s ('${program}'). Unlock it, and try again.`);
	if (exitCode !== 0 || key === "") throw refusal(`The system keychain has no key '${name}' for hookline. Store it: ${keychain.store(name)}`);
	if (/[\r\n]/.test(key)) throw refusal(`What the system keychain holds as '${name}' for hookline is more than one line. Store the key alone: ${keychain.store(name)}`);
	return key;
}

async function asked({ program, lookUp, install }: Keychain, name: string): Promise<{ readonly exitCode: number | null | "late"; readonly output: string }> {
	let output = "";
	const onOutput = (chunk: Buffer) => void (output.length < longestKey && (output += chunk.toString()));
	try {
		// What it says on standard error is not repeated: it is no key, but nobody can know that.
		const running = await startProcess({ file: program, args: lookUp(name), cwd: tmpdir(), env: process.env, onOutput, onError: () => {} });
		let timer: NodeJS.Timeout | undefined;
		const late = new Promise<"late">((resolve) => (timer = setTimeout(resolve, keychainMs, "late")));
		const ended = await Promise.race([running.exited, late]);
		clearTimeout(timer);
		if (ended !== "late") return { exitCode: ended.exitCode, output };
		await running.end(500);
		return { exitCode: "late", output: "" };
	} catch (error) {
		if (!(error instanceof ProcessStartError)) throw error;
		throw refusal(`The key is to come from the system keychain, but the program '${program}' cannot be started (${error.code ?? error.message}); ${install}. Or keep the key in a file and name it as api_key_file.`, error);
	}
}
