import type { Brings } from "../../events/brings.ts";
import type { ExtensionFile } from "../host.ts";
import type { BringsParts } from "../protocol.ts";

/** An extension of a node host, over all processes it lives in. */
export interface Member {
	readonly number: number;
	readonly extension: ExtensionFile;
	readonly timeoutMs: number;
	/** Told when what it brings has changed since it was loaded. */
	onBrings: (brings: Brings) => void;
	/** What it brings now, and the same as its process told of it. */
	brings: Brings;
	broughtJson: string;
	/** What it brought since it was loaded, when that came before we had seen that it is. */
	since: BringsParts | undefined;
	/** The hooks it registered when it was loaded, as JSON. Undefined until then. */
	hooks: string | undefined;
	/** Whether the process that runs now has it. */
	live: boolean;
	/** Why it cannot run any more, although its hooks are there. */
	broken: string | undefined;
}
