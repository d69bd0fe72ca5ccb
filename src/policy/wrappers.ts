// Commands that start another command, and where in their words it stands.
import { type Field, fieldOf, unknown } from "./field.ts";

interface Wrapper {
	/** Its options that take a value in the next word: letters of short ones, names of long ones. */
	readonly valued?: string;
	readonly long?: readonly string[];
	/** Words of its own before the command. */
	readonly own?: number;
	/** `NAME=value` words may stand before the command. */
	readonly assigns?: true;
	/** Options whose value is itself shell code. */
	readonly code?: readonly string[];
	/** What is left is put together to one line for a shell. */
	readonly joins?: true;
	/** The same command does the same work in it: nothing of it is left in a normal form. */
	readonly plain?: true;
	/** It runs on another machine. */
	readonly remote?: true;
	/** Without a command it is a shell that reads what comes in. */
	readonly shell?: true;
}

const wrappers: Readonly<Record<string, Wrapper>> = {
	sudo: { valued: "ugpChrtTRDc", long: ["user", "group", "prompt", "close-from", "host", "role", "type", "chroot", "chdir", "other-user"], assigns: true },
	doas: { valued: "uC" },
	pkexec: { long: ["user"] },
	su: { valued: "cgGsw", long: ["command", "group", "shell", "session-command"], code: ["-c", "--command", "--session-command"], own: Infinity, shell: true },
	runuser: { valued: "cugGsw", long: ["command", "user", "group", "shell"], code: ["-c", "--command"] },
	env: { valued: "uCS", long: ["unset", "chdir", "split-string"], assigns: true, plain: true },
	nice: { valued: "n", long: ["adjustment"], plain: true },
	ionice: { valued: "cnpt", long: ["class", "classdata"], plain: true },
	chrt: { valued: "TPD", own: 1, plain: true },
	taskset: { own: 1, plain: true },
	nohup: { plain: true },
	setsid: { plain: true },
	time: { valued: "fo", long: ["format", "output"], plain: true },
	timeout: { valued: "ks", long: ["kill-after", "signal"], own: 1, plain: true },
	gtimeout: { valued: "ks", long: ["kill-after", "signal"], own: 1, plain: true },
	stdbuf: { valued: "ioe", long: ["input", "output", "error"], plain: true },
	unbuffer: { plain: true },
	command: { plain: true },
	builtin: { plain: true },
	exec: { valued: "a", plain: true },
	busybox: { plain: true },
	toybox: { plain: true },
	caffeinate: { valued: "tw", plain: true },
	rlwrap: {},
	winpty: {},
	xargs: { valued: "ILnPsdEa", long: ["replace", "max-lines", "max-args", "max-procs", "max-chars", "delimiter", "eof", "arg-file", "process-slot-var"] },
	parallel: { valued: "jIaNnLS", long: ["jobs", "arg-file", "sshlogin"], joins: true },
	watch: { valued: "nd", long: ["interval"], joins: true },
	entr: { own: 0 },
	strace: { valued: "eopsPuE", long: ["output", "trace"] },
	ltrace: { valued: "eopsu" },
	chroot: { long: ["userspec", "groups"], own: 1 },
	unshare: { long: ["map-user", "root", "wd"], valued: "SGRw" },
	nsenter: { valued: "tSG", long: ["target"] },
	flock: { valued: "wEc", long: ["timeout", "conflict-exit-code", "command"], code: ["-c", "--command"], own: 1 },
	script: { valued: "cEIOTB", long: ["command"], code: ["-c", "--command"], own: Infinity },
	"systemd-run": { valued: "pEMHtu", long: ["unit", "property", "uid", "gid", "slice", "setenv", "working-directory"] },
	setpriv: { long: ["reuid", "regid"] },
	proxychains: { valued: "f" },
	proxychains4: { valued: "f" },
	torsocks: {},
	firejail: {},
	fakeroot: {},
	ssh: { valued: "bcDEeFIiJLlmOopQRSWw", own: 1, joins: true, remote: true, shell: true },
	mosh: { own: 1, joins: true, remote: true },
};

/** What a wrapper runs. At most one of `commands`, `code` and `reads` is there. */
export interface Peeled {
	/** The wrapper's own words. */
	readonly own: readonly Field[];
	/** Mostly one; xargs may run it for each item. */
	readonly commands?: readonly (readonly Field[])[];
	/** A line for a shell. */
	readonly code?: string;
	/** It runs what comes in. */
	readonly reads?: true;
	/** Values that `NAME=value` words set. */
	readonly set: readonly (readonly [string, string])[];
	readonly plain: boolean;
	readonly remote: boolean;
}

/** A command without the wrappers in which it does the same work. */
export function withoutPlain(argv: readonly Field[]): readonly Field[] {
	const [first, ...args] = argv;
	const peeled = first === undefined ? undefined : peel(first.text.slice(first.text.lastIndexOf("/") + 1), args, {});
	const inner = peeled?.plain ? peeled.commands?.[0] : undefined;
	return inner === undefined || inner.length === 0 ? argv : withoutPlain(inner);
}

/** Takes one wrapper off; undefined when the command is none. */
export function peel(name: string, args: readonly Field[], input: { readonly text: string } | object): Peeled | undefined {
	const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name]! : undefined;
	if (wrapper === undefined) return undefined;
	const set: (readonly [string, string])[] = [];
	let own = wrapper.own ?? 0;
	let at = 0;
	let isShell = wrapper.shell ?? false;
	const done = (rest: Partial<Peeled>, until: number): Peeled => ({
		own: args.slice(0, until),
		set,
		// With words of their own these two run it in another folder, or write into a file.
		plain: (wrapper.plain ?? false) && (until === 0 || (name !== "env" && name !== "time")),
		remote: wrapper.remote ?? false,
		...rest,
	});
	for (; at < args.length; at++) {
		const { text } = args[at]!;
		const assignment = /^([A-Za-z_]\w*)=(.*)$/s.exec(text);
		if (text === "--") {
			at++;
			at += Math.min(own, args.length);
			break;
		}
		if (text.startsWith("-") && text.length > 1) {
			const coded = codeIn(wrapper, args, at);
			if (coded !== undefined) return done({ code: coded }, args.length);
			if (name === "env" && /^-[a-zA-Z]*S|^--split-string/.test(text)) return splitString(args, at, done);
			// What `command -v` names is not run.
			if (name === "command" && /^-[vV]/.test(text)) return undefined;
			if (name === "sudo" && /^-[a-zA-Z]*[si]/.test(text)) isShell = true;
			if (takesNext(wrapper, text)) at++;
		} else if (wrapper.assigns && assignment !== null) set.push([assignment[1]!, assignment[2]!]);
		else if (own > 0) own--;
		else break;
	}
	const rest = args.slice(at);
	if (rest.length === 0) return isShell ? done({ reads: true }, args.length) : done({}, args.length);
	if (name === "parallel" && !rest.some(({ text }) => text.startsWith(":::"))) {
		const line = rest.some(({ text }) => text.includes("{}")) ? rest : [...rest, fieldOf("{}")];
		return done({ commands: withItems([fieldOf("-I{}")], line, input) }, at);
	}
	if (wrapper.joins) return done({ code: rest.map(({ text }) => text).join(" ") }, at);
	return done({ commands: name === "xargs" ? withItems(args.slice(0, at), rest, input) : [rest] }, at);
}

function takesNext({ valued = "", long = [] }: Wrapper, text: string): boolean {
	if (text.startsWith("--")) return long.includes(text.slice(2));
	const letters = text.slice(1);
	const first = [...letters].findIndex((letter) => valued.includes(letter));
	return first >= 0 && first === letters.length - 1;
}

function codeIn({ code = [] }: Wrapper, args: readonly Field[], at: number): string | undefined {
	const { text } = args[at]!;
	for (const option of code) {
		if (text === option || (/^-[a-zA-Z]+$/.test(text) && option.length === 2 && text.endsWith(option[1]!))) return args[at + 1]?.text ?? "";
		if (option.startsWith("--") && text.startsWith(`${option}=`)) return text.slice(option.length + 1);
		if (option.length === 2 && text.startsWith(option) && text.length > 2) return text.slice(2);
	}
	return undefined;
}

function splitString(args: readonly Field[], at: number, done: (rest: Partial<Peeled>, until: number) => Peeled): Peeled {
	const { text } = args[at]!;
	const inline = /^(?:-[a-zA-Z]*?S|--split-string=?)(.*)$/s.exec(text)?.[1] ?? "";
	const whole = inline === "" ? (args[at + 1]?.text ?? "") : inline;
	const rest = args.slice(inline === "" ? at + 2 : at + 1);
	// Its own language of quotes is near enough to the shell's; its words are the beginning of the command.
	return done({ code: ["env", whole.replaceAll("\\_", " "), ...rest.map(({ shown }) => shown)].join(" ") }, at);
}

/** What xargs runs: its words with the items that come in, as far as they are known. */
function withItems(own: readonly Field[], command: readonly Field[], input: { readonly text: string } | object): readonly (readonly Field[])[] {
	const at = own.findIndex(({ text }) => /^-[a-zA-Z0-9]*[Ii]|^--replace/.test(text));
	// With a mark a whole line is one item.
	const items = "text" in input ? (input.text as string).split(at < 0 ? /[\s\0]+/ : /[\n\0]/).filter(Boolean).map((text) => text.replace(/^(["'])(.*)\1$/s, "$2")) : [unknown];
	if (at < 0) return [[...command, ...items.map(fieldOf)]];
	const glued = /^-[a-zA-Z0-9]*?I(.+)$|^-i(.+)$|^--replace=(.+)$/.exec(own[at]!.text);
	const mark = glued?.[1] ?? glued?.[2] ?? glued?.[3] ?? (own[at]!.text.endsWith("I") ? own[at + 1]?.text : undefined) ?? "{}";
	return items.slice(0, 64).map((item) => command.map((field) => (field.text.includes(mark) ? fieldOf(field.text.replaceAll(mark, () => item)) : field)));
}
