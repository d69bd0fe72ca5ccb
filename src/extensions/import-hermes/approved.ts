// The list of approved shell hooks, without trust: an entry only says that the hook was approved there, and it is asked about again.
import { lstatSync } from "node:fs";
import { join } from "node:path";
import { allowListFile, changeAllowList, readAllowList } from "../consent/record.ts";
import { readRegular } from "../../system/regular-file.ts";
import type { Import } from "./bring.ts";
import { messageOf, objectOf } from "./home.ts";
import type { Rewritten } from "./shell-hooks.ts";

const fileName = "shell-hooks-allowlist.json";
const mostBytes = 8 * 1024 * 1024;

export async function importApproved(at: Import, commands: readonly Rewritten[]): Promise<void> {
	const { findings, home, dryRun } = at;
	const theirs = entriesOf(at);
	const meant = theirs.flatMap(({ event, command, approved_at, script_mtime_at_approval }) => {
		const hook = commands.find((one) => one.event === event && one.from === String(command).trim());
		// What Hookline adds to an entry is what it trusts, and nobody else's word for that counts.
		return hook === undefined ? [] : [{ event: hook.event, command: hook.to, ...(typeof approved_at === "string" && { approved_at }), ...(typeof script_mtime_at_approval === "string" && { script_mtime_at_approval }) }];
	});
	if (theirs.length > meant.length) findings.leave(`${theirs.length - meant.length} of ${theirs.length} approvals were not taken over: config.yaml has no such hooks, or they were not brought.`);
	const here = readAllowList(home).approvals;
	const isHere = ({ event, command }: (typeof meant)[number]) => here.some((one) => one.event === event && one.command.trim() === command);
	const fresh = meant.filter((entry) => !isHere(entry));
	const brought = ({ event, command }: (typeof meant)[number]) => ({ kind: "approval", name: `${event}: ${command}`, to: allowListFile(home) }) as const;
	findings.present.push(...meant.filter(isHere).map(brought));
	if (fresh.length === 0) return;
	try {
		if (!dryRun) await changeAllowList(home, (before) => [...before, ...fresh], (message) => findings.leave(message));
		findings.copied.push(...fresh.map(brought));
	} catch (error) {
		findings.problems.push({ kind: "approval", name: fileName, message: `${messageOf(error)}.` });
	}
}

function entriesOf({ hermes, findings }: Import): readonly Readonly<Record<string, unknown>>[] {
	const file = join(hermes.path, fileName);
	try {
		if (lstatSync(file, { throwIfNoEntry: false }) === undefined) return [];
		const read = readRegular(file, mostBytes);
		if (read === "too long") throw new Error("it is larger than 8 MB");
		const { approvals } = objectOf(JSON.parse(read.bytes.toString("utf8").replace(/^\ufeff/, "")));
		if (!Array.isArray(approvals)) throw new Error("it has no list 'approvals'");
		return approvals.map(objectOf).filter(({ event, command }) => typeof event === "string" && typeof command === "string");
	} catch (error) {
		findings.leave(`${fileName} was not taken over, and Hermes passes over it as well: ${messageOf(error)}.`);
		return [];
	}
}
