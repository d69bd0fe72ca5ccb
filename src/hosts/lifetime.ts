// Everything an extension registered or started, in order: it leaves in the reverse order, all of it.
import { RegistrationError } from "../events/registration.ts";

/** For all that an extension does at its end, in ms. */
export const unloadMs = 2_000;

/** Why what an extension waited for has ended. What nobody caught of it is no failure of the extension. */
export class Unloaded extends Error {
	override readonly name = "Unloaded";
}

type Leave = () => unknown;

export class Lifetime {
	readonly #leaves = new Set<Leave>();
	readonly #over = new AbortController();
	#closing: Promise<void> | undefined;

	/** Aborted when everything else has left. */
	get signal(): AbortSignal {
		return this.#over.signal;
	}

	/** What `register` gives runs once: when what this gives is disposed of, or when everything leaves. @throws RegistrationError when that has happened. */
	own(register: () => Leave): Disposable {
		if (this.#closing !== undefined) throw new RegistrationError("the extension was unloaded, so it can register nothing more.");
		const leave = register();
		const once = () => (this.#leaves.delete(once) ? leave() : undefined);
		this.#leaves.add(once);
		return { [Symbol.dispose]: () => void once() };
	}

	/** What a leave throws is told, and the next one's turn comes. After `unloadMs` none is waited for any more. Never rejects. */
	close(onError: (thrown: unknown) => void): Promise<void> {
		return (this.#closing ??= this.#close(onError));
	}

	async #close(onError: (thrown: unknown) => void): Promise<void> {
		let timer: NodeJS.Timeout | undefined;
		const limit = new Promise<"late">((resolve) => (timer = setTimeout(resolve, unloadMs, "late")));
		let late = false;
		for (const leave of [...this.#leaves].reverse()) {
			const left = Promise.try(leave).catch(onError);
			if (late || (await Promise.race([left, limit])) !== "late") continue;
			late = true;
			onError(new Error(`what it does when it is unloaded was not done within ${unloadMs / 1000} s`));
		}
		clearTimeout(timer);
		this.#over.abort(new Unloaded("the extension was unloaded"));
	}
}
