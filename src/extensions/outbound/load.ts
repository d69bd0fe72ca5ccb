// The receivers of `hooks.outbound` as hooks that listen and decide nothing, with the outbox behind them.
import { randomUUID } from "node:crypto";
import { hasTool } from "../../dialects/hermes-shell/events.ts";
import { readMatcher } from "../../dialects/hermes-shell/matcher.ts";
import { type OutboundTarget, shownAddress, type Subscription } from "../../dialects/hermes-outbound/target.ts";
import { bodyOf } from "../../dialects/hermes-outbound/wire.ts";
import type { Engine } from "../../engine/engine.ts";
import { type Stage, specOf } from "../../events/catalog.ts";
import type { HookContext } from "../../events/context.ts";
import { HookFailure } from "../../events/failure.ts";
import type { EventName } from "../../events/payloads/all.ts";
import type { Facts } from "../../events/payloads/facts.ts";
import type { HookDefinition } from "../../events/registration.ts";
import type { NewDelivery } from "../../stores/outbound.ts";
import { openSqliteOutboundStore } from "../../stores/sqlite/outbound.ts";
import { knowSecret } from "../../system/redact.ts";
import { Outbox } from "./outbox.ts";
import { post } from "./post.ts";

export interface OutboundOptions {
	readonly targets: readonly OutboundTarget[];
	/** The home's file; undefined where nothing can be kept. */
	readonly database: string | undefined;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** At `test` nothing is kept: what is fired is sent at once, and what became of it is the hook's outcome. */
	readonly surface: string;
	readonly engine: Engine;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

/** A receiver as lists show it. */
export interface OutboundState {
	readonly id: string;
	/** Without what may be secret in it. */
	readonly url: string;
	readonly events: readonly string[];
	/** The ids of its hooks. */
	readonly hooks: readonly string[];
	readonly format: OutboundTarget["format"];
	readonly signed: boolean;
}

export interface LoadedOutbound extends AsyncDisposable {
	readonly states: readonly OutboundState[];
}

/** Whose the hooks are, in lists and traces: `outbound/NAME.EVENT`. */
const outboundExtension = "outbound";
/** How long the end of a process waits for what can be sent, in ms. */
const goodbyeMs = 2_000;
/** Behind all others: what they took out is not told. */
const lastPriority = 1_000_000;
/** One handler is a row in the database; only a burst within one turn of the event loop is longer. */
const queue = 10_000;

/** @throws StoreError when the database cannot be used. */
export function loadOutbound({ targets, database, environment, surface, engine, warn }: OutboundOptions): LoadedOutbound {
	if (environment["HERMES_SAFE_MODE"] === "1") {
		warn(`HERMES_SAFE_MODE is 1, so the outbound webhooks of ${targets[0]!.file} are told nothing: ${targets.map(({ id }) => id).join(", ")}.`);
		return { states: [], async [Symbol.asyncDispose]() {} };
	}
	const secrets = secretsOf(targets, environment, warn);
	const listen = (act: Act): readonly OutboundState[] => targets.map((target) => stateOf(target, secrets.has(target.id), engine.register(target.subscriptions.map((subscription) => definitionOf(target, subscription, act))).ids));
	if (surface === "test") {
		const states = listen(async (target, delivery, context) => {
			const posted = await post(target, delivery, secrets.get(target.id), context.signal);
			if (posted.kind !== "taken") throw new HookFailure("threw", posted.kind === "stopped" ? "was stopped" : posted.why);
			context.log(`told ${shownAddress(target.url)}, which answered ${posted.status}`);
		});
		return { states, async [Symbol.asyncDispose]() {} };
	}
	const outbox = new Outbox({ targets, secrets, store: openSqliteOutboundStore(database), warn });
	// Without a word to wait for: also where something is about to happen, it goes on at once.
	const states = listen((_, delivery) => outbox.put(delivery));
	return { states, [Symbol.asyncDispose]: () => outbox.close(goodbyeMs) };
}

/** A receiver whose secret is not there is told without a signature, as in Hermes. */
function secretsOf(targets: readonly OutboundTarget[], environment: OutboundOptions["environment"], warn: OutboundOptions["warn"]): ReadonlyMap<string, string> {
	const secrets = new Map<string, string>();
	for (const { id, file, line, secretEnv, secret: written } of targets) {
		const secret = secretEnv === undefined ? written : environment[secretEnv] || undefined;
		if (secretEnv !== undefined && secret === undefined) warn(`${file}:${line}: the variable ${secretEnv} is not set, so what the outbound webhook ${id} is sent is UNSIGNED.`);
		if (secret === undefined) continue;
		knowSecret(secret);
		secrets.set(id, secret);
	}
	return secrets;
}

const stateOf = ({ id, url, subscriptions, format }: OutboundTarget, signed: boolean, hooks: readonly string[]): OutboundState => ({ id, url: shownAddress(url), events: [...new Set(subscriptions.map(({ written }) => written))], hooks, format, signed });

type Act = (target: OutboundTarget, delivery: NewDelivery, context: HookContext) => unknown;

function definitionOf(target: OutboundTarget, subscription: Subscription, act: Act): HookDefinition {
	const { id, matcher, timeoutMs, file, line } = target;
	const { event } = subscription;
	const read = matcher === undefined || !hasTool(event) ? undefined : readMatcher(matcher);
	const stage = stageOf(event);
	const name = `${id}.${(subscription.written.endsWith(":*") ? `any.${event}` : subscription.written).replace(":", ".")}`;
	return {
		event,
		stage,
		host: "http",
		queue,
		// Each receiver hears a session in its order.
		inOrder: `${outboundExtension} ${id}`,
		source: { extension: outboundExtension, file, line, trust: "user", dialect: "hermes-outbound", rank: 3 },
		options: {
			timeoutMs,
			priority: lastPriority,
			...(/^[\w.-]{1,64}$/.test(name) && { name }),
			...(read !== undefined && "tool" in read && { tool: read.tool }),
			...(stage !== "observe" && { onError: "open" as const }),
		},
		handler: (payload: Facts, context: HookContext) => {
			if (!subscription.isMeant(payload)) return undefined;
			const deliveryId = randomUUID().replaceAll("-", "");
			return act(target, { id: deliveryId, target: id, event: subscription.nameFor(payload), body: bodyOf(target, subscription, payload, deliveryId), at: payload.at }, context);
		},
	};
}

/** Of what is about to happen it hears what will really happen, after all that was changed. */
function stageOf(event: EventName): Stage {
	const spec = specOf(event);
	if (spec.kind === "observe") return "observe";
	return spec.decisions.some((decision) => decision === "block" || decision === "ask" || decision === "allow") ? "guard" : "transform";
}
