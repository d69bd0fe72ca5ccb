// `hookline hooks outbound`: what receivers of `hooks.outbound` have not got. The store is shared by processes, so it is all the same which of them run.
import { existsSync } from "node:fs";
import { type OutboundTarget, shownAddress } from "../../dialects/hermes-outbound/target.ts";
import type { OutboundStore, TargetState } from "../../stores/outbound.ts";
import { openSqliteOutboundStore } from "../../stores/sqlite/outbound.ts";
import { homeOf } from "../../system/home.ts";
import type { Check } from "../doctor/check.ts";
import { CommandError, exitCodes, UsageError } from "../exit.ts";
import { note, print, printJson, printTable, when } from "../output.ts";

/** @returns the exit code. */
export function list({ json = false }: { readonly json?: boolean }): number {
	using store = open();
	const [targets, dead] = [store?.targets() ?? [], store?.dead() ?? []];
	if (json) printJson({ waiting: targets.filter(({ waiting }) => waiting > 0), dead });
	else {
		printTable(["ID", "RECEIVER", "EVENT", "SINCE", "TRIES", "WHY"], dead.map(({ id, target, event, at, tries, why }) => [id, target, event, when(at), String(tries), why]), "Nothing was given up.");
		for (const target of targets) if (target.waiting > 0) note(`${target.target}: ${waitingWords(target)}`);
	}
	return exitCodes.fine;
}

/** Once more, for a day. */
export function retry(ids: readonly string[], { all = false }: { readonly all?: boolean }): number {
	const count = forEach(ids, all, (store, id) => store.retry(id, Date.now()));
	print(`${count === 1 ? "1 delivery waits" : `${count} deliveries wait`} again. Whatever conversation or gateway runs sends them, or the next one.`);
	return exitCodes.fine;
}

/** Forgets them. */
export function drop(ids: readonly string[], { all = false }: { readonly all?: boolean }): number {
	const count = forEach(ids, all, (store, id) => store.drop(id));
	print(`${count === 1 ? "1 delivery is" : `${count} deliveries are`} forgotten.`);
	return exitCodes.fine;
}

/** Each receiver of config.yaml, with what it has not got. Sends nothing. */
export function checkOutbound(configured: readonly OutboundTarget[]): readonly Check[] {
	if (configured.length === 0) return [];
	using store = open();
	const states = store?.targets() ?? [];
	return configured.map((target): Check => {
		const name = `outbound ${target.id}`;
		const told = `${shownAddress(target.url)} is told of ${[...new Set(target.subscriptions.map(({ written }) => written))].join(", ")}.`;
		const state = states.find((one) => one.target === target.id);
		const found = [...(state === undefined || state.failures === 0 ? [] : [waitingWords(state)]), ...(state === undefined || state.dead === 0 ? [] : [`${state.dead} given up.`])];
		if (found.length === 0) return { name, state: "ok", message: told };
		return { name, state: "warning", message: [told, ...found].join(" "), advice: "'hookline hooks outbound list' shows what it has not got." };
	});
}

function waitingWords({ waiting, failures, nextAt, why }: TargetState): string {
	const trouble = failures === 0 ? "" : ` It did not take ${failures === 1 ? "the last try" : `the last ${failures} tries`} (${why ?? "for a reason that is not known"}); the next is at ${when(nextAt)}.`;
	return `${waiting} waiting.${trouble}`;
}

function forEach(ids: readonly string[], all: boolean, act: (store: OutboundStore, id: string) => boolean): number {
	if (all === ids.length > 0) throw new UsageError("Give the ids that 'hookline hooks outbound list' shows, or --all.");
	using store = open();
	const known = store?.dead().map(({ id }) => id) ?? [];
	const unknown = ids.find((id) => !known.includes(id));
	if (unknown !== undefined) throw new CommandError(`There is no '${unknown}'; nothing was done. 'hookline hooks outbound list' shows what was given up.`);
	return (all ? known : ids).filter((id) => store !== undefined && act(store, id)).length;
}

/** A home without a database has nothing waiting, and gets none for that. */
function open(): OutboundStore | undefined {
	const { database } = homeOf(process.env);
	return existsSync(database) ? openSqliteOutboundStore(database) : undefined;
}
