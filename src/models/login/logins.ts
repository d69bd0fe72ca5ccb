// What a person gave a provider of an extension by logging in: a key, or the tokens of OAuth. One file each, for its owner alone.
import { constants, existsSync } from "node:fs";
import { mkdir, open, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ExtensionProvider } from "../../events/providers.ts";
import { writeAtomically } from "../../system/files.ts";
import { takeLock } from "../../system/lock.ts";
import { knowSecret } from "../../system/redact.ts";
import { ModelError } from "../model.ts";
import type { Tokens } from "./oauth.ts";

export type Login = { readonly kind: "key"; readonly key: string } | ({ readonly kind: "oauth" } & Tokens);

/** With where it is for: a provider that has another address than before gets nothing of it. */
type Kept = Login & { readonly for: string };

/** A token that ends sooner is not used any more, in ms. */
const earlyMs = 60_000;
const longestFile = 256 * 1024;

export class Logins {
	readonly #folder: string;
	readonly #home: string;

	/** `home` is absolute; they lie in `logins/` below it. */
	constructor(home: string) {
		this.#home = home;
		this.#folder = join(home, "logins");
	}

	/** Whether somebody logged in; whether that still counts shows when it is used. */
	has(extension: string, provider: string): boolean {
		return existsSync(this.#fileOf(extension, provider));
	}

	async write(extension: string, provider: ExtensionProvider, login: Login): Promise<void> {
		const file = this.#fileOf(extension, provider.name);
		await mkdir(dirname(file), { recursive: true, mode: 0o700 });
		await writeAtomically(file, JSON.stringify({ ...login, for: addressesOf(provider) } satisfies Kept), { mode: 0o600, until: "disk" });
	}

	/** False when there was none. */
	async delete(extension: string, provider: string): Promise<boolean> {
		return rm(this.#fileOf(extension, provider)).then(
			() => true,
			(error: NodeJS.ErrnoException) => {
				if (error.code === "ENOENT") return false;
				throw error;
			},
		);
	}

	/**
	 * The key or the token, which is renewed before it ends, or now when `rejected` is the one there is. Undefined when nobody logged in.
	 * @throws ModelError, not retryable, when somebody has to log in again; the message holds nothing of it.
	 */
	async keyOf(extension: string, provider: ExtensionProvider, called: string, { rejected, signal }: { readonly rejected?: string; readonly signal: AbortSignal }): Promise<string | undefined> {
		const kept = await this.#read(extension, provider, called);
		if (kept === undefined) return undefined;
		const key = kept.kind === "key" ? kept.key : isFresh(kept, rejected) ? kept.access : await this.#renew(extension, provider, called, { rejected, signal });
		knowSecret(key);
		return key;
	}

	/** One process after the other: a provider takes most refresh tokens once. */
	async #renew(extension: string, provider: ExtensionProvider, called: string, { rejected, signal }: { readonly rejected: string | undefined; readonly signal: AbortSignal }): Promise<string> {
		const lock = await takeLock(join(this.#home, "logins.lock"));
		try {
			const kept = await this.#read(extension, provider, called);
			// Somebody else has renewed it, or logged out.
			if (kept?.kind === "oauth" && isFresh(kept, rejected)) return kept.access;
			if (kept?.kind !== "oauth" || kept.refresh === undefined || provider.login?.kind !== "oauth") throw again(called, "has ended and cannot be renewed");
			const { refreshed } = await import("./oauth.ts");
			const tokens = await refreshed(provider.login, kept.refresh, signal, (why) => again(called, `has ended, and was not renewed: ${why}`));
			await this.write(extension, provider, { kind: "oauth", ...tokens });
			return tokens.access;
		} finally {
			lock.close();
		}
	}

	async #read(extension: string, provider: ExtensionProvider, called: string): Promise<Kept | undefined> {
		const path = this.#fileOf(extension, provider.name);
		const text = await readPrivate(path);
		if (text === undefined) return undefined;
		const kept = keptIn(text);
		if (kept === undefined) throw again(called, `cannot be read (${path})`);
		if (kept.for !== addressesOf(provider)) throw again(called, "was for other addresses than those the extension has now, so it is sent to none of them");
		return kept;
	}

	#fileOf(extension: string, provider: string): string {
		return join(this.#folder, encodeURIComponent(extension), `${provider}.json`);
	}
}

const refusal = (message: string) => new ModelError(message, { retryable: false });
const again = (called: string, why: string) => refusal(`Your login for ${called} ${why.replace(/\.$/, "")}. Log in again: hookline models login ${called}`);

const isFresh = ({ access, expiresAt }: Tokens, rejected: string | undefined) => access !== rejected && (expiresAt === undefined || expiresAt - earlyMs > Date.now());

function addressesOf({ baseUrl = "", login }: ExtensionProvider): string {
	return [baseUrl, ...(login?.kind === "oauth" ? [login.tokenUrl, login.clientId] : [])].join(" ");
}

async function readPrivate(path: string): Promise<string | undefined> {
	try {
		await using file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
		const stats = await file.stat();
		if (!stats.isFile() || stats.size > longestFile) throw refusal(`${path} is no file with a login in it. Remove it, and log in again.`);
		if (process.platform !== "win32" && (stats.mode & 0o077) !== 0) throw refusal(`Others than you can read or write ${path} (its mode is ${(stats.mode & 0o777).toString(8)}), so it is not used. Run: chmod 600 ${path}`);
		return await file.readFile("utf8");
	} catch (error) {
		const { code, message } = error as NodeJS.ErrnoException;
		if (code === "ENOENT") return undefined;
		throw error instanceof ModelError ? error : refusal(`The login in ${path} cannot be read: ${message}`);
	}
}

function keptIn(text: string): Kept | undefined {
	try {
		const { kind, for: where, key, access, refresh, expiresAt } = JSON.parse(text) as Partial<Record<string, unknown>>;
		if (typeof where !== "string") return undefined;
		if (kind === "key" && typeof key === "string") return { kind, key, for: where };
		if (kind !== "oauth" || typeof access !== "string") return undefined;
		return { kind, access, for: where, ...(typeof refresh === "string" && { refresh }), ...(typeof expiresAt === "number" && { expiresAt }) };
	} catch {
		return undefined;
	}
}
