// One WebSocket of Slack's socket mode, from the first request until it is closed.
import { orAborted } from "../../system/abort.ts";
import { failureOf, oneTry, quiet } from "./api.ts";
import type { Json } from "./events.ts";

export interface ConnectionOptions {
	readonly token: string;
	readonly baseUrl?: string | undefined;
	/** Until it is open, this long in ms. */
	readonly longestOpeningMs: number;
	/** A peer that answers no ping for so long is gone, in ms. */
	readonly silenceMs: number;
	readonly signal: AbortSignal;
	readonly take: (envelope: Envelope) => void;
	/** Something came that is no frame of socket mode. */
	readonly malformed: (why: string) => void;
}

export interface Envelope {
	readonly type: string;
	readonly payload: Json;
	/** Tells Slack that it was taken. Never rejects: what Slack was not told of it sends again. */
	readonly tell: () => Promise<void>;
}

export interface Connection {
	/** How many connections this app has, as Slack said when this one was opened. */
	readonly count: number;
	/** Why Slack asks for another connection in the place of this one, which it closes soon. */
	readonly retiring: Promise<string>;
	readonly closed: Promise<void>;
	close(): Promise<void>;
}

/** For the peer to close a connection as well, in ms. */
const closingMs = 300;

/** @throws SlackRefusal and the other errors of Api.call when it cannot be opened. */
export async function connect({ token, baseUrl, longestOpeningMs, silenceMs, signal, take, malformed }: ConnectionOptions): Promise<Connection> {
	const { SocketModeClient } = await import("@slack/socket-mode");
	const retiring = Promise.withResolvers<string>();
	const closed = Promise.withResolvers<void>();
	let count = 1;

	class Socket extends SocketModeClient {
		/** The library's own rejects on what it does not expect, which nobody could catch, and closes before there is another connection. */
		protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
			const frame = isBinary ? undefined : frameIn(String(data));
			if (frame === undefined) return malformed("a frame that is no JSON object");
			if (frame["type"] === "disconnect") return retiring.resolve(String(frame["reason"]));
			if (frame["type"] === "hello") {
				if (typeof frame["num_connections"] === "number") count = frame["num_connections"];
				return super.onWebSocketMessage(data, isBinary);
			}
			const { envelope_id: id, payload } = frame;
			if (typeof id !== "string" || typeof payload !== "object" || payload === null) return malformed(`a frame of type '${String(frame["type"]).slice(0, 60)}' without an envelope`);
			take({ type: String(frame["type"]), payload: payload as Json, tell: () => this["send"](id).catch(() => {}) });
		}
	}

	const opening = AbortSignal.any([signal, AbortSignal.timeout(longestOpeningMs)]);
	const client = new Socket({
		appToken: token,
		// Its own way ends the process when Slack cannot be reached, and knows no pause longer than the last.
		autoReconnectEnabled: false,
		clientPingTimeout: silenceMs,
		serverPingTimeout: silenceMs * 2,
		logger: quiet,
		clientOptions: { ...(baseUrl !== undefined && { slackApiUrl: baseUrl }), ...oneTry(opening, longestOpeningMs) },
	});
	client.on("authenticated", () => opening.throwIfAborted());
	client.on("disconnected", () => closed.resolve());
	const close = async () => {
		if (client.websocket === undefined) closed.resolve();
		void client.disconnect();
		// The second time it does not wait for the peer.
		const force = setTimeout(() => client.websocket?.disconnect(), closingMs);
		await closed.promise;
		clearTimeout(force);
		// The library forgets this one, of 30 s, when it is ended while it connects, and the process could not end.
		clearTimeout(client.websocket?.["closeHandshakeTimeout"]);
	};
	const started = client.start().catch((error: unknown) => {
		// Without an error it was the socket that did not open.
		throw error === undefined ? new Error("Slack closed the connection before it said hello") : failureOf("apps.connections.open", error);
	});
	try {
		await orAborted(started, opening);
	} catch (error) {
		started.catch(() => {});
		await close();
		throw opening.aborted && !signal.aborted ? new Error(`Slack did not open a connection within ${longestOpeningMs / 1000} s`) : error;
	}
	return { count, retiring: retiring.promise, closed: closed.promise, close };
}

function frameIn(text: string): Json | undefined {
	try {
		const frame = JSON.parse(text) as unknown;
		return typeof frame === "object" && frame !== null ? (frame as Json) : undefined;
	} catch {
		return undefined;
	}
}

