// The token that requests to the gateway over HTTP have to bring.
import { randomBytes } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import type { GatewayConfig } from "../../config/gateway.ts";
import { readKey } from "../../models/api-key.ts";
import { ensureHome, type Home } from "../../system/home.ts";
import { CommandError } from "../exit.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const loopback = /^(?:127(?:\.\d{1,3}){3}|::1|localhost)$/;
/** Shorter ones can be guessed. */
const shortest = 16;

/** @throws CommandError when there is none where config.yaml says, or strangers could reach the gateway with none of the owner's. */
export async function tokenOf(http: NonNullable<GatewayConfig["http"]>, host: string, home: Home, environment: Environment): Promise<string> {
	const { token_env: variable, token_file: file } = http;
	if (variable !== undefined && file !== undefined) throw new CommandError("gateway.http has both token_env and token_file. Leave one of them.");
	if (variable !== undefined) return longEnough(environment[variable]?.trim() || undefined, `the environment variable ${variable} (gateway.http.token_env)`);
	if (file !== undefined) {
		const path = file.replace(/^~(?=[/\\])/, environment["HOME"] || homedir());
		const found = await readKey({ kind: "file", path }).catch((error: unknown) => {
			throw new CommandError(`gateway.http.token_file: ${error instanceof Error ? error.message : String(error)}`);
		});
		return longEnough(found, `${path} (gateway.http.token_file)`);
	}
	if (!loopback.test(host)) throw new CommandError(`gateway.http.host is ${host}, where others can reach the gateway. Set gateway.http.token_env or token_file to a token of yours, or leave host out.`);
	return ownToken(home);
}

function longEnough(token: string | undefined, where: string): string {
	if (token === undefined) throw new CommandError(`There is no token in ${where}. Put one there, of at least ${shortest} characters.`);
	if (token.length < shortest) throw new CommandError(`The token in ${where} has ${token.length} characters, and could be guessed. Take one of at least ${shortest}.`);
	return token;
}

/** Made once, for its user alone. */
function ownToken(home: Home): string {
	const file = join(home.path, "gateway-token");
	ensureHome(home);
	try {
		writeFileSync(file, `${randomBytes(24).toString("base64url")}\n`, { flag: "wx", mode: 0o600, flush: true });
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw new CommandError(`${file} cannot be written (${error instanceof Error ? error.message : String(error)}). Make the folder writable, or set gateway.http.token_env.`);
	}
	chmodSync(file, 0o600);
	return longEnough(readFileSync(file, "utf8").trim() || undefined, file);
}
