// What goes wrong in a hook is one class with one treatment: its policy says what it means, and three in a row put the hook on hold.
import { HookFailure } from "../events/failure.ts";
import type { Hook } from "./plan.ts";

export const failuresUntilSuspended = 3;
export const suspensionMs = 60_000;

/** Counts a failure against its hook; true when this one suspended it. `now` in ms of the engine's clock. */
export function countFailure(hook: Hook, failure: HookFailure, now: number): boolean {
	if (!failure.counts || failure.kind === "suspended") return false;
	hook.failuresInARow++;
	if (hook.failuresInARow < failuresUntilSuspended) return false;
	hook.suspendedUntil = now + suspensionMs;
	return true;
}

/** The failure a suspended hook stands for instead of being called, or undefined when it may run. After its time it gets one try. */
export function suspension(hook: Hook, now: number): HookFailure | undefined {
	if (hook.suspendedUntil <= now) return undefined;
	const seconds = Math.ceil((hook.suspendedUntil - now) / 1000);
	return new HookFailure("suspended", `is on hold for ${seconds} s more after ${hook.failuresInARow} failures in a row; the last: ${hook.lastFailure}`);
}

/** What a blocked person or model is told: who failed, how, and that this is why nothing ran. */
export function failureReason(hook: Hook, failure: HookFailure): string {
	return `Hook ${hook.id} failed (${failure.kind}): ${failure.message}. It is closed, so nothing goes on without its answer.`;
}
