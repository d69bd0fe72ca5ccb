// The language of the rehearsal model: what it answers is written in the user's message. A pure function of the request.
//
//   CALL <tool> <json>       one tool call; several CALL lines in one message are calls in one answer
//   SEQ, then CALL lines     one call per answer, in order
//   LOOP <n> [tool] [json]   n answers with one call each; `$i` in the JSON is the number of the answer, from 0
//   PAR <n> [tool] [json]    one answer with n calls
//   RAWCALL <tool> <text>    a call whose arguments are the text as it stands, JSON or not
//   HALF <tool> <json>       half a call, then the stream ends
//   SAY <text>               the text, and the lines below it
//   SLOW <ms> <words>        the words, one every <ms> milliseconds
//   EMPTY                    an answer without content
//   TOOLS                    the names of the tools it was told of, comma separated
//   SYSTEM <words>           YES or NO: do the words stand in a system message
//   SEEN <words>             in how many other messages the words stand
//   IMAGES                   the kind and the bytes of each image it was shown, in order: `image/png 68, image/gif 43`
//   HTTP <status> [message]  fails with that status; `retry-after=<seconds>` in the message asks to wait
//
// When the results of the calls are in it says DONE. Without a directive it says ECHO: and the last user message.

/** A message as the script reads it; the agent's own `Message` fits. */
export interface ScriptMessage {
	readonly role: string;
	readonly text: string;
	readonly toolCalls?: readonly unknown[];
	readonly images?: readonly { readonly mediaType: string; readonly bytes: number }[];
}

export interface ScriptRequest {
	readonly messages: readonly ScriptMessage[];
	readonly toolNames: readonly string[];
}

export interface ScriptCall {
	readonly name: string;
	/** As it goes on the wire; it may be no JSON. */
	readonly arguments: string;
}

/** What the model is going to do. An `empty` answer ends well, without a word. */
export type ScriptAnswer =
	| { readonly kind: "text"; readonly text: string; readonly wordMs: number }
	| { readonly kind: "calls"; readonly calls: readonly ScriptCall[] }
	| { readonly kind: "half-call"; readonly call: ScriptCall }
	| { readonly kind: "empty" }
	| { readonly kind: "http"; readonly status: number; readonly message: string; readonly retryAfterMs?: number };

/** Each directive with the way it is written, for the answer to one that cannot be read. */
const forms = {
	CALL: "CALL <tool> <json>",
	SEQ: "SEQ, with CALL <tool> <json> lines below it",
	LOOP: "LOOP <n> [tool] [json]",
	PAR: "PAR <n> [tool] [json]",
	RAWCALL: "RAWCALL <tool> <text>",
	HALF: "HALF <tool> <json>",
	SAY: "SAY <text>",
	SLOW: "SLOW <ms> <words>",
	EMPTY: "EMPTY",
	TOOLS: "TOOLS",
	SYSTEM: "SYSTEM <words>",
	SEEN: "SEEN <words>",
	IMAGES: "IMAGES",
	HTTP: "HTTP <status> [message]",
} as const;
type Directive = keyof typeof forms;

const directiveLine = new RegExp(`^(${Object.keys(forms).join("|")})\\b`, "m");
const done: ScriptAnswer = { kind: "text", text: "DONE", wordMs: 0 };

/** The answer to a request. Looks at the messages from the end, so that it costs the same in a short session and in a long one. */
export function planAnswer(request: ScriptRequest): ScriptAnswer {
	const { at, answered, lastUserText } = currentExchange(request.messages);
	if (at === undefined) return say(`ECHO: ${lastUserText}`);
	const lines = request.messages[at]!.text.split(/\r?\n/);
	const first = lines.findIndex((line) => directiveLine.test(line));
	const line = lines[first]!;
	const directive = directiveLine.exec(line)![1] as Directive;
	// The end is left as it is: RAWCALL sends what stands there.
	const rest = line.slice(directive.length).trimStart();
	const answer = obey(directive, rest, { request, at, answered, lines: lines.slice(first) });
	return answer ?? say(`The rehearsal model cannot read '${line}'. Write it as: ${forms[directive]}`);
}

interface Exchange {
	readonly request: ScriptRequest;
	/** The index of the message that holds the directive. */
	readonly at: number;
	/** How many answers with tool calls were already given to it. */
	readonly answered: number;
	/** The directive's line and those below it. */
	readonly lines: readonly string[];
}

/** Undefined: the directive is there, but not written in a way it can be read. */
function obey(directive: Directive, rest: string, exchange: Exchange): ScriptAnswer | undefined {
	const { request, at, answered, lines } = exchange;
	switch (directive) {
		case "CALL": {
			const calls = callLines(lines);
			return calls.length === 0 ? undefined : answered === 0 ? { kind: "calls", calls } : done;
		}
		case "SEQ": {
			const calls = callLines(lines);
			const next = calls[answered];
			return calls.length === 0 ? undefined : next ? { kind: "calls", calls: [next] } : done;
		}
		case "LOOP":
		case "PAR":
			return countedCalls(directive, rest, answered);
		case "RAWCALL":
		case "HALF": {
			const call = /^(\S+) (.*)$/.exec(rest);
			if (!call) return undefined;
			const asked = { name: call[1]!, arguments: call[2]! };
			if (directive === "HALF") return { kind: "half-call", call: asked };
			return answered === 0 ? { kind: "calls", calls: [asked] } : done;
		}
		case "SAY":
			return rest === "" ? undefined : say([lines[0]!.slice("SAY ".length), ...lines.slice(1)].join("\n"));
		case "SLOW": {
			const slow = /^(\d+)\s*(.*)$/.exec(rest);
			return slow ? say(slow[2]!, Number(slow[1])) : undefined;
		}
		case "EMPTY":
			return { kind: "empty" };
		case "TOOLS":
			return say(request.toolNames.join(","));
		case "SYSTEM":
			return say(request.messages.some(({ role, text }) => (role === "system" || role === "developer") && text.includes(rest)) ? "YES" : "NO");
		case "SEEN":
			return say(String(request.messages.filter(({ text }, index) => index !== at && text.includes(rest)).length));
		case "IMAGES": {
			const shown = request.messages.flatMap(({ images = [] }) => images.map(({ mediaType, bytes }) => `${mediaType} ${bytes}`));
			return say(shown.length === 0 ? "NONE" : shown.join(", "));
		}
		case "HTTP":
			return failure(rest);
	}
}

const say = (text: string, wordMs = 0): ScriptAnswer => ({ kind: "text", text, wordMs });

/** The exchange under way began after the last answer without tool calls; its last user message with a directive counts. */
function currentExchange(messages: readonly ScriptMessage[]): { readonly at?: number; readonly answered: number; readonly lastUserText: string } {
	let answered = 0;
	let lastUserText: string | undefined;
	let over = false;
	for (let index = messages.length - 1; index >= 0; index--) {
		const { role, text, toolCalls } = messages[index]!;
		if (role === "user") {
			if (!over && directiveLine.test(text)) return { at: index, answered, lastUserText: text };
			lastUserText ??= text;
		} else if (role === "assistant") {
			if (toolCalls && toolCalls.length > 0) answered++;
			else over = true;
		}
		if (over && lastUserText !== undefined) break;
	}
	return { answered, lastUserText: lastUserText ?? "" };
}

function callLines(lines: readonly string[]): readonly ScriptCall[] {
	const calls: ScriptCall[] = [];
	for (const line of lines) {
		const call = /^CALL (\S+)\s*(.*)$/.exec(line);
		if (call) calls.push({ name: call[1]!, arguments: call[2]!.trim() || "{}" });
	}
	return calls;
}

function countedCalls(directive: "LOOP" | "PAR", rest: string, answered: number): ScriptAnswer | undefined {
	const counted = /^(\d+)\s*(\S+)?\s*(.*)$/.exec(rest);
	if (!counted) return undefined;
	const count = Number(counted[1]);
	const name = counted[2] ?? "terminal";
	const json = counted[3] || '{"command":"true"}';
	const call = (index: number): ScriptCall => ({ name, arguments: json.replaceAll("$i", String(index)) });
	if (directive === "LOOP") return answered < count ? { kind: "calls", calls: [call(answered)] } : done;
	return answered === 0 && count > 0 ? { kind: "calls", calls: Array.from({ length: count }, (_, index) => call(index)) } : done;
}

function failure(rest: string): ScriptAnswer | undefined {
	const http = /^([1-5]\d\d)\s*(.*)$/.exec(rest);
	if (!http) return undefined;
	const wait = /\bretry-after=(\d+(?:\.\d+)?)/.exec(http[2]!);
	const plain = { kind: "http", status: Number(http[1]), message: http[2] || "rehearsed failure" } as const;
	return wait ? { ...plain, retryAfterMs: Number(wait[1]) * 1000 } : plain;
}

/** The text in pieces as a model streams them: word by word, each with the white space behind it. */
export function* words(text: string): Generator<string, void, undefined> {
	for (const piece of text.matchAll(/\S+\s*|\s+/g)) yield piece[0];
}

/** Tokens in a text of so many characters, the way the rehearsal counts: four characters each, never none. */
export const tokensIn = (characters: number): number => Math.max(1, Math.ceil(characters / 4));
