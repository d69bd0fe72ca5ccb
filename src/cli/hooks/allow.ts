// `hookline hooks allow`: saying yes to a shell hook outside of a conversation.
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import type { Consent, Examined } from "../../extensions/consent/consent.ts";
import { take } from "../../extensions/consent/copy.ts";
import { piecesOf } from "../../extensions/consent/definition.ts";
import { NotRunnable } from "../../extensions/consent/program.ts";
import { projectPrefix } from "../../extensions/project/load.ts";
import { nearest } from "../../system/nearest.ts";
import { visibleLine } from "../../system/visible.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { note, print, printJson } from "../output.ts";
import type { ReadLine } from "../terminal-approver.ts";
import { personHere } from "../trust/ask.ts";
import { ask } from "./ask.ts";
import { configuredHooks, openConsent } from "./configured.ts";
import { describeHook } from "./describe.ts";

export interface AllowOptions {
	readonly show?: boolean;
	readonly hash?: string;
	readonly json?: boolean;
}

/** @returns 1 when a hook that was meant is not approved in the end. */
export async function allow(command: string, { show, hash, json }: AllowOptions): Promise<number> {
	if (show && hash !== undefined) throw new UsageError("--show and --hash contradict each other. Give one of them.");
	if (json && !show) throw new UsageError("--json goes with --show. 'hookline hooks list --json' prints all hooks.");
	if (hash !== undefined && !/^[0-9a-f]{64}$/i.test(hash)) throw new UsageError(`--hash must be a SHA-256, 64 hexadecimal digits, as 'hookline hooks allow … --show' prints it.`);
	const consent = openConsent();
	const meant = named(command, (await configuredHooks()).hooks).map((hook) => consent.examine(hook, process.cwd()));
	if (show) return shown(meant, json === true);
	const readLine = personHere();
	if (hash === undefined && readLine === undefined && meant.some(({ state }) => state !== "approved")) {
		throw new UsageError("There is no terminal to ask on. Look at it with --show, then approve exactly that: --hash, with the SHA-256 it prints.");
	}
	// With a hash nobody is asked: what it names was looked at before.
	const chosen = hash === undefined ? meant : meant.filter(({ digest }) => digest === hash.toLowerCase());
	if (chosen.length === 0) throw new CommandError(`What this would run has another hash (${meant.map(({ digest }) => digest ?? "none").join(", ")}), so nothing was approved. --show shows what it is now.`);
	let all = true;
	for (const examined of chosen) {
		const isAllowed = examined.state === "approved" || (await allowOne(examined, consent, hash === undefined ? readLine : undefined));
		note(isAllowed ? `${examined.hook.id} is approved, as it is now. 'hookline hooks revoke' takes that back.` : `${examined.hook.id}: nothing was changed.`);
		all &&= isAllowed;
	}
	return all ? exitCodes.fine : exitCodes.problems;
}

/** Asks where there is somebody to ask. @throws CommandError */
async function allowOne(examined: Examined, consent: Consent, readLine: ReadLine | undefined): Promise<boolean> {
	const { hook, program, reason } = examined;
	if (program === undefined) throw new CommandError(reason ?? "It cannot be started.");
	try {
		const taken = take(program);
		if (readLine !== undefined && !(await ask(examined, taken, readLine))) return false;
		await consent.approve(hook, taken);
		return true;
	} catch (error) {
		if (error instanceof NotRunnable) throw new CommandError(`${error.message} Nothing was approved.`);
		throw error;
	}
}

/** The hooks a command, or an id, means. @throws CommandError */
function named(command: string, hooks: readonly ShellHook[]): readonly ShellHook[] {
	const wanted = command.trim();
	const found = hooks.filter((hook) => hook.command.trim() === wanted || hook.id === wanted);
	if (found.length > 0) return found;
	if (wanted.startsWith(projectPrefix)) throw new CommandError(`'${visibleLine(wanted)}' is a hook of a project: the trust of its folder is the consent to it. 'hookline trust' shows both and asks.`);
	const near = nearest(wanted, hooks.flatMap((hook) => [hook.command.trim(), hook.id]));
	throw new CommandError(`No shell hook in config.yaml has the command '${visibleLine(wanted)}'.${near === undefined ? "" : ` Did you mean '${visibleLine(near)}'?`} 'hookline hooks list' lists them; a command with blanks goes in quotes.`);
}

function shown(meant: readonly Examined[], json: boolean): number {
	const rows = meant.map((examined) => {
		const { hook, state, reason, digest, program } = examined;
		try {
			return { hook, state, reason, digest, examined, taken: program === undefined ? undefined : take(program) };
		} catch (error) {
			if (!(error instanceof NotRunnable)) throw error;
			return { hook, state: "not-runnable", reason: error.message, digest: undefined, examined, taken: undefined };
		}
	});
	if (json) {
		const files = ({ taken }: (typeof rows)[number]) => (taken === undefined ? [] : piecesOf(taken.program)).map(({ as, path, root, hashed }) => ({ as, path, sha256: hashed.sha256, bytes: hashed.bytes, copied: root !== undefined }));
		printJson(rows.map((row) => ({ id: row.hook.id, state: row.state, reason: row.reason, hash: row.digest, files: files(row) })));
	} else for (const { examined, taken, reason } of rows) print(taken === undefined ? visibleLine(reason ?? "") : describeHook(examined, taken, Infinity));
	return exitCodes.fine;
}
