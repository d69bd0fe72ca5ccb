// One thing at a time from Hermes's home into Hookline's, and what became of it.
import type { Change } from "../../config/write.ts";
import type { Home } from "../../system/home.ts";
import { type HermesHome, messageOf } from "./home.ts";
import type { Put, PutOptions } from "./put.ts";
import type { Findings, Kind } from "./report.ts";

/** Where from, where to, and who is told. */
export interface Import extends PutOptions {
	readonly hermes: HermesHome;
	readonly home: Home;
	readonly findings: Findings;
	/** What `~` is. */
	readonly userHome: string;
}

/** A setting that is to stand in our config.yaml. */
export interface NewSetting extends Change {
	/** As Hermes calls it. */
	readonly theirs: string;
}

/** Puts one thing into the home and says what became of it; gives whether it is there now. `put` answers `left out` when it has said why itself. */
export async function bring(thing: { readonly kind: Kind; readonly name: string; readonly to: string }, { findings, signal }: Pick<Import, "findings" | "signal">, put: () => Promise<Put | "left out">): Promise<boolean> {
	const { kind, name, to } = thing;
	try {
		const became = await put();
		if (became === "left out") return false;
		if (became === "copied") findings.copied.push(thing);
		else if (became === "present") findings.present.push(thing);
		else {
			const [first = "", ...others] = became.differs;
			const which = others.length === 0 ? `${first} differs` : `${others.length + 1} files differ, ${first} among them`;
			findings.problems.push({ kind, name, message: `${to} is there and ${which}, so it was left as it is. Look at both, and move one of them away.` });
		}
		return typeof became === "string";
	} catch (error) {
		if (signal.aborted) throw error;
		findings.problems.push({ kind, name, message: `It was not copied: ${messageOf(error)}.` });
		return false;
	}
}
