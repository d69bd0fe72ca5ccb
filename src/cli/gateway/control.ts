// The control socket of a running gateway: HTTP on a Unix socket that only its user can reach (on Windows a named pipe).
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Home } from "../../system/home.ts";
import { CommandError } from "../exit.ts";
import type { HookList } from "../hooks/listed.ts";

/** `started` is false for one that was given up, such as with a wrong token. */
type PlatformStatus = readonly { readonly name: string; readonly started: boolean; readonly connected: boolean }[];

export interface GatewayStatus {
	/** `stopping`: turns that run may end, and no message is taken. */
	readonly state: "ready" | "stopping";
	readonly version: string;
	readonly pid: number;
	/** In ms since the epoch. */
	readonly since: number;
	readonly model: string;
	readonly address: string;
	readonly cwd: string;
	readonly platforms: PlatformStatus;
	readonly turnsRunning: number;
	/** Messages whose turn has not begun. */
	readonly waiting: number;
	/** Texts that no platform has taken yet. */
	readonly undelivered: number;
	/** Texts that never can be delivered, and messages that could not be handled: 'gateway undelivered' lists them. */
	readonly givenUp: number;
	readonly memoryBytes: number;
}

/** What the socket leads to. */
export interface Controlled {
	status(): Promise<GatewayStatus>;
	/** The hooks that are live in this process. */
	hooks(): Promise<HookList>;
	/** Takes up what has changed, once the turns that run have ended; says what did not work, a sentence each. Throws when all stays as it was. */
	reload(): Promise<readonly string[]>;
	/** Begins to stop, as SIGTERM does. */
	stop(): void;
	/** Prometheus' text format. */
	metrics(): Promise<string>;
}

/** The shortest limit of any system, in bytes, with the zero at the end. */
const longestPath = 104;

/**
 * Answers until it is disposed of. Call it with the lock of the home: what an earlier gateway left at its path is removed.
 * @throws CommandError when there is no place for a socket.
 */
export async function openControl(home: Home, controlled: Controlled): Promise<AsyncDisposable & { readonly path: string }> {
	const server = createServer((request, response) => void answer(controlled, request, response));
	const { path, folder } = placeFor(home);
	try {
		server.listen(path);
		await once(server, "listening");
		if (folder !== undefined) chmodSync(path, 0o600);
	} catch (error) {
		throw new CommandError(`The control socket ${path} cannot be made (${error instanceof Error ? error.message : String(error)}). It needs a folder of its own on a file system that can have sockets.`);
	}
	return {
		path,
		async [Symbol.asyncDispose]() {
			const closed = once(server, "close");
			server.close();
			server.closeAllConnections();
			await closed;
			if (folder !== undefined && folder !== inHome(home)) rmSync(folder, { recursive: true, force: true });
		},
	};
}

const inHome = (home: Home) => join(home.path, "gateway-control");

function placeFor(home: Home): { readonly path: string; readonly folder?: string } {
	if (process.platform === "win32") return { path: `\\\\.\\pipe\\hookline-${createHash("sha256").update(home.path).digest("hex").slice(0, 16)}` };
	const path = join(inHome(home), "gateway.sock");
	if (Buffer.byteLength(path) < longestPath) {
		// The home may be a folder that others can read: this one is its user's alone before there is a socket in it.
		mkdirSync(dirname(path), { mode: 0o700, recursive: true });
		chmodSync(dirname(path), 0o700);
		rmSync(path, { force: true });
		return { path, folder: dirname(path) };
	}
	const folder = mkdtempSync(join(Buffer.byteLength(tmpdir()) < longestPath - 40 ? tmpdir() : "/tmp", "hookline-"));
	return { path: join(folder, "gateway.sock"), folder };
}

async function answer(controlled: Controlled, { method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
	const reply = (status: number, body: unknown) => response.writeHead(status, { "Content-Type": "application/json" }).end(`${JSON.stringify(body)}\n`);
	try {
		switch (`${method} ${url}`) {
			case "GET /status":
				return void reply(200, await controlled.status());
			case "GET /hooks":
				return void reply(200, await controlled.hooks());
			case "GET /metrics":
				return void response.writeHead(200, { "Content-Type": "text/plain; version=0.0.4" }).end(await controlled.metrics());
			case "POST /reload":
				return void reply(200, await controlled.reload());
			case "POST /stop":
				response.once("finish", () => controlled.stop());
				return void reply(202, {});
			default:
				return void reply(404, { error: `There is no ${method} ${url} here.` });
		}
	} catch (error) {
		reply(500, { error: error instanceof Error ? error.message : String(error) });
	}
}
