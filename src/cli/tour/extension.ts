// The hooks the tour shows. This is an extension like any other: the tour copies it into the extensions folder of a temporary home.
import { ask, block, defineExtension, inject, rewrite } from "hookline";

export default defineExtension((hooks) => {
	// A guard sees the final arguments and can stop the call.
	hooks.guard("tool.calling", { name: "no-rm", tool: "terminal" }, (call) =>
		/\brm\b/.test(String(call.args["command"])) ? block("Files are not deleted here. Move them to a folder named trash.") : undefined,
	);

	// A transform can change the arguments before the guards see them.
	hooks.transform("tool.calling", { name: "nice", tool: "terminal", priority: 10 }, (call) =>
		rewrite({ ...call.args, command: `nice ${String(call.args["command"])}` }),
	);

	// Context for the model, once per turn, marked as coming from this hook.
	hooks.transform("turn.starting", { name: "branch" }, (turn) => (turn.text.includes("branch") ? inject("The current branch is main.") : undefined));

	// Nothing secret reaches the model, whatever the tool was, nor the trace; and if this hook fails, the result is withheld.
	hooks.transform("tool.returning", { name: "redact", onError: "closed", redacts: true }, ({ result }) =>
		result.text.includes("hunter2") ? rewrite({ ...result, text: result.text.replaceAll("hunter2", "•••••••") }) : undefined,
	);

	// A person decides, shown exactly what would run.
	hooks.guard("tool.calling", { name: "publish", tool: "terminal" }, (call) =>
		String(call.args["command"]).includes("publish") ? ask("This would be seen by others.") : undefined,
	);
});
