// `hookline hooks doctor`: whether each shell hook of config.yaml would run now as it should, and what the processes that run have of them.
import { hasTool } from "../../dialects/hermes-shell/events.ts";
import type { ShellHook } from "../../dialects/hermes-shell/hook.ts";
import { matches, readMatcher } from "../../dialects/hermes-shell/matcher.ts";
import { objectsIn } from "../../dialects/hermes-shell/output.ts";
import { HookFailure } from "../../events/failure.ts";
import { type Consent, nameOf } from "../../extensions/consent/consent.ts";
import { definitionOf, sameDefinition } from "../../extensions/consent/definition.ts";
import { liveProcesses } from "../../extensions/consent/live.ts";
import { starterOf, type StartOptions } from "../../extensions/consent/start.ts";
import { findProject, statusOf } from "../../extensions/project/project.ts";
import { TrustedHooks } from "../../extensions/project/trusted.ts";
import { hookEnvironment } from "../../extensions/shell/environment.ts";
import { shellHost } from "../../hosts/shell/host.ts";
import type { ShellHost } from "../../hosts/shell/job.ts";
import { homeOf } from "../../system/home.ts";
import { builtInTools } from "../../tools/built-in.ts";
import type { Check } from "../doctor/check.ts";
import { exitCodes } from "../exit.ts";
import { keepStdoutForAnswers, ms, note, printJson, printTable, when } from "../output.ts";
import { ConfigError } from "../../config/read.ts";
import { configuredHooks, openConsent } from "./configured.ts";
import { sampleOf } from "./new/payload.ts";
import { checkOutbound } from "./outbound.ts";

/** Runs nothing that is not approved. @returns 1 when there is a problem. */
export async function doctor({ json }: { readonly json?: boolean }): Promise<number> {
	keepStdoutForAnswers();
	const checks = await checkShellHooks();
	if (json) printJson(checks);
	else {
		printTable(["CHECK", "STATE", "FOUND"], checks.map(({ name, state, message, advice }) => [name, state, advice === undefined ? message : `${message} ${advice}`]), "");
		const count = (state: Check["state"]) => checks.filter((check) => check.state === state).length;
		note(`Problems: ${count("problem")}, warnings: ${count("warning")}, ok: ${count("ok")}.`);
	}
	return checks.some(({ state }) => state === "problem") ? exitCodes.problems : exitCodes.fine;
}

async function checkShellHooks(): Promise<readonly Check[]> {
	const unreliable: Check[] = [];
	const consent = openConsent((message) => unreliable.push({ name: "allow list", state: "problem", message }));
	let configured: Awaited<ReturnType<typeof configuredHooks>>;
	try {
		configured = await configuredHooks();
	} catch (error) {
		if (!(error instanceof ConfigError)) throw error;
		// What stands indented belongs to the line before.
		return error.message.split(/\n(?! )/).map((message): Check => ({ name: "config.yaml", state: "problem", message, advice: "Nothing starts before it is mended." }));
	}
	const { hooks, outbound, warnings } = configured;
	await using host = shellHost();
	const checks: Check[] = warnings.map((message) => ({ name: "config.yaml", state: "warning", message }));
	const replies = new Map<ShellHook, object>();
	for (const hook of hooks) checks.push(...(await checkHook(hook, consent, host, replies)));
	checks.push(...(await checkProjectHooks(host)));
	checks.push(...checkOutbound(outbound), ...duplicates(hooks), ...conflicts(hooks, replies), ...notConfigured(hooks, consent), ...checkProcesses(hooks));
	if (hooks.length === 0) checks.unshift({ name: "shell hooks", state: "ok", message: `There are none in ${homeOf(process.env).config}. 'hookline hooks new' writes one.` });
	return [...unreliable, ...checks];
}

async function checkHook(hook: ShellHook, consent: Consent, host: ShellHost, replies: Map<ShellHook, object>): Promise<readonly Check[]> {
	const name = hook.id;
	const { state, reason } = consent.examine(hook, process.cwd());
	const found: Check[] = tildes(hook);
	if (state !== "approved") {
		const effect = hook.failClosed ? `Until then it blocks every ${hook.written} it is for.` : "Until then it is left out.";
		return [...found, { name, state: "problem", message: reason ?? "It is not approved.", advice: effect }];
	}
	return [...found, ...(await sampleRun(hook, consent, host, replies))];
}

/** Those that the folder brings; the trust of the folder is the consent to them. */
async function checkProjectHooks(host: ShellHost): Promise<readonly Check[]> {
	const home = homeOf(process.env);
	const unreliable: Check[] = [];
	const project = await findProject(process.cwd(), { home, environment: process.env, warn: (message) => unreliable.push({ name: "trust", state: "problem", message }) });
	if (project?.config.hooks === undefined) return unreliable;
	const { state, missing, message } = statusOf(project);
	if (state !== "trusted") return [...unreliable, { name: "project", state: missing ? "problem" : state === "declined" ? "ok" : "warning", message }];
	const trusted = new TrustedHooks(project, home);
	const checks: Check[] = project.warnings.map((warning) => ({ name: "project", state: "warning", message: warning }));
	for (const { hook } of project.hooks) checks.push(...tildes(hook), ...(await sampleRun(hook, trusted, host, new Map())));
	return [...unreliable, ...checks];
}

/** A run with the sample of its event, as it would be run in a turn. */
async function sampleRun(hook: ShellHook, consent: StartOptions["consent"], host: ShellHost, replies: Map<ShellHook, object>): Promise<readonly Check[]> {
	const name = hook.id;
	const sample = sampleOf(hook.written);
	if (sample === undefined) return [{ name, state: "problem", message: `There is no event '${hook.written}'.` }];
	const tool = toolFor(hook);
	const document = { ...sample.document, cwd: process.cwd(), ...(tool !== undefined && hasTool(hook.event) && { tool_name: tool }) };
	try {
		const ended = await starterOf(hook, { consent, host, env: hookEnvironment(hook, homeOf(process.env), process.env), cwd: process.cwd() })(JSON.stringify(document), new AbortController().signal);
		const took = `${ms(ended.ms)} of ${hook.timeoutMs / 1000} s`;
		const ran = `${nameOf(hook)} is approved, and ran on a sample: ${ended.signal === null ? `exit code ${ended.exitCode}` : `ended by ${ended.signal}`}, ${took}`;
		const slow: readonly Check[] = ended.ms > hook.timeoutMs / 2 ? [{ name, state: "warning", message: `It took ${took}: that is close to its time-out.`, advice: "Give it a longer 'timeout', or less to do." }] : [];
		const refused = ended.exitCode === 2;
		const objects = objectsIn(ended.stdout);
		const failed = ended.signal !== null || (ended.exitCode !== 0 && !refused);
		if (failed && (objects.length === 0 || hook.failClosed)) return [{ name, state: "problem", message: `${ran}. ${firstLine(ended.stderr)}`.trim(), advice: hook.failClosed ? "Such a run blocks." : "Such a run counts for nothing." }];
		if (refused) return [{ name, state: "ok", message: `${ran}, which refuses. ${firstLine(ended.stderr)}`.trim() }, ...slow];
		if (ended.stdout.trim() === "") return [{ name, state: "ok", message: `${ran}. It answered nothing: it observes.` }, ...slow];
		const [answer] = objects;
		if (answer === undefined) return [{ name, state: hook.async ? "warning" : "problem", message: `${ran}, and its answer is no JSON object: ${firstLine(ended.stdout)}`, advice: hook.failClosed ? "Such an answer blocks." : "Such an answer counts for nothing." }];
		if (answer.problem !== undefined) return [{ name, state: "problem", message: `${ran}, and its answer ${answer.problem}.` }];
		replies.set(hook, answer.answer);
		if (failed) return [{ name, state: "warning", message: `${ran}, and answered ${firstLine(JSON.stringify(answer.answer))} all the same, which counts.`, advice: "Let it exit with 0." }, ...slow];
		return [{ name, state: "ok", message: `${ran}, and answered ${firstLine(JSON.stringify(answer.answer))}.` }, ...slow];
	} catch (error) {
		if (!(error instanceof HookFailure)) throw error;
		return [{ name, state: "problem", message: `${nameOf(hook)} is approved, and failed on a sample: ${error.message}`, advice: hook.failClosed ? "Such a run blocks." : "Such a run counts for nothing." }];
	}
}

/** A tool its matcher fits. */
function toolFor({ matcher }: ShellHook): string | undefined {
	if (matcher === undefined) return undefined;
	const read = readMatcher(matcher);
	return "mistake" in read ? undefined : builtInTools().find(({ name }) => matches(read.tool, name))?.name;
}

/** No shell is in between, so nobody resolves what a shell would. */
function tildes({ id, words }: ShellHook): Check[] {
	const unresolved = words.slice(1).filter((word) => word.startsWith("~/"));
	return unresolved.map((word) => ({ name: id, state: "warning", message: `'${word}' is handed on as it is written: '~' is resolved at the beginning of a command only.`, advice: "Write the whole path." }));
}

function duplicates(hooks: readonly ShellHook[]): readonly Check[] {
	return hooks.flatMap((hook, i) => {
		const first = hooks.slice(0, i).find((other) => other.event === hook.event && other.command.trim() === hook.command.trim() && overlap(other, hook));
		return first === undefined ? [] : [{ name: hook.id, state: "warning" as const, message: `It runs the same command at ${hook.written} as ${first.id} does, for ${toolsInCommon(first, hook)}: it is run twice for each.`, advice: "Leave one of the two out." }];
	});
}

/** Two that rewrite the same thing: the later has the last word, whether or not that was meant. */
function conflicts(hooks: readonly ShellHook[], replies: ReadonlyMap<ShellHook, object>): readonly Check[] {
	const order = hooks.toSorted((a, b) => (a.priority ?? 100) - (b.priority ?? 100));
	return order.flatMap((hook, i) => {
		const changes = changedBy(replies.get(hook));
		return order.slice(0, i).flatMap((earlier) => {
			const both = changedBy(replies.get(earlier)).filter((key) => changes.includes(key));
			if (earlier.event !== hook.event || both.length === 0 || !overlap(earlier, hook)) return [];
			return [{ name: hook.id, state: "warning" as const, message: `It and ${earlier.id} both change ${both.join(", ")} at ${hook.written}, for ${toolsInCommon(earlier, hook)}: ${hook.id} runs later and has the last word.`, advice: "If that is not meant, give them a 'priority': the lower runs earlier." }];
		});
	});
}

const saying = new Set(["decision", "action", "reason", "message", "continue", "context", "system", "stopReason", "suppressOutput", "hookSpecificOutput", "rule_key", "systemMessage"]);
const changedBy = (answer: object | undefined): readonly string[] => Object.keys(answer ?? {}).filter((key) => !saying.has(key)).map((key) => (key === "tool_input" ? "args" : key));

const toolsOf = ({ matcher }: ShellHook): readonly string[] => {
	const names = builtInTools().map(({ name }) => name);
	const read = matcher === undefined ? undefined : readMatcher(matcher);
	return read === undefined || "mistake" in read ? names : names.filter((name) => matches(read.tool, name));
};

const common = (a: ShellHook, b: ShellHook) => toolsOf(a).filter((name) => toolsOf(b).includes(name));
const overlap = (a: ShellHook, b: ShellHook) => a.matcher === b.matcher || common(a, b).length > 0;
const toolsInCommon = (a: ShellHook, b: ShellHook) => (a.matcher === undefined && b.matcher === undefined ? "all of them" : common(a, b).join(", ") || String(a.matcher));

/** What was approved and is in no file any more does no harm, and should not surprise anybody later. */
function notConfigured(hooks: readonly ShellHook[], consent: Consent): readonly Check[] {
	const left = consent.approvals().filter(({ definition }) => definition !== undefined && !hooks.some((hook) => sameDefinition(definitionOf(hook), definition)));
	const commands = [...new Set(left.map(({ command }) => command))];
	return commands.map((command) => ({ name: "allow list", state: "ok", message: `'${command}' is approved as config.yaml had it before, and would run again if it had it so again.` }));
}

/** Each process that runs now, and where what it has differs from config.yaml. */
function checkProcesses(hooks: readonly ShellHook[]): readonly Check[] {
	const now = hooks.map((hook) => ({ hook, definition: definitionOf(hook) }));
	return liveProcesses(homeOf(process.env)).map(({ pid, surface, at, cwd, hooks: theirs, hookSet }): Check => {
		const name = `process ${pid}`;
		const live = theirs.filter((its) => its.live).length;
		const has = `${surface} in ${cwd}, since ${when(at)}, hook set ${hookSet}: ${live === 1 ? "1 shell hook is" : `${live} shell hooks are`} live`;
		const missing = now.filter(({ definition }) => !theirs.some((its) => sameDefinition(its.definition, definition))).map(({ hook }) => `${hook.id} is not loaded there`);
		const out = now.filter(({ definition }) => theirs.some((its) => !its.live && sameDefinition(its.definition, definition))).map(({ hook }) => `${hook.id} was left out at its start`);
		const stale = theirs.filter((its) => !now.some(({ definition }) => sameDefinition(its.definition, definition))).map(({ definition }) => `'${String(definition["command"])}' is still loaded there`);
		const differs = [...missing, ...out, ...stale];
		if (differs.length === 0) return { name, state: "ok", message: `${has}, as config.yaml has them now.` };
		return { name, state: missing.length + out.length > 0 ? "problem" : "warning", message: `${has}. It differs from config.yaml: ${differs.join("; ")}.`, advice: "Start it anew." };
	});
}

const firstLine = (text: string): string => {
	const [line = ""] = text.trim().split("\n", 1);
	return line.length > 200 ? `${line.slice(0, 200)}…` : line;
};
