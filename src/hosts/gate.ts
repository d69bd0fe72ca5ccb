// What an extension that may not do everything does through us instead of by itself. Who knows what it was granted makes it.

/** Of bodies; of one that is received, after decompression. */
export const mostFetchBytes = { sent: 8 * 1024 * 1024, received: 32 * 1024 * 1024 };

export interface FetchRequest {
	readonly url: string;
	readonly method: string;
	readonly redirect: "follow" | "manual" | "error";
	readonly headers: readonly (readonly [string, string])[];
	/** Base64. */
	readonly body?: string | undefined;
}

export interface Fetched {
	/** Where it came from in the end. */
	readonly url: string;
	readonly redirected: boolean;
	readonly status: number;
	readonly statusText: string;
	readonly headers: readonly (readonly [string, string])[];
	/** The number that pieces of the body are asked for by; undefined when there is none. */
	readonly body?: number | undefined;
}

/** The next piece of a body, in base64; undefined at its end. */
export interface FetchedPiece {
	readonly bytes?: string | undefined;
}

export interface Gate {
	/** The file of a program it may start, absolute; `env` are the names it sets for it. @throws GrantError, or Error where there is no such program */
	program(command: string, env: readonly string[]): string;
	/** Rejects with a GrantError for a host that was not granted, with an Error in words for anything else. */
	fetch(request: FetchRequest, signal: AbortSignal): Promise<Fetched>;
	piece(body: number): Promise<FetchedPiece>;
	/** Nobody reads the rest. */
	end(body: number): void;
}
