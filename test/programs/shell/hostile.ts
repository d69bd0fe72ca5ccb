// Programs that do what a hook should not, and files that are none, each with what must come of it.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ShellJob } from "../../../src/hosts/shell/job.ts";

export type Parts = Partial<Pick<ShellJob, "file" | "args" | "stdin" | "cwd" | "env">>;

export interface Hostile {
	readonly sentence: string;
	/** What is run, in a folder of its own. */
	readonly make: (folder: string) => Parts;
	/** `exit N`, a signal's name, or a kind of failure with its message; ` cut` where output was too long; then the output's first 100 characters. */
	readonly expected: RegExp;
	/** It does not end by itself. */
	readonly hangs?: true;
	/** Only a sandbox is sure to end it whole. */
	readonly escapes?: true;
}

const timedOut = /^timed-out: did not end within \d+ ms, and was ended\.$/;
const written = (folder: string, text: string | Buffer, mode = 0o755): { readonly file: string } => {
	const file = join(folder, "hook");
	writeFileSync(file, text);
	chmodSync(file, mode);
	return { file };
};
/** A shell script. */
const ends = (sentence: string, body: string, expected: RegExp, more: Parts = {}): Hostile => ({ sentence, make: (folder) => ({ ...written(folder, `#!/bin/sh\n${body}\n`), ...more }), expected });
const hangs = (sentence: string, body: string, more: Partial<Hostile> = {}): Hostile => ({ ...ends(sentence, body, timedOut), hangs: true, ...more });
const never = (sentence: string, make: Hostile["make"], why: RegExp): Hostile => ({ sentence, make, expected: new RegExp(`^cannot-start: could not be started: ${why.source}`) });

export const hostile: readonly Hostile[] = [
	hangs("never ends", "exec sleep 600"),
	hangs("loops", "while :; do :; done"),
	hangs("floods standard output", "exec yes"),
	hangs("floods standard error", "exec yes >&2"),
	hangs("prints a little for ever", "while :; do echo .; sleep 0.01; done"),
	hangs("waits for a file that never grows", "exec tail -f /dev/null"),
	hangs("ignores SIGTERM", "trap '' TERM; while :; do sleep 1; done"),
	hangs("ignores every signal it can", "trap '' HUP INT QUIT TERM USR1 USR2 PIPE ALRM TSTP; while :; do sleep 1; done"),
	hangs("tidies up for ever", "trap 'while :; do sleep 1; done' EXIT TERM; exit 0"),
	hangs("stops itself", "kill -STOP $$"),
	hangs("stops its group", "kill -STOP 0"),
	hangs("waits for grandchildren", "sleep 600 & (sleep 600 & sleep 600) & wait"),
	hangs("starts 200 children", "i=0; while [ $i -lt 200 ]; do sleep 600 & i=$((i+1)); done; wait"),
	hangs("starts children in groups of their own", "set -m; sleep 600 & sleep 600 & wait"),
	hangs("starts a child that does not hang up", "nohup sleep 600 >/dev/null 2>&1 & wait"),
	hangs("starts a session of its own beside itself", "setsid sleep 600 & exec sleep 600"),
	hangs("starts a daemon", "(setsid sh -c 'sleep 600 & sleep 600' </dev/null >/dev/null 2>&1 &) ; exec sleep 600"),
	hangs("hides a child without its environment", "env -i /bin/sh -c 'set -m; sleep 600 & wait'"),
	hangs("hides a daemon without its environment", "env -i setsid sleep 600 & exec sleep 600", { escapes: true }),
	hangs("closes everything and stays", "exec <&- >&- 2>&-; sleep 600"),
	hangs("kills what it is called by at its time-out", "trap 'kill -TERM 0' TERM; sleep 600 & wait; sleep 600"),

	ends("says nothing", "exit 0", /^exit 0: $/),
	ends("prints half a JSON", `printf '{"decision":"blo'`, /^exit 0: \{"decision":"blo$/),
	ends("prints no UTF-8", `printf '\\377\\376{"a":1}'`, /^exit 0: \uFFFD\uFFFD\{"a":1\}$/),
	ends("prints zero bytes", `printf 'a\\000b'`, /^exit 0: a\0b$/),
	ends("prints control characters", `printf '\\033[2J\\033]0;title\\007'`, /^exit 0: \x1b\[2J\x1b\]0;title\x07$/),
	ends("prints 200 MB", "exec head -c 200000000 /dev/zero", /^exit 0 cut: \0{100}$/),
	ends("prints 200 MB of errors", "exec head -c 200000000 /dev/zero >&2", /^exit 0 cut: $/),
	ends("prints one byte more than is kept", "exec head -c 1048577 /dev/zero", /^exit 0 cut: \0{100}$/),
	ends("prints as much as is kept", "exec head -c 1048576 /dev/zero", /^exit 0: \0{100}$/),
	ends("closes its input", "exec <&-; echo '{}'", /^exit 0: \{\}\n$/),
	ends("closes its output", "exec >&-; exit 0", /^exit 0: $/),
	ends("leaves 10 MB unread", "exit 0", /^exit 0: $/, { stdin: "x".repeat(10_000_000) }),
	ends("reads a little of 10 MB", "exec head -c 3", /^exit 0: xxx$/, { stdin: "x".repeat(10_000_000) }),
	ends("prints while it reads 10 MB", "exec cat", /^exit 0 cut: x{100}$/, { stdin: "x".repeat(10_000_000) }),
	ends("writes into a pipe that nobody reads", "yes | head -n 1; exit 0", /^exit 0: y\n$/),
	ends("opens its output by name", "echo a > /dev/stdout; echo b > /dev/stderr", /^exit 0: a\n$/),
	ends("exits with 1", "exit 1", /^exit 1: $/),
	ends("exits with 137", "exit 137", /^exit 137: $/),
	ends("exits with 255", "exit 255", /^exit 255: $/),
	ends("kills itself", "kill -KILL $$", /^SIGKILL: $/),
	ends("crashes", "ulimit -c 0; kill -SEGV $$", /^SIGSEGV: $/),
	ends("aborts", "ulimit -c 0; kill -ABRT $$", /^SIGABRT: $/),
	ends("ends its group", "kill -TERM 0", /^SIGTERM: $/),
	ends("leaves a child that holds its output", "sleep 2 & echo '{}'", /^exit 0: \{\}\n$/),
	ends("leaves a child that holds its errors", "sleep 2 >/dev/null & echo '{}'", /^exit 0: \{\}\n$/),
	ends("leaves a child that answers after it", "(sleep 1; echo late) & echo '{}'", /^exit 0: \{\}\n(?:late\n)?$/),
	ends("leaves a child that floods", "timeout 1 yes & exit 0", /^exit 0(?: cut)?: (?:y\n)*$/),
	ends("leaves a session of its own", "setsid sleep 2 & exit 0", /^exit 0: $/),
	ends("deletes the folder it goes to", "mkdir gone && cd gone && rmdir ../gone && echo '{}'", /^exit 0: \{\}\n$/),
	ends("deletes the folder it runs in", 'rm -rf "$PWD"; echo "{}"', /^exit 0: \{\}\n$/),
	ends("deletes itself", 'rm -- "$0"; echo "{}"', /^exit 0: \{\}\n$/),
	ends("raises its limits", "ulimit -n 1000000000 2>/dev/null; ulimit -s unlimited; ulimit -c unlimited; exit 0", /^exit \d+: $/),
	ends("takes its limits away", "ulimit -n 3; ulimit -f 0; echo '{}' > file; exit 0", /^(?:exit \d+|SIGXFSZ): /),
	ends("writes to the terminal", "echo '{}' > /dev/tty", /^exit [12]: $/),
	ends("asks for a password", "stty -echo; read answer </dev/tty; echo $answer", /^exit \d+: /),
	ends("gets 1 MB of arguments", "echo $#", /^exit 0: 10\n$/, { args: Array.from({ length: 10 }, () => "x".repeat(100_000)) }),
	ends("gets an environment of 1 MB", "echo ${#A0}", /^exit 0: 100000\n$/, { env: Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`A${i}`, "x".repeat(100_000)])) }),

	never("gets 10 MB of arguments", (folder) => ({ ...written(folder, "#!/bin/sh\n"), args: Array.from({ length: 100 }, () => "x".repeat(100_000)) }), /its arguments and environment are too long/),
	never("gets a zero byte as an argument", (folder) => ({ ...written(folder, "#!/bin/sh\n"), args: ["a\0b"] }), /the system refuses '.*\/hook': /),
	never("is not there", (folder) => ({ file: join(folder, "nowhere") }), /there is no program '.*\/nowhere'\.$/),
	never("has a name that is too long", (folder) => ({ file: join(folder, "x".repeat(300)) }), /'.*' cannot be looked at \(ENAMETOOLONG\)\.$/),
	never("is not executable", (folder) => written(folder, "#!/bin/sh\n", 0o644), /'.*\/hook' is not executable\. 'chmod \+x' makes it so\.$/),
	never("is empty", (folder) => written(folder, ""), /'.*\/hook' is empty\.$/),
	never("has no interpreter line", (folder) => written(folder, "echo '{}'\n"), /'.*\/hook' is no program for this system, and as a script it needs a first line such as '#!\/bin\/sh'\.$/),
	never("has an interpreter that is not there", (folder) => written(folder, "#!/usr/bin/python9 -u\n"), /'.*\/hook' names '\/usr\/bin\/python9' as its interpreter, and there is no such program\.$/),
	never("has DOS line ends", (folder) => written(folder, "#!/bin/sh\r\necho\r\n"), /the first line of '.*\/hook' ends in a carriage return, so the system looks for '\/bin\/sh\\r'\. Save it with Unix line ends\.$/),
	never("is a folder", (folder) => ({ file: folder }), /'.*' is a folder, not a program\.$/),
	never("is a named pipe", pipe, /'.*\/pipe' is no ordinary file, so it cannot be run\.$/),
	never("is a link to nothing", (folder) => link(folder, "nothing"), /there is no program '.*\/link'\.$/),
	never("is a link to itself", (folder) => link(folder, "link"), /'.*\/link' cannot be looked at \(ELOOP\)\.$/),
	never("runs in a folder that is not there", (folder) => ({ ...written(folder, "#!/bin/sh\n"), cwd: join(folder, "nowhere") }), /the folder it would run in, '.*\/nowhere', is not there\.$/),
	never("runs in a file", (folder) => ({ ...written(folder, "#!/bin/sh\n"), cwd: join(folder, "hook") }), /the folder it would run in, '.*\/hook', is no folder\.$/),
];

function pipe(folder: string): Parts {
	execFileSync("mkfifo", ["-m", "700", join(folder, "pipe")]);
	return { file: join(folder, "pipe") };
}

function link(folder: string, target: string): Parts {
	symlinkSync(target, join(folder, "link"));
	return { file: join(folder, "link") };
}

/** A job of that kind, in a folder of its own below `folder`. */
export function partsOf({ make }: Hostile, folder: string): Required<Parts> {
	mkdirSync(folder);
	return { file: "", args: [], stdin: "{}", cwd: folder, env: {}, ...make(folder) };
}
