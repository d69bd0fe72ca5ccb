// Consent to shell hooks: whether what a hook would run now is what the user said yes to, and what is then started.
import { join } from "node:path";
import type { Consented, ShellHook } from "../../dialects/hermes-shell/hook.ts";
import type { Home } from "../../system/home.ts";
import { visibleLine } from "../../system/visible.ts";
import { ApprovedCopies, copyNameOf, removeCopies, type Taken, take } from "./copy.ts";
import { type ApprovedFile, definitionOf, digestOf, filesChanged, filesOf, sameDefinition, settingsChanged } from "./definition.ts";
import { Hashes } from "./hashes.ts";
import { NotRunnable, type Program, programOf, sameProgram } from "./program.ts";
import { type AllowList, AllowListReader, type Approval, changeAllowList, ConsentError } from "./record.ts";

/** `changed`: something else was approved. `not-runnable`: a file is missing or cannot be started. */
export type ConsentState = "approved" | "unapproved" | "changed" | "not-runnable";

/** A hook as it is at this moment. */
export interface Examined {
	readonly hook: ShellHook;
	readonly state: ConsentState;
	/** A sentence for model, user and lists; absent when it is approved. */
	readonly reason?: string;
	/** SHA-256 of the definition and all it runs; absent when that cannot be told. */
	readonly digest?: string;
	readonly program?: Program;
	readonly approval?: Approval;
}

export interface ConsentOptions {
	readonly home: Home;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Told, once, why the allow list cannot be relied on. */
	readonly warn: (message: string) => void;
}

export class Consent {
	readonly #options: ConsentOptions;
	readonly #list: AllowListReader;
	readonly #copies: ApprovedCopies;
	readonly #hashes = new Hashes();
	#seen: AllowList | undefined;
	/** Of each hook what was found last, and with which list: it is looked at before each start, and mostly nothing is new. */
	readonly #last = new WeakMap<ShellHook, { readonly examined: Examined & { readonly program: Program }; readonly approvals: readonly Approval[] }>();

	constructor(options: ConsentOptions) {
		this.#options = options;
		this.#list = new AllowListReader(options.home);
		this.#copies = new ApprovedCopies(options.home);
	}

	/** What is started for a call of a hook; looks anew each time, so an edit and a revocation count at once. `cwd` is absolute. */
	async for(hook: ShellHook, cwd: string): Promise<Consented> {
		const { state, program, reason } = this.examine(hook, cwd);
		if (state !== "approved" || program === undefined) return { kind: "unapproved", reason: reason ?? "It is not approved." };
		try {
			const [file, ...args] = this.#copies.argvOf(program, () => take(program));
			return { kind: "approved", file, args };
		} catch (error) {
			if (error instanceof NotRunnable || error instanceof ConsentError) return { kind: "unapproved", reason: `${nameOf(hook)} is not started: ${error.message}` };
			throw error;
		}
	}

	/** Reads and hashes; starts nothing. */
	examine(hook: ShellHook, cwd: string): Examined {
		const approvals = this.#approvals();
		let program: Program;
		try {
			const { home, environment } = this.#options;
			program = programOf(hook.words, { cwd, searched: environment["PATH"] ?? "", ownHooks: join(home.path, "hooks"), hashes: this.#hashes });
		} catch (error) {
			if (!(error instanceof NotRunnable)) throw error;
			return { hook, state: "not-runnable", reason: `${nameOf(hook)} cannot be started: ${error.message}` };
		}
		const last = this.#last.get(hook);
		if (last !== undefined && last.approvals === approvals && sameProgram(last.examined.program, program)) return last.examined;
		const files = filesOf(program);
		const digest = digestOf(definitionOf(hook), files);
		const approval = approvals.find((entry) => entry.digest === digest);
		const examined = { hook, digest, program, ...(approval === undefined ? whyNot(hook, files, approvals) : { state: "approved" as const, approval }) };
		this.#last.set(hook, { examined, approvals });
		return examined;
	}

	/**
	 * Records that exactly this may run, whatever lies there by now.
	 * @throws ConsentError, HomeError
	 */
	async approve(hook: ShellHook, taken: Taken): Promise<void> {
		const { home, warn } = this.#options;
		const { program } = taken;
		const definition = definitionOf(hook);
		const files = filesOf(program);
		// At once, not at the first start: the home may be read-only by then.
		this.#copies.keep(program, () => taken);
		const copy = copyNameOf(program);
		const script = program.words.find((word) => typeof word !== "string" && word.root !== undefined);
		const approval: Approval = {
			event: hook.written,
			command: hook.command.trim(),
			approved_at: new Date().toISOString(),
			script_mtime_at_approval: typeof script === "object" ? new Date(script.hashed.changedAt).toISOString() : null,
			digest: digestOf(definition, files),
			definition,
			files,
			...(copy !== undefined && { copy }),
		};
		// What the same definition ran before is not approved any more, so that nobody can put an older script back; nor is an entry without a hash.
		const replaced = (entry: Approval) => (entry.definition === undefined ? entry.event === approval.event && entry.command.trim() === approval.command : sameDefinition(entry.definition, definition));
		const now = await changeAllowList(home, (before) => [...before.filter((entry) => !replaced(entry)), approval], warn);
		removeCopies(home, copiesIn(now), []);
	}

	/** Takes approvals back, in processes that run as well: they look before each start. Gives what was removed. @throws ConsentError, HomeError */
	async revoke(isMeant: (approval: Approval) => boolean): Promise<readonly Approval[]> {
		const { home, warn } = this.#options;
		if (!this.#approvals().some(isMeant)) return [];
		let removed: readonly Approval[] = [];
		const now = await changeAllowList(
			home,
			(before) => {
				removed = before.filter(isMeant);
				return before.filter((entry) => !isMeant(entry));
			},
			warn,
		);
		removeCopies(home, copiesIn(now), copiesIn(removed));
		return removed;
	}

	/** All there are, those of hooks that are not configured included. */
	approvals(): readonly Approval[] {
		return this.#approvals();
	}

	#approvals(): readonly Approval[] {
		const list = this.#list.read();
		if (list === this.#seen) return list.approvals;
		if (list.problem !== undefined && list.problem !== this.#seen?.problem) this.#options.warn(list.problem);
		this.#seen = list;
		for (const { sha256, identity } of list.approvals.flatMap(({ files = [] }) => files)) if (identity !== undefined) this.#hashes.remember(identity, sha256);
		return list.approvals;
	}
}

const copiesIn = (approvals: readonly Approval[]): readonly string[] => approvals.flatMap(({ copy }) => (copy === undefined ? [] : [copy]));

/** Who it is, as sentences begin with it. */
export const nameOf = ({ id, command }: ShellHook): string => `The hook ${id} (${visibleLine(command)})`;

/** What to type to be asked about a hook. */
export const allowing = ({ id }: ShellHook): string => `hookline hooks allow ${id}`;

function whyNot(hook: ShellHook, files: readonly ApprovedFile[], approvals: readonly Approval[]): { readonly state: ConsentState; readonly reason: string } {
	const ask = `'${allowing(hook)}' shows it and asks.`;
	const definition = definitionOf(hook);
	const known = approvals.filter(({ event, command }) => event === hook.written && command.trim() === hook.command.trim());
	const same = known.find((entry) => entry.definition !== undefined && sameDefinition(entry.definition, definition));
	if (same?.files !== undefined) return { state: "changed", reason: `${nameOf(hook)} is not what was approved: ${filesChanged(same.files, files).join("; ")}. ${ask}` };
	const other = known.findLast((entry) => entry.definition !== undefined);
	if (other?.definition !== undefined) return { state: "changed", reason: `${nameOf(hook)} is not what was approved: ${settingsChanged(other.definition, definition).join("; ")}. ${ask}` };
	if (known.length > 0) return { state: "unapproved", reason: `${nameOf(hook)} was approved by its name alone, without its content, which is not enough. ${ask}` };
	return { state: "unapproved", reason: `${nameOf(hook)} is not approved: nobody has said yes to it. ${ask}` };
}
