// `next_call` of middleware: Python asks for it by the number of the call under way, and the operation runs, inside whatever lies further in.
import type { JsonObject } from "../../events/payloads/facts.ts";
import type { PythonServices } from "../../hosts/python/unit.ts";

/** One for each Python host; its service belongs to those of that host. */
export class NextCalls {
	readonly #open = new Map<string, { readonly unit: string; readonly next: () => Promise<unknown> }>();
	#numbers = 0;

	/** What the host needs of it. */
	readonly services: PythonServices = {
		next: async (unit, { call }) => {
			const open = this.#open.get(String(call));
			if (open === undefined || open.unit !== unit) throw new Error("next_call was called after the call it belongs to was over");
			return open.next();
		},
	};

	/** Runs a call during which Python may ask for `next`, plain data, under the name that `run` is given. */
	async during<Result>(unit: string, next: () => Promise<JsonObject | string>, run: (call: string) => Promise<Result>): Promise<Result> {
		const call = String(++this.#numbers);
		this.#open.set(call, { unit, next });
		try {
			return await run(call);
		} finally {
			this.#open.delete(call);
		}
	}
}
