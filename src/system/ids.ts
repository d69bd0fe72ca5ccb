// Short ids that are unique on this machine and sort by the time they were made within a process.
import { randomBytes } from "node:crypto";

const process36 = randomBytes(5).readUIntBE(0, 5).toString(36);
let counter = 0;

/** `prefix_` and a part that no other call gives, in this process or another. */
export function newId(prefix: string): string {
	counter++;
	return `${prefix}_${process36}${counter.toString(36)}`;
}
