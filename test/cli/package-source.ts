// An extension as an author would publish it, version after version, in each of the ways there are to install one.
import { spawnSync } from "node:child_process";
import assert from "node:assert/strict";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { startNpmRegistry } from "../programs/npm-registry.ts";
import { tgz } from "../programs/tar-file.ts";
import { callTerminal, extension, jsonLines, type Place } from "./program.ts";

export type Files = Readonly<Record<string, string>>;

/** A guard that lets nothing be touched, and says the version. */
export function guardPackage(version: string, more = "", name = "calm"): Files {
	return {
		"EXTENSION.yaml": `name: ${name}\nversion: ${version}\ndescription: Nothing is touched.\nevents: [tool.calling]\n${more}`,
		"index.ts": extension(`	hooks.guard("tool.calling", { name: "no-touch", tool: "terminal" }, (call) => String(call.args["command"]).includes("touch") ? block("Says ${version}.") : undefined);`),
	};
}

export function writeFiles(folder: string, files: Files): void {
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(folder, path)), { recursive: true });
		writeFileSync(join(folder, path), text);
	}
}

export const archiveOf = (files: Files): Buffer => tgz(Object.entries(files).map(([path, text]) => ({ path: `package/${path}`, text })));

/** Somewhere to install from. */
export interface PackageSource extends AsyncDisposable {
	/** What is given to `extensions install`. */
	readonly source: string;
	readonly env?: Readonly<Record<string, string>>;
	publish(version: string, files: Files): void;
}

/** `folder`: where it may keep what it needs; it is there. */
export const sources: Readonly<Record<string, (folder: string) => Promise<PackageSource>>> = {
	async npm() {
		const registry = await startNpmRegistry();
		return {
			source: "hookline-calm",
			env: { npm_config_registry: registry.url },
			publish: (version, files) => registry.publish("hookline-calm", version, archiveOf({ ...files, "package.json": JSON.stringify({ name: "hookline-calm", version, scripts: { install: "touch installed", prepack: "touch installed" } }) })),
			[Symbol.asyncDispose]: () => registry[Symbol.asyncDispose](),
		};
	},
	async git(folder) {
		const [work, bare] = [join(folder, "git-work"), join(folder, "calm.git")];
		git(folder, "init", "--quiet", "--bare", "--initial-branch=main", bare);
		git(folder, "init", "--quiet", "--initial-branch=main", work);
		return {
			source: `git+file://${bare}`,
			publish(version, files) {
				writeFiles(work, files);
				git(work, "add", "--all");
				git(work, "-c", "user.name=Author", "-c", "user.email=author@example.org", "commit", "--quiet", "--message", version);
				git(work, "tag", `v${version}`);
				git(work, "push", "--quiet", bare, "main", `v${version}`);
			},
			async [Symbol.asyncDispose]() {},
		};
	},
	async archive(folder) {
		const source = join(folder, "calm.tgz");
		return { source, publish: (_, files) => writeFileSync(source, archiveOf(files)), async [Symbol.asyncDispose]() {} };
	},
	async folder(folder) {
		const source = join(folder, "calm");
		return {
			source,
			publish(_, files) {
				rmSync(source, { recursive: true, force: true });
				writeFiles(source, files);
			},
			async [Symbol.asyncDispose]() {},
		};
	},
};

export function git(cwd: string, ...args: readonly string[]): string {
	const { status, stdout, stderr } = spawnSync("git", args, { cwd, encoding: "utf8", env: { PATH: process.env["PATH"], HOME: cwd, GIT_CONFIG_NOSYSTEM: "1" } });
	assert.equal(status, 0, stderr);
	return stdout.trim();
}

/** Tries to make a file; gives who blocked that, and why. */
export async function blocked(place: Place): Promise<string | undefined> {
	const { code, stdout, stderr } = await place.run(["run", "--json", callTerminal("touch made")]);
	assert.equal(code, 0, stderr);
	const called = jsonLines(stdout).find(({ event }) => event === "tool.called") as { readonly result: { readonly text: string }; readonly blockedBy?: string } | undefined;
	return called?.blockedBy === undefined ? undefined : called.result.text;
}

/** What `extensions info --json` prints, as far as tests look at it. */
export interface Info {
	readonly version: string;
	readonly state: string;
	readonly source: { readonly kind: string; readonly [more: string]: string };
	readonly granted: { readonly events: readonly string[]; readonly hosts: readonly string[] };
	readonly config?: unknown;
	readonly notes: readonly string[];
	readonly permissions: readonly { readonly area: string; readonly held: string; readonly granted: readonly string[] }[];
}

export const infoOf = async (place: Place, name = "calm"): Promise<Info> => JSON.parse((await place.run(["extensions", "info", name, "--json"])).stdout) as Info;
