// `hookline tour`: real turns of the rehearsal model through real hooks, in a temporary home, each shown with who decided what in how many ms.
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ApprovalAnswer, Approver } from "../agent/surface.ts";
import { basicCommands } from "../agent/commands.ts";
import { Conversation } from "../agent/conversation.ts";
import type { DispatchRecord } from "../events/record.ts";
import { openRuntime } from "../runtime.ts";
import { visibleLine } from "../system/visible.ts";
import { silent } from "./answers.ts";
import { describeQuestion } from "./terminal-approver.ts";
import { exitCodes } from "./exit.ts";
import { ms, print, warn } from "./output.ts";
import { stopOnSignals } from "./signals.ts";

interface Stop {
	readonly title: string;
	readonly prompt: string;
}

const stops: readonly Stop[] = [
	{ title: "A guard blocks a tool call", prompt: 'CALL terminal {"command":"rm notes.txt"}' },
	{ title: "A transform rewrites the arguments of a call", prompt: 'CALL terminal {"command":"echo hello"}' },
	{ title: "A hook adds context for the model", prompt: "Which branch is this?" },
	{ title: "A secret is taken out of a result before the model sees it", prompt: 'CALL read_file {"path":"passwords.txt"}' },
	{ title: "A guard asks a person", prompt: 'CALL terminal {"command":"echo publish the release"}' },
];

/** @returns 0 when every hook decided what the tour says it does. */
export async function tour(): Promise<number> {
	// Ended by Ctrl-C, or by a reader that has seen enough, it still removes its folder.
	using stop = stopOnSignals();
	const folder = mkdtempSync(join(tmpdir(), "hookline-tour-"));
	try {
		return await inFolder(folder, stop.signal);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}

async function inFolder(folder: string, stop: AbortSignal): Promise<number> {
	const home = join(folder, "home");
	const work = join(folder, "work");
	for (const path of [join(home, "extensions"), work]) mkdirSync(path, { recursive: true });
	writeFileSync(join(work, "notes.txt"), "Nothing here may be deleted.\n");
	writeFileSync(join(work, "passwords.txt"), "database: hunter2\n");
	const own = fileURLToPath(new URL("tour/extension", import.meta.url));
	const source = [".ts", ".js"].map((ending) => own + ending).find((file) => existsSync(file))!;
	copyFileSync(source, join(home, "extensions", `tour${extname(source)}`));

	print("Hookline, an agent in which every step can be hooked. This tour runs real turns of the offline rehearsal model, which does what it is told,");
	print("through five hooks of one extension file. Nothing outside of a temporary folder is touched.");
	await using runtime = await openRuntime({
		environment: { HOOKLINE_HOME: home },
		cwd: work,
		surface: "test",
		model: "rehearsal",
		hooks: true,
		approver: noForAnAnswer,
		output: silent,
		warn,
		log: () => {},
	});
	const conversation = await Conversation.open(await runtime.agent(), runtime.place, basicCommands);
	let seen = runtime.engine.recent().length;
	let kept = true;
	for (const [i, { title, prompt }] of stops.entries()) {
		print(`\n${i + 1}. ${title}\n   you       ${prompt}`);
		const result = await conversation.submit(prompt, "argument", stop);
		if (stop.aborted) break;
		await runtime.engine.idle();
		const records = runtime.engine.recent();
		const lines = records.slice(seen).flatMap(decisionLines);
		seen = records.length;
		for (const line of lines) print(`   ${line}`);
		const told = conversation.session.messages.findLast((message) => message.role === "tool");
		if (told && prompt.startsWith("CALL")) print(`   the model was told  ${visibleLine(told.text.trim())}`);
		print(`   agent     ${visibleLine(result.text)}`);
		kept &&= result.completed && lines.length > 0;
	}
	kept &&= existsSync(join(work, "notes.txt"));
	await conversation.close("finished");
	if (stop.aborted) return exitCodes.interrupted;
	print(kept ? "\nThat was all. Your own first hook takes a minute: the README shows it. 'hookline' starts a conversation." : "\nSomething did not go as the tour says; please report what is printed above.");
	return kept ? exitCodes.fine : exitCodes.problems;
}

/** Who decided what, in how many ms. Hooks that passed are left out. */
function decisionLines(record: DispatchRecord): readonly string[] {
	return record.hooks
		.filter((hook) => hook.decision !== "pass")
		.map((hook) => {
			const changes = (hook.diff ?? []).map(({ path, before, after }) => `${path}: ${visibleLine(JSON.stringify(before))} → ${visibleLine(JSON.stringify(after))}`);
			return `${record.event}  ${hook.hook} (${hook.stage}) decided ${hook.decision} in ${ms(hook.ms)}  ${[hook.reason, ...changes].filter(Boolean).join("; ")}`;
		});
}

const noForAnAnswer: Approver = {
	async ask(question): Promise<ApprovalAnswer> {
		print(`   the question, which the tour answers with no:`);
		for (const line of describeQuestion(question).split("\n")) print(`       ${line}`);
		return { approved: false, by: "the tour", reason: "The tour said no." };
	},
};
