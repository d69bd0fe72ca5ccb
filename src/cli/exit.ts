// What the exit code means, and how an error that a person should read ends a command.

export const exitCodes = {
	fine: 0,
	/** Something failed, or a check found problems. */
	problems: 1,
	/** The command line was wrong; nothing was done. */
	usage: 2,
	/** Ended by Ctrl-C. */
	interrupted: 130,
} as const;

/** The command line is wrong. The message says what, and what would be right. */
export class UsageError extends Error {
	override readonly name = "UsageError";
}

/** A command cannot do what was asked; the message is for the person. */
export class CommandError extends Error {
	override readonly name = "CommandError";
}
