// Door 3: an agent for tests of extensions. It is the real one, with the offline rehearsal model, in a home and a folder of its own.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { basicCommands } from "./agent/commands.ts";
import { Conversation } from "./agent/conversation.ts";
import { fire } from "./agent/fire.ts";
import type { Question } from "./agent/surface.ts";
import type { ApprovalAnswer, Outcome } from "./engine/outcome.ts";
import type { EventName, Payloads } from "./events/payloads/all.ts";
import type { JsonObject } from "./events/payloads/facts.ts";
import type { DispatchRecord } from "./events/record.ts";
import { samplePayload } from "./events/samples.ts";
import { openRuntime, type Runtime } from "./runtime.ts";
import { newId } from "./system/ids.ts";

export interface TestAgentOptions {
	/** The extensions: files, or folders with an index file, absolute or as a `file:` URL. They are loaded as the user's own are, under their own names. */
	readonly extensions: readonly (string | URL)[];
	/** What stands in config.yaml, for example `{ extensions: { mine: { config: { level: 2 } } } }`. */
	readonly config?: JsonObject;
	/** Files of the folder the agent works in, by relative path. */
	readonly files?: Readonly<Record<string, string>>;
	/** Answers questions to the person; without it nobody is there, which is a no. */
	readonly answer?: (question: Question) => boolean | string;
	/** Environment variables for the agent, beside those that hold its home. */
	readonly environment?: Readonly<Record<string, string>>;
}

/** One tool call of a turn. */
export interface TestCall {
	readonly tool: string;
	/** As it ran, after all rewrites. */
	readonly args: JsonObject;
	readonly status: "ok" | "error" | "blocked";
	/** What the model read. */
	readonly result: string;
}

export interface TestTurn {
	/** What the person was sent as the answer. */
	readonly text: string;
	readonly completed: boolean;
	readonly calls: readonly TestCall[];
	/** Why it did not complete, as a sentence. */
	readonly error?: string;
}

export interface TestFired {
	/** `goes on`, `blocked by guard#1: the reason`, `answered by x#2: the text`, `told`. */
	readonly inWords: string;
	/** The payload after all rewrites; undefined when it was stopped or only told. */
	readonly payload: JsonObject | undefined;
	/** What hooks added for the model. */
	readonly injections: readonly string[];
	readonly outcome: Outcome | undefined;
}

export interface TestAgent extends AsyncDisposable {
	/** The folder it works in, absolute. */
	readonly folder: string;
	/** What the person was warned of, a sentence each: an extension that did not load is one. */
	readonly warnings: readonly string[];
	/** What extensions logged and printed, `name: line`. */
	readonly log: readonly string[];
	/**
	 * The person says something. What the model does is written in the text: `CALL terminal {"command":"ls"}` makes it call that tool, `SAY hello` makes it
	 * say that, and several lines below `SEQ` are one call per answer. Slash commands run as they do in a chat.
	 */
	say(text: string): Promise<TestTurn>;
	/** Fires an event at the hooks alone, with a sample payload in which these fields are set; no tool and no model runs. */
	fire<Name extends EventName>(event: Name, fields?: Partial<Payloads[Name]>): Promise<TestFired>;
	/** What the hooks of extensions did since it was opened, a line for each event, without times and ids, so that it can be kept as a snapshot. */
	trace(filter?: { readonly event?: EventName }): readonly string[];
}

/** @throws what keeps the agent from starting: a mistake in the config, a required extension that does not load. */
export async function openTestAgent(options: TestAgentOptions): Promise<TestAgent> {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "hookline-test-")));
	try {
		return await TestedAgent.open(options, folder);
	} catch (error) {
		rmSync(folder, { recursive: true, force: true });
		throw error;
	}
}

class TestedAgent implements TestAgent {
	readonly #root: string;
	readonly #options: TestAgentOptions;
	readonly warnings: string[] = [];
	readonly log: string[] = [];
	readonly #calls: TestCall[] = [];
	readonly #records: DispatchRecord[] = [];
	#runtime!: Runtime;
	#conversation!: Conversation;

	static async open(options: TestAgentOptions, root: string): Promise<TestedAgent> {
		const agent = new TestedAgent(options, root);
		await agent.#open();
		return agent;
	}

	private constructor(options: TestAgentOptions, root: string) {
		this.#options = options;
		this.#root = root;
	}

	get folder(): string {
		return join(this.#root, "work");
	}

	async #open(): Promise<void> {
		const { extensions, config = {}, files = {}, answer, environment = {} } = this.#options;
		const home = join(this.#root, "home");
		for (const made of [join(home, "extensions"), this.folder]) mkdirSync(made, { recursive: true });
		for (const extension of extensions) putInto(join(home, "extensions"), extension);
		for (const [path, text] of Object.entries(files)) {
			mkdirSync(dirname(join(this.folder, path)), { recursive: true });
			writeFileSync(join(this.folder, path), text);
		}
		// JSON is YAML.
		writeFileSync(join(home, "config.yaml"), JSON.stringify(config));
		this.#runtime = await openRuntime({
			environment: { HOME: home, HOOKLINE_HOME: home, ...environment },
			cwd: this.folder,
			surface: "test",
			model: "rehearsal",
			hooks: true,
			output: { delta: () => {}, discard: () => {}, message: () => {} },
			...(answer !== undefined && { approver: { ask: async (question: Question) => answered(answer(question)) } }),
			warn: (message) => this.warnings.push(message),
			log: (from, message) => this.log.push(`${from}: ${message}`),
			onRecord: (record) => this.#records.push(record),
			prepare: (engine) => {
				engine.register([{ event: "tool.called", stage: "observe", handler: (called: Payloads["tool.called"]) => void this.#calls.push(callOf(called)), options: { name: "calls" }, source: { extension: "test", trust: "bundled", dialect: "native", rank: 0 }, host: "inline", queue: Infinity }]);
			},
		});
		try {
			this.#conversation = await Conversation.open(await this.#runtime.agent(), this.#runtime.place, basicCommands);
		} catch (error) {
			await this.#runtime[Symbol.asyncDispose]();
			throw error;
		}
	}

	async say(text: string): Promise<TestTurn> {
		this.#calls.length = 0;
		const { text: said, completed, error } = await this.#conversation.submit(text, "typed", new AbortController().signal);
		await this.#runtime.engine.idle();
		return { text: said, completed, calls: [...this.#calls], ...(error !== undefined && { error }) };
	}

	async fire<Name extends EventName>(event: Name, fields: Partial<Payloads[Name]> = {}): Promise<TestFired> {
		const { answer } = this.#options;
		const payload = { ...samplePayload(event, { cwd: this.folder, at: Date.now(), eventId: newId("e") }), ...fields };
		const ask = answer && { ask: async (question: Parameters<NonNullable<Parameters<typeof fire>[3]["ask"]>>[0]) => answered(answer({ ...question, lasts: false })) };
		const { outcome } = await fire(this.#runtime.engine, event, payload, { tools: this.#conversation.session.allTools, ...ask });
		return {
			inWords: inWords(outcome),
			payload: outcome?.kind === "go" ? (outcome.payload as unknown as JsonObject) : undefined,
			injections: outcome?.kind === "go" ? outcome.injections.map(({ text }) => text) : [],
			outcome,
		};
	}

	trace({ event }: { readonly event?: EventName } = {}): readonly string[] {
		const isOwn = ({ hook }: DispatchRecord["hooks"][number]) => hook.startsWith("test/") || hook.startsWith("hookline/");
		return this.#records
			.filter((record) => event === undefined || record.event === event)
			.flatMap((record) => {
				const hooks = record.hooks.filter((hook) => !isOwn(hook));
				return hooks.length === 0 ? [] : [`${record.event}: ${hooks.map(hookInWords).join(", ")} → ${record.outcome}`];
			});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		try {
			await this.#conversation.close("finished");
			await this.#runtime[Symbol.asyncDispose]();
		} finally {
			rmSync(this.#root, { recursive: true, force: true });
		}
	}
}

function putInto(extensions: string, given: string | URL): void {
	const path = given instanceof URL || given.startsWith("file:") ? fileURLToPath(given) : given;
	const found = statSync(path, { throwIfNoEntry: false });
	if (found === undefined) throw new Error(`There is no extension at ${path}.`);
	// A link: the code runs from where it lies, so that its lines and its own imports are what its author sees.
	const isIndex = found.isFile() && /^index\.\w+$/.test(basename(path));
	const target = isIndex ? dirname(path) : path;
	symlinkSync(target, join(extensions, basename(target)));
}

const answered = (answer: boolean | string): ApprovalAnswer => (answer === true ? { approved: true, by: "person" } : { approved: false, by: "person", reason: typeof answer === "string" ? answer : "The person said no." });

const callOf = ({ toolName, args, status, result }: Payloads["tool.called"]): TestCall => ({ tool: toolName, args, status, result: result.text });

function inWords(outcome: Outcome | undefined): string {
	switch (outcome?.kind) {
		case undefined:
			return "told";
		case "go":
			return outcome.approval === undefined ? "goes on" : `goes on, approved by ${outcome.approval.by}`;
		case "blocked":
			return `blocked by ${outcome.by}: ${outcome.reason}`;
		case "responded":
			return `answered by ${outcome.by}: ${outcome.text}`;
	}
}

function hookInWords({ hook, decision, reason, failure, diff = [] }: DispatchRecord["hooks"][number]): string {
	const changes = diff.length === 0 ? "" : ` (${diff.map(({ path }) => path).join(", ")})`;
	return `${hook} ${decision}${changes}${failure === undefined ? "" : ` ${failure}`}${reason === undefined ? "" : ` "${reason}"`}`;
}
