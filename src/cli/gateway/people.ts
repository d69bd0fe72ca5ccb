// `hookline gateway people`, `pair` and `unpair`: who may talk to the agent beside those whom config.yaml names.
import { pair, pairedPeople, unpair } from "../../gateway/access.ts";
import { homeOf } from "../../system/home.ts";
import { CommandError, exitCodes } from "../exit.ts";
import { note, printJson, printTable, when } from "../output.ts";

export function list({ json }: { readonly json?: boolean }): number {
	const people = pairedPeople(homeOf(process.env));
	if (json) printJson(people);
	else printTable(["USER", "ROLE", "SINCE"], people.map(({ user, role, at }) => [user, role, when(at)]), "Nobody was paired. Who writes to the gateway and is not known gets a code for 'hookline gateway pair'.");
	return exitCodes.fine;
}

export async function pairWith(code: string, { owner = false }: { readonly owner?: boolean }): Promise<number> {
	const person = await pair(homeOf(process.env), code, owner ? "owner" : "user");
	if (person === undefined) throw new CommandError(`There is no pairing code '${code}', or it is older than an hour. Let them write again: they get a new one.`);
	note(`${person.user} may talk to the agent now, as ${person.role === "owner" ? "an owner" : "a user"}.`);
	return exitCodes.fine;
}

export async function unpairThem(user: string): Promise<number> {
	if (!(await unpair(homeOf(process.env), user))) throw new CommandError(`'${user}' was not paired. 'hookline gateway people' lists those who were; others stand in config.yaml under gateway.access.`);
	note(`${user} may not talk to the agent any more.`);
	return exitCodes.fine;
}
