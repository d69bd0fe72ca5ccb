// What people say, press and react with: into the gateway, and told that it was taken.
import { type APIInteraction, type GatewayDispatchPayload, InteractionResponseType, MessageFlags } from "discord-api-types/v10";
import type { Accepted, Door } from "../../gateway/platform.ts";
import type { Lines } from "./lines.ts";
import { isSaid, messageIn, type Pressed, pressedIn, reactionIn } from "./messages.ts";
import type { Places } from "./places.ts";
import type { BotSession } from "./progress.ts";
import type { Rest } from "./rest.ts";

export interface IncomingOptions {
	readonly rest: Rest;
	readonly door: Door;
	readonly lines: Lines;
	readonly places: Places;
	/** Ends what is asked of Discord on the way. */
	readonly signal: AbortSignal;
	readonly warn: (message: string) => void;
}

const notTaken = "This could not be taken just now. Try again in a moment.";

export class Incoming {
	readonly #options: IncomingOptions;
	#unreadable = false;

	constructor(options: IncomingOptions) {
		this.#options = options;
	}

	/** Whether it was taken. What comes from one channel keeps its order. */
	async take(payload: GatewayDispatchPayload, bot: BotSession): Promise<boolean> {
		const work = this.#workFor(payload, bot);
		return work === undefined ? true : this.#options.lines.add(String((payload.d as { readonly channel_id?: unknown } | null)?.channel_id), work);
	}

	#workFor(payload: GatewayDispatchPayload, { userId: botId }: BotSession): (() => Promise<void>) | undefined {
		const { door, places, signal } = this.#options;
		switch (payload.t) {
			case "MESSAGE_CREATE":
				return async () => {
					const { d } = payload;
					if (this.#read(() => isSaid(d)) !== true) return;
					const place = await places.of(d, signal);
					const message = this.#read(() => messageIn(d, place, botId));
					if (message !== undefined) await door.accept(message);
				};
			case "INTERACTION_CREATE":
				return async () => {
					const pressed = this.#read(() => pressedIn(payload.d));
					if (pressed !== undefined) await this.#press(payload.d, pressed);
				};
			case "MESSAGE_REACTION_ADD":
			case "MESSAGE_REACTION_REMOVE":
				return async () => {
					const { d, t } = payload;
					if (this.#read(() => reactionIn(d, "added", { chatId: d.channel_id, chatType: "dm" }, botId)) === undefined) return;
					const reaction = reactionIn(d, t === "MESSAGE_REACTION_ADD" ? "added" : "removed", await places.of(d, signal), botId);
					if (reaction !== undefined) door.reacted(reaction);
				};
			default:
				return undefined;
		}
	}

	/** Not tried again when it cannot be kept: whoever pressed is told at once, and can press again. */
	async #press(interaction: APIInteraction, { kind, message }: Pressed): Promise<void> {
		const { door, warn } = this.#options;
		let accepted: Accepted | undefined;
		try {
			accepted = await door.accept(message);
		} catch (error) {
			warn(`discord: a ${kind} was not taken: ${wordsOf(error)}`);
		}
		// What is said next in this chat does not wait for Discord.
		void this.#answer(interaction, kind, message.text, accepted).catch(() => {});
	}

	async #answer({ id, token, message }: APIInteraction, kind: Pressed["kind"], text: string, accepted: Accepted | undefined): Promise<void> {
		const { rest } = this.#options;
		const respond = (type: InteractionResponseType, data?: object) => rest.call<void>("POST", `/interactions/${id}/${token}/callback`, { body: { type, ...(data !== undefined && { data }) } });
		const whisper = (content: string) => respond(InteractionResponseType.ChannelMessageWithSource, { content, flags: MessageFlags.Ephemeral, allowed_mentions: { parse: [] } });
		if (accepted === undefined) return whisper(notTaken);
		if (kind === "command") return whisper(`\`${text.replaceAll("`", "'").slice(0, 200)}\``);
		if (accepted.kind !== "accepted" && accepted.kind !== "duplicate" && accepted.kind !== "answered") return respond(InteractionResponseType.DeferredMessageUpdate);
		try {
			await respond(InteractionResponseType.UpdateMessage, { components: [] });
		} catch {
			// Discord waits three seconds for that. The buttons go all the same.
			if (message !== undefined) await rest.call("PATCH", `/channels/${message.channel_id}/messages/${message.id}`, { body: { components: [] } });
		}
	}

	/** Undefined, and a warning the first time, for what Discord should not have sent. */
	#read<Value>(read: () => Value): Value | undefined {
		try {
			return read();
		} catch (error) {
			if (!this.#unreadable) this.#options.warn(`discord: something came that cannot be read, and is left out: ${wordsOf(error)}`);
			this.#unreadable = true;
			return undefined;
		}
	}
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
