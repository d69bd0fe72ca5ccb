// `hooks.outbound` of Hermes's config.yaml: each receiver as it is read there, without secrets.
import { isDeepStrictEqual } from "node:util";
import { targetsIn } from "../../dialects/hermes-outbound/settings.ts";
import { type OutboundTarget, shownAddress } from "../../dialects/hermes-outbound/target.ts";
import { redactOutput } from "../../system/redact.ts";
import type { Import } from "./bring.ts";
import { objectOf } from "./home.ts";
import { holdsSecret } from "./secrets.ts";
import type { NewEntry } from "./shell-hooks.ts";

/** `here` is what our config.yaml says. */
export function importOutbound({ hermes, findings, home }: Import, here: unknown, toolNames: readonly string[]): readonly NewEntry[] {
	const { configFile: file, placeOf } = hermes;
	const given = objectOf(hermes.config["hooks"])["outbound"];
	const ours = objectOf(objectOf(here)["hooks"])["outbound"];
	const warn = (path: readonly string[], message: string) => {
		// What keeps it from being brought is a problem, and told below.
		if (path.at(-1) !== "secret") findings.leave(redactOutput(`${file}:${placeOf(path).line}: ${message}.`.replace("..", ".")));
	};
	return targetsIn(given, { file, toolNames, placeOf, warn }).flatMap((target): readonly NewEntry[] => {
		const { url, secret, line } = target;
		const theirs = shownAddress(url);
		const name = `outbound: ${theirs}`;
		const { username, password, search } = new URL(url);
		if (secret !== undefined || username !== "" || password !== "" || holdsSecret(url) || holdsSecret(search.slice(1))) {
			const what = secret === undefined ? "Its address holds what looks like a secret" : "Its secret stands in the file";
			findings.problems.push({ kind: "outbound webhook", name: `line ${line} of ${file}`, message: `${what}, and secrets are not copied. Write it into ${home.config} yourself, with 'secret_env' for the secret.` });
			return [];
		}
		const entry = entryOf(target);
		if (Array.isArray(ours) && ours.some((one) => isDeepStrictEqual(one, entry))) {
			findings.present.push({ kind: "outbound webhook", name, to: "hooks.outbound" });
			return [];
		}
		return [{ event: "outbound", entry, theirs }];
	});
}

/** As it was understood, so that the same warnings do not come back at each start. What Hermes does not know would begin to mean something here. */
function entryOf({ name, url, subscriptions, matcher, secretEnv, timeoutMs }: OutboundTarget): NewEntry["entry"] {
	return {
		...(name !== undefined && { name }),
		url,
		events: [...new Set(subscriptions.map(({ written }) => written))],
		...(matcher !== undefined && { matcher }),
		...(secretEnv !== undefined && { secret_env: secretEnv }),
		...(timeoutMs !== 10_000 && { timeout: timeoutMs / 1000 }),
	};
}
