// The conversation in a full terminal: what was said scrolls up like any program's output, an editor stays below it.
import { type Component, Editor, matchesKey, ProcessTerminal } from "@earendil-works/pi-tui";
import type { Output } from "../../../agent/surface.ts";
import type { Message } from "../../../events/payloads/model.ts";
import type { Ui } from "../../../events/ui.ts";
import { whenReaderGone } from "../../output.ts";
import type { Activity } from "../activity.ts";
import { extensionUi } from "../ui/extension-ui.ts";
import { noticeInWords, Notices } from "../ui/notices.ts";
import { Shelf } from "../ui/shelf.ts";
import type { ChatInput, ChatView, Opening, ShellView, Shortcut } from "../view.ts";
import { deedInWords } from "../words.ts";
import { Answer } from "./answer.ts";
import { Asking } from "./asking.ts";
import { captureStderr } from "./capture.ts";
import { completionFor } from "./completion.ts";
import { earlierItems } from "./earlier.ts";
import { FlatScreen, type Item } from "./flat-screen.ts";
import { statusLine, waitingLines, workLines } from "./foot.ts";
import { Highlighter } from "./highlight.ts";
import { gap, type Look, NoteItem, type NoteKind, SaidItem, ShellItem, ToolItem } from "./items.ts";
import { statusesLine, widgetLines } from "./shelf-lines.ts";
import { Shortcuts } from "./shortcuts.ts";
import { backgroundIn, backgroundOf, themeFor } from "./theme.ts";

/** How often a running clock moves, in ms. */
const tickMs = 120;
/** How often an answer that arrives is drawn, in ms; on a slow machine less often, so that drawing takes a twentieth of the time at most. */
const drawMs = 80;
const drawShare = 20;
/** How long a terminal has to tell its background, in ms. It does at once or never. */
const backgroundMs = 300;

/** How long after a stop one that was ignored is noticed, in ms. */
const suspendMs = 300;

/** Kinds of items that stand together without a gap. */
type Kind = "said" | "note" | "tool" | "answer" | "shell";

export class ScreenView implements ChatView {
	readonly output: Output;
	readonly approver;
	readonly #look: Look = { theme: themeFor(backgroundIn(process.env) ?? "dark", process.env), unfolded: false };
	readonly #terminal = new ProcessTerminal();
	readonly #screen = new FlatScreen(this.#terminal, (width) => this.#foot(width));
	readonly #editor = new Editor(this.#screen, { borderColor: (text) => this.#look.theme.faint(text), selectList: this.#look.theme.editor.selectList });
	readonly #highlighter = new Highlighter(() => this.#screen.requestRender());
	readonly #calls = new Map<string, ToolItem>();
	readonly #asking: Asking = new Asking({ look: this.#look, say: (text, kind) => this.#note(text, kind), focus: (field) => this.#focus(field ?? this.#editor) });
	readonly #notices = new Notices((extension, text, kind) => this.#note(noticeInWords(extension, text, kind), kind === "info" ? "plain" : kind === "error" ? "bad" : kind));
	readonly #shelf = new Shelf(() => this.#drawSoon(), (extension, why) => this.#notices.notify(extension, why, "warning"));
	readonly #shortcuts = new Shortcuts((extension, message) => this.#notices.notify(extension, message, "error"));
	#answer: Answer | undefined;
	/** What the open answer has shown of its message. */
	#streamed = "";
	#lastKind: Kind | undefined;
	#input: ChatInput | undefined;
	#ticks: NodeJS.Timeout | undefined;
	#isDrawing = false;
	#releaseStderr: (() => void) | undefined;
	#isOpen = false;
	/** An entry of the list of completions was gone to with the arrow keys. */
	#picked = false;

	constructor() {
		this.output = { delta: (text) => this.#delta(text), discard: () => this.#discard(), message: (text, purpose) => this.#message(text, purpose === "notice" ? "notice" : "answer") };
		this.approver = this.#asking.approver;
	}

	open(input: ChatInput, { banner, commands, completions, cwd, earlier, history }: Opening): void {
		this.#input = input;
		this.#isOpen = true;
		this.#releaseStderr = captureStderr((line) => this.#note(line, "faint"));
		this.#note(banner, "faint");
		for (const item of earlierItems(this.#look, this.#highlighter, earlier)) this.#screen.add(item);
		for (const text of history) this.#editor.addToHistory(text);
		this.#editor.setAutocompleteProvider(completionFor({ commands, completions, cwd }));
		this.#editor.onSubmit = (text) => this.#send(text, "now");
		this.#screen.setFocus(this.#editor);
		this.#screen.addInputListener((key) => (this.#key(key) ? { consume: true } : undefined));
		for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => input.leave());
		whenReaderGone(() => input.leave());
		// A terminal that is closed ends the input, and can then not be set back to its usual mode.
		process.stdin.on("end", () => input.leave());
		process.stdin.on("error", () => input.leave());
		this.#screen.start();
		this.#asking.questions.open();
		if (backgroundIn(process.env) === undefined && !process.env["NO_COLOR"]) void this.#askBackground();
	}

	note(text: string): void {
		this.#note(text, "warning");
	}

	log(from: string, message: string): void {
		this.#note(`[${from}] ${message}`, "faint");
	}

	said(text: string): void {
		this.#endAnswer();
		if (!text.startsWith("!")) this.#add(new SaidItem(this.#look, text), "said");
	}

	shell(command: string): ShellView {
		const item = new ShellItem(this.#look, command);
		this.#add(item, "shell");
		return {
			output: (chunk) => {
				item.output(chunk);
				this.#screen.requestRender();
			},
			ended: (text, failed) => {
				item.end(text, failed);
				this.#screen.requestRender();
			},
		};
	}

	giveBack(texts: readonly string[]): void {
		const typed = this.#editor.getExpandedText();
		this.#editor.setText([...texts, ...(typed === "" ? [] : [typed])].join("\n"));
		this.#screen.requestRender();
	}

	moved(earlier: readonly Message[]): void {
		this.#endAnswer();
		this.#calls.clear();
		for (const item of earlierItems(this.#look, this.#highlighter, earlier)) this.#screen.add(item);
		this.#lastKind = undefined;
		if (earlier.length > 0) this.#screen.add(gap);
	}

	ui(extension: string): Ui {
		return extensionUi(extension, { notices: this.#notices, questions: this.#asking.questions, shelf: this.#shelf });
	}

	dropUi(extension: string): void {
		this.#asking.questions.dismiss(extension);
		this.#shelf.drop(extension);
		this.#shortcuts.bind(extension, []);
	}

	bind(extension: string, shortcuts: readonly Shortcut[]): readonly string[] {
		return this.#shortcuts.bind(extension, shortcuts);
	}

	get keys(): readonly string[] {
		return this.#shortcuts.lines;
	}

	clear(): void {
		this.#endAnswer();
		this.#calls.clear();
		this.#lastKind = undefined;
		this.#screen.empty();
	}

	changed(): void {
		const working = this.#input?.status().workingSince !== undefined;
		if (working && this.#isOpen) this.#ticks ??= setInterval(() => this.#screen.requestRender(), tickMs).unref();
		else {
			clearInterval(this.#ticks);
			this.#ticks = undefined;
		}
		this.#screen.requestRender();
	}

	show(activity: Activity): void {
		switch (activity.kind) {
			case "tool-asked": {
				const item = new ToolItem(this.#look, activity.toolName, activity.args, activity.child);
				this.#calls.set(activity.callId, item);
				this.#add(item, "tool");
				break;
			}
			case "tool-ended":
				this.#calls.get(activity.callId)?.end(activity);
				break;
			case "hook": {
				const item = activity.callId === undefined ? undefined : this.#calls.get(activity.callId);
				if (item === undefined) this.#add(new NoteItem(this.#look, `⚑ ${activity.event}: ${deedInWords(activity.by)}`, "faint"), "note");
				else item.deed(activity.by);
				break;
			}
			case "answered":
				this.#note(`${activity.approved ? "Allowed" : "Not allowed"}${activity.by === "person" ? " by you" : ` (${activity.by})`} after ${(activity.waitedMs / 1000).toFixed(1)} s${activity.reason === undefined ? "" : `: ${activity.reason}`}`, "faint");
				break;
			case "child-started":
				this.#note(`↳ a child works on: ${activity.goal}`, "faint");
				break;
			case "child-stopped":
				this.#note(`↳ a child is done (${activity.status}, ${((activity.durationMs ?? 0) / 1000).toFixed(1)} s)`, "faint");
				break;
			case "step":
				// Calls of steps before are over; what is told of them later still finds its item for a while.
				for (const [id, item] of this.#calls) if (item.isOver && this.#calls.size > 100) this.#calls.delete(id);
		}
		this.#screen.requestRender();
	}

	async close(): Promise<void> {
		clearInterval(this.#ticks);
		this.#ticks = undefined;
		this.#asking.questions.close();
		this.#notices.flush();
		if (!this.#isOpen) return;
		this.#isOpen = false;
		this.#endAnswer();
		this.#screen.renderNow();
		// What is written from now on is a line below the conversation.
		this.#releaseStderr?.();
		await this.#terminal.drainInput(200, 20);
		this.#screen.stop();
		process.stdin.pause();
	}

	#foot(width: number): string[] {
		const status = this.#input?.status();
		// When the program ends neither editor nor status stay; the shell's prompt comes on a line of its own.
		if (status === undefined || !this.#isOpen) return [""];
		const { theme } = this.#look;
		const asks = this.#asking.by;
		// Beside a question of the agent's own nothing stands that others wrote.
		const widgets = asks === "agent" ? { above: [], below: [] } : widgetLines(this.#shelf, width, this.#terminal.rows, theme);
		return [
			"",
			...waitingLines(status, width, theme),
			...workLines(status, asks !== undefined, theme),
			...widgets.above,
			...(this.#asking.lines(width) ?? this.#editor.render(width)),
			...widgets.below,
			statusLine(status, width, theme),
			...statusesLine(this.#shelf, width, theme),
		];
	}

	/** Keys that mean something whatever is focused. True when the key was one. */
	#key(key: string): boolean {
		const input = this.#input!;
		const editing = this.#asking.by === undefined;
		if (editing) this.#keepTyped(key);
		if (matchesKey(key, "ctrl+c")) this.#interrupt();
		else if (matchesKey(key, "ctrl+d") && editing && this.#editor.getText() === "") {
			input.stop();
			input.end();
		} else if (matchesKey(key, "escape") && editing && !this.#editor.isShowingAutocomplete()) return input.stop();
		else if (matchesKey(key, "alt+enter") && editing && input.status().workingSince !== undefined) this.#sendLater();
		else if (matchesKey(key, "ctrl+o")) {
			this.#look.unfolded = !this.#look.unfolded;
			this.#screen.redraw();
		} else if (matchesKey(key, "ctrl+l")) this.#screen.redraw();
		else if (matchesKey(key, "ctrl+z")) this.#suspend();
		else return editing && this.#shortcuts.press(key);
		return true;
	}

	/** Enter sends what is typed. It takes a completion only when one was picked: the list may be a moment older than the text. */
	#keepTyped(key: string): void {
		if (matchesKey(key, "enter") && !this.#picked && this.#editor.isShowingAutocomplete()) this.#editor.handleInput("\u001b");
		this.#picked = this.#editor.isShowingAutocomplete() && (matchesKey(key, "up") || matchesKey(key, "down") || (this.#picked && matchesKey(key, "enter")));
	}

	/** What is typed goes first: it was perhaps not meant to be sent. */
	#interrupt(): void {
		const idle = this.#input!.status().workingSince === undefined;
		const asked = this.#asking.by === "extension";
		this.#asking.questions.dismiss();
		if (idle && asked) return;
		if (idle && this.#editor.getText() !== "") {
			this.#editor.setText("");
			this.#screen.requestRender();
		} else this.#input!.interrupt();
	}

	#send(text: string, when: "now" | "after"): void {
		if (text.trim() === "") return;
		this.#editor.addToHistory(text);
		this.#input!.submit(text, when);
	}

	#sendLater(): void {
		const text = this.#editor.getExpandedText();
		this.#editor.setText("");
		this.#send(text, "after");
	}

	#suspend(): void {
		this.#screen.stop();
		const goOn = () => {
			clearTimeout(timer);
			process.off("SIGCONT", goOn);
			this.#screen.start();
			this.#screen.redraw();
		};
		process.once("SIGCONT", goOn);
		// Where nobody could continue us (no shell with jobs above) the system ignores the stop; then we go on by ourselves. Stopped, time does not pass for us.
		const timer = setTimeout(goOn, suspendMs);
		process.kill(process.pid, "SIGTSTP");
	}

	async #askBackground(): Promise<void> {
		const colour = await this.#screen.queryTerminalBackgroundColor({ timeoutMs: backgroundMs });
		if (colour === undefined || backgroundOf(colour) === "dark" || !this.#isOpen) return;
		this.#look.theme = themeFor("light", process.env);
		this.#screen.redraw();
	}

	#focus(field: Component): void {
		this.#screen.setFocus(field);
		this.#screen.requestRender();
	}

	#delta(text: string): void {
		this.#streamed += text;
		if (this.#answer === undefined) {
			// Blank lines before the first word are not worth a block.
			if (this.#streamed.trim() === "") return;
			this.#answer = this.#newAnswer();
			this.#answer.write(this.#streamed.trimStart());
		} else this.#answer.write(text);
		this.#drawSoon();
	}

	/** However often it is called, drawing takes its share of the time and no more. */
	#drawSoon(): void {
		if (this.#isDrawing) return;
		this.#isDrawing = true;
		const draw = () => {
			this.#isDrawing = false;
			this.#screen.requestRender();
		};
		setTimeout(draw, Math.max(drawMs, this.#screen.lastFrameMs * drawShare));
	}

	#discard(): void {
		const begun = this.#answer !== undefined;
		this.#endAnswer();
		if (begun) this.#note("The answer broke off.", "warning");
	}

	#message(text: string, purpose: "answer" | "notice"): void {
		const shown = this.#streamed;
		if (this.#answer !== undefined && text.startsWith(shown)) this.#answer.write(text.slice(shown.length));
		else if (purpose === "notice") {
			this.#endAnswer();
			this.#note(text, "plain");
		} else if (text.trim() !== "") {
			this.#endAnswer();
			this.#newAnswer().write(`${text}\n`);
		}
		this.#endAnswer();
		this.#screen.requestRender();
	}

	#newAnswer(): Answer {
		let first = true;
		return new Answer(this.#look, this.#highlighter, (item) => {
			if (first) this.#add(item, "answer");
			else this.#screen.add(item);
			first = false;
		});
	}

	#endAnswer(): void {
		this.#answer?.end();
		this.#answer = undefined;
		this.#streamed = "";
	}

	#note(text: string, kind: NoteKind): void {
		// Before the screen is there (the home is looked at, extensions load) a line is a line.
		if (!this.#isOpen) process.stderr.write(`${text}\n`);
		else this.#add(new NoteItem(this.#look, text, kind), "note");
	}

	#add(item: Item, kind: Kind): void {
		if (this.#lastKind !== undefined && (this.#lastKind !== kind || kind === "answer" || kind === "said")) this.#screen.add(gap);
		this.#lastKind = kind;
		this.#screen.add(item);
	}
}
