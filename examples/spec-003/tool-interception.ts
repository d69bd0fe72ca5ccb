// A call of a tool is refused, or runs with other arguments.
import { block, defineExtension, rewrite } from "hookline";

export default defineExtension((hooks) => {
	// A guard judges what would really run, after all changes, also those of others.
	hooks.guard("tool.calling", { tool: "terminal" }, ({ args }) => (String(args["command"]).includes("rm -rf") ? block("Dangerous command blocked by the safety extension.") : undefined));

	// A transform gives other arguments; what it does not mention is gone.
	hooks.transform("tool.calling", { tool: "terminal" }, ({ args }) => rewrite({ ...args, command: withoutVariables(String(args["command"])) }));
});

/** In an environment that holds nothing but the path. */
const withoutVariables = (command: string): string => `env -i PATH="$PATH" sh -c '${command.replaceAll("'", `'\\''`)}'`;
