// The conversations that are open: one for each session of the engine, the least used ones closed to make room.
import { type Command, Conversation } from "../agent/conversation.ts";
import type { AgentParts } from "../agent/parts.ts";
import type { SessionPlace } from "../agent/session.ts";
import type { Output } from "../agent/surface.ts";
import type { Sender } from "../events/payloads/facts.ts";
import { answerCommands } from "./answers.ts";
import { gatewayCommands, refusalOf } from "./commands.ts";
import type { Drafts } from "./drafts.ts";
import { chatOf } from "./letters.ts";
import type { Outbox } from "./outbox.ts";
import type { Live, Platform } from "./platform.ts";
import { speaking } from "./speaking.ts";

export interface ChatsOptions {
	readonly agent: AgentParts;
	readonly place: SessionPlace;
	readonly outbox: Outbox;
	readonly platforms: ReadonlyMap<string, Platform>;
	readonly drafts: Drafts;
	/** Those beside the gateway's own. */
	readonly commands: readonly Command[];
	/** Ends the turn that runs in a conversation; false when none does. */
	readonly stop: (conversation: Conversation) => boolean;
}

/** Open at once. More would cost memory and nothing else; a conversation is taken up again in a few ms. */
const mostOpen = 100;

export class Chats {
	readonly #options: ChatsOptions;
	/** The one that was used last stands at the end. */
	readonly #open = new Map<string, Conversation>();
	readonly #busy = new Set<string>();
	/** Being closed to make room: until that is over their sessions cannot be taken up again. */
	readonly #closing = new Map<string, Promise<void>>();

	constructor(options: ChatsOptions) {
		this.#options = options;
	}

	/**
	 * The conversation of an engine's session, which has this id in the store unless it is new. Stays open until `leave`.
	 * @throws SwitchRefused, SessionInUseError, StoreError
	 */
	async enter(session: string, sessionId: string | undefined, sender: Sender): Promise<Conversation> {
		this.#busy.add(session);
		await this.#closing.get(session);
		const open = this.#open.get(session);
		if (open !== undefined) {
			this.#open.delete(session);
			this.#open.set(session, open);
			return open;
		}
		const { agent, place, stop, commands } = this.#options;
		const { platform, chatId, threadId } = sender;
		const inChat = { ...(platform !== undefined && { platform }), ...chatOf({ ...(chatId !== undefined && { chatId }), ...(threadId !== undefined && { threadId }) }) };
		const here: SessionPlace = {
			...place,
			get sender() {
				return speaking.getStore()?.sender ?? inChat;
			},
		};
		const models = agent.models.forChild();
		const parts: AgentParts = {
			...agent,
			parksQuestions: true,
			models,
			get model() {
				return models.current;
			},
			get tools() {
				return agent.tools;
			},
			output: this.#outputTo(inChat, () => conversation),
		};
		const record = sessionId === undefined ? undefined : agent.store.sessions.get(sessionId);
		const conversation: Conversation = await Conversation.open(parts, here, [...gatewayCommands(stop), ...answerCommands, ...commands], record);
		conversation.commandRefusal = (name) => refusalOf(name, speaking.getStore()?.role ?? "user");
		this.#open.set(session, conversation);
		return conversation;
	}

	/** Others may need its room now. */
	async leave(session: string): Promise<void> {
		this.#busy.delete(session);
		for (const [other, conversation] of this.#open) {
			if (this.#open.size <= mostOpen) return;
			if (this.#busy.has(other)) continue;
			this.#open.delete(other);
			const closing = this.#end(conversation).finally(() => this.#closing.delete(other));
			this.#closing.set(other, closing);
			await closing;
		}
	}

	/** Closes that one: it is to be taken up anew. */
	async drop(session: string): Promise<void> {
		const open = this.#open.get(session);
		this.#open.delete(session);
		if (open !== undefined) await this.#end(open);
	}

	async close(): Promise<void> {
		const all = [...this.#open.values()];
		this.#open.clear();
		await Promise.all(all.map((conversation) => this.#end(conversation)));
	}

	/** Never rejects: whoever makes room has work of their own, which is not to fail by this. */
	async #end(conversation: Conversation): Promise<void> {
		try {
			await conversation.close("finished");
		} catch (error) {
			this.#options.agent.warn(`The conversation ${conversation.session.id} was not closed: ${error instanceof Error ? error.message : String(error)}`);
		}
	}

	#outputTo(inChat: Sender, conversation: () => Conversation): Output {
		const { outbox, platforms, drafts } = this.#options;
		const platform = inChat.platform ?? "";
		// One person's session can be spoken to from several chats.
		const chatNow = () => chatOf(speaking.getStore()?.sender ?? inChat);
		const messageId = () => speaking.getStore()?.messageId ?? "";
		const show = (live: Live) => platforms.get(platform)?.show?.(chatNow(), live);
		const draft = (how: (drawn: Platform) => void) => {
			const found = platforms.get(platform);
			if (found?.editEveryMs !== undefined) how(found);
		};
		return {
			tellsSent: true,
			delta(text) {
				show({ kind: "delta", text, replyTo: messageId() });
				draft((on) => drafts.add(on, chatNow(), messageId(), text));
			},
			discard() {
				show({ kind: "discard", replyTo: messageId() });
				draft((on) => drafts.discard(on, chatNow(), messageId()));
			},
			message(text, purpose) {
				const speaks = speaking.getStore();
				const chat = chatNow();
				const facts = conversation().session.facts();
				// What stands beside tool calls is of use while they run; the end of a turn is kept with it.
				if (speaks?.said !== undefined && purpose !== "interim") speaks.said.push({ text, purpose, facts });
				else outbox.sayNow({ platform, chat, text, purpose, facts, ...(speaks && { replyTo: speaks.messageId }) });
			},
		};
	}
}
