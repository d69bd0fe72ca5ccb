// The process that runs extensions for the node host. It hears calls on one pipe and answers on it; it ends when the agent lets go of the pipe.
import { Socket } from "node:net";
import { HookFailure, toFailure } from "../events/failure.ts";
import type { HookDefinition, Source } from "../events/registration.ts";
import { copyPlain, deepFreeze } from "../system/plain.ts";
import { type ExtensionFile, LoadError } from "./host.ts";
import { loadExtension } from "./load.ts";
import { ChildCall, ChildState } from "./node/context.ts";
import { noteLastWords, noteRunningCall } from "./node/notes.ts";
import { printMark } from "./node/output.ts";
import { type CallMessage, encodeOptions, type FailureParts, type FromChild, type FromParent, Lines, linesFd, type LoadMessage, maxLine } from "./protocol.ts";
import { type Frame, frameOf, runAs, runningExtension, toStray, type Watch, watchStrays } from "./strays.ts";

interface Member extends ExtensionFile {
	readonly number: number;
	readonly trust: Source["trust"];
}

interface Loaded {
	readonly member: Member;
	readonly frame: Frame;
	readonly state: ChildState;
	hooks: readonly HookDefinition[];
}

const loaded = new Map<number, Loaded>();
const states = new Map<string, ChildState>();
const calls = new Map<number, ChildCall>();
const pipe = new Socket({ fd: linesFd, readable: true, writable: true });
const exit = process.exit.bind(process);

const watch: Watch = {
	extensions: () => [...loaded.values()].map(({ member }) => member),
	onError(thrown, extension) {
		const member = extension ?? onlyOne();
		const stray = toStray(thrown, member ?? { name: "", file: import.meta.filename, trust: "user" });
		send({ t: "stray", ...(member && { extension: numberOf(member) }), file: stray.file, ...(stray.line !== undefined && { line: stray.line }), message: stray.message });
	},
};

watchStrays(watch);
process.exit = (code) => {
	noteLastWords({ extension: numberOf(runningExtension() ?? onlyOne()), did: `called process.exit(${code ?? ""})` });
	return exit(code);
};
markOutput(process.stdout);
markOutput(process.stderr);

const lines = new Lines();
pipe.setEncoding("utf8");
pipe.on("data", (piece: string) => {
	for (const line of lines.push(piece, () => {})) receive(JSON.parse(line) as FromParent);
});
pipe.on("end", () => exit(0));
pipe.on("error", () => exit(0));
send({ t: "ready" });

function send(message: FromChild): void {
	sendText(JSON.stringify(message));
}

function sendText(json: string): void {
	// At once, so that it is out before the next handler gets a chance to never return.
	pipe.write(`${json}\n`);
}

function receive(message: FromParent): void {
	switch (message.t) {
		case "call":
			return call(message);
		case "load":
			return void load(message);
		case "unload":
			return void loaded.delete(message.extension);
		case "cancel":
			calls.get(message.id)?.abort(message.why);
			return send({ t: "pong", ping: message.ping });
		case "inside":
			return calls.get(message.id)?.inside(message.run, message.result, message.failure);
		case "state-refused":
			return states.get(message.name)?.refuse(message.key, message.value, message.message);
	}
}

async function load({ extension: number, name, file, trust, loader, timeoutMs, state: entries }: LoadMessage): Promise<void> {
	const member: Member = { name, file, trust, number, ...(loader && { loader }) };
	let state = states.get(name);
	if (state === undefined) states.set(name, (state = new ChildState(name, send)));
	state.fill(entries);
	const entry: Loaded = { member, frame: frameOf(member, watch), state, hooks: [] };
	loaded.set(number, entry);
	try {
		entry.hooks = await loadExtension(member, "node", (run) => runAs(member, watch, run), timeoutMs);
		const hooks = entry.hooks.map(({ event, stage, options, source }) => {
			return { event, stage, options: encodeOptions(options), file: source.file ?? file, line: source.line };
		});
		send({ t: "loaded", extension: number, hooks });
	} catch (error) {
		loaded.delete(number);
		const failure = error instanceof LoadError ? error : new LoadError(name, { file }, toFailure(error).message);
		send({ t: "load-failed", extension: number, file: failure.file, ...(failure.line !== undefined && { line: failure.line }), why: failure.why });
	}
}

function call(message: CallMessage): void {
	const entry = loaded.get(message.extension);
	const hook = entry?.hooks[message.index];
	if (entry === undefined || hook === undefined) {
		return send({ t: "answer", id: message.id, failure: { kind: "host-ended", message: "its extension is no longer loaded", counts: false } });
	}
	const context = new ChildCall(message, entry.state, send);
	calls.set(message.id, context);
	const payload = deepFreeze(message.payload);
	deepFreeze(message.metadata);
	const handler = hook.handler as (...given: unknown[]) => unknown;
	let returned: unknown;
	noteRunningCall(message.id);
	try {
		returned = hook.stage === "wrap" ? entry.frame(handler, payload, context.next, context) : entry.frame(handler, payload, context);
		// Within the frame and under the note: a thenable's own code runs here.
		if (typeof returned === "object" && returned !== null && "then" in returned) returned = entry.frame((value: unknown) => Promise.resolve(value), returned);
	} catch (thrown) {
		return fail(message.id, context, thrown);
	} finally {
		noteRunningCall(0);
	}
	if (returned instanceof Promise) returned.then((value: unknown) => answer(message.id, context, hook, value)).catch((thrown: unknown) => fail(message.id, context, thrown));
	else answer(message.id, context, hook, returned);
}

function answer(id: number, context: ChildCall, hook: HookDefinition, value: unknown): void {
	try {
		end(id, context);
		const turn = context.turnChanges();
		const sameAs = hook.stage === "wrap" ? context.runThatGave(value) : undefined;
		if (sameAs !== undefined) return send({ t: "answer", id, sameAs, ...turn });
		// What an observer returns is for nobody. That there was something is for the trace.
		const given = hook.stage === "observe" && value !== undefined ? null : value;
		if (given !== undefined) copyPlain(given, "its answer");
		const json = JSON.stringify({ t: "answer", id, answer: given, ...turn } satisfies FromChild);
		if (json.length > maxLine) throw new RangeError(`its answer is ${Math.round(json.length / 1024 / 1024)} MiB long; a host takes 16 MiB`);
		sendText(json);
	} catch (error) {
		fail(id, context, error instanceof HookFailure ? error : new HookFailure("bad-answer", toFailure(error).message.replace(/^\w+Error: /, "")));
	}
}

function fail(id: number, context: ChildCall, thrown: unknown): void {
	end(id, context);
	const { kind, message, counts } = toFailure(thrown);
	const failure: FailureParts = { kind, message, counts };
	const sameAs = context.runThatGave(thrown);
	let turn: ReturnType<ChildCall["turnChanges"]> = {};
	try {
		turn = context.turnChanges();
	} catch {
		// The failure that is already on its way says enough.
	}
	send({ t: "answer", id, failure, ...(sameAs !== undefined && { sameAs }), ...turn });
}

function end(id: number, context: ChildCall): void {
	context.end();
	calls.delete(id);
}

function numberOf(extension: ExtensionFile | undefined): number | undefined {
	return extension !== undefined && "number" in extension ? (extension as Member).number : undefined;
}

/** When one extension has the process to itself, everything in it is its own. */
function onlyOne(): Member | undefined {
	const [first, second] = loaded.values();
	return second === undefined ? first?.member : undefined;
}

/** Marks what is printed with who printed it, whenever that changes. */
function markOutput(stream: NodeJS.WriteStream): void {
	const write = stream.write.bind(stream) as (...given: unknown[]) => boolean;
	let last: number | undefined;
	stream.write = ((...given: unknown[]) => {
		const number = numberOf(runningExtension());
		if (number !== undefined && number !== last) write(printMark(number));
		last = number ?? last;
		return write(...given);
	}) as typeof stream.write;
}
