// The gateway: messages in, through hooks and the access check, onto the disk, to the agent, and answers out.
import { join } from "node:path";
import type { AgentParts } from "../agent/parts.ts";
import type { SessionPlace } from "../agent/session.ts";
import type { GatewayConfig } from "../config/schema.ts";
import type { Engine } from "../engine/engine.ts";
import type { ToolCalled } from "../events/payloads/tool.ts";
import type { SessionEngine } from "../stores/session-engine.ts";
import type { Home } from "../system/home.ts";
import { Access } from "./access.ts";
import { Chats } from "./chats.ts";
import { Inbox } from "./inbox.ts";
import { chatOf, factsOf, type Letter } from "./letters.ts";
import { Outbox } from "./outbox.ts";
import type { Live, Platform } from "./platform.ts";
import type { Said } from "./speaking.ts";
import { attempts, Turns } from "./turns.ts";

export interface GatewayOptions {
	readonly home: Home;
	readonly settings: GatewayConfig;
	readonly agent: AgentParts;
	readonly place: SessionPlace;
	readonly sessions: SessionEngine;
	/** Stay the caller's to close. */
	readonly platforms: readonly Platform[];
	readonly warn: (message: string) => void;
}

export interface Gateway {
	/** Takes no more messages, lets turns end for this long in ms and gives the others back, delivers what is ready, closes the platforms. */
	stop(graceMs: number, reason: string): Promise<void>;
}

/** Chats whose turns run at the same time. */
const mostTurns = 16;
/** What is ready to be sent when the turns are over gets this long, in ms. */
const lastWordsMs = 1_500;

/**
 * Serves until it is stopped. What an earlier process left is taken up first.
 * @throws Error when no platform can be started: their reasons.
 */
export async function openGateway({ home, settings, agent, place, sessions, platforms: given, warn }: GatewayOptions): Promise<Gateway> {
	const { engine } = agent;
	const platforms = new Map(given.map((platform) => [platform.name, platform]));
	const outbox = new Outbox({ engine, sessions, platforms, undelivered: join(home.path, "undelivered.jsonl"), warn });
	const chats = new Chats({ agent, place, outbox, platforms, stop: (conversation) => turns.stop(conversation) });
	const show = (sender: Letter["sender"], live: Live) => platforms.get(sender.platform ?? "")?.show?.(chatOf(sender), live);
	const turns: Turns = new Turns({ chats, show, ownWords: (text, { sender }) => ownWords(engine, text, factsOf(place, sender)), warn });
	const inbox = new Inbox({ engine, sessions, place, turns, access: new Access(home, settings.access), rule: settings.session_per ?? "thread", ownWords: (text, sender) => ownWords(engine, text, factsOf(place, sender)), say: (reply) => outbox.sayNow(reply) });
	showTools(engine, show);
	const serving = await sessions.serve((turn) => turns.handle(turn), { concurrency: settings.max_turns ?? mostTurns, attempts, onProblem: warn });
	outbox.start();
	const started: Platform[] = [];
	const failures: string[] = [];
	for (const platform of given) {
		try {
			await platform.start({ accept: (message) => inbox.accept(platform.name, message) });
			started.push(platform);
		} catch (error) {
			failures.push(`${platform.name} was not started: ${error instanceof Error ? error.message : String(error)}`);
		}
	}
	const stop = async (graceMs: number, reason: string): Promise<void> => {
		await Promise.all(started.map((platform) => platform.stop()));
		await serving.stop(graceMs);
		await outbox.stop(lastWordsMs);
		await chats.close();
		if (started.length > 0 && engine.has("gateway.stopped")) engine.tell("gateway.stopped", { ...factsOf(place), reason });
		await Promise.all(started.map((platform) => platform.close()));
	};
	if (started.length === 0) {
		await stop(0, "no platform");
		throw new Error(failures.join("\n"));
	}
	for (const failure of failures) warn(failure);
	if (engine.has("gateway.started")) engine.tell("gateway.started", { ...factsOf(place), platforms: started.map(({ name }) => name) });
	return { stop };
}

/** A text of the gateway's own, after the hooks that every text to a person passes. */
async function ownWords(engine: Engine, text: string, facts: Said["facts"]): Promise<Said> {
	const purpose = "notice";
	if (!engine.has("message.sending")) return { text, purpose, facts };
	const outcome = await engine.dispatch("message.sending", { ...facts, text, purpose });
	return { text: outcome.kind === "go" ? outcome.payload.text : `[This message was withheld: ${outcome.kind === "blocked" ? outcome.reason : outcome.text}]`, purpose, facts };
}

/** Shows each tool call in the chat it is made for. */
function showTools(engine: Engine, show: (sender: Letter["sender"], live: Live) => void): void {
	engine.register([
		{
			event: "tool.called",
			stage: "observe",
			options: { name: "gateway-tools" },
			queue: Infinity,
			host: "inline",
			source: { extension: "hookline", trust: "bundled", dialect: "native", rank: 0 },
			handler: ((call: ToolCalled) => {
				const { toolName, callId, args, status } = call;
				show(call, { kind: "tool", toolName, callId, args, status });
			}) as (payload: unknown) => void,
		},
	]);
}
