// Why a program could not be started, in words. The system has one word for many things: a script whose interpreter is missing is "no such file".
import { open, stat } from "node:fs/promises";
import type { StartError, StartRequest } from "./started.ts";

/** A sentence. */
export async function whyNotStarted({ file, cwd, args, env }: StartRequest, { code, atFolder }: StartError): Promise<string> {
	const found = await stat(file).catch((error: NodeJS.ErrnoException) => error.code ?? "EIO");
	const folder = await stat(cwd).catch(() => undefined);
	if (atFolder || !folder?.isDirectory()) return `the folder it would run in, '${cwd}', ${folder === undefined ? "is not there" : folder.isDirectory() ? `cannot be entered (${code})` : "is no folder"}.`;
	if (typeof found === "string") return found === "ENOENT" || found === "ENOTDIR" ? `there is no program '${file}'.` : `'${file}' cannot be looked at (${found}).`;
	if (found.isDirectory()) return `'${file}' is a folder, not a program.`;
	if (!found.isFile()) return `'${file}' is no ordinary file, so it cannot be run.`;
	if ((found.mode & 0o111) === 0) return `'${file}' is not executable. 'chmod +x' makes it so.`;
	const line = await interpreterLine(file);
	switch (code) {
		case "EACCES":
			return `it is not allowed to run '${file}'${line === undefined ? "" : `, or the '${line}' that its first line names`} (EACCES).`;
		case "ENOENT":
		case "ELOOP":
			if (line?.endsWith("\r")) return `the first line of '${file}' ends in a carriage return, so the system looks for '${line.slice(0, -1)}\\r'. Save it with Unix line ends.`;
			return line === undefined ? `a library that '${file}' needs is missing (${code}).` : `'${file}' names '${line}' as its interpreter, and there is no such program.`;
		case "ENOEXEC":
			if (found.size === 0) return `'${file}' is empty.`;
			return `'${file}' is no program for this system, and as a script it needs a first line such as '#!/bin/sh'.`;
		case "E2BIG": {
			const bytes = [...args, ...Object.entries(env).flat()].reduce((sum, word) => sum + Buffer.byteLength(word), 0);
			return `its arguments and environment are too long for this system (${bytes} bytes).`;
		}
		case "EAGAIN":
		case "ENOMEM":
		case "EMFILE":
		case "ENFILE":
			return `the system has nothing left to start it with (${code}).`;
		default:
			return `the system refuses '${file}': ${code}.`;
	}
}

/** Text without an interpreter line, or nothing at all. False for what cannot be read: the system says that better. */
export async function isWithoutInterpreter(file: string): Promise<boolean> {
	const head = await headOf(file);
	return head !== undefined && !head.startsWith("#!") && !head.includes("\0");
}

/** What stands behind `#!`, up to its argument. */
async function interpreterLine(file: string): Promise<string | undefined> {
	return /^#![ \t]*([^ \t\n\0]+)/.exec((await headOf(file)) ?? "")?.[1];
}

async function headOf(file: string): Promise<string | undefined> {
	try {
		// Opening a named pipe would wait for a writer.
		if (!(await stat(file)).isFile()) return undefined;
		await using handle = await open(file, "r");
		const { buffer, bytesRead } = await handle.read(Buffer.alloc(256), 0, 256, 0);
		return buffer.toString("latin1", 0, bytesRead);
	} catch {
		return undefined;
	}
}
