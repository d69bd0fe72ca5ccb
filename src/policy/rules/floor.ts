// What nothing can approve: the end of the disk, of a home, of the machine's breath, or of what guards the agent.
import { has, is, operands, pathsIn, resolved, type Rule, type Scene, valueOf } from "../rule.ts";
import { targets } from "../targets.ts";
import type { Act } from "../world.ts";

/** They show, compare or copy elsewhere, and change nothing they are given. */
const readers =
	/^(?:cat|tac|less|more|head|tail|e?grep|fgrep|rg|ag|ack|ls|eza|exa|ll|dir|stat|wc|diff|cmp|comm|file|du|df|tree|test|\[|echo|printf|md5sum|sha\d*sum|shasum|b2sum|cksum|cd|jq|hookline|readlink|realpath|basename|dirname|cut|tr|bat|batcat|nl|od|xxd|hexdump|strings|which|type|pwd|lsof|fuser|getfacl|column|fold|uniq|rev|fmt|paste|join|look|true|false|:|seq|date|id|whoami|expr|mktemp|read|export|sleep|wait|exit|return|break|continue|namei|(?:ba|z|da)?sh|\.|python[\d.]*|node|perl|ruby|php|g?awk|\(unparsable\)|\(socket\)|\(runs code\)|\(unresolved\)|\(unread code\))$/;
const gitReaders = /^(?:add|diff|log|status|show|commit|blame|ls-files|ls-tree|cat-file|grep|check-ignore|rev-parse|push|fetch|branch|tag|shortlog|describe|remote)$/;

/** A word with spaces in it is mostly prose that names a path. */
const isProse = (word: string, { paths }: Scene, cwd: string | undefined): boolean => /\s/.test(word) && paths.real(paths.resolve(word, cwd) ?? "/") === paths.resolve(word, cwd);

function guardsIn(words: readonly string[], act: Act, scene: Scene): boolean {
	return words.some((word) => !isProse(word, scene, act.cwd) && resolved(pathsIn(word), act, scene).some((path) => scene.paths.isGuard(path)));
}

/** It is given what guards the agent, and does no more than read it. */
function onlyReads(act: Act): boolean {
	const { name, args } = act;
	switch (name) {
		case "sort":
			return valueOf(act, "-o", "--output") === undefined;
		case "uniq":
		case "xxd":
			return operands(act, "fsw").length <= 1;
		case "tree":
		case "less":
			return !has(act, "oO");
		case "file":
			return !has(act, "C");
		case "yq":
		case "xmllint":
			return !has(act, "i", "--inplace", "--in-place");
		case "curl":
			return !args.some((arg) => /^-[a-zA-Z]*[oO]|^--output/.test(arg));
		case "sqlite3":
			return args.some((arg) => /^\s*(?:select|\.schema|\.tables|\.dump|explain)\b/i.test(arg)) && !args.some((arg) => /\b(?:insert|update|delete|drop|alter|replace|create|attach|vacuum)\b/i.test(arg));
		case "git":
			return gitReaders.test(operands(act, "cC")[0] ?? "");
		case "find":
		case "gfind":
		case "fd":
			// What it runs for each file is an act of its own.
			return !args.includes("-delete");
		default:
			return readers.test(name) || (act.wraps && !/^(?:script|[sl]trace|time|flock)$/.test(name));
	}
}

/** Of commands that read one thing and write another: what they write. Undefined for all others. */
function written(act: Act, scene: Scene): readonly string[] | undefined {
	const { name, args } = act;
	if (/^(?:>|g?cp|scp|rsync|install|\(code (?:writes|deletes)\))$/.test(name)) return targets(act, scene);
	const changes = targets(act, scene);
	if (/^(?:g?awk|perl|ruby|g?sed)$/.test(name) && changes.length > 0) return changes;
	if (/^g?sed$/.test(name)) return args.flatMap((arg) => [...arg.matchAll(/(?:^|[;}/\d$\n])\s*[wW]\s+([^\n;]+)/g)].map(([, file]) => file!.trim()));
	const packs = name === "tar" && args.some((arg) => /^-?[a-zA-Z]*[ct][a-zA-Z]*$/.test(arg)) && !args.some((arg) => /^-?[a-zA-Z]*x/.test(arg));
	return packs ? args.filter((_, i) => args[i - 1]?.endsWith("f")) : undefined;
}

function changesGuards(act: Act, scene: Scene): boolean {
	const { cwd } = act;
	// Whatever it does, it does it there.
	const isThere = cwd !== undefined && cwd !== scene.folder && scene.paths.isGuard(cwd);
	const changes = written(act, scene);
	if (changes !== undefined) return guardsIn(changes, act, scene) || (isThere && act.name.startsWith("(code"));
	return !onlyReads(act) && (isThere || guardsIn(act.args, act, scene));
}

function commandsGuards(act: Act): boolean {
	const { args } = act;
	const isIt = (word: string) => /(?:^|\/)hookline(?:\.m?js)?$/.test(word) || word.startsWith("hookline@");
	let words: readonly string[];
	if (act.name === "hookline") words = args;
	else {
		const at = /^(?:npx|pnpm|yarn|bunx|npm|bun|pnpx|pipx|tsx)$/.test(act.name) ? args.findIndex(isIt) : -1;
		if (at < 0) return false;
		words = args.slice(at + 1);
	}
	const set = (name: string) => /^(?:1|true|yes|on)$/i.test(String(act.variable(name) ?? ""));
	if (words.some((word) => /^--(?:no-hooks|accept-hooks)/.test(word)) || set("HOOKLINE_ACCEPT_HOOKS")) return true;
	const [verb = "", then = ""] = words.filter((word) => !word.startsWith("-"));
	switch (verb) {
		case "hooks":
			return /^(?:allow|revoke|approve|new|accept|enable|disable)$/.test(then);
		case "config":
			return /^(?:set|unset|edit|delete|remove|import|reset|add)$/.test(then);
		case "trust":
			return !(then === "list" || words.includes("--show") || words.includes("--help") || words.includes("-h"));
		case "approvals":
			return then !== "list" && then !== "";
		case "extensions":
			return !/^(?:list|doctor|show)?$/.test(then);
		case "init":
			return true;
		default:
			return false;
	}
}

/** Deletes, moves or closes everything it is given. */
function wiped(act: Act, scene: Scene): readonly string[] {
	const { args } = act;
	const recursive = has(act, "rR", "--recursive") || act.within.includes("find");
	let given: readonly string[] = [];
	if (is(act, /^g?rm$|^srm$/)) given = recursive || /\uE001/.test(args.join("")) ? operands(act) : [];
	else if (is(act, ["rmdir", "trash", "trash-put", "gio"])) given = operands(act);
	else if (is(act, ["shred"])) given = operands(act, "ns");
	else if (is(act, ["mv", "gmv"])) given = valueOf(act, "-t", "--target-directory") === undefined ? operands(act, "tS").slice(0, -1) : operands(act, "tS");
	else if (is(act, ["chmod", "chown", "chgrp", "chattr", "setfacl"])) given = recursive ? operands(act).slice(1) : [];
	else if (is(act, ["rsync"])) given = args.some((arg) => arg.startsWith("--del")) ? [operands(act, "efT").at(-1) ?? ""] : [];
	else if (act.name === "(code deletes)") given = args;
	else if (act.name === "tar" && args.includes("--remove-files")) given = operands(act, "fC");
	else if (act.name === "git") given = operands(act, "cC")[0] === "clean" && has(act, "f", "--force") && act.cwd !== undefined ? [act.cwd] : [];
	return resolved(given.map((path) => (is(act, ["rsync"]) && path.endsWith("/") ? path.slice(0, -1) || "/" : path)), act, scene);
}

const formats = /^(?:mkfs(?:\..+)?|mke2fs|mkswap|newfs(?:_.+)?|mkntfs|mkdosfs|wipefs|cgdisk|cfdisk|blkdiscard|pvcreate|vgremove|lvremove|pvremove|shred|tee|truncate|wipe|scrub|nwipe|flashrom|sponge|ddrescue)$/;

function destroysDevice(act: Act, scene: Scene): boolean {
	const { name, args } = act;
	const devices = (words: readonly string[]) => words.some((word) => resolved(pathsIn(word), act, scene).some((path) => scene.paths.isDevice(path)));
	const partitions = () => devices(args) && !has(act, "lLdpv", "--list", "--list-types", "--dump", "--print", "--version") && !args.includes("print");
	const special: Readonly<Record<string, () => boolean>> = {
		...Object.fromEntries([">", "(code writes)", "(code deletes)"].map((one) => [one, () => devices(args)])),
		...Object.fromEntries(["cp", "mv", "install"].map((one) => [one, () => devices(operands(act).slice(-1))])),
		...Object.fromEntries(["fdisk", "sfdisk", "gdisk", "sgdisk", "parted"].map((one) => [one, partitions])),
		dd: () => devices(targets(act, scene)),
		dcfldd: () => devices(targets({ ...act, name: "dd" }, scene)),
		diskutil: () => /^(?:erase\w*|partitionDisk|zeroDisk|randomDisk|secureErase|reformat)$/i.test(args[0] ?? "") || (args[0] === "apfs" && /^delete/i.test(args[1] ?? "")),
		nvme: () => /^(?:format|sanitize)$/.test(args[0] ?? ""),
		hdparm: () => args.some((arg) => /security-erase|trim-sector|make-bad|write-sector/.test(arg)),
		cryptsetup: () => /^(?:luksFormat|erase|luksErase|reencrypt)$/.test(operands(act)[0] ?? ""),
		zpool: () => /^(?:destroy|labelclear)$/.test(args[0] ?? ""),
		mdadm: () => has(act, "", "--zero-superblock", "--create"),
		badblocks: () => has(act, "w"),
	};
	return Object.hasOwn(special, name) ? special[name]!() : formats.test(name) && devices(args);
}

export const floor: readonly Rule[] = [
	{
		id: "wipes-disk",
		class: "floor",
		reason: "it would wipe the disk, the system or a home folder",
		when: (act, scene) => !act.within.some((one) => /^docker|^podman/.test(one)) && wiped(act, scene).some((path) => scene.paths.wipes(path) !== undefined),
		stops: ["rm -rf /", "rm -rf ~", "sudo rm -fr /*", "rm -r --no-preserve-root /", "find / -delete", "find ~ -type f -exec rm {} +", "mv ~ /tmp/x", "chmod -R 000 /", "rsync -a --delete /tmp/empty/ ~/", "cd / && rm -rf *", "x=rm; $x -rf ${HOME}", "python3 -c 'import shutil; shutil.rmtree(\"/home/me\")'"],
		passes: ['echo "rm -rf /"', "rm -rf /tmp/x", "rm -rf ./build", "ls -R /", "find / -name x", "grep -r 'rm -rf ~' .", "rm notes.txt", "git commit -m 'never rm -rf /'", "cd /tmp/x && rm -rf *"],
	},
	{
		id: "destroys-device",
		class: "floor",
		reason: "it would overwrite a disk or another device",
		when: destroysDevice,
		stops: ["mkfs.ext4 /dev/sda1", "dd if=/dev/zero of=/dev/sda", "cat x > /dev/nvme0n1", "shred -n 1 /dev/sdb", "wipefs -a /dev/sda", "xz -dc i | sudo tee /dev/mmcblk0", "cp image.iso /dev/sdc"],
		passes: ["dd if=/dev/sda of=/tmp/image bs=1M count=1", "echo x > /dev/null", "mkfs.ext4 disk.img", "fdisk -l /dev/sda", "dd if=/dev/urandom of=key bs=32 count=1", "ls /dev/sda"],
	},
	{
		id: "fork-bomb",
		class: "floor",
		reason: "it starts itself again and again until the machine stands still",
		when: (act) => act.name === "(fork bomb)",
		stops: [":(){ :|:& };:", "f() { f | f & }; f", "b(){ b & b; }; b", "while true; do yes & done", "perl -e 'fork while fork'"],
		passes: ["f() { echo hi; }; f | f", "w() { for d in */; do w \"$d\"; done; }; w .", "while true; do sleep 1 & wait; done", "echo ':(){ :|:& };:'"],
	},
	{
		id: "changes-guards",
		class: "floor",
		reason: "it would change what guards you: hook configuration, extensions, trust or allow lists are yours alone to change",
		when: (act, scene) => changesGuards(act, scene) || wiped(act, scene).some((path) => scene.paths.isGuard(path)),
		stops: ["echo x > ~/.hookline/config.yaml", "cp e.ts ~/.hookline/extensions/", "ln -s /tmp/a .hookline", "sed -i s/a/b/ ~/.hookline/config.yaml", "rm ~/.hookline/trust.json", "cd ~/.hookline && tee config.yaml < x", "dd of=/home/me/.hookline/approvals.json", "mkdir -p .hookline/extensions", "rm -rf ../app/.hookline", "python3 -c 'open(\"/home/me/.hookline/config.yaml\", \"w\").write(\"\")'", "git checkout HEAD~1 -- .hookline"],
		passes: ["cat ~/.hookline/config.yaml", "ls -la .hookline", "cp ~/.hookline/config.yaml /tmp/copy.yaml", "grep -n hooks ~/.hookline/config.yaml", "git add .hookline/config.yaml", "git commit -m 'change ~/.hookline/config.yaml'", "echo x > ~/.hookline/memory/a.md", "echo 'rm ~/.hookline/trust.json'", "diff .hookline/config.yaml x"],
	},
	{
		id: "commands-guards",
		class: "floor",
		reason: "it would have Hookline itself give more leave: that is yours alone to do",
		when: commandsGuards,
		stops: ["hookline hooks allow ./x.sh", "hookline config set approvals.mode off", "hookline trust --hash abc", "hookline run --no-hooks 'x'", "HOOKLINE_ACCEPT_HOOKS=1 hookline run x", "npx hookline approvals revoke 1"],
		passes: ["hookline hooks list", "hookline config get model", "hookline trust list", "hookline doctor", "echo hookline hooks allow x"],
	},
];
