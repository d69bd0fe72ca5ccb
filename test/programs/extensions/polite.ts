// An extension with all four verbs, every option and everything a context offers; the tool call's command chooses what its hooks do.
import { block, defineExtension, pass, rewrite } from "hookline";

export default defineExtension(async (hooks) => {
	await Promise.resolve();
	hooks.transform("tool.calling", { name: "prefix", tool: [/term.*/i, "patch"], priority: 10, timeoutMs: 5_000, onError: "closed" }, (call, context) => {
		context.turn.state.set("seen", [...((context.turn.state.get("seen") as string[] | undefined) ?? []), call.args["command"]]);
		return rewrite({ ...call.args, command: `nice ${String(call.args["command"])}` }, { metadata: { prefixed: true } });
	});
	hooks.guard("tool.calling", { name: "judge" }, async (call, context) => {
		await Promise.resolve();
		const { prefixed } = context.metadata;
		return call.args["command"] === "nice rm" ? block(`No rm (prefixed: ${String(prefixed)}, seen: ${String(context.turn.state.get("seen"))}, turn ${context.turn.id}, event ${context.event}, hook ${context.hook}).`) : undefined;
	});
	hooks.wrap("tool.calling", { name: "around", repeatable: true }, async (call, next) => {
		if (call.args["command"] === "nice twice") await next();
		const result = await next();
		return call.args["command"] === "nice same" ? result : { ...result, text: `<${result.text}>` };
	});
	hooks.observe("tool.called", { name: "told" }, (call, context) => {
		context.log(`told of ${call.toolName}: ${call.result.text}`);
	});
	hooks.observe("session.*", (payload, context) => context.log(`${context.event} ${String(payload.sessionId)}`));
	hooks.transform("input.receiving", { name: "state" }, (input, { state }) => {
		const [verb, key = "", value] = input.text.split(" ");
		if (verb === "set") state.set(key, { value });
		if (verb === "delete") state.delete(key);
		return verb === "show" ? rewrite(JSON.stringify(Object.fromEntries(state.keys().map((name) => [name, state.get(name)])))) : pass();
	});
});
