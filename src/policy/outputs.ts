// What simple commands print, where that is certain: how a hidden command is put together before it is run.
import { isConstant } from "./field.ts";
import { nothing, type Text } from "./world.ts";

type Output = (args: readonly string[], input: Text) => Text | undefined;

const mostText = 64 * 1024;
const elsewhere: Text = { from: "elsewhere" };
const decoded: Text = { from: "decoded" };
const silent = ["true", ":", "cd", "export", "declare", "local", "readonly", "unset", "set", "shift", "test", "[", "mkdir", "touch", "rm", "sleep", "alias", "exit", "return", "wait", "chmod", "mv", "false", "read", "trap", "shopt"];

/** What it prints, what is known of it otherwise: undefined for a command that is not described here. */
export function outputOf(name: string, args: readonly string[], input: Text): Text {
	if (silent.includes(name)) return nothing;
	const known = outputs[name]?.(args, input);
	if (known === undefined) return fetches.has(name) ? { from: "network" } : elsewhere;
	return "text" in known && known.text.length > mostText ? elsewhere : known;
}

export const fetches: ReadonlySet<string> = new Set(["curl", "wget", "fetch", "http", "https", "xh", "aria2c", "nc", "ncat", "netcat", "socat", "lynx", "ftp", "ssh", "telnet"]);

const operands = (args: readonly string[]) => args.filter((arg) => !arg.startsWith("-") || arg === "-");
const constant = (args: readonly string[]) => args.every(isConstant);
/** Of what comes in; a file it is given nobody has read. */
const decoding = (args: readonly string[], input: Text, decode: (text: string) => string): Text => ("text" in input && operands(args).every((arg) => arg === "-") ? { text: decode(input.text) } : decoded);

const outputs: Readonly<Record<string, Output>> = {
	echo(args) {
		const start = args.findIndex((arg) => !/^-[neE]+$/.test(arg));
		const options = args.slice(0, start < 0 ? args.length : start).join("");
		const text = args.slice(start < 0 ? args.length : start).join(" ");
		if (!constant(args)) return elsewhere;
		return { text: `${options.includes("e") ? unescaped(text) : text}${options.includes("n") ? "" : "\n"}` };
	},
	printf(args) {
		const [format = "", ...given] = args[0] === "--" ? args.slice(1) : args;
		if (!constant(args) || format === "-v") return elsewhere;
		const left = [...given];
		let text = "";
		do {
			let strange = false;
			text += unescaped(format).replace(/%(?:%|[-0-9.]*([a-zA-Z]))/g, (whole, kind: string | undefined) => {
				if (whole === "%%") return "%";
				const next = left.shift() ?? "";
				if (kind === "b") return unescaped(next);
				if (kind === "c") return next.slice(0, 1);
				if (kind !== "s" && kind !== "d" && kind !== "q") strange = true;
				return next;
			});
			if (strange) return elsewhere;
		} while (left.length > 0 && format.includes("%") && text.length < mostText);
		return { text };
	},
	cat: (args, input) => (operands(args).every((arg) => arg === "-") ? input : undefined),
	tee: (_, input) => input,
	which: (args) => (args.length === 1 && constant(args) ? { text: `/usr/bin/${args[0]}\n` } : undefined),
	base64: (args, input) => (args.some((arg) => /^(?:-[a-zA-Z]*[dD][a-zA-Z]*|--decode)$/.test(arg)) ? decoding(args, input, (text) => Buffer.from(text, "base64").toString()) : undefined),
	base32: () => decoded,
	xxd: (args, input) => (args.some((arg) => /^-[a-z]*r/.test(arg)) ? decoding(args, input, (text) => Buffer.from(text.replace(/\s/g, ""), "hex").toString()) : undefined),
	openssl: (args) => (args.some((arg) => arg === "-d" || arg === "-base64") ? decoded : undefined),
	gunzip: () => decoded,
	zcat: () => decoded,
	uudecode: () => decoded,
	gzip: (args) => (args.some((arg) => /^-[a-z]*d/.test(arg)) ? decoded : undefined),
	gpg: () => decoded,
	rev: (args, input) => decoding(args, input, (text) => text.split("\n").map((line) => [...line].reverse().join("")).join("\n")),
	tac: (args, input) => decoding(args, input, (text) => `${text.replace(/\n$/, "").split("\n").reverse().join("\n")}\n`),
	tr(args, input) {
		const [first = "", second = ""] = operands(args);
		if (!constant(args) || !("text" in input)) return decoded;
		if (args.includes("-d")) return { text: [...input.text].filter((character) => !spread(first).includes(character)).join("") };
		if (args.some((arg) => arg.startsWith("-")) || second === "") return decoded;
		const [from, to] = [spread(first), spread(second)];
		return { text: [...input.text].map((character) => (from.includes(character) ? (to[Math.min(from.indexOf(character), to.length - 1)] ?? "") : character)).join("") };
	},
	sed: (_, input) => ("text" in input ? decoded : input),
	awk: (_, input) => ("text" in input ? decoded : input),
	perl: () => decoded,
	python3: () => decoded,
	python: () => decoded,
	cut: (_, input) => ("text" in input ? decoded : input),
	grep: (_, input) => ("text" in input ? decoded : input),
	head: (_, input) => ("text" in input ? decoded : input),
	tail: (_, input) => ("text" in input ? decoded : input),
	sort: (_, input) => ("text" in input ? decoded : input),
};

/** `a-e` of tr, and its classes of letters. */
function spread(set: string): readonly string[] {
	const classes = set.replaceAll("[:lower:]", "a-z").replaceAll("[:upper:]", "A-Z").replaceAll("[:digit:]", "0-9").replaceAll("[:space:]", " \t\n");
	const found: string[] = [];
	const characters = [...unescaped(classes)];
	for (let i = 0; i < characters.length; i++) {
		const last = characters[i + 1] === "-" ? characters[i + 2] : undefined;
		if (last === undefined) found.push(characters[i]!);
		else {
			for (let code = characters[i]!.charCodeAt(0); code <= last.charCodeAt(0) && found.length < 512; code++) found.push(String.fromCharCode(code));
			i += 2;
		}
	}
	return found;
}

const single: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", f: "\f", v: "\v", e: "\x1b", "\\": "\\", '"': '"', "'": "'" };

function unescaped(text: string): string {
	return text.replace(/\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|0?([0-7]{1,3})|(.))/g, (whole, hex: string | undefined, code: string | undefined, octal: string | undefined, letter: string | undefined) => {
		if (hex !== undefined || code !== undefined) return String.fromCharCode(Number.parseInt((hex ?? code)!, 16));
		if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
		return single[letter!] ?? whole;
	});
}
