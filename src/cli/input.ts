// What a person types or pipes in.
import { createInterface } from "node:readline";
import { Writable } from "node:stream";
import type { ReadLine } from "./terminal-approver.ts";

/** Everything a stream gives, as text. */
export async function readAll(stream: NodeJS.ReadStream): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString("utf8");
}

/** A person at a terminal, when there is one: questions go to stderr, so that stdout stays clean. */
export function onTerminal(): ReadLine | undefined {
	return process.stdin.isTTY ? readLine : undefined;
}

/** The same for what nobody is to see; undefined without a terminal. */
export function onTerminalHidden(): ReadLine | undefined {
	return process.stdin.isTTY ? (prompt, signal) => readLine(prompt, signal, hidden()) : undefined;
}

/** Readline echoes what is typed to its output. */
const hidden = (): Writable => new Writable({ write: (_, __, done) => done() });

async function readLine(prompt: string, signal: AbortSignal, output: NodeJS.WritableStream = process.stderr): Promise<string> {
	await dropTypedAhead(process.stdin);
	signal.throwIfAborted();
	// Opened for the question only: an open terminal would keep the program from ending.
	const lines = createInterface({ input: process.stdin, output, ...(output !== process.stderr && { terminal: true }) });
	try {
		// A question on a hidden output would be hidden too.
		const asked = output === process.stderr ? prompt : "";
		if (asked === "") process.stderr.write(prompt);
		return await new Promise((resolve, reject) => {
			// The stop that it causes ends the question as well.
			lines.on("SIGINT", () => process.kill(process.pid, "SIGINT"));
			lines.once("error", reject);
			lines.once("close", () => reject(new Error("the input ended")));
			signal.addEventListener("abort", () => reject(new Error("the question is over")), { once: true });
			lines.question(asked, resolve);
		});
	} finally {
		lines.close();
		if (output !== process.stderr) process.stderr.write("\n");
	}
}

/** What is already typed is there at once; only people take longer, in ms. */
const typedAheadMs = 50;

/** Lets go of what was typed before a question could be read: it is no answer to it. */
async function dropTypedAhead(terminal: NodeJS.ReadStream): Promise<void> {
	const drop = (keys: Buffer) => {
		if (keys.includes(3)) process.kill(process.pid, "SIGINT");
	};
	// Raw, or the beginning of a line would stay where it is until the line is complete.
	terminal.setRawMode(true);
	terminal.on("data", drop);
	await new Promise((resolve) => setTimeout(resolve, typedAheadMs));
	terminal.off("data", drop).pause();
	terminal.setRawMode(false);
}
