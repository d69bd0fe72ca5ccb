// What a path means: whether it is the disk, a home, a part of the system, what guards the agent, or a place of ordinary work.
import { closeSync, constants, openSync, readlinkSync, readSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { canBe, isConstant, one, star, unknown } from "./field.ts";

/** Where a command is judged. All paths are absolute. */
export interface PolicyPlace {
	/** The user's home folder. */
	readonly home: string;
	/** Hookline's own folder. */
	readonly hookline: string;
	/** The home of Hermes Agent around it, whose hooks run here too. */
	readonly hermes?: string | undefined;
	/** What a shell of the agent inherits. */
	readonly environment: Readonly<Record<string, string | undefined>>;
}

/** Inside Hookline's folder, free for the agent: its notes, and long texts that hooks gave it. */
const open = ["memory", "context"];
/** What guards the agent. A folder the user chose may hold other things beside these. */
const guards =
	/^(?:config\.|settings\.|\.env|trust|approvals\.|shell-hooks|hookline\.db|(?:extensions|hooks|agent-hooks|plugins|profiles|cron|bin|approved|live|allowlist|policy|skills|mcp|logs|copies|audit|gateway-people|gateway-token|gateway-http|gateway-control|logins|undelivered)(?:\.|$)|gateway\.(?:env|json|lock)|boot\.md$)/i;
const guardFolders = ["config.yaml", "extensions", "extensions.lock.json", "hooks", "agent-hooks", "plugins", "trust.json", "trusted", "approved", "approvals.json", "shell-hooks-allowlist.json", "hookline.db", "audit", "gateway-people.json", "gateway-token", "gateway.env", "gateway-control", "logins"];
const system = ["bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "media", "mnt", "nix", "opt", "proc", "root", "run", "sbin", "srv", "sys", "usr", "var", "Applications", "Library", "System", "Users", "Volumes", "private"];
const systemInner = ["/usr/bin", "/usr/lib", "/usr/sbin", "/usr/local", "/usr/share", "/var/lib", "/var/log", "/etc/ssh", "/etc/systemd", "/private/etc", "/private/var", "/System/Library"];
const devices = /^\/dev\/(?:r?disk|sd[a-z]|hd[a-z]|vd[a-z]|xvd[a-z]|nvme|mmcblk|md\d|dm-|mapper\/|loop\d|zd\d|sr\d|mem$|kmem$|port$|disk\/)/;
const sensitive = [
	/\/\.(?:ssh|gnupg|aws|kube|docker|azure)(?:\/|$)/,
	/\/\.config\/(?:gcloud|gh|systemd|autostart|fish\/config\.fish|environment\.d)(?:\/|$)/,
	/\/\.(?:bashrc|bash_profile|bash_login|bash_logout|profile|zshrc|zshenv|zprofile|zlogin|kshrc|cshrc|tcshrc|netrc|npmrc|yarnrc|pypirc|gitconfig|git-credentials|inputrc|pgpass|my\.cnf|vault-token|Xresources|xinitrc|pam_environment)$/,
	/\/\.env(?:\.(?!example$|sample$|template$|dist$)[\w.-]+)?$/,
	/\/\.git\/(?:hooks(?:\/|$)|config$)/,
	/\/(?:authorized_keys|id_(?:rsa|ed25519|ecdsa|dsa)|known_hosts|sudoers|crontab|shadow|passwd|docker\.sock)$/,
	/^\/(?:private\/)?etc(?:\/|$)/,
	/^\/(?:boot|bin|sbin|lib|lib64|usr|sys|proc\/sys|System|Library)(?:\/|$)/,
	/^\/var\/(?:spool\/cron|lib\/dpkg|lib\/systemd)(?:\/|$)/,
	/\/Library\/Launch(?:Agents|Daemons)(?:\/|$)/,
];
const regenerable = new Set(["node_modules", "dist", "build", "out", "target", "coverage", "__pycache__", ".pytest_cache", ".mypy_cache", ".ruff_cache", ".cache", ".next", ".nuxt", ".turbo", ".parcel-cache", ".venv", "venv", "tmp", "temp", ".tmp", ".gradle", ".tox", ".eggs", "obj", "_build", "htmlcov", ".nyc_output", "bower_components", "cmake-build-debug", "cmake-build-release"]);
const mostScript = 256 * 1024;

export class Paths {
	readonly home: string;
	readonly hookline: string;
	readonly environment: PolicyPlace["environment"];
	readonly #homes: readonly string[];
	readonly #hookline: readonly string[];
	/** Those in which everything is Hookline's. */
	readonly #whole: readonly string[];
	readonly #real = new Map<string, string>();

	constructor({ home, hookline, hermes, environment }: PolicyPlace) {
		this.home = home;
		this.hookline = hookline;
		this.environment = environment;
		this.#homes = [...new Set([home, this.real(home), ...(environment["HOME"] ? [resolve(environment["HOME"])] : [])])];
		const own = [hookline, this.real(hookline)];
		this.#hookline = [...new Set([...own, ...(hermes === undefined ? [] : [hermes, this.real(hermes)])])];
		this.#whole = hermes === undefined ? own.filter((folder) => basename(folder) === ".hookline") : own;
	}

	/** Absolute, `~` and `..` resolved; undefined where that cannot be known. */
	resolve(path: string, cwd: string | undefined): string | undefined {
		const whole = path.replace(/^~(?=\/|$)/, this.home);
		if (whole.startsWith("/")) return resolve("/", whole);
		return cwd === undefined || path.includes("\0") ? undefined : resolve(cwd, whole);
	}

	/** Both what is written and, where it goes through symbolic links, what it leads to. */
	both(path: string): readonly string[] {
		const real = this.real(path);
		return real === path ? [path] : [path, real];
	}

	/** Where a path leads, also when it does not exist yet. */
	real(path: string): string {
		const known = this.#real.get(path);
		if (known !== undefined) return known;
		const found = realOf(path, 0);
		this.#real.set(path, found);
		return found;
	}

	/** Configuration, extensions, trust and allow lists of the agent itself: the folder around them counts as well. */
	isGuard(path: string): boolean {
		return this.both(path).some((one) => this.#isGuard(one));
	}

	#isGuard(path: string): boolean {
		const pieces = path.split("/");
		for (const home of this.#hookline) {
			const base = home.split("/");
			if (!base.every((piece, i) => canBe(this.#piece(pieces, i), fold(piece)))) continue;
			const inner = this.#piece(pieces, base.length);
			if (pieces.length <= base.length || inner === "") return true;
			if (open.includes(inner)) return false;
			if (this.#whole.includes(home)) return true;
			if (guards.test(inner) || /^\.(?:config|trust|approvals|shell-hooks)/.test(inner)) return true;
			if (!isConstant(inner) && guardFolders.some((name) => canBe(inner, name) || inner.includes(unknown))) return true;
		}
		return pieces.some((_, i) => {
			const piece = this.#piece(pieces, i);
			if (isConstant(piece)) return piece === ".hookline";
			// A pattern could be meant for anything: it counts where the folder is there.
			return canBe(piece, ".hookline") && exists([...pieces.slice(0, i), ".hookline"].join("/"));
		});
	}

	/** A piece of a path, in one case where the file system does not tell cases apart. */
	#piece(pieces: readonly string[], at: number): string {
		return fold(pieces[at] ?? "");
	}

	/** What is lost when everything at this path is deleted, moved or closed, in words: only what nobody may lose. */
	wipes(path: string): string | undefined {
		for (const one of this.both(path)) {
			const found = this.#wipes(one);
			if (found !== undefined) return found;
		}
		return undefined;
	}

	#wipes(path: string): string | undefined {
		// All that is in a folder is as much as the folder.
		const whole = path.replace(/\/(?:\.?[\uE001\uE002][\uE001\uE002.]*|\.\uE002[\uE001\uE002.]*)$/, "") || "/";
		const pieces = whole.split("/").slice(1).filter(Boolean);
		if (pieces.length === 0) return "the whole disk";
		if (pieces.length === 1 && system.some((name) => canBe(pieces[0]!, name))) return `/${pieces[0]!.replaceAll(star, "*").replaceAll(one, "?")}, a part of the system`;
		if (systemInner.some((folder) => samePieces(pieces, folder))) return `${whole}, a part of the system`;
		for (const home of this.#homes) if (samePieces(pieces, home)) return "the home folder";
		if (pieces.length === 2 && (pieces[0] === "home" || pieces[0] === "Users") && pieces[1] !== unknown && !pieces[1]!.includes(unknown)) return "somebody's home folder";
		for (const home of this.#hookline) {
			const base = home.split("/").slice(1);
			if (pieces.length <= base.length && pieces.every((piece, i) => canBe(piece, base[i]!))) return "Hookline's own folder";
		}
		return undefined;
	}

	isFolder(path: string): boolean {
		return isConstant(path) && (statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false);
	}

	isDevice(path: string): boolean {
		return this.both(path).some((one) => devices.test(one));
	}

	/** Where keys are, where a shell or the system takes its orders from. */
	isSensitive(path: string): boolean {
		return this.both(path).some((one) => !one.startsWith("/dev/") && !/^\/usr\/local\/(?:src|share|var)\//.test(one) && sensitive.some((pattern) => pattern.test(one)));
	}

	/** Below the working folder, or in a folder for what is passing. */
	isOrdinary(path: string, folder: string): boolean {
		return this.#isBelow(path, [folder]) || this.isPassing(path, folder) || /^\/dev\/(?:null|stdout|stderr|tty|shm\/.+)$/.test(path);
	}

	/** In a folder for what is passing, and no part of the working folder, which may lie there as well. */
	isPassing(path: string, folder: string): boolean {
		const temporary = ["/tmp", "/var/tmp", "/private/tmp", this.environment["TMPDIR"]?.replace(/\/$/, "") ?? ""];
		return this.#isBelow(path, temporary) && !this.#isBelow(path, [folder]) && path !== folder && !folder.startsWith(`${path}/`);
	}

	#isBelow(path: string, folders: readonly string[]): boolean {
		const bases = folders.flatMap((folder) => [folder, this.real(folder)]).filter((folder) => folder.length > 1);
		return this.both(path).every((one) => bases.some((base) => one.startsWith(`${base}/`)));
	}

	/** Made anew by the tools that made it. */
	isRegenerable(path: string, folder: string): boolean {
		return !path.includes(unknown) && this.#isBelow(path, [folder]) && path.slice(folder.length).split("/").some((piece) => regenerable.has(piece));
	}

	/** The text of a shell script on disk; undefined when there is none that can be read. */
	scriptAt(path: string, onlyWithInterpreter: boolean): string | undefined {
		try {
			const found = statSync(path);
			if (!found.isFile() || found.size > mostScript) return undefined;
			const bytes = Buffer.alloc(found.size);
			// Not blocking: what has become a pipe in the meantime must not hold us up.
			const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
			try {
				readSync(file, bytes, 0, found.size, 0);
			} finally {
				closeSync(file);
			}
			if (bytes.includes(0)) return undefined;
			const text = bytes.toString();
			return onlyWithInterpreter && !/^#!.*\b(?:sh|bash|dash|zsh|ksh)\b/.test(text) ? undefined : text;
		} catch {
			return undefined;
		}
	}
}

const fold = process.platform === "darwin" || process.platform === "win32" ? (piece: string) => piece.toLowerCase() : (piece: string) => piece;
const samePieces = (pieces: readonly string[], folder: string): boolean => {
	const base = folder.split("/").slice(1);
	return pieces.length === base.length && pieces.every((piece, i) => canBe(piece, base[i]!));
};

function exists(path: string): boolean {
	return isConstant(path) && statSync(path, { throwIfNoEntry: false }) !== undefined;
}

function realOf(path: string, depth: number): string {
	if (path === "/" || depth > 40) return path;
	try {
		if (isConstant(path)) return realpathSync(path);
	} catch {
		try {
			return realOf(resolve(dirname(path), readlinkSync(path)), depth + 1);
		} catch {
			// Neither a file nor a link: what is above it may be one.
		}
	}
	return join(realOf(dirname(path), depth + 1), basename(path));
}
