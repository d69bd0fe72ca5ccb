// A conversation: its messages in memory and in the store, and the facts every event in it carries.
import type { Facts, Sender, Surface } from "../events/payloads/facts.ts";
import type { Message, ToolCallRequest } from "../events/payloads/model.ts";
import type { ToolDeclaration } from "../models/model.ts";
import type { Lease } from "../stores/leases.ts";
import { type NewImage, type NewSession, newSessionId, type SessionRecord, titleOf } from "../stores/sessions.ts";
import { newId } from "../system/ids.ts";
import { didYouMean } from "../system/nearest.ts";
import { seal, sealList } from "../system/plain.ts";
import { backgroundProcesses } from "../tools/background.ts";
import type { BackgroundProcesses, Tool } from "../tools/tool.ts";
import { systemPromptFor } from "./context.ts";
import { readInstructions } from "./instructions.ts";
import type { AgentParts } from "./parts.ts";

export interface SessionPlace {
	/** Absolute. */
	readonly cwd: string;
	readonly surface: Surface;
	readonly profile: string;
	/** Behind the gateway, whoever caused what happens now; it may be another one each time it is read. */
	readonly sender?: Sender;
}

/** What a tool call that was under way when its process ended is told to have given. */
export const lostResult = "[No result: the program ended while this call was running. Whether it had an effect is not known; check before you repeat it.]";
export const interruptedResult = "[No result: the user stopped the turn.]";

export class Session {
	readonly parts: AgentParts;
	readonly id: string;
	readonly place: SessionPlace;
	/** Constant for the session; a turn's hooks may send another one. */
	readonly systemPrompt: string;
	tools: readonly ToolDeclaration[] = [];
	/** The same, to be run. */
	toolset: readonly Tool[] = [];
	/** Also those that are not active. A server may bring others later; those are for sessions that begin then, while what extensions bring counts from the next step on. */
	allTools: readonly Tool[] = [];
	readonly #ownTools: readonly Tool[];
	#active: ReadonlySet<string> | undefined;
	#takenVersion: number | undefined;
	readonly processes: BackgroundProcesses = backgroundProcesses();
	readonly resumed: boolean;
	/** The session that delegated to this one, and how many lie above it. */
	readonly parentId: string | undefined;
	readonly depth: number;
	/** Turns begun by this process. */
	turns = 0;
	turnId: string | undefined;
	step: number | undefined;
	/** Tokens the last request and its answer took, as far as the provider counts them. */
	usedTokens = 0;
	/** What the person said while a turn runs; it joins at the next step. */
	steered: readonly string[] = [];
	#messages: Message[];
	/** Where the last summary stands; -1 when there is none. */
	#summaryAt: number;
	/** What the store is told of it together with the first message: a session in which nothing was said is nothing to continue. */
	#unkept: NewSession | undefined;
	readonly #lease: Lease;

	constructor(parts: AgentParts, place: SessionPlace, session: NewSession, messages: readonly Message[], lease: Lease, from: "new" | "store", depth = 0) {
		this.parts = parts;
		this.place = place;
		this.id = session.id;
		this.systemPrompt = session.systemPrompt;
		this.#ownTools = parts.tools;
		this.#putTools();
		this.resumed = from === "store";
		this.parentId = session.parentId;
		this.depth = depth;
		this.#messages = messages.map(seal);
		this.#summaryAt = messages.findLastIndex(isSummary);
		this.#unkept = from === "store" ? undefined : session;
		this.#lease = lease;
		parts.open?.enter(this);
	}

	/** All messages so far, sealed; the system prompt is not among them. */
	get messages(): readonly Message[] {
		return this.#messages;
	}

	/** What a model is sent, sealed: the system prompt, and all messages from the last summary on. */
	conversation(systemPrompt: string): readonly Message[] {
		const system = seal<Message>({ role: "system", text: systemPrompt });
		// Not a spread: for 10,000 messages that takes 40 µs, this 2.
		if (this.#summaryAt < 0) return sealList([system].concat(this.#messages));
		const at = this.#summaryAt;
		const { summarises } = this.#messages[at] as Extract<Message, { role: "user" }>;
		return sealList([system, this.#messages[at]!].concat(this.#messages.slice(at - summarises!.butKeeps, at), this.#messages.slice(at + 1)));
	}

	/** How many messages were added since the last summary. */
	get sinceSummary(): number {
		return this.#messages.length - 1 - this.#summaryAt;
	}

	/** Aborted when another process took the session over. */
	get lost(): AbortSignal {
		return this.#lease.lost;
	}

	/**
	 * Adds a message, with the images it refers to. `stored` is what the store keeps where hooks want that to differ.
	 * @throws StoreError when it cannot be kept; it is then not in memory either.
	 */
	append(message: Message, stored: Message = message, images: readonly NewImage[] = []): void {
		const { sessions } = this.parts.store;
		if (this.#unkept) sessions.create(this.#unkept);
		this.#unkept = undefined;
		sessions.append(this.id, [stored], images);
		this.#messages.push(seal(message));
		if (isSummary(message)) this.#summaryAt = this.#messages.length - 1;
	}

	/** Adds what was said while the turn runs, as one message: some providers take no two in a row. */
	takeSteered(): void {
		if (this.steered.length === 0) return;
		this.append({ role: "user", text: this.steered.join("\n\n") });
		this.steered = [];
	}

	/**
	 * From the next step on only these are offered to the model; all again when undefined.
	 * @throws Error when one of them is not there.
	 */
	setActive(names: readonly string[] | undefined): void {
		const known = this.allTools.map(({ name }) => name);
		const unknown = names?.find((name) => !known.includes(name));
		if (unknown !== undefined) throw new Error(`There is no tool '${unknown}'.${didYouMean(unknown, known)} The tools are ${known.join(", ")}.`);
		this.#active = names && new Set(names);
		this.#takenVersion = -1;
	}

	/** At the beginning of a step: what was changed since the last one counts from now on. Unchanged, the list stays the same: providers cache it. */
	takeTools(): void {
		if (this.#takenVersion !== this.parts.brought?.version) this.#putTools();
	}

	#putTools(): void {
		const { brought } = this.parts;
		this.#takenVersion = brought?.version;
		this.allTools = brought?.tools(this.#ownTools) ?? this.#ownTools;
		const active = this.#active;
		this.toolset = active === undefined ? this.allTools : this.allTools.filter(({ name }) => active.has(name));
		this.tools = declared(this.toolset);
	}

	/** Whether the store has it: it does from its first message on. */
	get kept(): boolean {
		return this.#unkept === undefined;
	}

	/** Calls it something. */
	rename(name: string): void {
		if (this.#unkept) this.#unkept = { ...this.#unkept, name: titleOf(name) };
		else this.parts.store.sessions.rename(this.id, name);
	}

	/** Keeps which model it is led with from now on. */
	setModel(model: string): void {
		if (this.#unkept) this.#unkept = { ...this.#unkept, model };
		else this.parts.store.sessions.setModel(this.id, model);
	}

	/** Takes back what the user said last, and everything after it; gives that text, or undefined when nothing was said. */
	undoLast(): string | undefined {
		// A summary is nobody's word; one made since then goes with what it stands behind.
		const at = this.#messages.findLastIndex((message) => message.role === "user" && !isSummary(message));
		const last = this.#messages[at];
		if (last === undefined) return undefined;
		this.parts.store.sessions.dropLast(this.id, this.#messages.length - at);
		this.#messages = this.#messages.slice(0, at);
		this.#summaryAt = this.#messages.findLastIndex(isSummary);
		return last.text;
	}

	/** The facts of an event that happens now. */
	facts(): Facts {
		return {
			eventId: newId("e"),
			at: Date.now(),
			surface: this.place.surface,
			cwd: this.place.cwd,
			profile: this.place.profile,
			...this.place.sender,
			sessionId: this.id,
			...(this.parentId !== undefined && { parentSessionId: this.parentId }),
			...(this.turnId !== undefined && { turnId: this.turnId }),
			...(this.step !== undefined && { step: this.step }),
		};
	}

	/** The calls of the last answer that have no result. */
	get openCalls(): readonly ToolCallRequest[] {
		// Nothing but results comes between a call and its own.
		const at = this.#messages.findLastIndex(({ role }) => role !== "tool");
		const last = this.#messages[at];
		if (last?.role !== "assistant") return [];
		const answered = new Set(this.#messages.slice(at + 1).map((message) => (message.role === "tool" ? message.callId : "")));
		return (last.toolCalls ?? []).filter(({ id }) => !answered.has(id));
	}

	/** Gives each of them one: a model takes no conversation with an open call. */
	closeOpenCalls(text: string): void {
		for (const { id, name } of this.openCalls) this.append({ role: "tool", callId: id, name, text, isError: true });
	}

	/** Ends its background processes and lets other processes have it. */
	async close(): Promise<void> {
		await this.processes[Symbol.asyncDispose]();
		this.#lease.release();
		this.parts.open?.leave(this);
	}
}

const declared = (tools: readonly Tool[]): readonly ToolDeclaration[] => tools.map(({ name, description, parameters }) => ({ name, description, parameters }));

const isSummary = (message: Message): boolean => message.role === "user" && message.summarises !== undefined;

/** A fresh session, kept from its first message on; with a parent, that of a delegated child. */
export function newSession(parts: AgentParts, place: SessionPlace, { parent, now = Date.now() }: { readonly parent?: Session; readonly now?: number } = {}): Session {
	const session: NewSession = {
		id: newSessionId(now),
		cwd: place.cwd,
		model: parts.model.name,
		surface: place.surface,
		// A child is told what its parent was told: the provider has that in its cache.
		systemPrompt: parent?.systemPrompt ?? systemPromptFor(place.cwd, new Date(now), readInstructions({ home: parts.home, cwd: place.cwd }, parts.warn)),
		tools: JSON.stringify(declared(parts.brought?.tools(parts.tools) ?? parts.tools)),
		...(parent && { parentId: parent.id }),
	};
	return new Session(parts, place, session, [], parts.store.leases.acquire(session.id), "new", parent ? parent.depth + 1 : 0);
}

/**
 * Takes up a session where it was left; a call that was running when its process ended is closed.
 * @throws SessionInUseError when another process runs it; StoreError.
 */
export function resumeSession(parts: AgentParts, place: SessionPlace, record: SessionRecord): Session {
	const lease = parts.store.leases.acquire(record.id);
	const session = new Session(parts, place, record, parts.store.sessions.messages(record.id), lease, "store");
	// One that waits for an answer cannot be told here from one that was lost: whichever is open when the next turn begins is closed then.
	if (parts.parksQuestions === undefined) session.closeOpenCalls(lostResult);
	return session;
}
