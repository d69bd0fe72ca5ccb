// Puts a package in its place below the home, and takes it out again. What is there is always the old or the new, and the lock file says which.
import { randomBytes } from "node:crypto";
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Home } from "../../system/home.ts";
import { type Examined, mainIn } from "../examine.ts";
import { type Locked, type LockedSource, readLock, whileLocked, writeEntry } from "../lock.ts";
import type { Manifest } from "../manifest/manifest.ts";
import { ManifestError, manifestFile, ownVersion, parseManifest } from "../manifest/read.ts";
import { inOrder } from "../order.ts";
import type { Permissions } from "../permissions.ts";
import { bundledIn, type Content, contentOf, InstallError, installedContent, neededIn, type PackageFile, readFolder } from "./content.ts";
import { fetchPackage } from "./fetch.ts";
import type { Wanted } from "./source.ts";

export interface InstallPlace {
	readonly home: Home;
	readonly environment: Readonly<Record<string, string | undefined>>;
	readonly signal: AbortSignal;
}

/** A package that was fetched and looked at, and can be installed. */
export interface Candidate {
	readonly manifest: Manifest;
	readonly files: readonly PackageFile[];
	readonly content: Content;
	readonly source: LockedSource;
}

/**
 * Fetches a package and looks at it; nothing of it runs, and nothing of it stays.
 * @throws InstallError, ManifestError; the signal's reason.
 */
export async function fetchCandidate(wanted: Wanted, { home, environment, signal }: InstallPlace, installed: readonly Examined[]): Promise<Candidate> {
	const { files, source } = await fetchPackage(wanted, { folder: join(home.extensions, `.fetch-${randomBytes(6).toString("hex")}`), environment, signal });
	return candidateOf(files, source, installed);
}

/** A folder that is not copied: what lies there is loaded. @throws InstallError, ManifestError */
export const linkCandidate = (folder: string, installed: readonly Examined[]): Promise<Candidate> => candidateOf(readFolder(folder), { kind: "link", folder }, installed);

async function candidateOf(files: readonly PackageFile[], source: LockedSource, installed: readonly Examined[]): Promise<Candidate> {
	const manifest = await manifestIn(files);
	await refuseWithout(manifest, installed);
	return { manifest, files, content: contentOf(files), source };
}

/** The manifest of a package, which has all that it needs to be loaded. @throws InstallError, ManifestError */
export async function manifestIn(files: readonly PackageFile[]): Promise<Manifest> {
	const bytesOf = (path: string) => files.find((file) => file.path === path)?.bytes;
	const written = bytesOf(manifestFile);
	if (written === undefined) throw new InstallError(`There is no ${manifestFile} in it, so it is no extension that can be installed. It says what the extension is called, what it may do and what it needs.`);
	const manifest = await parseManifest(written, manifestFile);
	const main = mainIn(manifest, (path) => bytesOf(path) !== undefined);
	if (typeof main !== "string") throw new InstallError(`'${manifest.name}' cannot be installed: ${main.problem}`);
	const packageJson = bytesOf("package.json");
	const missing = packageJson === undefined ? [] : neededIn(packageJson).filter((name) => !files.some(({ path }) => path.startsWith(`node_modules/${name}/`)));
	if (missing.length > 0) {
		const bundled = bundledIn(packageJson!).length > 0 ? " beyond those it bundles" : "";
		throw new InstallError(`'${manifest.name}' needs packages of npm${bundled}, and does not bring them: ${missing.join(", ")}. No packages are installed for an extension; its author can bundle them ('bundleDependencies' in package.json).`);
	}
	return manifest;
}

/** @throws InstallError when what it needs is not there, or what is there cannot go on beside it. */
async function refuseWithout({ name, version, dependencies, conflicts }: Manifest, installed: readonly Examined[]): Promise<void> {
	const { satisfies } = await import("semver");
	const others = installed.filter((one) => one.name !== name).map(({ name: other, manifest, language }) => ({ name: other, version: manifest?.version, dependencies: manifest?.dependencies ?? {}, conflicts: manifest?.conflicts ?? [], out: undefined, round: language === "python" ? 1 : 0 }));
	const fits = (have: string, range: string) => satisfies(have, range, { includePrerelease: true });
	const { problems } = inOrder([...others, { name, version, dependencies, conflicts, out: undefined, round: 1 }], fits);
	const why = problems.get(name);
	if (why !== undefined) throw new InstallError(`'${name}' ${version} cannot be installed: ${why}`);
	const broken = others.find((one) => one.dependencies[name] !== undefined && !fits(version, one.dependencies[name]));
	if (broken !== undefined) throw new InstallError(`'${name}' ${version} cannot be installed: the extension '${broken.name}' needs '${name}' ${broken.dependencies[name]}.`);
}

/**
 * Writes it below the extensions, in the place of the version that is there, and the lock file.
 * @throws InstallError when it could not be written, or somebody else was quicker; what was there stays. LockError, HomeError
 */
export async function putInPlace({ manifest, files, content, source }: Candidate, granted: Permissions, before: Locked | undefined, { home }: InstallPlace): Promise<void> {
	const { name } = manifest;
	const folder = join(home.extensions, name);
	await whileLocked(home, async () => {
		if (JSON.stringify(readLock(home).lock.get(name)) !== JSON.stringify(before) || (before === undefined && lstatSync(folder, { throwIfNoEntry: false }))) throw new InstallError(`'${name}' was installed or changed by somebody else in the meantime. Look at it, and try again.`);
		mkdirSync(home.extensions, { recursive: true, mode: 0o700 });
		removeLeftovers(home.extensions);
		const id = randomBytes(6).toString("hex");
		const fresh = join(home.extensions, `.new-${id}`);
		const old = join(home.extensions, `.old-${id}`);
		const entry = entryFor({ manifest, content, source }, granted);
		try {
			if (source.kind === "link") symlinkSync(source.folder, fresh);
			else write(fresh, files);
			if (lstatSync(folder, { throwIfNoEntry: false })) renameSync(folder, old);
			renameSync(fresh, folder);
			await writeEntry(home, name, entry);
		} catch (error) {
			if (lstatSync(old, { throwIfNoEntry: false })) {
				rmSync(folder, { recursive: true, force: true });
				renameSync(old, folder);
			} else if (before === undefined) rmSync(folder, { recursive: true, force: true });
			rmSync(fresh, { recursive: true, force: true });
			throw new InstallError(`'${name}' cannot be written to ${home.extensions}, so nothing was changed: ${error instanceof Error ? error.message : String(error)}`);
		}
		rmSync(old, { recursive: true, force: true });
	});
}

function entryFor({ manifest, content, source }: Pick<Candidate, "manifest" | "content" | "source">, granted: Permissions): Locked {
	const bound = source.kind === "link" ? {} : { content: content.hash, files: content.files, manifest, readBy: ownVersion() };
	return { version: manifest.version, source, ...bound, granted, at: new Date().toISOString() };
}

function write(folder: string, files: readonly PackageFile[]): void {
	mkdirSync(folder, { mode: 0o700 });
	for (const { path, bytes, executable } of files) {
		const file = join(folder, path);
		mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
		writeFileSync(file, bytes, { mode: executable ? 0o700 : 0o600, flag: "wx" });
	}
}

/** What an installation that was ended in the middle left, in ms. */
const leftoverMs = 24 * 60 * 60_000;

function removeLeftovers(extensions: string): void {
	for (const name of readdirSync(extensions)) {
		const path = join(extensions, name);
		const found = /^\.(?:new|old|fetch)-[0-9a-f]{12}$/.test(name) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
		if (found !== undefined && Date.now() - found.mtimeMs > leftoverMs) rmSync(path, { recursive: true, force: true });
	}
}

/** What lies in the folder of an installed extension now, to be taken as it is. @throws InstallError, ManifestError */
export async function editedCandidate(home: Home, name: string, { source }: Locked, installed: readonly Examined[]): Promise<Candidate> {
	const folder = join(home.extensions, name);
	if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw new InstallError(`${folder} is gone: there is nothing to accept.`);
	const content = installedContent(folder);
	if ("problem" in content) throw new InstallError(`'${name}' cannot be accepted: ${content.problem}.`);
	const candidate = await candidateOf(readFolder(folder), source, installed);
	if (candidate.manifest.name !== name) throw new ManifestError(`Its ${manifestFile} calls it '${candidate.manifest.name}', and it was installed as '${name}'.`);
	return { ...candidate, content };
}

/** Records that what lies there is what the user agrees to. @throws InstallError, LockError, HomeError */
export async function acceptInPlace({ manifest, content, source }: Candidate, granted: Permissions, { home }: InstallPlace): Promise<void> {
	await whileLocked(home, async () => {
		const { name } = manifest;
		const now = installedContent(join(home.extensions, name));
		if ("problem" in now || now.hash !== content.hash) throw new InstallError(`'${name}' was edited again while you were asked. Look at it, and try again.`);
		await writeEntry(home, name, entryFor({ manifest, content, source }, granted));
	});
}

/** Takes an extension out that was installed; of a link the link. @throws InstallError, LockError, HomeError */
export async function removeInstalled(name: string, { home }: InstallPlace): Promise<void> {
	await whileLocked(home, async () => {
		const folder = join(home.extensions, name);
		const aside = join(home.extensions, `.old-${randomBytes(6).toString("hex")}`);
		// Out of sight first: half an extension must not be there for a moment.
		if (existsSync(folder) || lstatSync(folder, { throwIfNoEntry: false })) renameSync(folder, aside);
		await writeEntry(home, name, undefined);
		rmSync(aside, { recursive: true, force: true });
	});
}
