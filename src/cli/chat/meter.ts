// What a conversation costs, as far as it is known.
import type { Engine } from "../../engine/engine.ts";
import type { ModelCalled, Usage } from "../../events/payloads/model.ts";
import { ownSource } from "../own-hooks.ts";

export class Meter {
	/** Tokens of all calls together, children's included. */
	readonly tokens: { -readonly [Key in keyof Usage]-?: number } = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, cacheWriteTokens: 0 };
	calls = 0;
	#costUsd = 0;
	#unknown = false;

	/** US dollars since the start; undefined when there was a call whose price is not known. */
	get costUsd(): number | undefined {
		return this.#unknown ? undefined : this.#costUsd;
	}

	watch(engine: Engine): void {
		engine.register([{ event: "model.called", stage: "observe", options: { name: "meter" }, queue: Infinity, host: "inline", source: ownSource, handler: (called: ModelCalled) => this.#count(called) }]);
	}

	#count({ usage, costUsd, model }: ModelCalled): void {
		this.calls++;
		for (const key of Object.keys(this.tokens) as (keyof Usage)[]) this.tokens[key] += usage[key] ?? 0;
		// The rehearsal model costs nothing, and says so by having no price.
		if (costUsd === undefined) this.#unknown ||= model !== "rehearsal";
		else this.#costUsd += costUsd;
	}
}
