// Runs beside a file of `file_hooks:`, in whatever process that is, and makes an extension of it: its default export handles the events it is configured for.
import { specOf } from "../events/catalog.ts";
import { defineExtension, type Extension } from "../events/hooks.ts";
import { kebabNames, type KebabRegistration } from "../events/kebab-hooks.ts";
import type { EventName } from "../events/payloads/all.ts";
import { describe } from "../events/registration.ts";

export interface FileHookSettings {
	readonly hooks: readonly { readonly event: string; readonly priority?: number }[];
}

type Register = (event: string, options: object, handler: unknown) => void;

/** @throws Error in words for the author. */
export function extensionOf(module: Record<string, unknown>, { hooks: configured }: FileHookSettings): Extension {
	const inner = module["default"];
	// As `module.exports = { handler }` comes.
	const handler = typeof inner === "function" ? inner : (module["handler"] ?? (typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>)["handler"] : inner));
	if (typeof handler !== "function") {
		const what = handler === undefined ? "it exports no function" : `what it exports is ${describe(handler)}`;
		throw new Error(`${what}. A file of file_hooks exports the function that handles its event:\n  export default async function (context) { /* … */ }`);
	}
	return defineExtension((hooks, hookline) => {
		for (const { event, priority } of configured) {
			const options = priority === undefined ? {} : { priority };
			// Both were looked up where the settings were read.
			if ((kebabNames as readonly string[]).includes(event)) hookline.registerHook({ event, handler, ...options } as KebabRegistration);
			else (hooks[specOf(event as EventName).kind === "intercept" ? "transform" : "observe"] as Register)(event, options, handler);
		}
	});
}
