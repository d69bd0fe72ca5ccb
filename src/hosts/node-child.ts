// The process that runs extensions for the node host. It hears calls on one pipe and answers on it; it ends when the agent lets go of the pipe.
import { Socket } from "node:net";
import { HookFailure, toFailure } from "../events/failure.ts";
import { bringsNothing } from "../events/brings.ts";
import type { ModelAsked } from "../events/providers.ts";
import type { HookDefinition, Source } from "../events/registration.ts";
import { copyPlain, deepFreeze } from "../system/plain.ts";
import { calling } from "./calling.ts";
import { type ExtensionFile, LoadError } from "./host.ts";
import { type Loaded as LoadedHere, loadExtension } from "./load.ts";
import { Unloaded } from "./lifetime.ts";
import { partsOf } from "./node/brings.ts";
import { ChildLink, told } from "./node/child-link.ts";
import { ChildCall, ChildState } from "./node/context.ts";
import { noteLastWords, noteRunningCall } from "./node/notes.ts";
import { printMark } from "./node/output.ts";
import { ChildRun } from "./node/run.ts";
import { type CallMessage, enclosedWord, encodeOptions, type FailureParts, type FromChild, type FromParent, Lines, linesFd, type LoadMessage, maxLine, type RunMessage } from "./protocol.ts";
import { type Frame, frameOf, runAs, runningExtension, toStray, type Watch, watchStrays } from "./strays.ts";

interface Member extends ExtensionFile {
	readonly number: number;
	readonly trust: Source["trust"];
}

interface Loaded {
	readonly member: Member;
	readonly frame: Frame;
	readonly link: ChildLink;
	/** Undefined until its factory has returned. */
	here: LoadedHere | undefined;
}

const loaded = new Map<number, Loaded>();
const states = new Map<string, ChildState>();
const calls = new Map<number, ChildCall | ChildRun>();
const pipe = new Socket({ fd: linesFd, readable: true, writable: true });
const exit = process.exit.bind(process);

const watch: Watch = {
	extensions: () => [...loaded.values()].map(({ member }) => member),
	onError(thrown, extension) {
		if (thrown instanceof Unloaded) return;
		const member = extension ?? onlyOne();
		const stray = toStray(thrown, member ?? { name: "", file: import.meta.filename, trust: "user" });
		send({ t: "stray", ...(member && { extension: numberOf(member) }), file: stray.file, ...(stray.line !== undefined && { line: stray.line }), message: stray.message });
	},
};

if (process.argv.includes(enclosedWord)) {
	const { fastenSeatBelt } = await import("./node/seat-belt.ts");
	const { fetchThrough } = await import("./node/fetch-through.ts");
	const running = () => numberOf(runningExtension() ?? onlyOne());
	fastenSeatBelt({
		files: () => [...loaded.values()].map(({ member }) => member.file),
		running,
		refused: (extension, permission, wanted) => send({ t: "refused", extension, permission, wanted: wanted.slice(0, 4_000) }),
		fetch: async (input, init) => {
			const asking = loaded.get(running() ?? 0);
			if (asking === undefined) throw new Error("fetch: it is not known which extension asks.");
			return fetchThrough((what, args, signal) => asking.link.ask(what, args, { sessionId: undefined, signal }), input, init);
		},
	});
}
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
		case "run":
			return run(message);
		case "told":
			return told(message);
		case "can": {
			const entry = loaded.get(message.extension);
			if (entry !== undefined) entry.link.can = (part) => message.can.includes(part);
			return;
		}
		case "unload":
			return void unload(message.extension);
		case "cancel":
			calls.get(message.id)?.abort(message.why);
			return send({ t: "pong", ping: message.ping });
		case "inside": {
			const context = calls.get(message.id);
			return context instanceof ChildCall ? context.inside(message.run, message.result, message.failure) : undefined;
		}
		case "state-refused":
			return states.get(message.name)?.refuse(message.key, message.value, message.message);
	}
}

async function load(message: LoadMessage): Promise<void> {
	const { extension: number, name, file, trust, loader, timeoutMs, state: entries } = message;
	const member: Member = { name, file, trust, number, ...(loader && { loader }) };
	let state = states.get(name);
	if (state === undefined) states.set(name, (state = new ChildState(name, send)));
	state.fill(entries);
	const link = new ChildLink(message, state, send);
	const entry: Loaded = { member, frame: frameOf(member, watch), link, here: undefined };
	loaded.set(number, entry);
	try {
		const onError = (thrown: unknown) => watch.onError(thrown, member);
		const here = await loadExtension(member, { host: "node", frame: (inside) => runAs(member, watch, inside), timeoutMs, link, onError });
		entry.here = here;
		const hooks = here.definitions.map(({ event, stage, options, source, judges }) => {
			return { event, stage, options: encodeOptions(options), file: source.file ?? file, line: source.line, judges: judges === true ? judges : undefined };
		});
		send({ t: "loaded", extension: number, hooks, brings: partsOf(here.brings) });
		here.onBrings((brings) => send({ t: "brings", extension: number, brings: partsOf(brings) }));
	} catch (error) {
		loaded.delete(number);
		const failure = error instanceof LoadError ? error : new LoadError(name, { file }, toFailure(error).message);
		send({ t: "load-failed", extension: number, file: failure.file, ...(failure.line !== undefined && { line: failure.line }), why: failure.why });
	}
}

async function unload(number: number): Promise<void> {
	await loaded.get(number)?.here?.unload();
	loaded.delete(number);
	send({ t: "unloaded", extension: number });
}

/** Something an extension brought. It may be gone: it was called while it was being taken back. */
function pieceOf({ link, here }: Loaded, { what, name, args, emission }: RunMessage): ((place: ChildRun) => unknown) | undefined {
	const brings = here?.brings ?? bringsNothing;
	switch (what) {
		case "tool": {
			const tool = brings.tools.find((one) => one.name === name);
			return tool && ((place) => tool.run(deepFreeze(args) as object as Parameters<typeof tool.run>[0], place));
		}
		case "command":
		case "complete": {
			const command = brings.commands.find((one) => one.name === name);
			return command && ((place) => (what === "command" ? command.run(String(args), place) : command.complete?.(String(args), place)));
		}
		case "shortcut": {
			const shortcut = brings.shortcuts?.find(({ key }) => key === name);
			return shortcut && ((place) => shortcut.run(place));
		}
		case "provider": {
			const provider = brings.providers?.find((one) => one.name === name);
			const { request, key } = args as { readonly request: ModelAsked; readonly key?: string };
			return provider?.complete && (({ signal, delta }) => provider.complete?.(deepFreeze(request), { signal, key, onDelta: delta }));
		}
		case "event": {
			const hear = link.handler(Number(name));
			return hear && (async ({ signal }) => void (await hear(args, { event: emission?.event ?? "", from: emission?.from ?? "", signal }, emission?.depth ?? 1)));
		}
	}
}

function run(message: RunMessage): void {
	const { id, extension, what, name, place } = message;
	const entry = loaded.get(extension);
	const piece = entry && pieceOf(entry, message);
	if (entry === undefined || piece === undefined) return send({ t: "answer", id, failure: { kind: "host-ended", message: `its ${what} '${name}' is no longer there`, counts: false } });
	const context = new ChildRun(message, send);
	calls.set(id, context);
	const handler = () => calling.run({ sessionId: place?.sessionId, emits: 0, id }, piece, context);
	perform(id, entry, handler, (value) => answer(id, context, value), (thrown) => fail(id, context, thrown));
}

function call(message: CallMessage): void {
	const entry = loaded.get(message.extension);
	const hook = entry?.here?.definitions[message.index];
	if (entry === undefined || hook === undefined) {
		return send({ t: "answer", id: message.id, failure: { kind: "host-ended", message: "its extension is no longer loaded", counts: false } });
	}
	const context = new ChildCall(message, entry.link.state, send);
	calls.set(message.id, context);
	const payload = deepFreeze(message.payload);
	deepFreeze(message.metadata);
	const handler = hook.handler as (...given: unknown[]) => unknown;
	const given = hook.stage === "wrap" ? [payload, context.next, context] : [payload, context];
	const { sessionId } = message.payload as { readonly sessionId?: string };
	perform(
		message.id,
		entry,
		() => calling.run({ sessionId, emits: 0, id: message.id }, handler, ...given),
		(value) => answer(message.id, context, value, hook.stage),
		(thrown) => fail(message.id, context, thrown),
	);
}

/** Runs an author's code: as its extension's, noted while it is on the stack, and with an end of either kind. */
function perform(id: number, { frame }: Loaded, handler: () => unknown, answered: (value: unknown) => void, failed: (thrown: unknown) => void): void {
	let returned: unknown;
	noteRunningCall(id);
	try {
		returned = frame(handler);
		// Within the frame and under the note: a thenable's own code runs here.
		if (typeof returned === "object" && returned !== null && "then" in returned) returned = frame((value: unknown) => Promise.resolve(value), returned);
	} catch (thrown) {
		return failed(thrown);
	} finally {
		noteRunningCall(0);
	}
	if (returned instanceof Promise) returned.then(answered, failed);
	else answered(returned);
}

function answer(id: number, context: ChildCall | ChildRun, value: unknown, stage?: HookDefinition["stage"]): void {
	try {
		end(id, context);
		const turn = context instanceof ChildCall ? context.turnChanges() : {};
		const sameAs = stage === "wrap" ? (context as ChildCall).runThatGave(value) : undefined;
		if (sameAs !== undefined) return send({ t: "answer", id, sameAs, ...turn });
		// What an observer returns is for nobody. That there was something is for the trace.
		const given = stage === "observe" && value !== undefined ? null : value;
		if (given !== undefined) copyPlain(given, "its answer");
		const json = JSON.stringify({ t: "answer", id, answer: given, ...turn } satisfies FromChild);
		if (json.length > maxLine) throw new RangeError(`its answer is ${Math.round(json.length / 1024 / 1024)} MiB long; a host takes 16 MiB`);
		sendText(json);
	} catch (error) {
		fail(id, context, error instanceof HookFailure ? error : new HookFailure("bad-answer", toFailure(error).message.replace(/^\w+Error: /, "")));
	}
}

function fail(id: number, context: ChildCall | ChildRun, thrown: unknown): void {
	end(id, context);
	const { kind, message, counts } = toFailure(thrown);
	const failure: FailureParts = { kind, message, counts };
	if (context instanceof ChildRun) return send({ t: "answer", id, failure });
	const sameAs = context.runThatGave(thrown);
	let turn: ReturnType<ChildCall["turnChanges"]> = {};
	try {
		turn = context.turnChanges();
	} catch {
		// The failure that is already on its way says enough.
	}
	send({ t: "answer", id, failure, ...(sameAs !== undefined && { sameAs }), ...turn });
}

function end(id: number, context: ChildCall | ChildRun): void {
	if (context instanceof ChildCall) context.end();
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
