// Turns that no message began: for each a conversation, and its answer to a chat. As with messages, what began and did not end is told of and not run again.
import { Conversation } from "../agent/conversation.ts";
import type { AgentParts } from "../agent/parts.ts";
import type { SessionPlace } from "../agent/session.ts";
import type { Output } from "../agent/surface.ts";
import { IndeterminateError, type SessionEngine, type Turn } from "../stores/session-engine.ts";
import { gatewayCommands } from "./commands.ts";
import type { Job, JobRun } from "./job.ts";
import { kinds, type Reply } from "./letters.ts";
import type { Said } from "./speaking.ts";
import type { Target } from "./target.ts";

export interface JobsOptions {
	readonly agent: AgentParts;
	readonly place: SessionPlace;
	readonly sessions: SessionEngine;
	/** A text of the gateway's own, past the hooks; what is left of it. */
	readonly ownWords: (text: string, to: Target) => Promise<Said>;
	readonly warn: (message: string) => void;
}

/** What a model answers when nobody has to hear of it. */
const silent = "[SILENT]";
/** Runs of a session that are remembered. */
const mostRuns = 50;
const longestText = 2_000;
const longestMs = 24 * 3600_000;

interface Ended extends Pick<JobRun, "state" | "text" | "sessionId"> {
	readonly said: readonly Said[];
}

export class Jobs {
	readonly #options: JobsOptions;

	constructor(options: JobsOptions) {
		this.#options = options;
	}

	/** Resolves when it is on the disk. @throws StoreError when it cannot be kept */
	begin(job: Job): Promise<"accepted" | "duplicate"> {
		return this.#options.sessions.append(job.session, { id: job.id, kind: kinds.job, body: job });
	}

	/** The last runs of a session, oldest first. */
	async runs(session: string): Promise<readonly JobRun[]> {
		return runsIn((await this.#options.sessions.read(session))?.state["runs"]);
	}

	/** The engine's handler for them. */
	async handle(turn: Turn): Promise<void> {
		const job = turn.message.body as Job;
		const began = Date.now();
		let ended: Ended;
		try {
			const known = job.continues === true ? ((await turn.get("session")) as string | undefined) : undefined;
			ended = await turn.step("turn", { effect: "once", timeoutMs: longestMs }, ({ signal }) => this.#run(job, known, AbortSignal.any([signal, turn.signal])));
		} catch (error) {
			if (!(error instanceof IndeterminateError)) {
				if (turn.signal.aborted || turn.attempt < 2) throw error;
				ended = { state: "failed", text: error instanceof Error ? error.message : String(error), said: [] };
			} else ended = { state: "interrupted", text: "Hookline was ended while it worked on this. What it had done by then stays done, and nothing was repeated.", said: [] };
		}
		const { said: texts, ...outcome } = ended;
		const run: JobRun = { id: job.id, at: began, durationMs: Date.now() - began, ...outcome, text: ended.text.slice(0, longestText) };
		turn.set("runs", [...runsIn(await turn.get("runs")), run].slice(-mostRuns));
		if (ended.sessionId !== undefined) turn.set("session", ended.sessionId);
		const { to } = job;
		if (to === undefined) return;
		const said = texts.filter(({ text }) => !text.includes(silent));
		if (ended.state !== "done") said.push(await this.#options.ownWords(`${nameOf(job)} ${ended.state === "failed" ? "failed" : "was interrupted"}: ${ended.text}`, to));
		const { platform, ...chat } = to;
		for (const one of said) turn.emit("text", { platform, chat, ...one } satisfies Reply);
	}

	async #run(job: Job, known: string | undefined, signal: AbortSignal): Promise<Ended> {
		const { agent, place, warn } = this.#options;
		const models = agent.models.forChild();
		const { to } = job;
		const said: Said[] = [];
		// Nobody waits for what stands beside tool calls, and nothing is shown before its end.
		const output: Output = {
			tellsSent: true,
			delta: () => {},
			discard: () => {},
			message(text, purpose) {
				if (purpose === "answer") said.push({ text, purpose, facts: conversation.session.facts() });
			},
		};
		const parts: AgentParts = {
			...agent,
			models,
			get model() {
				return models.current;
			},
			get tools() {
				return agent.tools;
			},
			output,
		};
		const here: SessionPlace = { ...place, surface: job.surface, ...(to !== undefined && { sender: { platform: to.platform, chatId: to.chatId, ...(to.threadId !== undefined && { threadId: to.threadId }) } }) };
		const record = known === undefined ? undefined : agent.store.sessions.get(known);
		const conversation: Conversation = await Conversation.open(parts, here, gatewayCommands(() => false), record);
		conversation.commandRefusal = (name) => `/${name} is for people; a job has nobody who could type it.`;
		try {
			const result = await conversation.submit(job.text, "job", signal);
			signal.throwIfAborted();
			const { id: sessionId } = conversation.session;
			return result.completed ? { state: "done", text: result.text, sessionId, said } : { state: "failed", text: result.error ?? "It was stopped.", sessionId, said: [] };
		} finally {
			await conversation.close("finished").catch((error: unknown) => warn(`The conversation of ${nameOf(job)} was not closed: ${error instanceof Error ? error.message : String(error)}`));
		}
	}
}

const runsIn = (value: unknown) => (value ?? []) as readonly JobRun[];

/** `cron/backup` is the job backup. */
const nameOf = ({ session }: Job) => `The ${session.startsWith("cron/") ? "job" : "webhook"} ${decodeURIComponent(session.split("/")[1] ?? session)}`;
