// `hookline approvals list` and `revoke`: what is always approved, and taking it back.
import { changeApprovals, readApprovals } from "../policy/record.ts";
import { homeOf } from "../system/home.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { note, printJson, printTable, warn } from "./output.ts";

/** @returns 1 when the file cannot be relied on. */
export function list({ json }: { readonly json?: boolean }): number {
	const { approvals, problem } = readApprovals(homeOf(process.env));
	if (problem !== undefined) warn(problem);
	if (json) printJson(approvals);
	else {
		const rows = approvals.map(({ id, rule, command, folder, at }) => [id, new Date(at).toISOString().slice(0, 10), rule, folder, command]);
		printTable(["ID", "SINCE", "RULE", "FOLDER", "COMMAND"], rows, "Nothing is always approved. Answer a question with 'a' to approve a command for good.");
	}
	return problem === undefined ? exitCodes.fine : exitCodes.problems;
}

export async function revoke(ids: readonly string[], { all = false }: { readonly all?: boolean }): Promise<number> {
	if (all === ids.length > 0) throw new UsageError("Name what to take back by its id, or give --all. 'hookline approvals list' shows the ids.");
	const home = homeOf(process.env);
	const { approvals } = readApprovals(home);
	const unknown = ids.find((id) => !approvals.some((one) => one.id === id));
	if (unknown !== undefined) throw new CommandError(`There is no approval '${unknown}'. 'hookline approvals list' shows those there are.`);
	const isMeant = ({ id }: { readonly id: string }) => all || ids.includes(id);
	await changeApprovals(home, (before) => before.filter((one) => !isMeant(one)));
	for (const one of approvals.filter(isMeant)) note(`You are asked about '${one.command}' (${one.rule}) in ${one.folder} again.`);
	return exitCodes.fine;
}
