// The sessions this process has open now, and the conversations that lead them: where code of an extension finds the one it means.
import type { Doorkeeper } from "./parts.ts";
import type { Session } from "./session.ts";

/** A conversation as far as others than its surface need it. */
export interface OpenConversation {
	readonly session: Session;
	/** Takes a text into the turn under way; one that is too late for it is there for the next. */
	steer(text: string, origin: "extension", stop: AbortSignal): Promise<unknown>;
	/** Begins a turn with a text that nobody typed, when nothing else is under way. Absent where the surface can begin none. */
	readonly beginTurn?: ((text: string) => void) | undefined;
}

export class OpenSessions implements Doorkeeper {
	readonly #sessions = new Map<string, Session>();
	/** The one that was active last stands at the end. */
	readonly #conversations = new Set<OpenConversation>();

	enter(session: Session): void {
		this.#sessions.set(session.id, session);
	}

	leave(session: Session): void {
		if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
	}

	/** When it is opened, and again whenever something begins in it. */
	attach(conversation: OpenConversation): void {
		this.#conversations.delete(conversation);
		this.#conversations.add(conversation);
	}

	detach(conversation: OpenConversation): void {
		this.#conversations.delete(conversation);
	}

	/** Also one that no conversation leads: that of a delegated child. */
	session(id: string): Session | undefined {
		return this.#sessions.get(id);
	}

	/** The one that leads this session; the one that was active last when no id is given. */
	conversation(id?: string): OpenConversation | undefined {
		const all = [...this.#conversations];
		return id === undefined ? all.at(-1) : all.find(({ session }) => session.id === id);
	}
}
