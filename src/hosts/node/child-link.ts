// How the API of an extension in a child reaches the agent: everything goes over the wire.
import { GrantError } from "../../events/grant-error.ts";
import type { JsonObject } from "../../events/payloads/facts.ts";
import type { UiPart } from "../../events/ui.ts";
import { deepFreeze } from "../../system/plain.ts";
import type { Hearing, Link } from "../api.ts";
import { calling } from "../calling.ts";
import type { FromChild, FromParent, LoadMessage } from "../protocol.ts";
import type { ChildState } from "./context.ts";

export class ChildLink implements Link {
	readonly config: JsonObject;
	readonly flags: Link["flags"];
	readonly state: ChildState;
	can: (part: UiPart) => boolean;
	readonly #number: number;
	readonly #send: (message: FromChild) => void;
	readonly #handlers = new Map<number, Hearing>();
	#numbers = 0;

	constructor({ extension, config, flags, can }: LoadMessage, state: ChildState, send: (message: FromChild) => void) {
		this.#number = extension;
		this.config = deepFreeze(config);
		this.flags = flags;
		this.state = state;
		this.#send = send;
		this.can = (part) => can.includes(part);
	}

	// The child enters the extension's frame and the call where it takes a call from the wire.
	readonly enter: Link["enter"] = (_, run) => run();

	readonly ask: Link["ask"] = (what, args, { sessionId, signal }) => {
		const ask = ++asksMade;
		const answer = Promise.withResolvers<unknown>();
		const unask = () => {
			if (!waiting.delete(ask)) return;
			this.#send({ t: "unask", extension: this.#number, ask });
			answer.reject(signal.reason);
		};
		signal.addEventListener("abort", unask, { once: true });
		waiting.set(ask, { ...answer, forget: () => signal.removeEventListener("abort", unask) });
		this.#send({ t: "ask", extension: this.#number, ask, call: calling.getStore()?.id, sessionId, what, args });
		return answer.promise;
	};

	readonly tell: Link["tell"] = (what, args) => this.#send({ t: "ask", extension: this.#number, what, args });

	readonly on: Link["on"] = (event, hear) => {
		const number = ++this.#numbers;
		this.#handlers.set(number, hear);
		this.#send({ t: "on", extension: this.#number, number, event });
		return {
			[Symbol.dispose]: () => {
				if (this.#handlers.delete(number)) this.#send({ t: "off", extension: this.#number, number });
			},
		};
	};

	readonly log: Link["log"] = (message) => this.#send({ t: "log", extension: this.#number, message });

	/** The handler of the bus of that number; undefined when it was taken back. */
	handler(number: number): Hearing | undefined {
		return this.#handlers.get(number);
	}
}

interface Waiting extends PromiseWithResolvers<unknown> {
	forget(): void;
}

let asksMade = 0;
const waiting = new Map<number, Waiting>();

/** The agent has answered. */
export function told({ ask, value, error, refused }: FromParent & { t: "told" }): void {
	const asked = waiting.get(ask);
	waiting.delete(ask);
	asked?.forget();
	if (error !== undefined) asked?.reject(refused ? new GrantError(error) : new Error(error));
	else asked?.resolve(value);
}
