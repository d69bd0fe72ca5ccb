// Two transforms that rewrite and five guards, as an extension has them.
import { ask, block, defineExtension, rewrite } from "hookline";

export default defineExtension((hooks) => {
	hooks.transform("tool.calling", (call) => rewrite({ ...call.args, path: `./${String(call.args["path"])}` }));
	hooks.transform("tool.calling", (call) => rewrite({ ...call.args, new: String(call.args["new"]) }));
	hooks.guard("tool.calling", () => undefined);
	hooks.guard("tool.calling", { tool: ["write_file", "patch"] }, (call) => (call.args["path"] === "/etc/passwd" ? block("not that file") : undefined));
	hooks.guard("tool.calling", { tool: "patch" }, (call) => (call.args["old"] === "" ? block("nothing to replace") : undefined));
	hooks.guard("tool.calling", { surface: ["run", "terminal"] }, (call) => (call.step === 50 ? ask("a long turn") : undefined));
	hooks.guard("tool.calling", (call) => (call.cwd === "/etc" ? block("not in there") : undefined));
});
