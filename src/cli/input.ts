// What a person types or pipes in.
import { createInterface, type Interface } from "node:readline";
import type { ReadLine } from "./terminal-approver.ts";

/** Everything a stream gives, as text. */
export async function readAll(stream: NodeJS.ReadStream): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of stream) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString("utf8");
}

/** A person at a terminal, when there is one: questions go to stderr, so that stdout stays clean. */
export function onTerminal(): { readonly readLine: ReadLine; close(): void } | undefined {
	if (!process.stdin.isTTY) return undefined;
	let lines: Interface | undefined;
	const readLine: ReadLine = (prompt, signal) =>
		new Promise((resolve, reject) => {
			// Opened for the question only: an open terminal would keep the program from ending.
			lines = createInterface({ input: process.stdin, output: process.stderr });
			const over = (settle: () => void) => {
				// First: closing rejects whatever is still open.
				settle();
				lines?.close();
			};
			lines.once("SIGINT", () => over(() => process.kill(process.pid, "SIGINT")));
			lines.once("close", () => reject(new Error("the input ended")));
			lines.question(prompt, { signal }, (line) => over(() => resolve(line)));
		});
	return { readLine, close: () => lines?.close() };
}
