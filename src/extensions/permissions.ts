// What an extension that was installed may do: what its manifest asks for, what the user granted, and where the difference is held.
import { fieldTest } from "../engine/matcher.ts";

export { GrantError } from "../events/grant-error.ts";

/** A set of permissions; what is not in it was not asked for, or not granted. */
export interface Permissions {
	/** Events it may hook: names, `tool.*`, `*`. */
	readonly events: readonly string[];
	/** Names of tools, `*` as wildcard: those it may bring, and built-in ones it may take the place of. */
	readonly tools: { readonly register: readonly string[]; readonly override: readonly string[] };
	/** Files and folders with all below them: absolute, from `~/` on, or from the working folder (`.`) on. */
	readonly paths: { readonly read: readonly string[]; readonly write: readonly string[] };
	/** `api.example.com`, with a port where it is another than the usual one, `*.example.com`, `*`. */
	readonly hosts: readonly string[];
	/** Names of environment variables. */
	readonly env: readonly string[];
	/** Programs it may start: names, `*`. */
	readonly exec: readonly string[];
	/** To run in Hookline's own process. */
	readonly inline: boolean;
}

/** What the user put there themselves may do everything: it is theirs. */
export type Granted = Permissions | "everything";

export const noPermissions: Permissions = { events: [], tools: { register: [], override: [] }, paths: { read: [], write: [] }, hosts: [], env: [], exec: [], inline: false };

interface Area {
	of(permissions: Permissions): readonly string[];
	/** Whether what was granted holds what is wanted. */
	covers(granted: string, wanted: string): boolean;
	/** What it may do, to be followed by the values. */
	readonly words: string;
	/** How it is held to that, by what stands around its process. */
	readonly held: Readonly<Record<Border, Held>>;
}

/** What stands around the process of an installed extension: bubblewrap and Node's permission model, that model alone, or nothing, in ours and in Python's. */
export type Border = "sandbox" | "seat belt" | "none";

export interface Held {
	/** `seat belt`: what an honest author runs into, and what one who means harm gets around. `declared`: nothing keeps the extension from it. */
	readonly as: "enforced" | "seat belt" | "declared";
	/** In a sentence. */
	readonly how: string;
}

const nameFits = (granted: string, wanted: string) => fieldTest(granted)!(wanted);
const same = (granted: string, wanted: string) => granted === "*" || granted === wanted;
const everywhere = (how: string): Area["held"] => ({ sandbox: { as: "enforced", how }, "seat belt": { as: "enforced", how }, none: { as: "enforced", how } });
const byBorder = (sandbox: string, seatBelt: string): Area["held"] => ({
	sandbox: { as: "enforced", how: sandbox },
	"seat belt": { as: "seat belt", how: seatBelt },
	none: { as: "declared", how: "Declared only: its process has your rights, and nothing of ours stands in its way." },
});

/** Every kind of permission once; comparison, words and `extensions info` derive from it. */
export const areas = {
	events: { of: ({ events }) => events, covers: nameFits, words: "hook", held: everywhere("With a hook at any other event it is not loaded.") },
	"tools.register": { of: ({ tools }) => tools.register, covers: nameFits, words: "bring the tools", held: everywhere("Another tool that it brings is left out, and that is said.") },
	"tools.override": { of: ({ tools }) => tools.override, covers: nameFits, words: "take the place of the tools", held: everywhere("A tool in the place of another built-in one gets a name of its own, and that is said.") },
	"paths.read": { of: ({ paths }) => paths.read, covers: isBelow, words: "read", held: byBorder("Nothing else of the disk is there for its process.", "Node's permission model refuses anything else, but for node:sqlite and links in a granted folder that lead out of it.") },
	"paths.write": { of: ({ paths }) => paths.write, covers: isBelow, words: "write", held: byBorder("Nothing else of the disk is there for its process.", "Node's permission model refuses anything else, but for node:sqlite and links in a granted folder that lead out of it.") },
	hosts: { of: ({ hosts }) => hosts, covers: isHostOf, words: "connect to", held: byBorder("Its process has no network; Hookline does what its 'fetch' asks for, at these hosts alone.", "Hookline does what its 'fetch' asks for, at these hosts alone; sockets are refused by code in its own process.") },
	env: { of: ({ env }) => env, covers: same, words: "see the variables", held: byBorder("Its process has no others, and sees no other process.", "Its process has no others; those of Hookline's own are as closed as other files are.") },
	exec: { of: ({ exec }) => exec, covers: same, words: "start", held: byBorder("Hookline starts what its 'exec' asks for, these alone, with your rights; its own process starts none.", "Hookline starts what its 'exec' asks for, these alone, with your rights; Node's permission model refuses any other way.") },
	inline: { of: ({ inline }) => (inline ? ["yes"] : []), covers: same, words: "run inside Hookline's own process, where nothing can hold it", held: everywhere("Without it, it runs in a Node process that is not ours, and is not loaded where config.yaml says 'host: inline' of it.") },
} as const satisfies Readonly<Record<string, Area>>;

/** What is open all the same, a sentence each. */
export const holesOf = (border: Border): readonly string[] => [
	"What it asks of the agent (callTool, sendMessage) is not held by its permissions, but by your hooks and approvals, as what the model asks for.",
	"A program that it may start can do all you can.",
	...(border === "none" ? [] : ["Extensions that were granted exactly the same share a process, in which nothing keeps them apart."]),
	...(border === "seat belt" ? ["Without bubblewrap it can write files by way of node:sqlite, send signals to your processes, and open sockets when it sets its mind to it. Install bubblewrap ('bwrap')."] : []),
];

export type AreaName = keyof typeof areas;
export const areaNames = Object.keys(areas) as readonly AreaName[];

/** One thing it may do, or would like to. */
export interface Permission {
	readonly area: AreaName;
	readonly value: string;
}

/** A set, thing by thing. */
export const listOf = (permissions: Permissions): readonly Permission[] => areaNames.flatMap((area) => areas[area].of(permissions).map((value) => ({ area, value })));

/** What is wanted beyond what was granted. */
export function more(granted: Granted, wanted: Permissions): readonly Permission[] {
	return listOf(wanted).filter(({ area, value }) => !allows(granted, area, value));
}

export const allows = (granted: Granted, area: AreaName, value: string): boolean => granted === "everything" || areas[area].of(granted).some((one) => areas[area].covers(one, value));

/** The set that holds exactly these. */
export function setOf(permissions: readonly Permission[]): Permissions {
	const of = (area: AreaName) => [...new Set(permissions.filter((one) => one.area === area).map(({ value }) => value))];
	return {
		events: of("events"),
		tools: { register: of("tools.register"), override: of("tools.override") },
		paths: { read: of("paths.read"), write: of("paths.write") },
		hosts: of("hosts"),
		env: of("env"),
		exec: of("exec"),
		inline: of("inline").length > 0,
	};
}

/** A line for each area of a list: `hook tool.calling, tool.called`. */
export function inWords(permissions: readonly Permission[]): readonly string[] {
	return [...Map.groupBy(permissions, ({ area }) => area)].map(([area, some]) => (area === "inline" ? areas[area].words : `${areas[area].words} ${some.map(({ value }) => value).join(", ")}`));
}

function isBelow(granted: string, wanted: string): boolean {
	const folder = granted.replace(/\/+$/, "");
	return folder === wanted.replace(/\/+$/, "") || wanted.startsWith(`${folder}/`) || (folder === "." && !/^[~/]/.test(wanted));
}

function isHostOf(granted: string, wanted: string): boolean {
	return same(granted, wanted) || (granted.startsWith("*.") && wanted.endsWith(granted.slice(1)));
}
