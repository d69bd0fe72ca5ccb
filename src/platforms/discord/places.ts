// What the numbers of channels stand for: a person, a channel of a server, or a thread of one.
import { type APIChannel, ChannelType } from "discord-api-types/v10";
import type { Chat } from "../../gateway/platform.ts";
import { RefusedError, type Rest } from "./rest.ts";

export interface Place extends Chat {
	readonly chatType: "dm" | "group";
}

interface ChannelFacts {
	readonly id: string;
	readonly type?: ChannelType;
	readonly parent_id?: string | null;
}

/** What Discord tells about the channel of an event. */
interface Happening {
	readonly channel_id: string;
	/** A server's; none in direct messages. */
	readonly guild_id?: string;
	readonly channel_type?: ChannelType;
}

/** It is known of those that were spoken in last. */
const mostPlaces = 2_000;
const threads: ReadonlySet<ChannelType | undefined> = new Set([ChannelType.AnnouncementThread, ChannelType.PublicThread, ChannelType.PrivateThread]);

/** A thread belongs to the chat of its channel. */
export function placeOf({ id, type, parent_id: parent }: ChannelFacts): Place {
	if (threads.has(type) && typeof parent === "string") return { chatId: parent, threadId: id, chatType: "group" };
	return { chatId: id, chatType: type === ChannelType.DM ? "dm" : "group" };
}

export class Places {
	readonly #rest: Rest;
	/** The one that was found last stands at the end. */
	readonly #known = new Map<string, Place>();

	constructor(rest: Rest) {
		this.#rest = rest;
	}

	/** Asks Discord only about threads, whose channel no event names, and only once. @throws as Rest.call, but for what is refused */
	async of({ channel_id: id, guild_id: guild, channel_type: type }: Happening, signal: AbortSignal): Promise<Place> {
		if (guild === undefined) return this.#keep(id, placeOf({ id, type: ChannelType.DM }));
		return type === undefined || threads.has(type) ? this.byId(id, signal) : this.#keep(id, placeOf({ id, type }));
	}

	/** As `of`, where only the number is there. */
	async byId(id: string, signal: AbortSignal): Promise<Place> {
		const known = this.#known.get(id);
		if (known !== undefined) return known;
		const channel = await this.#rest.call<APIChannel>("GET", `/channels/${id}`, { signal }).catch((error: unknown) => {
			// The bot hears what is said there but may not look at it.
			if (error instanceof RefusedError) return { id, type: ChannelType.GuildText } as const;
			throw error;
		});
		return this.#keep(id, placeOf(channel));
	}

	#keep(id: string, place: Place): Place {
		if (!this.#known.has(id) && this.#known.size >= mostPlaces) this.#known.delete(this.#known.keys().next().value!);
		this.#known.set(id, place);
		return place;
	}
}
