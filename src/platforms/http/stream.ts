// One client that follows a chat: kept events by their numbers, and between them what happens just now.
import type { EventEmitter } from "node:events";
import type { Live } from "../../gateway/platform.ts";
import type { ChatLog } from "./log.ts";

/** `kept`: there is more in the log. */
export type Tick = Live | "kept";

/** The event of a chat. Not its bare name: an emitter has names with a meaning of their own, `error` among them. */
export const newsOf = (chat: string): string => `chat ${chat}`;

export interface FollowOptions {
	readonly log: ChatLog;
	readonly chat: string;
	/** The number of the last event that the client has. */
	readonly after: number;
	readonly news: EventEmitter<Record<string, [Tick]>>;
	readonly signal: AbortSignal;
}

/** A client that does not read gets no live events beyond these; kept ones wait for it in the log. */
const mostWaiting = 1_000;
const readAtOnce = 100;
/** So that proxies do not close a quiet connection, in ms. */
const signOfLifeMs = 15_000;

export function follow({ log, chat, after, news, signal }: FollowOptions): Response {
	const encoder = new TextEncoder();
	const waiting: Tick[] = ["kept"];
	let wake = () => {};
	let last = after;
	const heard = (tick: Tick) => {
		if (tick === "kept" ? waiting.at(-1) !== "kept" : waiting.length < mostWaiting) waiting.push(tick);
		wake();
	};
	const leave = () => {
		news.off(newsOf(chat), heard);
		clearInterval(signs);
		wake();
	};
	let controller: ReadableStreamDefaultController<Uint8Array>;
	let over = false;
	const signs = setInterval(() => {
		if ((controller.desiredSize ?? 0) > 0) controller.enqueue(encoder.encode(": alive\n\n"));
	}, signOfLifeMs);
	const end = () => {
		over = true;
		leave();
	};
	news.on(newsOf(chat), heard);
	if (signal.aborted) end();
	else signal.addEventListener("abort", end, { once: true });
	const stream = new ReadableStream<Uint8Array>(
		{
			start(given) {
				controller = given;
				given.enqueue(encoder.encode(": following\n\n"));
			},
			async pull(given) {
				while (waiting.length === 0 && !over) {
					await new Promise<void>((resolve) => (wake = resolve));
				}
				if (over) return given.close();
				const tick = waiting[0]!;
				if (tick !== "kept") {
					waiting.shift();
					const { kind, ...data } = tick;
					return given.enqueue(encoder.encode(`event: ${kind}\ndata: ${JSON.stringify(data)}\n\n`));
				}
				const events = log.after(chat, last, readAtOnce);
				if (events.length < readAtOnce) waiting.shift();
				last = events.at(-1)?.id ?? last;
				given.enqueue(encoder.encode(events.map((event) => `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("")));
			},
			cancel: end,
		},
		{ highWaterMark: 1 },
	);
	return new Response(stream, { headers: { "Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store", "X-Accel-Buffering": "no" } });
}
