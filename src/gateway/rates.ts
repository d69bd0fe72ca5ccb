// How much one person may say.

const windowMs = 60_000;
/** People whose last minute is remembered. */
const mostPeople = 10_000;

interface Minute {
	/** What they said within it, oldest first. */
	said: { readonly messageId: string | undefined; readonly at: number }[];
	/** Whether they know that it was too much. */
	told: boolean;
}

export class Rates {
	/** Who spoke last stands at the end. */
	readonly #people = new Map<string, Minute>();
	readonly #now: () => number;

	/** @param now in ms, by a clock that only goes forward */
	constructor(now: () => number = () => performance.now()) {
		this.#now = now;
	}

	/**
	 * Counts a message, once however often it comes: the platform brings one again that could not be kept. When it is too much: in how many ms they may
	 * say something again, and whether they were not told yet.
	 * @param messageId left out where each time counts
	 */
	count(person: string, most: number, messageId?: string): { readonly waitMs: number; readonly first: boolean } | undefined {
		const now = this.#now();
		const minute = this.#people.get(person) ?? { said: [], told: false };
		minute.said = minute.said.filter(({ at }) => now - at < windowMs);
		this.#people.delete(person);
		this.#people.set(person, minute);
		if (this.#people.size > mostPeople) this.#people.delete(this.#people.keys().next().value!);
		if (messageId !== undefined && minute.said.some((one) => one.messageId === messageId)) return undefined;
		if (minute.said.length < most) {
			minute.said.push({ messageId, at: now });
			minute.told = false;
			return undefined;
		}
		const first = !minute.told;
		minute.told = true;
		return { waitMs: Math.ceil(windowMs - (now - minute.said[0]!.at)), first };
	}
}
