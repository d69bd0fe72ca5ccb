// Plan first: until there is a plan, nothing but plans can be written. examples/workflow-guard is the same in Python.
import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { block, defineExtension, inject, rewrite } from "hookline";
import { asksForChanges, isPlan } from "./plan-check.ts";

interface Settings {
	readonly plan_path?: string;
	readonly blocked_tools?: readonly string[];
	readonly allowed_paths?: readonly string[];
}

/** In the state of a turn that plans. */
const noted = "workflow-guard planning";

export default defineExtension((hooks, hookline) => {
	const { plan_path: plan = "plans/active/plan.md", blocked_tools: blocked = ["write_file", "patch"], allowed_paths: allowed = ["plans/", "handoff/"] } = hookline.config as Settings;
	const hasPlan = (cwd: string) => isPlan(resolve(cwd, plan));
	/** Sessions whose next turn plans: while its input is looked at, there is no turn yet. */
	const planning = new Set<string | undefined>();

	// A request to change something becomes one to plan it.
	hooks.transform("input.receiving", { name: "plan-comes-first", priority: 10 }, ({ text, sessionId, turnId, cwd }, { turn }) => {
		planning.delete(sessionId);
		if (!asksForChanges(text) || hasPlan(cwd)) return undefined;
		if (turnId === undefined) planning.add(sessionId);
		else turn.state.set(noted, true);
		return rewrite(`Write a plan to ${plan}, with its steps as a list of '- [ ] …', and change nothing else yet. What is to be planned: ${text}`);
	});
	hooks.transform("turn.starting", { name: "note" }, ({ sessionId }, { turn }) => {
		if (planning.delete(sessionId)) turn.state.set(noted, true);
	});

	// The model is told what it may do now, before every answer: the plan may just have been written.
	hooks.transform("model.calling", { name: "say-what-holds", priority: 10 }, ({ cwd }, { turn }) => {
		if (!hasPlan(cwd)) return inject(`There is no plan in ${plan}. Until there is one, files can be written in ${allowed.join(", ")} only.`, "system");
		if (turn.state.has(noted)) return inject("The plan is written. Stop here and show it; it is carried out when the user says so.", "system");
		return inject(`Follow ${plan} step by step. Run the tests before you say that a step is done.`, "system");
	});

	// The rule itself. The model cannot talk its way around it, and a guard that fails lets nothing through.
	hooks.guard("tool.calling", { name: "only-plans-without-a-plan" }, ({ toolName, args, cwd }, { turn }) => {
		if (!blocked.includes(toolName)) return undefined;
		// A plan that was written in this turn has been seen by nobody yet.
		if (hasPlan(cwd) && !turn.state.has(noted)) return undefined;
		const target = realOf(resolve(cwd, String(args["path"] ?? "")));
		if (allowed.some((folder) => target.startsWith(`${realOf(resolve(cwd, folder))}/`))) return undefined;
		return block(`There is no plan yet that the user has agreed to. Write one to ${plan} and show it; files outside of ${allowed.join(", ")} come after that.`);
	});
});

/** Where a path leads, also when it is not there yet: neither `plans/../src` nor a link may lead out. */
function realOf(path: string, depth = 0): string {
	try {
		return realpathSync(path);
	} catch {
		if (dirname(path) === path || depth > 40) return path;
	}
	const here = join(realOf(dirname(path), depth + 1), basename(path));
	try {
		return realOf(resolve(dirname(here), readlinkSync(here)), depth + 1);
	} catch {
		return here;
	}
}
