// Ends its process from a timer, long after its handler has answered.
import { defineExtension } from "hookline";

export default defineExtension((hooks) => {
	hooks.guard("tool.calling", () => void setTimeout(() => process.exit(5)));
});
