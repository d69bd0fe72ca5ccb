// What an import did, or would do: everything that was looked at is in one of its lists.

export type Kind = "shell hook" | "outbound webhook" | "gateway hook" | "plugin" | "extension" | "script" | "setting" | "approval" | "file";

/** Something of Hermes Agent's that is in Hookline's home now. */
export interface Brought {
	readonly kind: Kind;
	/** What Hermes Agent calls it: the command of a hook, a folder such as `plugins/guard`, a setting. */
	readonly name: string;
	/** Where it is here: an absolute path, or a setting of config.yaml. */
	readonly to: string;
}

/** Something that should have come along and did not. */
export interface Problem {
	readonly kind: Kind;
	readonly name: string;
	/** A sentence: why, and what to do. */
	readonly message: string;
}

export interface ChangedMeaning {
	/** A sentence. */
	readonly message: string;
	/** A document of ours, with its section. */
	readonly see: string;
}

export interface Report {
	/** Both absolute. */
	readonly from: string;
	readonly home: string;
	/** Nothing was written; `copied` is what would be. */
	readonly dryRun: boolean;
	readonly copied: readonly Brought[];
	/** What was here before, just as it is there. */
	readonly present: readonly Brought[];
	/** Conflicts, and what cannot be read or must not be followed. */
	readonly problems: readonly Problem[];
	/** What works in another way here, of what was brought. */
	readonly changes: readonly ChangedMeaning[];
	/** What Hookline has no place for, a sentence each. */
	readonly leftOut: readonly string[];
	/** What to do now, a sentence each. */
	readonly next: readonly string[];
}

const page = "docs/coming-from-hermes.md";

/** What differs for everything of a kind, each with the section that says it at length. */
export const rules = {
	consent: ["Shell hooks ask again: a yes is bound to the whole definition and to the content of what runs. Until then an open hook is left out, and one with fail_closed blocks.", `${page}#shell-hooks`],
	spellings: ["A shell hook's refusal counts in any agent's spelling, and so does what a transform_* hook prints, which Hermes drops. With mode: faithful it is as there.", `${page}#shell-hooks`],
	closed: ["A hook with fail_closed also blocks when it exits with another code than 0 and says nothing, and at every event that waits for an answer; in Hermes at pre_tool_call alone.", `${page}#shell-hooks`],
	gateway: ["Gateway hooks are called in every conversation, in the terminal too, and a handler's time is limited.", `${page}#gateway-hooks`],
	extension: ["An extension in Python shares its turn state and its process with the other ones; what it injects into a model call is for that call alone.", `${page}#extensions-in-python`],
	plugin: ["Plugins run in a Python process of their own, and those that are not enabled are named at each start.", `${page}#plugins`],
	boot: ["BOOT.md is for the start of the gateway; conversations in the terminal do not read it.", `${page}#what-hookline-import-hermes-does`],
	owners: ["Whom Hermes's gateway let in may talk to the agent. Its questions are answered by owners alone, and there is none yet: put your own id into gateway.access.owners.", `${page}#the-gateway`],
	groups: ["In groups the agent hears what is said to it alone, unless gateway.groups says otherwise.", `${page}#the-gateway`],
	addresses: ["Microsoft Teams and WhatsApp reach this gateway at /platforms/teams and /platforms/whatsapp: change the address there.", `${page}#the-gateway`],
	ownFolder: ["~/.hermes in code still means the folder of Hermes; HERMES_HOME means Hookline's home for shell hooks.", `${page}#what-hookline-import-hermes-does`],
} as const satisfies Readonly<Record<string, readonly [message: string, see: string]>>;

/** The sections that single remarks refer to. */
export const sections = { shellHooks: `${page}#shell-hooks`, settings: `${page}#settings`, import: `${page}#what-hookline-import-hermes-does`, plugins: `${page}#plugins`, gateway: `${page}#the-gateway` } as const;

/** Collects what the parts of an import find. */
export class Findings {
	readonly copied: Brought[] = [];
	readonly present: Brought[] = [];
	readonly problems: Problem[] = [];
	readonly leftOut: string[] = [];
	readonly next: string[] = [];
	readonly #changes = new Map<string, ChangedMeaning>();

	get changes(): readonly ChangedMeaning[] {
		return [...this.#changes.values()];
	}

	rule(name: keyof typeof rules): void {
		const [message, see] = rules[name];
		this.changed(message, see);
	}

	changed(message: string, see: string): void {
		this.#changes.set(message, { message, see });
	}

	leave(message: string): void {
		if (!this.leftOut.includes(message)) this.leftOut.push(message);
	}
}
