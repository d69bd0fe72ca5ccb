// The shell hooks of a trusted project when they are started: the bytes that were trusted, as long as the folder is.
import { statSync } from "node:fs";
import type { Consented, ShellHook } from "../../dialects/hermes-shell/hook.ts";
import type { Home } from "../../system/home.ts";
import { nameOf } from "../consent/consent.ts";
import { ApprovedCopies } from "../consent/copy.ts";
import { piecesOf } from "../consent/definition.ts";
import { Hashes, identityOf, slowestTickMs } from "../consent/hashes.ts";
import { NotRunnable, type Piece } from "../consent/program.ts";
import { ConsentError } from "../consent/record.ts";
import type { Project } from "./project.ts";
import { readDecisions, recordFile } from "./record.ts";

export class TrustedHooks {
	readonly #project: Project;
	readonly #home: Home;
	readonly #copies: ApprovedCopies;
	readonly #hashes = new Hashes();
	#record: { readonly identity: string | undefined; readonly isTrusted: boolean } | undefined;

	constructor(project: Project, home: Home) {
		this.#project = project;
		this.#home = home;
		this.#copies = new ApprovedCopies(home);
	}

	/** What is started for a call of a hook; trust that was taken back, and another interpreter, count at once. */
	async for(hook: ShellHook): Promise<Consented> {
		const found = this.#project.hooks.find((one) => one.hook === hook);
		const not = (why: string): Consented => ({ kind: "unapproved", reason: `${nameOf(hook)} is not started: ${why}` });
		if (found === undefined || !this.#isTrusted()) return not(`${this.#project.folder} is not trusted any more. 'hookline trust' shows it and asks.`);
		const { taken } = found;
		try {
			const changed = piecesOf(taken.program).find((piece) => piece.root === undefined && !this.#isAsTrusted(piece));
			if (changed !== undefined) return not(`the ${changed.as === "interpreter" ? "interpreter" : "program"} ${changed.path} has changed since ${this.#project.folder} was trusted. 'hookline trust' shows it and asks.`);
			const [file, ...args] = this.#copies.argvOf(taken.program, () => taken);
			return { kind: "approved", file, args };
		} catch (error) {
			if (error instanceof NotRunnable || error instanceof ConsentError) return not(error.message);
			throw error;
		}
	}

	/** Of what runs in its own place. */
	#isAsTrusted({ path, hashed }: Piece): boolean {
		if (hashed.identity !== undefined) this.#hashes.remember(hashed.identity, hashed.sha256);
		try {
			return this.#hashes.of(path).sha256 === hashed.sha256;
		} catch {
			return false;
		}
	}

	/** Read again when trust.json has become another file. */
	#isTrusted(): boolean {
		const identity = this.#look();
		if (this.#record === undefined || identity === undefined || identity !== this.#record.identity) {
			const { folder, hash } = this.#project;
			this.#record = { identity, isTrusted: readDecisions(this.#home).decisions.get(folder)?.trusted?.hash === hash };
		}
		return this.#record.isTrusted;
	}

	/** Undefined where it cannot be told whether it is the same. */
	#look(): string | undefined {
		try {
			const found = statSync(recordFile(this.#home), { bigint: true });
			return Date.now() - Number(found.ctimeMs) < slowestTickMs ? undefined : identityOf(found);
		} catch {
			return undefined;
		}
	}
}
