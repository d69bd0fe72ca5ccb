// Arguments and variables that are shell code in disguise.
import { quoted } from "./field.ts";

/** `what` says where the code stood. */
export interface Carried {
	readonly what: string;
	readonly code: string;
}

/** Variables whose value some program runs as a command. */
const codeVariables = /^(?:GIT_SSH_COMMAND|GIT_SSH|GIT_PAGER|GIT_EDITOR|GIT_SEQUENCE_EDITOR|GIT_EXTERNAL_DIFF|GIT_PROXY_COMMAND|GIT_ASKPASS|SSH_ASKPASS|SUDO_ASKPASS|PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|PROMPT_COMMAND|RSYNC_RSH|CVS_RSH|TAR_OPTIONS|FZF_DEFAULT_COMMAND)$/;

const gitKeys = /^(?:core\.(?:sshcommand|editor|pager|fsmonitor|askpass|gitproxy)|sequence\.editor|diff\.external|credential(?:\..*)?\.helper|pager\.\w+|alias\..+|filter\..+\.(?:clean|smudge|process)|merge\..+\.driver|(?:diff|merge)tool\..+\.cmd|difftool\..+\.cmd|diff\..+\.(?:command|textconv)|gpg(?:\..+)?\.program|browser\..+\.cmd|uploadpack\.packobjectshook|remote\..+\.(?:uploadpack|receivepack|vcs)|trailer\..+\.(?:command|cmd)|interactive\.difffilter)$/i;

export function carriedBy(name: string, args: readonly string[], set: ReadonlyMap<string, unknown>): readonly Carried[] {
	const found: Carried[] = [];
	for (const [variable, value] of set) if (codeVariables.test(variable) && typeof value === "string" && value !== "") found.push({ what: variable, code: value });
	if (name === "git") found.push(...byGit(args, set));
	for (const option of options[name] ?? []) {
		args.forEach((arg, i) => {
			if (arg === option) found.push({ what: `${name} ${option}`, code: args[i + 1] ?? "" });
			else if (option.startsWith("--") && arg.startsWith(`${option}=`)) found.push({ what: `${name} ${option}`, code: arg.slice(option.length + 1) });
			else if (option.endsWith("=") && arg.toLowerCase().startsWith(option.toLowerCase())) found.push({ what: `${name} ${option}`, code: arg.slice(option.length) });
		});
	}
	if (name === "sed") for (const script of args) for (const [, code] of script.matchAll(/(?:^|[;\n}\d$/])\s*e\s+([^;\n]+)/g)) found.push({ what: "sed e", code: code! });
	if (/^(?:vim?|nvim|ex|view)$/.test(name)) for (const arg of args) for (const [, code] of arg.matchAll(/(?:^\+?|\|)\s*(?::?silent!?\s+)?:?!\s*(.+)$/gm)) found.push({ what: `${name} !`, code: code! });
	if (name === "tmux" || name === "screen") {
		const verb = args.findIndex((arg) => /^(?:new|new-session|new-window|neww|split-window|splitw|respawn-pane|run-shell|run|send-keys|send|if-shell|-X|stuff)$/.test(arg));
		const rest = args.slice(verb + 1);
		// The first word that is neither an option nor the value of one begins the command.
		const from = rest.findIndex((arg, i) => !arg.startsWith("-") && !/^-[a-zA-Z]*[tscnFexSLTp]$/.test(rest[i - 1] ?? ""));
		if (from >= 0 && (verb >= 0 || name === "screen")) found.push({ what: name, code: rest.slice(from).filter((arg) => !/^(?:Enter|C-m)$/.test(arg)).join(" ") });
	}
	return found.filter(({ code }) => code.trim() !== "");
}

const options: Readonly<Record<string, readonly string[]>> = {
	tar: ["--to-command", "--checkpoint-action=exec=", "-I", "--use-compress-program", "--rsh-command", "--info-script", "-F"],
	bsdtar: ["--use-compress-program"],
	rsync: ["-e", "--rsh", "--rsync-path"],
	ssh: ["-oProxyCommand=", "ProxyCommand=", "-oLocalCommand=", "LocalCommand=", "KnownHostsCommand="],
	scp: ["-oProxyCommand=", "ProxyCommand=", "-S"],
	sftp: ["-oProxyCommand=", "ProxyCommand=", "-S"],
	zip: ["-TT", "--unzip-command"],
	man: ["-P", "--pager", "-H"],
	npx: ["-c", "--call"],
	npm: ["-c", "--call", "--script-shell"],
	make: ["SHELL=", "--eval"],
	nc: ["-e", "-c", "--exec", "--sh-exec"],
	ncat: ["-e", "-c", "--exec", "--sh-exec"],
	netcat: ["-e", "-c"],
	socat: ["EXEC:", "SYSTEM:"],
	fzf: ["--preview", "--bind"],
	ctest: ["--build-exe"],
	sort: ["--compress-program"],
	split: ["--filter"],
	wget: ["--use-askpass"],
	gdb: ["-ex"],
};

function byGit(args: readonly string[], set: ReadonlyMap<string, unknown>): Carried[] {
	const text = (name: string) => String(set.get(name) ?? "");
	const found: Carried[] = [];
	for (let i = 0; i < Math.min(Number(set.get("GIT_CONFIG_COUNT") ?? 0), 32); i++) found.push(...setting(text(`GIT_CONFIG_KEY_${i}`), text(`GIT_CONFIG_VALUE_${i}`)));
	let at = 0;
	for (; at < args.length; at++) {
		const arg = args[at]!;
		if (arg === "-c" || arg === "--config-env") {
			const [, key = "", value = ""] = /^([^=]*)=?(.*)$/s.exec(args[++at] ?? "")!;
			found.push(...setting(key, arg === "-c" ? value : text(value)));
		} else if (["-C", "--git-dir", "--work-tree", "--namespace"].includes(arg)) at++;
		else if (!arg.startsWith("-")) break;
	}
	const verb = args[at] ?? "";
	return [...found, ...byVerb(verb, args.slice(at + 1)), ...byTransport(verb, args.slice(at + 1))];
}

/** Of git's configuration. An alias is a command of git's own unless it begins with `!`. */
function setting(key: string, value: string): readonly Carried[] {
	if (/^core\.hookspath$/i.test(key)) return [{ what: `git ${key}`, code: `${value.replace(/\/?$/, "/")}…` }];
	const isCode = gitKeys.test(key) && (!/^alias\./i.test(key) || value.startsWith("!"));
	return isCode ? [{ what: `git ${key}`, code: value.replace(/^!/, "") }] : [];
}

const codeOptions: Readonly<Record<string, readonly string[]>> = {
	rebase: ["-x", "--exec"],
	"filter-branch": ["--tree-filter", "--index-filter", "--msg-filter", "--env-filter", "--commit-filter", "--parent-filter"],
	difftool: ["-x", "--extcmd"],
	...Object.fromEntries(["clone", "fetch", "pull", "ls-remote"].map((verb) => [verb, ["-u", "--upload-pack"]])),
};

function byVerb(verb: string, rest: readonly string[]): readonly Carried[] {
	if (verb === "config") {
		const words = rest.filter((arg, i) => !arg.startsWith("-") && !["-f", "--file", "--type"].includes(rest[i - 1] ?? ""));
		const [key, value] = words[0] === "set" ? words.slice(1) : words;
		return key === undefined || value === undefined ? [] : setting(key, value);
	}
	if (verb === "bisect" && rest[0] === "run") return [{ what: "git bisect run", code: rest.slice(1).join(" ") }];
	if (verb === "submodule" && rest[0] === "foreach") return [{ what: "git submodule foreach", code: rest.slice(1).filter((arg) => arg !== "--recursive").join(" ") }];
	const options = Object.hasOwn(codeOptions, verb) ? codeOptions[verb]! : [];
	return rest.flatMap((arg, i) => (options.includes(arg) ? [{ what: `git ${verb} ${arg}`, code: rest[i + 1] ?? "" }] : []));
}

function byTransport(verb: string, rest: readonly string[]): readonly Carried[] {
	return rest.flatMap((arg) => {
		// A space in one of its words is written `% `.
		if (arg.startsWith("ext::")) return [{ what: "git ext::", code: arg.slice(5).split(/(?<!%) /).map((word) => quoted(word.replace(/%(.)/g, "$1"))).join(" ") }];
		const pack = /^--(?:upload-pack|receive-pack|exec)=(.*)$/s.exec(arg);
		if (pack !== null) return [{ what: `git ${verb}`, code: pack[1]! }];
		const configured = verb === "clone" ? /^--config=([^=]*)=(.*)$/s.exec(arg) : null;
		return configured === null ? [] : setting(configured[1]!, configured[2]!);
	});
}
