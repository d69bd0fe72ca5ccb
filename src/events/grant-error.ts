/** An extension did what it was not granted. The message is for its author and the person. */
export class GrantError extends Error {
	override readonly name = "GrantError";
}
