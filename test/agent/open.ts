// A conversation in this process, put together by the runtime as for any surface, in a home of its own. Hooks are registered at the engine's door.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Approver } from "../../src/agent/surface.ts";
import { basicCommands } from "../../src/agent/commands.ts";
import { Conversation } from "../../src/agent/conversation.ts";
import type { TurnResult } from "../../src/agent/turn.ts";
import type { EventName, Payloads } from "../../src/events/payloads/all.ts";
import type { MessagePurpose } from "../../src/events/payloads/conversation.ts";
import type { Message } from "../../src/events/payloads/model.ts";
import type { HookDefinition } from "../../src/events/registration.ts";
import { openRuntime, type Runtime } from "../../src/runtime.ts";
import { hook } from "../engine.ts";

export interface OpenOptions {
	readonly hooks?: readonly HookDefinition[];
	readonly model?: string;
	readonly baseUrl?: string;
	/** With HOOKLINE_MODEL in it nothing is said on the command line. */
	readonly environment?: Readonly<Record<string, string>>;
	readonly config?: string;
	/** Files below the home's `extensions/`, and their text; they may change while it runs. */
	readonly extensions?: Readonly<Record<string, string>>;
	readonly approver?: Approver;
	/** A home that another one has used; it then stays. */
	readonly home?: string;
	/** Takes the last session of that home up. */
	readonly resume?: boolean;
}

export interface Sent {
	readonly text: string;
	readonly purpose: MessagePurpose;
}

export class Opened implements AsyncDisposable {
	readonly folder: string;
	readonly home: string;
	readonly work: string;
	/** What the person was sent. */
	readonly sent: Sent[] = [];
	/** What they saw while it came. */
	readonly deltas: string[] = [];
	readonly warnings: string[] = [];
	/** What hooks wrote, and what is said about them: `name: line`. */
	readonly logged: string[] = [];
	readonly told: { readonly event: EventName; readonly payload: Payloads[EventName] }[] = [];
	runtime!: Runtime;
	conversation!: Conversation;

	constructor(home?: string) {
		this.folder = home === undefined ? realpathSync(mkdtempSync(join(tmpdir(), "hookline-agent-"))) : join(home, "..");
		this.home = join(this.folder, "home");
		this.work = join(this.folder, "work");
		if (home !== undefined) return;
		for (const path of [this.home, this.work]) mkdirSync(path);
	}

	/** Writes a file below the home's `extensions/`. */
	extension(path: string, text: string): void {
		const file = join(this.home, "extensions", path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text);
	}

	submit(text: string, stop: AbortSignal = new AbortController().signal): Promise<TurnResult> {
		return this.conversation.submit(text, "typed", stop);
	}

	get messages(): readonly Message[] {
		return this.conversation.session.messages;
	}

	/** The texts of the tool results so far. */
	get results(): readonly string[] {
		return this.messages.filter(({ role }) => role === "tool").map(({ text }) => text);
	}

	/** Everything told of an event, once all observers have heard it. */
	async heard<Name extends EventName>(event: Name): Promise<readonly Payloads[Name][]> {
		await this.runtime.engine.idle();
		return this.told.filter((one) => one.event === event).map(({ payload }) => payload as Payloads[Name]);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.conversation?.close("finished");
		await this.runtime?.[Symbol.asyncDispose]();
		rmSync(this.folder, { recursive: true, force: true });
	}
}

/** Waits between retries are one millisecond unless a test says otherwise. */
export async function open({ hooks = [], environment = {}, model = environment["HOOKLINE_MODEL"] === undefined ? "rehearsal" : undefined, baseUrl, config = "agent: {retry_base_ms: 1}", extensions = {}, approver, home, resume = false }: OpenOptions = {}): Promise<Opened> {
	const opened = new Opened(home);
	writeFileSync(join(opened.home, "config.yaml"), config);
	for (const [path, text] of Object.entries(extensions)) opened.extension(path, text);
	opened.runtime = await openRuntime({
		environment: { HOOKLINE_HOME: opened.home, ...(baseUrl !== undefined && { HOOKLINE_BASE_URL: baseUrl }), ...environment },
		cwd: opened.work,
		surface: "test",
		model,
		hooks: true,
		reloads: true,
		...(approver && { approver }),
		output: { delta: (text) => opened.deltas.push(text), discard: () => opened.deltas.push("[discarded]"), message: (text, purpose) => opened.sent.push({ text, purpose }) },
		warn: (message) => opened.warnings.push(message),
		log: (from, message) => opened.logged.push(`${from}: ${message}`),
		prepare: (engine) => {
			engine.register([...hooks, recorder(opened)]);
		},
	});
	const record = resume ? opened.runtime.store.sessions.latest(opened.work) : undefined;
	try {
		opened.conversation = await Conversation.open(await opened.runtime.agent(), opened.runtime.place, basicCommands, record);
	} catch (error) {
		await opened.runtime[Symbol.asyncDispose]();
		throw error;
	}
	return opened;
}

const recorder = ({ told }: Opened): HookDefinition => ({
	...hook("*", "observe", (payload: Payloads[EventName], { event }: { readonly event: EventName }) => void told.push({ event, payload }), { extension: "recorder" }),
	queue: Infinity,
});

/** A prompt for the rehearsal model: one call of the terminal. */
export const callTerminal = (command: string): string => `CALL terminal ${JSON.stringify({ command })}`;
