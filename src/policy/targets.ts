// Which paths an act writes, deletes or changes.
import { has, operands, type Scene, valueOf } from "./rule.ts";
import type { Act } from "./world.ts";

const all = (act: Act) => operands(act, "sdt");
const allButFirst = (act: Act) => operands(act).slice(1);
const given = (...paths: readonly (string | undefined)[]): readonly string[] => paths.filter((path): path is string => path !== undefined && path !== "-");
const into = (act: Act) => given(valueOf(act, "-C", "--directory", "-d"));
const inPlace = (act: Act) => (act.args.some((arg) => /^-[a-zA-Z0-9]*i/.test(arg)) ? operands(act, "eE") : []);
const awk = (act: Act) => (act.args.includes("inplace") ? operands(act, "vi").slice(1) : []);
const sed = (act: Act) => (has(act, "i", "--in-place") ? operands(act, "ef").slice(has(act, "ef", "--expression", "--file") ? 0 : 1) : []);

const byName: Readonly<Record<string, (act: Act, scene: Scene) => readonly string[]>> = {
	">": ({ args }) => args,
	"(code writes)": ({ args }) => args,
	"(code deletes)": ({ args }) => args,
	...Object.fromEntries(["tee", "touch", "truncate", "sponge", "rm", "grm", "rmdir", "unlink", "shred", "srm", "mkdir", "mkfifo", "ed", "ex", "patch", "trash", "trash-put"].map((name) => [name, all])),
	...Object.fromEntries(["chmod", "chown", "chgrp", "chattr", "setfacl"].map((name) => [name, allButFirst])),
	...Object.fromEntries(["cp", "gcp", "mv", "gmv", "install", "rsync", "scp", "ln"].map((name) => [name, copied])),
	...Object.fromEntries(["tar", "bsdtar", "unzip", "7z"].map((name) => [name, into])),
	...Object.fromEntries(["awk", "gawk", "mawk", "nawk"].map((name) => [name, awk])),
	sed,
	gsed: sed,
	perl: inPlace,
	ruby: inPlace,
	dd: ({ args }) => args.filter((arg) => arg.startsWith("of=")).map((arg) => arg.slice(3)),
	curl: (act) => given(valueOf(act, "-o", "--output")),
	wget: (act) => given(valueOf(act, "-O", "--output-document")),
	sort: (act) => given(valueOf(act, "-o", "--output")),
	git: (act) => (act.args.includes("clone") ? operands(act).slice(2) : []),
};

/** As they stand there. A file that goes into a folder is both the folder and the file in it. */
export const targets = (act: Act, scene: Scene): readonly string[] => (Object.hasOwn(byName, act.name) ? byName[act.name]!(act, scene) : []);

function copied(act: Act, { paths, folder }: Scene): readonly string[] {
	const { name, cwd } = act;
	const words = operands(act, name === "rsync" ? "efT" : name === "ln" ? "S" : "tSmog");
	const named = valueOf(act, "-t", "--target-directory");
	const sources = named === undefined ? words.slice(0, -1) : words;
	const to = named ?? words.at(-1) ?? "";
	const path = paths.resolve(to, cwd);
	const isFolder = named !== undefined || to.endsWith("/") || sources.length > 1 || (path !== undefined && (path === paths.home || path === folder || paths.isFolder(path)));
	const inside = isFolder ? sources.map((source) => `${to.replace(/\/$/, "")}/${source.replace(/\/+$/, "").split("/").at(-1)}`) : [];
	// What is moved away is gone from where it was.
	return [to, ...inside, ...(name.endsWith("mv") ? sources : [])];
}
