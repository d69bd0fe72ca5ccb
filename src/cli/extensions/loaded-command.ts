// `/extensions`: what is loaded in this very process.
import type { Command } from "../../agent/conversation.ts";
import type { Runtime } from "../../runtime.ts";
import { visibleLine } from "../../system/visible.ts";

/** @param runtime the one of now, where it can become another */
export function extensionsCommand(runtime: () => Pick<Runtime, "extensions" | "home">): Command {
	return {
		name: "extensions",
		summary: "the extensions that are loaded, and those that are not",
		anytime: true,
		run() {
			const { extensions, home } = runtime();
			const { loaded, failed, disabled } = extensions;
			const lines = [
				...loaded.map(({ name, file, host, hooks }) => `${name}  ${host}  ${hooks.length} hook${hooks.length === 1 ? "" : "s"}  ${file}`),
				...failed.map(({ name, message }) => `${name}  NOT LOADED: ${visibleLine(message)}`),
				...disabled.map((name) => `${name}  disabled in config.yaml`),
			];
			return lines.length === 0 ? `There are no extensions in ${home.extensions}.` : lines.join("\n");
		},
	};
}
