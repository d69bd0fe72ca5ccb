// The events of gateway hooks as ours: `agent:start` and all the others by name, `command:<name>` for any command, `<base>:*` for all of a base.
import type { EventName, Payloads } from "../../events/payloads/all.ts";
import type { Facts } from "../../events/payloads/facts.ts";
import { didYouMean } from "../../system/nearest.ts";

type Meaning = { [Name in EventName]: { readonly event: Name; /** Only these dispatches; all when left out. */ readonly only?: (payload: Payloads[Name]) => boolean; readonly which?: string } }[EventName];

/** Gateway hooks are about conversations with people: what a delegated child does is none of them. */
const ofPerson = ({ parentSessionId }: Facts) => parentSessionId === undefined;

const meanings = {
	"gateway:startup": { event: "gateway.started" },
	"session:start": { event: "session.started", only: (payload) => ofPerson(payload) && !payload.resumed, which: "new sessions" },
	"session:end": { event: "session.ended", only: (payload) => ofPerson(payload) && payload.reason === "reset", which: "by `/new` or `/reset`" },
	"session:reset": { event: "session.reset" },
	"session:compress": { event: "session.compacted", only: ofPerson },
	// A turn that waits for a person is one turn there.
	"agent:start": { event: "turn.started", only: (payload) => ofPerson(payload) && payload.goesOn !== true },
	"agent:step": { event: "step.ended", only: ofPerson },
	"agent:end": { event: "turn.ended", only: (payload) => ofPerson(payload) && payload.waits !== true },
	"reaction:added": { event: "reaction.added" },
	"reaction:removed": { event: "reaction.removed" },
} as const satisfies Record<string, Meaning>;

/** What is told; `command:<name>` is the one that is asked. */
export type ToldName = keyof typeof meanings;
export const toldNames = Object.keys(meanings) as readonly ToldName[];

/** Which dispatches a name is for, in words, for the documentation; undefined when it is all that are about a person's conversation. */
export const whichOf = (name: ToldName): string | undefined => (meanings[name] as { readonly which?: string }).which;

/** What has to become of one entry of `events`. */
export interface Subscription {
	readonly event: EventName;
	/** The name the handler is called with; `command` stands before the command's own. */
	readonly theirs: ToldName | "command";
	/** Written with a `*`: it comes after those that are written out. */
	readonly wildcard: boolean;
	/** The one command it is for; all when left out. */
	readonly command?: string;
	/** Tells the hooks of one handler apart: `agent.start`, `any.command`. */
	readonly name?: string;
}

const hermesOnly = ["message:pre_route"];

/** What an entry of `events` stands for, or why it stands for nothing. */
export function subscriptionsOf(written: string): readonly Subscription[] | { readonly mistake: string } {
	const [, base = "", rest = ""] = /^([^:]*):(.*)$/s.exec(written) ?? [];
	const wildcard = rest === "*";
	if (base === "command" && rest !== "") return [{ event: "command.running", theirs: "command", wildcard, ...(!wildcard && { command: rest }), ...named(wildcard ? "any.command" : `command.${rest}`) }];
	const found = toldNames.filter((name) => (wildcard ? name.startsWith(`${base}:`) : name === written));
	if (found.length > 0) return found.map((theirs) => ({ event: meanings[theirs].event, theirs, wildcard, ...named(`${wildcard ? "any." : ""}${theirs.replace(":", ".")}`) }));
	if (hermesOnly.includes(written)) return { mistake: `'${written}' is an event of Hermes Agent that Hookline does not have; nothing is called for it.` };
	const known = [...toldNames, ...new Set(toldNames.map((name) => name.replace(/:.*/, ":*"))), "command:*"];
	return { mistake: `there is no event '${written}', so nothing is ever called for it.${didYouMean(written, known) || ` The events are ${known.join(", ")} and command:NAME.`}` };
}

/** Whether a dispatch of its event is one that a subscription is for. */
export function isMeant({ theirs, command }: Subscription, payload: object): boolean {
	if (theirs === "command") return command === undefined || (payload as Payloads["command.running"]).name === command;
	const { only } = meanings[theirs] as { readonly only?: (payload: never) => boolean };
	return only?.(payload as never) ?? true;
}

/** The names of hooks are short and plain; one that is not is left to be numbered. */
const named = (name: string) => /^[\w.-]{1,64}$/.test(name) && { name };
