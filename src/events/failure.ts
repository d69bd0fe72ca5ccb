// A hook that did not give a usable answer.
import type { FailureKind } from "./record.ts";

/** Characters. Far more than anybody reads, and no more than the trace, the log and the model can bear. */
const maxMessage = 4096;

/** Hosts throw or reject with it to say more than an error message can. */
export class HookFailure extends Error {
	override readonly name = "HookFailure";
	readonly kind: FailureKind;
	/** False when the hook is a bystander: its host ended because of another hook, or the user stopped the turn. */
	readonly counts: boolean;

	constructor(kind: FailureKind, message: string, more: { readonly counts?: boolean; readonly cause?: unknown } = {}) {
		super(message.length > maxMessage ? `${message.slice(0, maxMessage)}… [${message.length} characters]` : message, { cause: more.cause });
		this.kind = kind;
		this.counts = more.counts ?? true;
	}
}

/** Anything thrown, as a failure. A thrown string is as good as an Error. */
export function toFailure(thrown: unknown): HookFailure {
	if (thrown instanceof HookFailure) return thrown;
	return new HookFailure("threw", printed(thrown), { cause: thrown });
}

function printed(thrown: unknown): string {
	try {
		if (thrown instanceof Error) return `${thrown.name === "Error" ? "" : `${thrown.name}: `}${thrown.message}`;
		return `threw ${typeof thrown === "string" ? JSON.stringify(thrown) : String(thrown)}`;
	} catch {
		return "threw an object that cannot be printed";
	}
}
