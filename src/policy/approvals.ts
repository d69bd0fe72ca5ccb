// Hookline's own guard: what no tool call may do, and what a person is asked about. It is a hook like any other, but one that is always there.
import { resolve } from "node:path";
import { ask, block } from "../events/decision.ts";
import type { GuardDecision } from "../events/decision.ts";
import type { JsonObject } from "../events/payloads/facts.ts";
import type { HookDefinition } from "../events/registration.ts";
import type { Home } from "../system/home.ts";
import type { Finding, Verdict } from "./judge.ts";
import { Paths, type PolicyPlace } from "./paths.ts";
import { type Approved, changeApprovals, readApprovals, withApprovals } from "./record.ts";

export interface ApprovalsOptions {
	readonly home: Home;
	/** The user's home folder, absolute. */
	readonly userHome: string;
	/** What a shell of the agent inherits. */
	readonly environment: PolicyPlace["environment"];
	/** `off` asks about nothing; the floor stays. */
	readonly mode?: "ask" | "off";
	/** Globs of normal forms that nothing can approve. */
	readonly deny?: readonly string[];
	/** What is done where nobody is there to be asked. */
	readonly unattended?: "deny" | "allow";
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

/** What the guard asks about a call. */
export interface Asked {
	/** The normal form of the command; for a file its path. */
	readonly command: string;
	/** The ids of the rules, the first is the main one. */
	readonly rules: readonly [string, ...string[]];
	/** False where a part of it is known only when it runs: then a yes is for once. */
	readonly lasts: boolean;
}

type Call = JsonObject & { readonly toolName: string; readonly cwd: string; readonly args: JsonObject; readonly sessionId?: string };

export class Approvals {
	/** Under this id it stands in lists and traces, and asks. */
	readonly hook = "hookline/approvals";
	readonly unattended: "deny" | "allow";
	readonly #options: ApprovalsOptions;
	/** What was approved for a session, by its id. */
	readonly #sessions = new Map<string, Set<string>>();
	/** What is being asked about, by the payload that is judged: the same one is asked about. */
	readonly #asked = new WeakMap<object, { readonly verdict: Verdict; readonly folder: string }>();
	#judge: typeof import("./judge.ts") | undefined;
	#warned = "";

	constructor(options: ApprovalsOptions) {
		this.#options = options;
		this.unattended = options.unattended ?? "deny";
	}

	/** To be registered before all others. */
	get definition(): HookDefinition {
		return {
			event: "tool.calling",
			stage: "guard",
			options: { name: "approvals", tool: ["terminal", "write_file", "patch"], priority: 0 },
			source: { extension: "hookline", trust: "bundled", dialect: "native", rank: 0 },
			host: "inline",
			handler: (call: Call) => {
				if (this.#judge !== undefined) return this.#decide(call, this.#judge);
				// The parser is read when it is needed: most runs call no such tool.
				return import("./judge.ts").then((judge) => this.#decide(call, (this.#judge = judge)));
			},
		};
	}

	/** What this guard asks about a payload it has judged; undefined when it asks about nothing. */
	about(payload: object): Asked | undefined {
		const asked = this.#asked.get(payload);
		if (asked === undefined) return undefined;
		const { verdict } = asked;
		return { command: verdict.normal, rules: verdict.findings.map(({ rule }) => rule.id) as [string, ...string[]], lasts: verdict.constant };
	}

	/**
	 * Keeps a person's yes to a payload: its rules do not ask about the same normal form in the same folder again.
	 * @throws ApprovalsError, HomeError when it cannot be kept for always; for the session it then is.
	 */
	async remember(payload: object, scope: "session" | "always"): Promise<void> {
		const asked = this.#asked.get(payload);
		if (asked === undefined || !asked.verdict.constant) return;
		const added = asked.verdict.findings.map(({ rule }) => ({ rule: rule.id, command: asked.verdict.normal, folder: asked.folder }));
		const { sessionId = "" } = payload as { readonly sessionId?: string };
		const known = this.#sessions.get(sessionId) ?? new Set();
		for (const one of added) known.add(keyOf(one));
		this.#sessions.set(sessionId, known);
		if (scope === "always") await changeApprovals(this.#options.home, (approvals) => withApprovals(approvals, added));
	}

	#decide(call: Call, { judge, judgeWrite }: typeof import("./judge.ts")): GuardDecision<"tool.calling"> | undefined {
		const { toolName, args } = call;
		const { home, userHome, environment, deny = [], mode } = this.#options;
		// What is in the way of symbolic links may change from call to call.
		const paths = new Paths({ home: userHome, hookline: home.path, hermes: home.hermes, environment });
		const named = (path: unknown) => paths.resolve(String(path), call.cwd) ?? call.cwd;
		let verdict: Verdict;
		let folder = call.cwd;
		if (toolName === "terminal") {
			if (args["process_id"] !== undefined || typeof args["command"] !== "string") return undefined;
			if (args["cwd"] !== undefined) folder = resolve(named(args["cwd"]));
			verdict = judge(args["command"], folder, paths, deny, call.cwd);
		} else verdict = judgeWrite(toolName, named(args["path"]), paths, deny, call.cwd);
		if (verdict.class === "floor") return block(`${inWords(verdict.findings)} Nothing can approve this: do not try it in another way, but tell the user what you wanted to do.`);
		if (verdict.class === "fine" || mode === "off") return undefined;
		const kept = [...this.#kept()];
		const session = this.#sessions.get(call.sessionId ?? "");
		const open = verdict.findings.filter(({ rule }) => {
			const key = keyOf({ rule: rule.id, command: verdict.normal, folder });
			return !verdict.constant || !(session?.has(key) || kept.some((one) => keyOf(one) === key));
		});
		if (open.length === 0) return undefined;
		this.#asked.set(call, { verdict: { ...verdict, findings: open }, folder });
		return ask(inWords(open));
	}

	#kept(): readonly Approved[] {
		const { approvals, problem = "" } = readApprovals(this.#options.home);
		if (problem !== "" && problem !== this.#warned) this.#options.warn(problem);
		this.#warned = problem;
		return approvals;
	}
}

const keyOf = ({ rule, command, folder }: Pick<Approved, "rule" | "command" | "folder">): string => JSON.stringify([rule, command, folder]);

/** Rule, reason and what it is about, a sentence each. */
const inWords = (findings: readonly Finding[]): string => findings.map(({ rule, about }) => `${rule.id}: ${rule.reason} (${about.length > 200 ? `${about.slice(0, 200)}…` : about}).`).join(" ");
