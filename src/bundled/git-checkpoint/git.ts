// What the extension does with git. The person's index, branch, HEAD, stash and hooks are never used: a temporary index, and refs nobody else has.
import { copyFileSync, existsSync, lstatSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ExtensionApi } from "hookline";

export interface Checkpoint {
	readonly commit: string;
	readonly tree: string;
	/** Milliseconds since the epoch. */
	readonly at: number;
	/** What came after it, in a line. */
	readonly before: string;
}

/** The folder is in no working tree of git. */
export class NoRepository extends Error {
	override readonly name = "NoRepository";
}

const identity = Object.fromEntries(["AUTHOR", "COMMITTER"].flatMap((who) => [[`GIT_${who}_NAME`, "Hookline"], [`GIT_${who}_EMAIL`, "hookline@localhost"]]));
const settings = ["core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "advice.addEmbeddedRepo=false"].flatMap((setting) => ["-c", setting]);
const maxBytes = 4 * 1024 * 1024;
/** That many are listed. */
const most = 500;

/** One working tree. @throws Error, of all methods, in git's own words or because the time was up. */
export class Repository {
	readonly top: string;
	readonly #gitDir: string;
	readonly #exec: ExtensionApi["exec"];
	readonly #timeoutMs: number;
	/** Kept from one checkpoint to the next, so that only what changed is read again. */
	#index: { readonly folder: string; readonly file: string } | undefined;

	/** @throws NoRepository */
	static async at(cwd: string, exec: ExtensionApi["exec"], timeoutMs: number): Promise<Repository> {
		const { exitCode, stdout, stderr } = await exec("git", ["rev-parse", "--show-toplevel", "--absolute-git-dir"], { cwd, timeoutMs, env: { LC_ALL: "C" } });
		const [top, gitDir] = stdout.split("\n");
		if (exitCode !== 0 && /not a git repository|must be run in a work tree/.test(stderr)) throw new NoRepository(`${cwd} is in no git repository.`);
		if (exitCode !== 0 || !top || !gitDir) throw new Error(lastLine(stderr));
		return new Repository({ top, gitDir, exec, timeoutMs });
	}

	private constructor({ top, gitDir, exec, timeoutMs }: { readonly top: string; readonly gitDir: string; readonly exec: ExtensionApi["exec"]; readonly timeoutMs: number }) {
		this.top = top;
		this.#gitDir = gitDir;
		this.#exec = exec;
		this.#timeoutMs = timeoutMs;
	}

	/** The working tree as it is now, without what is ignored: the id of its tree. */
	async now(): Promise<string> {
		this.#index ??= this.#newIndex();
		try {
			await this.#git(["add", "--all", "."]);
			return await this.#git(["write-tree"]);
		} catch (error) {
			// What was broken off left a lock.
			this.close();
			throw error;
		}
	}

	/** The newest first. */
	async list(session: string): Promise<readonly Checkpoint[]> {
		if ((await this.#git(["for-each-ref", refOf(session)])) === "") return [];
		const log = await this.#git(["log", `--max-count=${most}`, "--format=%H %T %ct %s", refOf(session)]);
		return log.split("\n").map((line) => {
			const [commit = "", tree = "", seconds = "", ...before] = line.split(" ");
			return { commit, tree, at: Number(seconds) * 1000, before: before.join(" ") };
		});
	}

	/** Keeps a tree, unless the newest checkpoint of the session has it already. `before` is one line. */
	async keep(session: string, tree: string, before: string): Promise<void> {
		const ref = refOf(session);
		const [newest = "", kept] = (await this.#git(["for-each-ref", "--format=%(objectname) %(tree)", ref])).split(" ");
		if (kept === tree) return;
		const commit = await this.#git(["commit-tree", tree, ...(newest === "" ? [] : ["-p", newest]), "-m", before]);
		await this.#git(["update-ref", ref, commit, newest]);
	}

	/** What has to change for one tree to become another, a line for each file. */
	async changes(from: string, to: string): Promise<readonly string[]> {
		const changed = await this.#git(["diff-tree", "-r", "--no-renames", "--name-status", from, to]);
		return changed === "" ? [] : changed.split("\n");
	}

	/** Makes the files those of a tree. What changed since `now`, and what is ignored and so in no checkpoint, is never overwritten: then nothing is done. */
	async restore(now: string, tree: string): Promise<void> {
		const named = async (kind: "A" | "D") => (await this.#git(["diff-tree", "-r", "-z", "--no-renames", "--name-only", `--diff-filter=${kind}`, now, tree])).split("\0").filter((path) => path !== "");
		const gone = await named("D");
		// Git itself would overwrite what is ignored.
		for (const path of await named("A")) {
			const there = this.#inTheWay(path);
			if (there !== undefined && !gone.some((one) => one === there || one.startsWith(`${there}/`))) throw new Error(`${there} is ignored, so it is in no checkpoint, and it would be overwritten. Move it away first; nothing was changed.`);
		}
		await this.#git(["read-tree", "-m", "-u", now, tree]);
	}

	/** What lies where a file is to be made: the file itself, or one where a folder should be. */
	#inTheWay(path: string): string | undefined {
		for (let here = path; here !== "."; here = dirname(here)) {
			const found = lstatSync(join(this.top, here), { throwIfNoEntry: false });
			if (found !== undefined) return here === path || !found.isDirectory() ? here : undefined;
		}
		return undefined;
	}

	close(): void {
		if (this.#index !== undefined) rmSync(this.#index.folder, { recursive: true, force: true });
		this.#index = undefined;
	}

	#newIndex(): { readonly folder: string; readonly file: string } {
		const folder = mkdtempSync(join(tmpdir(), "hookline-checkpoint-"));
		const [own, file] = [join(this.#gitDir, "index"), join(folder, "index")];
		// It knows which files are as they were.
		if (existsSync(own)) copyFileSync(own, file);
		return { folder, file };
	}

	async #git(args: readonly string[]): Promise<string> {
		const env = { ...identity, ...(this.#index && { GIT_INDEX_FILE: this.#index.file }), LC_ALL: "C" };
		const { exitCode, stdout, stderr } = await this.#exec("git", [...settings, `--git-dir=${this.#gitDir}`, `--work-tree=${this.top}`, ...args], { cwd: this.top, env, timeoutMs: this.#timeoutMs, maxBytes });
		if (exitCode !== 0) throw new Error(`git ${args[0]}: ${lastLine(stderr)}`);
		return stdout.trimEnd();
	}
}

const refOf = (session: string): string => `refs/hookline/checkpoints/${session}`;
const lastLine = (text: string): string => text.trim().split("\n").at(-1) ?? "";
