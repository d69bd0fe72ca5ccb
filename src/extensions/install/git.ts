// A commit of a git repository as a package. Nothing is checked out: no hooks, no submodules, and links are refused like in any archive.
import { archiveReader } from "./archive.ts";
import { InstallError } from "./content.ts";
import { type ProgramResult, runProgram } from "./program.ts";
import type { Fetched, FetchOptions, Wanted } from "./source.ts";

/** In front of every command: of the ways to reach a repository those that start no program of its choice. */
const careful = ["-c", "core.hooksPath=/dev/null", "-c", "init.templateDir=", "-c", "fetch.recurseSubmodules=false", "-c", "gc.auto=0"];

export async function fetchGit({ url, ref }: Extract<Wanted, { readonly kind: "git" }>, { folder, environment, signal }: FetchOptions): Promise<Fetched> {
	const git = (args: readonly string[], onOutput?: (piece: Buffer) => void) => runProgram("git", [...careful, ...args], { cwd: folder, env: environmentFor(environment), signal, ...(onOutput && { onOutput }) });
	await orRefuse(url, git(["init", "--bare", "--quiet", "."]));
	const isCommit = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(ref ?? "");
	// Only some servers give a single commit by its number.
	if (isCommit) await orRefuse(url, git(["fetch", "--quiet", "--no-tags", "--", url, "+refs/heads/*:refs/heads/*", "+refs/tags/*:refs/tags/*"]));
	else await orRefuse(url, git(["fetch", "--quiet", "--no-tags", "--depth", "1", "--", url, ref ?? "HEAD"]));
	const found = await git(["rev-parse", "--verify", "--quiet", "--end-of-options", `${isCommit ? ref : "FETCH_HEAD"}^{commit}`]);
	const commit = found.output.trim();
	if (found.exitCode !== 0) throw new InstallError(`${url} has no commit ${ref ?? "at all"} on any of its branches and tags.`);
	const reader = await archiveReader(`${url} at ${commit.slice(0, 12)}`);
	await orRefuse(url, git(["archive", "--format=tar", "--prefix=package/", commit], (piece) => reader.write(piece)));
	return { files: reader.end(), source: { kind: "git", url, ...(ref !== undefined && { ref }), commit } };
}

async function orRefuse(url: string, running: Promise<ProgramResult>): Promise<void> {
	const { exitCode, errors } = await running;
	if (exitCode === 0) return;
	const lines = errors.split("\n").map((line) => line.trim()).filter(Boolean);
	throw new InstallError(`git could not get ${url}: ${(lines.filter((line) => /^(?:fatal|error):/.test(line)).join(" ") || lines.slice(0, 3).join(" ") || "it did not say why").replace(/\.?$/, ".")}`);
}

/** Without what ties git to a repository around us, and with no question that nobody could answer. */
function environmentFor(environment: FetchOptions["environment"]): Record<string, string | undefined> {
	const kept = Object.entries(environment).filter(([name]) => !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|ALTERNATE_OBJECT_DIRECTORIES|NAMESPACE|CEILING_DIRECTORIES|COMMON_DIR)$/.test(name));
	return { ...Object.fromEntries(kept), GIT_ALLOW_PROTOCOL: "https:ssh:file", GIT_TERMINAL_PROMPT: "0", GIT_LFS_SKIP_SMUDGE: "1" };
}
