// Puts a project to the person before anything of it is loaded: at the start of a conversation, and in `hookline trust`.
import { declineProject, findProject, type Project, trustProject } from "../../extensions/project/project.ts";
import { TrustError } from "../../extensions/project/record.ts";
import { homeOf } from "../../system/home.ts";
import { onTerminal } from "../input.ts";
import { note, warn } from "../output.ts";
import type { ReadLine } from "../terminal-approver.ts";
import { describeProject, textOf } from "./describe.ts";

/**
 * Asks about the project of the working folder where that has to be decided: it is new, or has changed. Call it before the runtime is opened,
 * which looks again and loads only what is trusted by then. Without a terminal to show it on it asks nothing.
 */
export async function askForTrust({ hooks }: { readonly hooks: boolean }): Promise<void> {
	const readLine = personHere();
	if (!hooks || readLine === undefined) return;
	let unreliable = false;
	// The runtime will say why.
	const project = await findProject(process.cwd(), { home: homeOf(process.env), environment: process.env, warn: () => (unreliable = true) });
	if (unreliable || project === undefined || (project.state !== "untrusted" && project.state !== "changed")) return;
	try {
		await ask(project, readLine);
	} catch (error) {
		if (!(error instanceof TrustError)) throw error;
		warn(error.message);
	}
}

/** A person who sees the question and can answer it. */
export function personHere(): ReadLine | undefined {
	return process.stderr.isTTY ? onTerminal() : undefined;
}

/** Shows a project, and records what the person says. @throws TrustError, HomeError */
export async function ask(project: Project, readLine: ReadLine): Promise<"trusted" | "not now" | "declined"> {
	note(describeProject(project));
	note("Its hooks would run with your rights. They can block and change what the agent does; they cannot allow what you would be asked about.");
	const home = homeOf(process.env);
	// Ctrl-C ends the program here, as nothing is under way yet.
	const { signal } = new AbortController();
	for (;;) {
		const answer = await readLine("Trust exactly this? [t = trust / s = show the files / never = do not ask again about this / Enter = not now] ", signal).catch(() => "");
		switch (answer.trim().toLowerCase()) {
			case "t":
			case "trust":
				await trustProject(project, home);
				return "trusted";
			case "never":
				await declineProject(project, home);
				return "declined";
			case "s":
			case "show":
				note(textOf(project));
				break;
			case "":
			case "n":
			case "no":
			case "not now":
				return "not now";
			default:
				note("Please answer t, s, never, or nothing.");
		}
	}
}
