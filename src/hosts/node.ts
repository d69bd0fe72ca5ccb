// The host for third-party extensions: one separate Node process for all extensions of a trust domain. What goes wrong in there, a busy loop, too
// much memory, process.exit, a native crash, ends that process and not the agent; it is started again with the same extensions.
import { type Brings, bringsNothing } from "../events/brings.ts";
import type { DurableState, HookContext } from "../events/context.ts";
import type { Facts } from "../events/payloads/facts.ts";
import { checkRegistration, type HookDefinition } from "../events/registration.ts";
import type { AgentSide } from "./asks.ts";
import { Bus } from "./bus.ts";
import { defaultLoadMs, type ExtensionFile, type Host, LoadError, type LoadedExtension, type LoadOptions, type Stray } from "./host.ts";
import { unloadMs } from "./lifetime.ts";
import { bringsOf } from "./node/brings.ts";
import type { Enclosure } from "./node/enclosure.ts";
import { Calls } from "./node/calls.ts";
import { HookJobs, type Next } from "./node/job.ts";
import type { Member } from "./node/member.ts";
import { childEnvironment, HostProcess, type ProcessEnd } from "./node/process.ts";
import { Reach } from "./node/reach.ts";
import { boundStrays } from "./strays.ts";
import { type BringsParts, decodeOptions, type Entry, type FromChild, type HookParts } from "./protocol.ts";

export interface NodeHostOptions extends AgentSide {
	/** Of the trust domain, for log lines nobody is to blame for. */
	readonly name: string;
	/** Told of each error outside of any call, and whenever an extension ended the process. Must not throw. */
	readonly onStray: (stray: Stray) => void;
	/** What extensions print and log; `from` is an extension, or this host's name. */
	readonly log: (from: string, message: string) => void;
	/** Durable state of extensions; its errors come back to their next change. */
	readonly stateOf: (extension: string) => DurableState;
	/** The Node to run; the one we run in when not given. */
	readonly executable?: string;
	/** Megabytes of JavaScript heap for the process; 256 when not given. */
	readonly maxMemoryMb?: number;
	/** The border around the process; none when not given. */
	readonly enclosure?: Enclosure;
	/** Told of what was tried in there without having been granted, as `extension.refused` has it; by an extension, or this host's name. */
	readonly onRefused?: (extension: string, permission: string, wanted: string) => void;
}

const firstPauseMs = 100;
const longestPauseMs = 5_000;
/** A process that lived this long was healthy: the next pause is the first again. */
const healthyMs = 10_000;
/** For a child that does not even tell that its own time is up. */
const graceMs = 1_000;

type Reply = (FromChild & { t: "loaded" | "load-failed" }) | { readonly t: "ended"; readonly end: ProcessEnd };

export function nodeHost(options: NodeHostOptions): Host {
	return new NodeHost(options);
}

class NodeHost implements Host {
	readonly #options: NodeHostOptions;
	readonly #members = new Map<number, Member>();
	readonly #calls = new Calls();
	readonly #hooks = new HookJobs();
	readonly #reach: Reach;
	/** Those whose end is awaited, by their numbers. */
	readonly #leaving = new Map<number, () => void>();
	#process: HostProcess | undefined;
	#startedAt = 0;
	#numbers = 0;
	/** Ends in a row, each soon after its start. */
	#ends = 0;
	#restart: NodeJS.Timeout | undefined;
	/** Loads and restarts go one after the other: so it is known who was at work when the process ends. */
	#turn: Promise<unknown> = Promise.resolve();
	#onReply: ((reply: Reply) => void) | undefined;
	#loading: Member | undefined;
	#closed = false;

	constructor(options: NodeHostOptions) {
		const onStray = boundStrays(options.onStray);
		this.#options = { ...options, onStray };
		const failed = ({ extension: { name, file } }: Member, message: string) => onStray({ extension: name, file, message, during: "run" });
		this.#reach = new Reach({ ...options, env: childEnvironment(), bus: options.bus ?? new Bus(), calls: this.#calls, failed });
	}

	load(extension: ExtensionFile, { timeoutMs = defaultLoadMs, onBrings = () => {} }: LoadOptions = {}): Promise<LoadedExtension> {
		return this.#inTurn(async () => {
			if (this.#closed) throw new LoadError(extension.name, extension, "Hookline is closing, so nothing is loaded any more.");
			const member: Member = { number: ++this.#numbers, extension, timeoutMs, onBrings, hooks: undefined, brings: bringsNothing, broughtJson: "", since: undefined, live: false, broken: undefined };
			this.#members.set(member.number, member);
			try {
				// A process that is new has the others first, as after any restart.
				await this.#reload();
				const { hooks, brings: parts } = await this.#loadInto(member);
				const definitions = hooks.map((part, index) => this.#toDefinition(member, part, index));
				const brings = orRefuse(extension, "what it brings", () => this.#toBrings(member, parts));
				member.hooks = JSON.stringify(hooks);
				member.brings = brings;
				let unloading: Promise<void> | undefined;
				return {
					name: extension.name,
					file: extension.file,
					definitions,
					get brings() {
						return member.brings;
					},
					unload: () => (unloading ??= this.#unload(member)),
				};
			} catch (error) {
				await this.#forget(member);
				throw error;
			}
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#closed) return;
		this.#closed = true;
		clearTimeout(this.#restart);
		this.#calls.failAll("Hookline is closing");
		await Promise.all([...this.#members.values()].reverse().map((member) => this.#left(member)));
		await this.#process?.close();
		await this.#turn;
	}

	#inTurn<Result>(run: () => Promise<Result>): Promise<Result> {
		const result = this.#turn.then(run);
		this.#turn = result.catch(() => {});
		return result;
	}

	/** The process, started when there is none. @throws the system's error when there can be none. */
	#running(): HostProcess {
		if (this.#process === undefined) {
			this.#startedAt = performance.now();
			this.#process = new HostProcess({
				executable: this.#options.executable ?? process.execPath,
				maxMemoryMb: this.#options.maxMemoryMb ?? 256,
				enclosure: this.#options.enclosure,
				onMessage: (message) => this.#hear(message),
				onPrinted: (number, line) => this.#log(number === undefined ? this.#onlyOne() : this.#members.get(number), line),
				onEnd: (end) => this.#ended(end),
			});
			this.#calls.use(this.#process);
			this.#reach.use(this.#process);
		}
		return this.#process;
	}

	/** Loads an extension into the process. @throws LoadError */
	async #loadInto(member: Member): Promise<FromChild & { t: "loaded" }> {
		const { extension, timeoutMs, number } = member;
		const child = orRefuse(extension, "its process could not be started", () => this.#running());
		const state = orRefuse(extension, "its durable state cannot be read", () => entriesOf(this.#options.stateOf(extension.name)));
		const { name, file, trust, loader } = extension;
		const { configOf, flagsOf } = this.#options;
		this.#loading = member;
		member.since = undefined;
		child.ref();
		let timer: NodeJS.Timeout | undefined;
		try {
			const reply = await new Promise<Reply>((resolve) => {
				this.#onReply = resolve;
				timer = setTimeout(() => child.kill(`kept its process busy for more than ${timeoutMs} ms`, true), timeoutMs + graceMs);
				child.send({ t: "load", extension: number, name, file, trust, loader, timeoutMs, state, config: configOf?.(name) ?? {}, flags: flagsOf?.(name) ?? {}, can: this.#reach.canOf(member) });
			});
			if (reply.t === "ended") throw new LoadError(extension.name, extension, endedWhileLoading(reply.end));
			if (reply.t === "load-failed") throw new LoadError(extension.name, reply, reply.why);
			member.live = true;
			return { ...reply, brings: member.since ?? reply.brings };
		} finally {
			clearTimeout(timer);
			this.#onReply = undefined;
			this.#loading = undefined;
			if (this.#calls.idle) child.unref();
		}
	}

	#toDefinition(member: Member, { event, stage, options, file, line, judges }: HookParts, index: number): HookDefinition {
		const { extension } = member;
		const call = (payload: Facts, context: HookContext, next?: Next) => {
			this.#reach.tellCan(member);
			return this.#calls.call(this.#hooks.job(member, index, payload, context, next));
		};
		const handler = stage === "wrap" ? (payload: Facts, next: Next, context: HookContext) => call(payload, context, next) : (payload: Facts, context: HookContext) => call(payload, context);
		const source = { extension: extension.name, file, ...(line !== undefined && { line }), trust: extension.trust, dialect: "native", rank: 0 };
		return orRefuse({ ...extension, file }, `${stage}('${event}')`, () => {
			const definition: HookDefinition = { event, stage, options: decodeOptions(options), handler, source, host: "node", ...(judges && { judges }) };
			// The registrar in the child has checked it, but the child is not ours to trust.
			checkRegistration(definition);
			return definition;
		});
	}

	/** @throws RegistrationError */
	#toBrings(member: Member, parts: BringsParts): Brings {
		const brings = bringsOf(parts, member, { calls: this.#calls, before: () => this.#reach.tellCan(member), log: (message) => this.#log(member, message) });
		member.broughtJson = JSON.stringify(parts);
		return brings;
	}

	/** What an extension brings has changed, also by being started anew. */
	#tellBrings(member: Member, parts: BringsParts): void {
		if (JSON.stringify(parts) === member.broughtJson) return;
		try {
			member.brings = this.#toBrings(member, parts);
			member.onBrings(member.brings);
		} catch (error) {
			this.#log(member, `what it registered is not taken: ${error instanceof Error ? error.message : String(error)}`);
		}
	}

	#hear(message: FromChild): void {
		switch (message.t) {
			case "ready":
				return;
			case "loaded":
			case "load-failed":
				if (message.extension === this.#loading?.number) this.#onReply?.(message);
				return;
			case "state":
				return this.#setState(message);
			case "refused":
				return this.#refused(message);
			case "unloaded":
				return this.#leaving.get(message.extension)?.();
			case "brings": {
				const member = this.#members.get(message.extension);
				if (member?.live) return this.#tellBrings(member, message.brings);
				// It may come in one piece with the word that it is loaded.
				if (member !== undefined) member.since = message.brings;
				return;
			}
			case "ask":
			case "unask":
			case "on":
			case "off": {
				const member = this.#members.get(message.extension);
				return member && this.#reach.hear(message, member);
			}
			case "stray": {
				const member = message.extension === undefined ? undefined : this.#members.get(message.extension);
				const { file, line } = message;
				const extension = member?.extension.name ?? this.#options.name;
				return this.#options.onStray({ extension, file, ...(line !== undefined && { line }), message: message.message, during: "run" });
			}
			case "log":
				if (!this.#calls.hear(message)) this.#log(this.#members.get(message.extension), message.message);
				return;
			default:
				if (!this.#calls.hear(message)) this.#process?.kill("answered a call that nobody made");
		}
	}

	#refused({ extension, permission, wanted }: FromChild & { t: "refused" }): void {
		const member = (extension === undefined ? undefined : this.#members.get(extension)) ?? this.#onlyOne();
		this.#options.onRefused?.(member?.extension.name ?? this.#options.name, permission, wanted);
	}

	#setState({ name, key, value }: FromChild & { t: "state" }): void {
		// Only extensions that are here: a name is all the process has to say.
		if (![...this.#members.values()].some(({ extension }) => extension.name === name)) return;
		const state = this.#options.stateOf(name);
		try {
			if (value === undefined) state.delete(key);
			else state.set(key, value);
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			this.#options.log(name, `its state '${key}' was not stored: ${message}`);
			this.#process?.send({ t: "state-refused", name, key, value: valueOr(undefined, () => state.get(key)), message });
		}
	}

	#ended(end: ProcessEnd): void {
		this.#process = undefined;
		this.#calls.use(undefined);
		this.#reach.use(undefined);
		for (const left of this.#leaving.values()) left();
		for (const member of this.#members.values()) member.live = false;
		const loading = this.#loading;
		const named = end.extension === undefined ? undefined : this.#members.get(end.extension);
		const guilty = named ?? this.#calls.guiltyOf(end) ?? loading ?? this.#onlyOne();
		this.#calls.failSent(end, guilty);
		// The first load of an extension fails with an error of its own; any later one means that it cannot run.
		const isNew = guilty !== undefined && guilty === loading && guilty.hooks === undefined;
		if (guilty !== undefined && guilty === loading && !isNew) guilty.broken = endedWhileLoading(end);
		this.#onReply?.({ t: "ended", end });
		if (this.#closed || this.#members.size === 0) return;
		if (!isNew) {
			const { name, file } = guilty?.extension ?? { name: this.#options.name, file: "" };
			this.#options.onStray({ extension: name, file, message: `its process ended: it ${end.did}`, during: "host" });
		}
		this.#restartLater();
	}

	#restartLater(): void {
		this.#ends = performance.now() - this.#startedAt > healthyMs ? 1 : this.#ends + 1;
		const pauseMs = Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#ends - 1));
		clearTimeout(this.#restart);
		// A call that waits keeps us alive by its own time-out.
		this.#restart = setTimeout(() => void this.#inTurn(() => this.#reload()), pauseMs).unref();
	}

	/** Loads what was loaded before the process ended into the one that runs now. */
	async #reload(): Promise<void> {
		clearTimeout(this.#restart);
		this.#restart = undefined;
		for (const member of [...this.#members.values()]) {
			if (this.#closed || member.live || member.broken !== undefined || member.hooks === undefined) continue;
			try {
				const { hooks, brings } = await this.#loadInto(member);
				if (JSON.stringify(hooks) !== member.hooks) member.broken = "its file has changed since it was loaded; load it again";
				else this.#tellBrings(member, brings);
			} catch (error) {
				// Ended again, by another's doing: its turn comes with the next process.
				if (this.#process === undefined && member.broken === undefined) {
					if (this.#restart === undefined) this.#restartLater();
					return;
				}
				member.broken ??= error instanceof Error ? error.message : String(error);
			}
			if (member.broken !== undefined) this.#log(member, `its hooks cannot run: ${member.broken}`);
			this.#calls.release(member);
		}
	}

	async #unload(member: Member): Promise<void> {
		await this.#calls.settled(member);
		await this.#inTurn(() => this.#forget(member));
	}

	/** Takes an extension out of the process; the last one ends it. */
	async #forget(member: Member): Promise<void> {
		await this.#left(member);
		this.#members.delete(member.number);
		member.live = false;
		member.broken ??= "it was unloaded";
		member.onBrings = () => {};
		this.#calls.release(member);
		this.#reach.drop(member);
		if (this.#members.size > 0) return;
		clearTimeout(this.#restart);
		const last = this.#process;
		await last?.close();
	}

	/** Resolves when an extension has taken back all it registered, or has had the time for it. */
	async #left(member: Member): Promise<void> {
		const child = this.#process;
		if (!member.live || child === undefined) return;
		const left = Promise.withResolvers<void>();
		this.#leaving.set(member.number, left.resolve);
		const timer = setTimeout(left.resolve, unloadMs + graceMs);
		child.send({ t: "unload", extension: member.number });
		await left.promise;
		clearTimeout(timer);
		this.#leaving.delete(member.number);
	}

	#onlyOne(): Member | undefined {
		const [first, second] = this.#members.values();
		return second === undefined ? first : undefined;
	}

	#log(member: Member | undefined, message: string): void {
		this.#options.log(member?.extension.name ?? this.#options.name, message);
	}
}

/** What `run` gives; what it throws becomes a LoadError. */
function orRefuse<Result>({ name, file }: ExtensionFile, what: string, run: () => Result): Result {
	try {
		return run();
	} catch (error) {
		throw new LoadError(name, { file }, `${what}: ${error instanceof Error ? error.message : String(error)}`, error);
	}
}

const entriesOf = (state: DurableState): readonly Entry[] => state.keys().map((key) => [key, state.get(key)]);

function endedWhileLoading({ did, started }: ProcessEnd): string {
	return started ? `it ${did} while it was loaded.` : `its process could not be started: it ${did}.`;
}

function valueOr(fallback: unknown, read: () => unknown): unknown {
	try {
		return read();
	} catch {
		return fallback;
	}
}
