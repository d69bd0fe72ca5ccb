// Who may talk to the agent: those config.yaml names, and those the owner paired by a code.
import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { GatewayConfig } from "../config/gateway.ts";
import { writeAtomically } from "../system/files.ts";
import { ensureHome, type Home } from "../system/home.ts";
import { takeLock } from "../system/lock.ts";

/** An owner may run every command; a user only those that concern their own chat. */
export type Role = "owner" | "user";

type AccessSettings = NonNullable<GatewayConfig["access"]>;

export interface Person {
	/** `PLATFORM:USER`. */
	readonly user: string;
	readonly role: Role;
	/** Since when, in ms since the epoch. */
	readonly at: number;
}

interface Pending {
	readonly code: string;
	readonly user: string;
	readonly at: number;
}

interface People {
	readonly paired: readonly Person[];
	readonly pending: readonly Pending[];
}

/** The message says which file, and what to do. */
export class AccessError extends Error {
	override readonly name = "AccessError";
}

/** How long a code is good for, in ms. */
const codeLastsMs = 3600_000;
/** Strangers who have a code at the same time; the oldest code goes first. */
const mostPending = 1_000;
/** Without letters and digits that are mistaken for each other. */
const alphabet = "ABCDEFGHJKMNPQRSTVWXYZ23456789";

export class Access {
	readonly #home: Home;
	readonly #settings: AccessSettings;

	constructor(home: Home, settings: AccessSettings = {}) {
		this.#home = home;
		this.#settings = settings;
	}

	/** Undefined for a stranger. @throws AccessError */
	roleOf(platform: string, userId: string): Role | undefined {
		const user = `${platform}:${userId}`;
		const { owners = [], users = [] } = this.#settings;
		const names = (list: readonly string[]) => list.includes(user) || list.includes(`${platform}:*`);
		if (names(owners)) return "owner";
		const paired = people(this.#home).paired.find((person) => person.user === user)?.role;
		return paired ?? (names(users) ? "user" : undefined);
	}

	/** What a stranger is told. */
	async refusalFor(platform: string, userId: string): Promise<string> {
		if (this.#settings.pairing === "off") return "You are not on the list of those who may talk to this agent. Its owner can add you.";
		const user = `${platform}:${userId}`;
		const mine = ({ pending }: People) => pending.find((one) => one.user === user && isValid(one))?.code;
		let code = mine(people(this.#home));
		if (code === undefined) {
			await change(this.#home, (before) => {
				code = mine(before);
				if (code !== undefined) return before;
				code = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join("");
				return { paired: before.paired, pending: [...before.pending.filter(isValid), { code, user, at: Date.now() }].slice(-mostPending) };
			});
		}
		return `This agent does not know you yet. Ask its owner to run: hookline gateway pair ${code}\nThe code is good for an hour; then write again.`;
	}
}

const isValid = ({ at }: Pending) => Date.now() - at < codeLastsMs;

/** Those who were paired. @throws AccessError */
export const pairedPeople = (home: Home): readonly Person[] => people(home).paired;

/** Lets whoever has this code talk to the agent; undefined when there is no such code, or not any more. @throws AccessError */
export async function pair(home: Home, code: string, role: Role): Promise<Person | undefined> {
	let person: Person | undefined;
	await change(home, (before) => {
		const { paired, pending } = before;
		const found = pending.find((one) => one.code === code.toUpperCase() && isValid(one));
		if (found === undefined) return before;
		const { user } = found;
		person = { user, role, at: Date.now() };
		return { paired: [...paired.filter((one) => one.user !== user), person], pending: pending.filter((one) => one !== found) };
	});
	return person;
}

/** @returns whether they were paired. @throws AccessError */
export async function unpair(home: Home, user: string): Promise<boolean> {
	let was = false;
	await change(home, ({ paired, pending }) => {
		was = paired.some((one) => one.user === user);
		return { paired: paired.filter((one) => one.user !== user), pending };
	});
	return was;
}

const fileOf = ({ path }: Home) => join(path, "gateway-people.json");

function people(home: Home): People {
	const file = fileOf(home);
	let text: string;
	try {
		text = readFileSync(file, "utf8");
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code === "ENOENT") return { paired: [], pending: [] };
		throw new AccessError(`${file} cannot be read (${error instanceof Error ? error.message : String(error)}), so nobody who was paired can talk to the agent. Make it readable.`);
	}
	try {
		const { paired, pending } = JSON.parse(text) as Partial<People>;
		if (Array.isArray(paired) && Array.isArray(pending)) return { paired, pending };
	} catch {
		// Told below.
	}
	throw new AccessError(`${file} is not what Hookline writes there, so nobody who was paired can talk to the agent. Move it away and pair them again.`);
}

async function change(home: Home, how: (before: People) => People): Promise<void> {
	ensureHome(home);
	const lock = await takeLock(join(home.path, "gateway-people.lock"));
	try {
		const before = people(home);
		const after = how(before);
		if (after !== before) await writeAtomically(fileOf(home), `${JSON.stringify(after, undefined, "\t")}\n`, { mode: 0o600, until: "disk" });
	} finally {
		lock.close();
	}
}
