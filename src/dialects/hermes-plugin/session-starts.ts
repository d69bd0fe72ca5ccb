// Hermes waits for `on_session_start` before anything else of a session happens; here it is told, and nobody waits. So a plugin's own callbacks wait for it: what
// it prepared is there when the first of them is called.
import type { Facts } from "../../events/payloads/facts.ts";

/** Sessions that are remembered as begun. */
const most = 1_000;

export class SessionStarts {
	readonly #underWay = new Map<string, Promise<void>>();
	readonly #begun = new Set<string>();
	#used = false;

	/** A callback was told that a session began. */
	add(sessionId: string, heard: Promise<unknown>): void {
		this.#used = true;
		const before = this.#underWay.get(sessionId);
		const all = Promise.allSettled([before, heard]).then(() => {
			if (this.#underWay.get(sessionId) === all) this.#underWay.delete(sessionId);
		});
		this.#underWay.set(sessionId, all);
	}

	/** Resolves when the callbacks have heard that the session of this event began. */
	async over({ sessionId, cause }: Facts): Promise<void> {
		// What a callback itself fires must not wait for that callback.
		if (sessionId === undefined || cause !== undefined) return;
		if (!this.#begun.has(sessionId)) {
			// Observers are told a moment later.
			await new Promise((resolve) => setImmediate(resolve));
			if (this.#begun.size >= most) this.#begun.clear();
			this.#begun.add(sessionId);
		}
		if (this.#used) await this.#underWay.get(sessionId);
	}
}
