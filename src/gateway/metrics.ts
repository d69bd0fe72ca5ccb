// What a monitor reads: counted by observers of the engine, by the trace, and at the doors of the platforms. Nothing else in the gateway knows of it.
import { readdirSync } from "node:fs";
import type { Engine } from "../engine/engine.ts";
import type { TurnEnded } from "../events/payloads/conversation.ts";
import type { Facts } from "../events/payloads/facts.ts";
import type { ApprovalRequested } from "../events/payloads/tool.ts";
import type { DispatchRecord } from "../events/record.ts";
import type { HookDefinition } from "../events/registration.ts";
import type { EngineCounts } from "../stores/session-engine.ts";
import type { GatewayStatus } from "./gateway.ts";
import { Counts, Durations, type Metric, metricText, type Sample } from "./metric-text.ts";
import { type Platform, UndeliverableError } from "./platform.ts";

/** Different hooks and decisions that are counted apart. */
const mostHooks = 500;
const turnSeconds = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800] as const;
const own = { extension: "hookline", trust: "bundled", dialect: "native", rank: 0 } as const;

export class Metrics {
	readonly #messages = new Counts(["platform", "outcome"]);
	readonly #deliveries = new Counts(["platform", "outcome"]);
	readonly #turns = new Counts(["outcome"]);
	readonly #seconds = new Durations(turnSeconds);
	readonly #hooks = new Counts(["hook", "decision"], mostHooks);
	readonly #blocked = new Counts(["event"]);
	readonly #questions = new Set<string>();
	readonly #watched = new WeakMap<Platform, Platform>();

	/** Counts what the engine tells from now on. */
	observe(engine: Engine): void {
		engine.register([
			told("message.sent", ({ platform = "none" }: Facts) => this.#deliveries.add(platform, "sent")),
			told("turn.ended", ({ completed, interrupted, durationMs }: TurnEnded) => {
				this.#turns.add(interrupted ? "interrupted" : completed ? "completed" : "failed");
				this.#seconds.add(durationMs / 1000);
			}),
			told("approval.requested", ({ approvalId }: ApprovalRequested) => void this.#questions.add(approvalId)),
			told("approval.resolved", ({ approvalId }: ApprovalRequested) => void this.#questions.delete(approvalId)),
		]);
	}

	/** Counts what hooks did in a dispatch. */
	record({ event, outcome, hooks }: DispatchRecord): void {
		if (outcome === "blocked") this.#blocked.add(event);
		for (const { hook, decision } of hooks) if (!(decision === "told" && hook.startsWith(`${own.extension}/`))) this.#hooks.add(hook, decision);
	}

	/** The same platform with its messages and failures counted; one and the same each time. */
	watched(platform: Platform): Platform {
		const known = this.#watched.get(platform) ?? this.#watch(platform);
		this.#watched.set(platform, known);
		return known;
	}

	#watch(platform: Platform): Platform {
		const { name } = platform;
		const start: Platform["start"] = (door) =>
			platform.start({
				reacted: (reaction) => door.reacted(reaction),
				accept: async (message) => {
					try {
						const accepted = await door.accept(message);
						this.#messages.add(name, accepted.kind);
						return accepted;
					} catch (error) {
						this.#messages.add(name, "failed");
						throw error;
					}
				},
			});
		const send: Platform["send"] = async (text, signal) => {
			try {
				return await platform.send(text, signal);
			} catch (error) {
				if (!signal.aborted) this.#deliveries.add(name, error instanceof UndeliverableError ? "refused" : "failed");
				throw error;
			}
		};
		// What it has beside these two differs from one platform to the next, and is its own.
		return new Proxy(platform, {
			get(_, member) {
				if (member === "start") return start;
				if (member === "send") return send;
				const value: unknown = Reflect.get(platform, member, platform);
				return typeof value === "function" ? value.bind(platform) : value;
			},
		});
	}

	/** The page a monitor asks for. */
	text(counts: EngineCounts, platforms: GatewayStatus["platforms"]): string {
		return metricText([...this.#ofGateway(counts, platforms), ...ofProcess()]);
	}

	#ofGateway({ waiting, running, outgoing, deadLetters }: EngineCounts, platforms: GatewayStatus["platforms"]): readonly Metric[] {
		return [
			counter("hookline_messages_total", "Messages that platforms handed over, by what became of them.", this.#messages.samples()),
			counter("hookline_turns_total", "Turns that are over.", this.#turns.samples()),
			{ name: "hookline_turn_seconds", kind: "histogram", help: "How long turns took.", samples: this.#seconds.samples() },
			gauge("hookline_turns_running", "Turns under way.", running),
			gauge("hookline_messages_waiting", "Accepted messages whose turn has not begun.", waiting),
			gauge("hookline_deliveries_waiting", "Texts that no platform has taken yet.", outgoing),
			gauge("hookline_dead_letters", "Messages that were given up.", deadLetters),
			counter("hookline_deliveries_total", "Texts to people, and failures on their way; failed: is tried again, refused: cannot be delivered.", this.#deliveries.samples()),
			{ name: "hookline_platform_up", kind: "gauge", help: "Whether a platform can be reached.", samples: platforms.map(({ name, connected }) => ({ labels: { platform: name }, value: connected ? 1 : 0 })) },
			counter("hookline_hook_decisions_total", "What hooks did, by hook and decision.", this.#hooks.samples()),
			counter("hookline_blocked_total", "What hooks stopped, by event.", this.#blocked.samples()),
			gauge("hookline_approvals_open", "Questions that nobody has answered yet, of those this process asked.", this.#questions.size),
		];
	}
}

function told(event: "message.sent" | "turn.ended" | "approval.requested" | "approval.resolved", handler: (payload: never) => void): HookDefinition {
	return { event, stage: "observe", handler, options: { name: `metrics-${event.replace(".", "-")}` }, queue: Infinity, inOrder: "hookline metrics", host: "inline", source: own };
}

const counter = (name: string, help: string, samples: readonly Sample[]): Metric => ({ name, kind: "counter", help, samples });
const gauge = (name: string, help: string, value: number): Metric => ({ name, kind: "gauge", help, samples: [{ value }] });

/** Under the names that every Prometheus client uses. */
function ofProcess(): readonly Metric[] {
	const { user, system } = process.cpuUsage();
	const open = openFiles();
	return [
		counter("process_cpu_seconds_total", "CPU time used, in seconds.", [{ value: (user + system) / 1e6 }]),
		gauge("process_resident_memory_bytes", "Memory held, in bytes.", process.memoryUsage.rss()),
		gauge("process_start_time_seconds", "When it started, in seconds since the epoch.", performance.timeOrigin / 1000),
		...(open === undefined ? [] : [gauge("process_open_fds", "Open file descriptors.", open)]),
	];
}

/** Undefined where the system does not list them. */
function openFiles(): number | undefined {
	try {
		// Without the one that is open to list them.
		return readdirSync("/proc/self/fd").length - 1;
	} catch {
		return undefined;
	}
}
