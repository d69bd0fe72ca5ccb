// A person's conversation on one surface: what they type becomes a command or a turn, and the session under it can change.
import { didYouMean } from "../system/nearest.ts";
import type { InputReceiving, SessionEnded, SessionSwitching } from "../events/payloads/conversation.ts";
import { SessionInUseError } from "../stores/leases.ts";
import { type NewImage, newSessionId, type SessionRecord } from "../stores/sessions.ts";
import { StoreError } from "../stores/store.ts";
import { newId } from "../system/ids.ts";
import { type GivenImage, takeImages } from "./images.ts";
import { send } from "./output.ts";
import type { AgentParts } from "./parts.ts";
import { newSession, resumeSession, type Session, type SessionPlace } from "./session.ts";
import { runTurn, type TurnResult } from "./turn.ts";

export interface Command {
	/** Without the slash. */
	readonly name: string;
	readonly summary: string;
	/** Set where it may run while a turn does; any other waits until that is over. */
	readonly anytime?: true;
	/** Gives the text to show, when there is one. */
	run(conversation: Conversation, args: string, stop: AbortSignal): Promise<string | undefined> | string | undefined;
}

/** A hook refused to open or switch a session. The message is its reason. */
export class SwitchRefused extends Error {
	override readonly name = "SwitchRefused";
}

/** A command cannot do what was asked. The message is for the person; the conversation goes on. */
export class CommandRefused extends Error {
	override readonly name = "CommandRefused";
}

export class Conversation {
	readonly parts: AgentParts;
	readonly commands: ReadonlyMap<string, Command>;
	#session: Session;
	/** Set by a command that ends the conversation. */
	over = false;

	private constructor(parts: AgentParts, commands: readonly Command[], session: Session) {
		this.parts = parts;
		this.commands = new Map(commands.map((command) => [command.name, command]));
		this.#session = session;
	}

	get session(): Session {
		return this.#session;
	}

	/**
	 * Opens a conversation, in a new session or, when a record is given, where that one was left.
	 * @throws SwitchRefused when a hook does not let the session be resumed; SessionInUseError; StoreError.
	 */
	static async open(parts: AgentParts, place: SessionPlace, commands: readonly Command[], resume?: SessionRecord): Promise<Conversation> {
		if (resume === undefined) return Conversation.#begin(parts, commands, newSession(parts, place));
		const { engine } = parts;
		if (engine.has("session.switching")) {
			const outcome = await engine.dispatch("session.switching", { ...factsWithout(place), to: "resume", targetSessionId: resume.id });
			if (outcome.kind === "blocked") throw new SwitchRefused(`Session ${resume.id} was not resumed: ${outcome.reason}`);
		}
		const opened = resumeSession(parts, place, resume);
		takeUpModel(parts, resume);
		const conversation = Conversation.#begin(parts, commands, opened);
		const { session } = conversation;
		if (engine.has("session.switched")) engine.tell("session.switched", { ...session.facts(), to: "resume", targetSessionId: resume.id });
		tellModel(parts, session, resume);
		return conversation;
	}

	static #begin(parts: AgentParts, commands: readonly Command[], session: Session): Conversation {
		const { engine, model } = parts;
		if (engine.has("session.started")) engine.tell("session.started", { ...session.facts(), model: model.name, resumed: session.resumed });
		return new Conversation(parts, commands, session);
	}

	/** Takes what a person typed: a command runs, anything else is a turn (images go with it), and another one for what was said too late to join it. */
	async submit(text: string, origin: InputReceiving["origin"], stop: AbortSignal, given: readonly GivenImage[] = []): Promise<TurnResult> {
		const session = this.#session;
		const taken = takeImages(given);
		if ("mistake" in taken) return { ...done(await send(session, taken.mistake, "notice", stop)), completed: false, error: taken.mistake };
		const { images } = taken;
		const received = await this.#receive(text, origin, stop, images);
		if (!("input" in received)) return received;
		const command = commandIn(received.input);
		if (command && images.length > 0) this.parts.warn(`/${command.name} takes no images; send them with a message.`);
		if (command) return this.#command(command.name, command.args, stop);
		let result = await runTurn(session, received.input, stop, images);
		while (result.completed && session.steered.length > 0) {
			const [...said] = session.steered;
			session.steered = [];
			result = await runTurn(session, said.join("\n\n"), stop);
		}
		return result;
	}

	/**
	 * Takes what a person typed while a turn runs. A text joins the turn at its next step; a command runs when it may at any time. Gives what came of it
	 * where that is over already. What the turn did not take any more, because it was stopped or failed, is given back by `takeUnsaid`.
	 */
	async steer(text: string, origin: InputReceiving["origin"], stop: AbortSignal): Promise<TurnResult | undefined> {
		const received = await this.#receive(text, origin, stop);
		if (!("input" in received)) return received;
		const command = commandIn(received.input);
		if (command === undefined) {
			this.#session.steered = [...this.#session.steered, received.input];
			return undefined;
		}
		if (this.commands.get(command.name)?.anytime !== true && this.commands.has(command.name)) {
			const error = `/${command.name} has to wait until this turn is over. Type it again then, or end the turn with /stop.`;
			return { ...done(await send(this.#session, error, "notice", stop)), completed: false, error };
		}
		return this.#command(command.name, command.args, stop);
	}

	/** What was said into a turn that ended before it could join; it is nowhere else any more. */
	takeUnsaid(): readonly string[] {
		const { steered } = this.#session;
		this.#session.steered = [];
		return steered;
	}

	/** Lets the hooks see a text first: what is to become of it, or how it ended there. */
	async #receive(text: string, origin: InputReceiving["origin"], stop: AbortSignal, images: readonly NewImage[] = []): Promise<{ readonly input: string } | TurnResult> {
		const session = this.#session;
		const { engine } = this.parts;
		if (!engine.has("input.receiving")) return { input: text };
		const outcome = await engine.dispatch("input.receiving", { ...session.facts(), text, origin, ...(images.length > 0 && { images: images.map(({ part }) => part) }) }, { signal: stop });
		if (outcome.kind === "go") return { input: outcome.payload.text };
		if (outcome.kind === "responded") return done(await send(session, outcome.text, "answer", stop));
		if (outcome.cause === "interrupted") return { text: "", completed: false, interrupted: true };
		return { ...done(await send(session, outcome.reason, "notice", stop)), completed: false, error: outcome.reason };
	}

	async #command(typedName: string, typedArgs: string, stop: AbortSignal): Promise<TurnResult> {
		const session = this.#session;
		const { engine } = this.parts;
		const began = performance.now();
		let name = typedName;
		let args = typedArgs;
		const ran = (status: "ok" | "error" | "blocked") => {
			if (engine.has("command.ran")) engine.tell("command.ran", { ...session.facts(), name, args, status, durationMs: performance.now() - began });
		};
		if (engine.has("command.running")) {
			const outcome = await engine.dispatch("command.running", { ...session.facts(), name, args }, { signal: stop });
			if (outcome.kind === "blocked") {
				ran("blocked");
				return { ...done(await send(session, outcome.reason, "notice", stop)), completed: false, error: outcome.reason };
			}
			if (outcome.kind === "responded") {
				ran("ok");
				return done(await send(session, outcome.text, "answer", stop));
			}
			({ name, args } = outcome.payload);
		}
		const command = this.commands.get(name);
		if (command === undefined) {
			ran("error");
			const names = [...this.commands.keys()];
			const error = `There is no command /${name}.${didYouMean(name, names)} The commands are ${names.map((known) => `/${known}`).join(", ")}.`;
			return { ...done(await send(session, error, "notice", stop)), completed: false, error };
		}
		try {
			const text = await command.run(this, args, stop);
			ran("ok");
			return done(text === undefined ? "" : await send(this.#session, text, "notice", stop));
		} catch (error) {
			ran("error");
			if (!refusals.some((kind) => error instanceof kind) || !(error instanceof Error)) throw error;
			return { ...done(await send(session, error.message, "notice", stop)), completed: false, error: error.message };
		}
	}

	/**
	 * Leaves the session for a fresh one.
	 * @throws SwitchRefused when a hook does not let it.
	 */
	async startAnew(reason: "new" | "reset" = "new"): Promise<void> {
		await this.#switch("new", undefined, () => newSession(this.parts, this.#session.place), reason);
	}

	/**
	 * Leaves the session for another one, where that was left.
	 * @throws SwitchRefused when a hook does not let it; SessionInUseError; StoreError. The conversation then stays where it is.
	 */
	async resume(record: SessionRecord): Promise<void> {
		await this.#switch("resume", record.id, () => {
			const session = resumeSession(this.parts, this.#session.place, record);
			takeUpModel(this.parts, record);
			return session;
		});
		tellModel(this.parts, this.#session, record);
	}

	/**
	 * Leaves the session for a new one that begins with its first messages, all when no number is given.
	 * @throws SwitchRefused when a hook does not let it; StoreError when it cannot be cut there. The conversation then stays where it is.
	 */
	async fork(messages?: number): Promise<void> {
		const { parts } = this;
		const { id, place } = this.#session;
		await this.#switch("fork", undefined, () => resumeSession(parts, place, parts.store.sessions.fork(id, newSessionId(Date.now()), messages)));
	}

	async #switch(to: SessionSwitching["to"], targetSessionId: string | undefined, open: () => Session, reason = "new"): Promise<void> {
		const { engine } = this.parts;
		const old = this.#session;
		const target = targetSessionId !== undefined && { targetSessionId };
		if (engine.has("session.switching")) {
			const outcome = await engine.dispatch("session.switching", { ...old.facts(), to, ...target });
			if (outcome.kind === "blocked") throw new SwitchRefused(`The session stays: ${outcome.reason}`);
		}
		const session = open();
		await this.#end(to === "new" ? "reset" : "switched");
		this.#session = session;
		const previousSessionId = old.id;
		if (to === "new" && engine.has("session.reset")) engine.tell("session.reset", { ...session.facts(), previousSessionId, reason });
		if (engine.has("session.started")) engine.tell("session.started", { ...session.facts(), model: this.parts.model.name, resumed: session.resumed });
		if (engine.has("session.switched")) engine.tell("session.switched", { ...session.facts(), to, previousSessionId, ...(to !== "new" && { targetSessionId: session.id }) });
	}

	/** Ends the conversation for this process. */
	async close(reason: SessionEnded["reason"]): Promise<void> {
		await this.#end(reason);
	}

	async #end(reason: SessionEnded["reason"]): Promise<void> {
		const session = this.#session;
		const { engine } = this.parts;
		if (engine.has("session.ended")) engine.tell("session.ended", { ...session.facts(), reason, turns: session.turns });
		await session.close();
	}
}

/** The slash command a text is, when it is one. */
export function commandIn(text: string): { readonly name: string; readonly args: string } | undefined {
	const found = /^\/([\w-]+)(?:\s+([\s\S]*))?$/.exec(text.trim());
	return found ? { name: found[1]!, args: found[2]?.trim() ?? "" } : undefined;
}

/** What ends a command but not the conversation. */
const refusals = [SwitchRefused, CommandRefused, SessionInUseError, StoreError] as const;

const done = (text: string): TurnResult => ({ text, completed: true, interrupted: false });

/** A session goes on with the model it was led with last, unless the command line names one. */
function takeUpModel({ models, warn }: AgentParts, record: SessionRecord): void {
	const problem = models.takeUp(record.model);
	if (problem !== undefined) warn(`Session ${record.id} was led with ${record.model}, which cannot be had now; it goes on with ${models.chosen.name}. ${problem}`);
}

function tellModel({ engine, model }: AgentParts, session: Session, resumed: SessionRecord): void {
	if (model.name !== resumed.model && engine.has("model.selected")) engine.tell("model.selected", { ...session.facts(), model: model.name, previous: resumed.model });
}

const factsWithout = ({ cwd, surface, profile }: SessionPlace) => ({ eventId: newId("e"), at: Date.now(), surface, cwd, profile });
