// `hookline models login` and `logout`: a key or a token for a model provider that an extension brings.
import type { Provided, ProvidedProvider } from "../agent/provided.ts";
import type { ExtensionProvider } from "../events/providers.ts";
import { apiKeyProblem } from "../models/failures.ts";
import type { Login } from "../models/login/logins.ts";
import { byAuthorizationCode, byDeviceCode } from "../models/login/oauth.ts";
import { ModelError } from "../models/model.ts";
import { modelProviders } from "../models/find.ts";
import { didYouMean } from "../system/nearest.ts";
import { visibleLine } from "../system/visible.ts";
import { CommandError, exitCodes, UsageError } from "./exit.ts";
import { onTerminalHidden, readAll } from "./input.ts";
import { note, print } from "./output.ts";
import { providedNow } from "./provided.ts";
import { stopOnSignals } from "./signals.ts";

export async function login(called: string, { device = false }: { readonly device?: boolean }): Promise<number> {
	const provided = await providedNow();
	const { extension, provider } = find(provided, called);
	using stop = stopOnSignals();
	try {
		await provided.logins.write(extension, provider, await loginTo(called, provider, device, stop.signal));
	} catch (error) {
		if (stop.signal.aborted || (error instanceof Error && error.message === "the input ended")) {
			note("\nNothing was kept.");
			return exitCodes.interrupted;
		}
		throw error instanceof ModelError ? new CommandError(error.message) : error;
	}
	const [first] = provider.models;
	print(`You are logged in for ${called}.${first === undefined ? "" : ` Try it: hookline --model ${called}:${first.name}`}`);
	return exitCodes.fine;
}

export async function logout(called: string): Promise<number> {
	const provided = await providedNow();
	const { extension, provider } = find(provided, called);
	const was = await provided.logins.delete(extension, provider.name);
	print(was ? `What was kept for ${called} is gone from this machine. Its provider may still know it: it can be withdrawn there.` : `You were not logged in for ${called}.`);
	return exitCodes.fine;
}

/** @throws CommandError */
function find(provided: Provided, called: string): ProvidedProvider {
	const found = provided.get(called);
	if (found !== undefined) return found;
	if (Object.hasOwn(modelProviders, called)) throw new CommandError(`The key of ${called} is looked up where config.yaml or the environment says; nothing is kept by a login. docs/models.md shows the ways.`);
	throw new CommandError(`No extension that is loaded brings a model provider '${called}'.${didYouMean(called, provided.providers)}${provided.providers.length === 0 ? "" : ` There are: ${provided.providers.join(", ")}.`}`);
}

async function loginTo(called: string, { login: way, summary }: ExtensionProvider, device: boolean, signal: AbortSignal): Promise<Login> {
	if (way === undefined) throw new CommandError(`The model provider '${called}' has no login: ${visibleLine(summary)}`);
	if (way.kind === "key") {
		if (device) throw new UsageError(`'${called}' takes a key, not a code of a device.`);
		return { kind: "key", key: await readKey(called, way.help, signal) };
	}
	const { authorizeUrl, deviceUrl } = way;
	const place = { signal, say: note };
	if (authorizeUrl !== undefined && !device) return { kind: "oauth", ...(await byAuthorizationCode({ ...way, authorizeUrl }, place)) };
	if (deviceUrl === undefined) throw new UsageError(`'${called}' has no login by a device code. Leave --device out.`);
	return { kind: "oauth", ...(await byDeviceCode({ ...way, deviceUrl }, place)) };
}

async function readKey(called: string, help: string | undefined, signal: AbortSignal): Promise<string> {
	const ask = onTerminalHidden();
	if (ask !== undefined && help !== undefined) note(visibleLine(help));
	const key = (ask === undefined ? await readAll(process.stdin) : await ask(`The key for ${called} (it is not shown): `, signal)).trim();
	if (key === "") throw new CommandError(`No key was given for ${called}, so nothing is kept.`);
	// Not repeated in the message.
	if (apiKeyProblem(key) !== undefined) throw new CommandError("The key holds white space or characters that no key has, so it is not kept.");
	return key;
}
