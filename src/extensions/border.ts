// What stands around the process of an installed extension on this machine.
import { findSandbox, type Sandbox } from "../hosts/shell/sandbox.ts";
import type { Border, Permissions } from "./permissions.ts";

export interface BorderHere {
	readonly border: Border;
	/** A sentence. */
	readonly inWords: string;
}

export const sandboxHere = (environment: Readonly<Record<string, string | undefined>>): Promise<Sandbox> => findSandbox(environment["PATH"] ?? "");

export function borderOf(language: "script" | "python", { inline }: Pick<Permissions, "inline">, sandbox: Sandbox): BorderHere {
	if (language === "python") return { border: "none", inWords: "It is written in Python and runs in a process with your rights." };
	if (inline) return { border: "none", inWords: "It runs in Hookline's own process." };
	if ("file" in sandbox) return { border: "sandbox", inWords: "Its process is held by bubblewrap and Node's permission model." };
	return { border: "seat belt", inWords: `Its process is held by Node's permission model alone: ${sandbox.why}.` };
}
