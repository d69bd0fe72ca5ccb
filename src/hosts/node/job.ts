// What can be given to a child to do: one of its hooks, or a tool, a command, a handler of the bus.
import type { HookContext } from "../../events/context.ts";
import type { Facts } from "../../events/payloads/facts.ts";
import type { Channel } from "../../events/providers.ts";
import type { Entry, RunMessage } from "../protocol.ts";
import type { Member } from "./member.ts";

export type Next = () => Promise<unknown>;

export interface Job {
	readonly member: Member;
	/** Aborted when nobody waits for it any more. */
	readonly signal: AbortSignal;
	/** As a line for the child. @throws when its values cannot cross. */
	encode(id: number): string;
	log(message: string): void;
	/** Tools and model providers only. */
	update?(text: string, channel?: Channel): void;
	/** Wrappers only: runs the operation inside. */
	readonly next?: Next | undefined;
	/** Hooks only: takes over what the handler changed in the state of the turn. */
	takeTurn?(changes: readonly (Entry | readonly [key: string])[]): void;
	/** Whether a late answer is for somebody: the engine reports it. All others are rejected when their signal is aborted. */
	readonly hearsLate: boolean;
}

/** Makes jobs of hooks. */
export class HookJobs {
	/** The payload last sent, as JSON: the hooks of one dispatch share it. */
	#payload: { readonly of: Facts; readonly json: string } | undefined;

	job(member: Member, index: number, payload: Facts, context: HookContext, next: Next | undefined): Job {
		return {
			member,
			signal: context.signal,
			next,
			hearsLate: true,
			log: (message) => context.log(message),
			encode: (id) => {
				if (this.#payload?.of !== payload) this.#payload = { of: payload, json: JSON.stringify(payload) };
				const turn = plainEntries(context.turn.state);
				const { hook, event, metadata, cause } = context;
				const head = JSON.stringify({ t: "call", id, extension: member.number, index, hook, event, turnId: context.turn.id, turn, metadata, cause });
				return `${head.slice(0, -1)},"payload":${this.#payload.json}}`;
			},
			takeTurn(changes) {
				for (const [key, value] of changes) {
					if (value === undefined) context.turn.state.delete(key);
					else context.turn.state.set(key, value);
				}
			},
		};
	}
}

/** A job that is no hook. */
export function runJob(member: Member, signal: AbortSignal, run: Omit<RunMessage, "t" | "id" | "extension">, more: Pick<Job, "log" | "update">): Job {
	return { member, signal, hearsLate: false, encode: (id) => JSON.stringify({ t: "run", id, extension: member.number, ...run } satisfies RunMessage), ...more };
}

/** What of a turn's state can cross. Hooks in our own process may keep anything there. */
function plainEntries(state: ReadonlyMap<string, unknown>): readonly Entry[] | undefined {
	if (state.size === 0) return undefined;
	return [...state].filter(([, value]) => {
		try {
			return JSON.stringify(value) !== undefined;
		} catch {
			return false;
		}
	});
}
