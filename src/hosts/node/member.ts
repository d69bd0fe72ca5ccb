import type { ExtensionFile } from "../host.ts";

/** An extension of a node host, over all processes it lives in. */
export interface Member {
	readonly number: number;
	readonly extension: ExtensionFile;
	readonly timeoutMs: number;
	/** What it registered when it was loaded, as JSON. Undefined until then. */
	hooks: string | undefined;
	/** Whether the process that runs now has it. */
	live: boolean;
	/** Why it cannot run any more, although its hooks are there. */
	broken: string | undefined;
}
