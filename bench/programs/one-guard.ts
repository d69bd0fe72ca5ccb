// One guard for the node host's row.
import { block, defineExtension } from "hookline";

export default defineExtension((hooks) => {
	hooks.guard("tool.calling", (call) => (call.args["path"] === "/etc/passwd" ? block("not that file") : undefined));
});
