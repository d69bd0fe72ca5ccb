// A policy for what the agent does: files, commands, hosts, budgets. Calls are judged with the arguments they will run with. A policy that cannot be
// used allows nothing.
import { homedir } from "node:os";
import { isAbsolute } from "node:path";
import { block, defineExtension, rewrite } from "hookline";
import { judge } from "./judge.ts";
import { absolute, placesOf } from "./paths.ts";
import { type Budget, type Policy, PolicyFile, policyIn } from "./policy.ts";

/** Sessions whose tokens are remembered. */
const mostSessions = 500;

export default defineExtension(async (hooks, hookline) => {
	const { policy: written, ...rules } = hookline.config;
	const path = typeof written === "string" ? written.replace(/^~(?=\/)/, () => homedir()) : undefined;
	if (written !== undefined && (path === undefined || !isAbsolute(path))) throw new Error(`'policy' must be an absolute path or begin with ~/, and is ${JSON.stringify(written)}.`);
	const own = [policyIn(rules), ...(path === undefined ? [] : [policyAbout(path)])];
	const file = path === undefined ? undefined : new PolicyFile(path, (await import("yaml")).parse);
	const policies = (): readonly Policy[] => (file === undefined ? own : [...own, file.policy]);
	const limitOf = (budget: Budget): number => Math.min(...policies().map(({ budgets }) => budgets[budget] ?? Infinity));

	hooks.guard("tool.calling", { name: "policy" }, (call) => closed(() => judge(policies(), call)));
	hooks.guard("tool.calling", { name: "budgets" }, ({ toolName }, { turn }) =>
		closed(() => {
			const calls = Number(turn.state.get("safety-gate calls") ?? 0) + 1;
			turn.state.set("safety-gate calls", calls);
			const mostCalls = limitOf("tool_calls_per_turn");
			if (calls > mostCalls) return block(`The ${mostCalls} tool calls of this turn are used up (budgets.tool_calls_per_turn). Answer with what you have.`);
			const mostSeconds = limitOf("terminal_seconds_per_turn");
			const seconds = Number(turn.state.get("safety-gate ms") ?? 0) / 1000;
			return toolName === "terminal" && seconds >= mostSeconds ? block(`The ${mostSeconds} seconds of the terminal in this turn are used up (budgets.terminal_seconds_per_turn).`) : undefined;
		}),
	);
	// In the road, not beside it: the next call must find it counted.
	hooks.transform("tool.returning", { name: "clock", tool: "terminal", priority: -1_000 }, ({ durationMs }, { turn }) => {
		turn.state.set("safety-gate ms", Number(turn.state.get("safety-gate ms") ?? 0) + durationMs);
	});
	// A search of a folder goes through files that nobody named.
	hooks.transform("tool.returning", { name: "findings", tool: "search_files", priority: 1_000, redacts: true, onError: "closed" }, ({ args, result, cwd }) => {
		const rules = policies().flatMap(({ paths }) => paths.deny_read);
		const folder = absolute(String(args["path"] ?? "."), cwd);
		const lines = result.text.split("\n");
		const kept = lines.filter((line) => !rules.some((rule) => rule.covers(placesOf(line.replace(/:\d+: .*$/s, ""), folder), cwd)));
		return kept.length === lines.length ? undefined : rewrite({ ...result, text: [...kept, `[${lines.length - kept.length} lines of files that may not be read were taken out.]`].join("\n") });
	});

	const tokens = new Map(Object.entries((hookline.state.get("tokens") ?? {}) as Record<string, number>));
	hooks.guard("model.calling", { name: "tokens" }, ({ sessionId = "", parentSessionId = sessionId }) =>
		closed(() => {
			const most = limitOf("tokens_per_session");
			return (tokens.get(parentSessionId) ?? 0) >= most ? block(`The ${most} tokens of this session are used up (budgets.tokens_per_session). /new begins another one.`) : undefined;
		}),
	);
	hooks.observe("model.called", { name: "count" }, ({ usage, sessionId = "", parentSessionId = sessionId }) => {
		const used = (tokens.get(parentSessionId) ?? 0) + (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
		// Written last, and so the newest.
		tokens.delete(parentSessionId);
		tokens.set(parentSessionId, used);
		hookline.state.set("tokens", Object.fromEntries([...tokens].slice(-mostSessions)));
	});
});

/** The agent has nothing to do with the file its own policy is in. */
function policyAbout(path: string): Policy {
	const rules = [{ rule: path, reason: "It is the policy itself." }];
	return policyIn({ paths: { deny_read: rules, deny_write: rules } });
}

/** Said, not thrown: hooks that fail three times are suspended for a while, also when the policy was mended by then. */
function closed<Verdict>(run: () => Verdict): Verdict | ReturnType<typeof block> {
	try {
		return run();
	} catch (error) {
		return block(error instanceof Error ? error.message : String(error));
	}
}
