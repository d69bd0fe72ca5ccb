import type { PythonUnit } from "./unit.ts";

/** A unit of a Python host, over all processes it lives in. */
export interface Member {
	readonly number: number;
	readonly unit: PythonUnit;
	/** What it registered when it was loaded, as JSON. Undefined until then. */
	callbacks: string | undefined;
	/** Whether the process that runs now has it. */
	live: boolean;
	/** Why it cannot run any more. */
	broken: string | undefined;
}
