// One call of something of an extension in the child that is no hook: where and for whom it runs, and whether somebody still waits for it.
import type { ToolCallPlace } from "../../events/brings.ts";
import type { Channel } from "../../events/providers.ts";
import { HookFailure } from "../../events/failure.ts";
import type { FailureParts, FromChild, RunMessage } from "../protocol.ts";

const longestUpdate = 64 * 1024;

export class ChildRun implements ToolCallPlace {
	readonly cwd: string;
	readonly sessionId: string;
	readonly turnId?: string;
	readonly callId: string;
	readonly #id: number;
	readonly #send: (message: FromChild) => void;
	readonly #controller = new AbortController();

	constructor({ id, place }: RunMessage, send: (message: FromChild) => void) {
		this.#id = id;
		this.#send = send;
		this.cwd = place?.cwd ?? "";
		this.sessionId = place?.sessionId ?? "";
		this.callId = place?.callId ?? "";
		if (place?.turnId !== undefined) this.turnId = place.turnId;
	}

	get signal(): AbortSignal {
		return this.#controller.signal;
	}

	readonly update = (text: string): void => this.#send({ t: "update", id: this.#id, text: String(text).slice(0, longestUpdate) });

	/** A piece of a model's answer: nothing of it may be lost, so a long one goes in several. */
	readonly delta = (text: string, channel: Channel): void => {
		for (let at = 0; at < text.length; at += longestUpdate) this.#send({ t: "update", id: this.#id, text: text.slice(at, at + longestUpdate), channel });
	};

	/** The agent waits no longer. */
	abort({ kind, message, counts }: FailureParts): void {
		this.#controller.abort(new HookFailure(kind, message, { counts }));
	}
}
