// What of the model providers that an extension brings it was granted: the server it sends conversations to, and the variable a key is read from.
import type { ExtensionProvider } from "../events/providers.ts";
import type { Source } from "../events/registration.ts";
import { allows, type Granted } from "./permissions.ts";

export interface ProviderGrants {
	readonly trust: Source["trust"];
	readonly granted: Granted;
	/** A warning for the person, in a sentence. */
	readonly warn: (message: string) => void;
}

export function grantedProviders(extension: string, providers: readonly ExtensionProvider[], { trust, granted, warn }: ProviderGrants): readonly ExtensionProvider[] {
	return providers.flatMap((provider) => {
		const { keyVariable, login, ...without } = provider;
		const refused = hostsOf(provider).filter((host) => !allows(granted, "hosts", host));
		if (refused.length > 0) {
			warn(`The extension '${extension}' brings the model provider '${provider.name}', which connects to ${refused.join(", ")}, and you have not granted it that; the provider is left out. 'hookline extensions info ${extension}' shows what you have.`);
			return [];
		}
		// The user's variables and logins are not for a project: another one may have an extension of the same name, which is not trusted with the same.
		if (trust === "project") {
			if (keyVariable !== undefined || login !== undefined) warn(`The model provider '${provider.name}' of the extension '${extension}' gets a key only where your config.yaml names one: what a project brings reads none of your variables, and nobody can log in for it.`);
			return [without];
		}
		if (keyVariable === undefined || allows(granted, "env", keyVariable)) return [provider];
		warn(`The model provider '${provider.name}' of the extension '${extension}' gets no key from ${keyVariable}: you have not granted it that variable.`);
		return [{ ...without, ...(login && { login }) }];
	});
}

/** As permissions name them: with the port where it is not the usual one. */
function hostsOf({ baseUrl, login }: ExtensionProvider): readonly string[] {
	const urls = [baseUrl, ...(login?.kind === "oauth" ? [login.tokenUrl, login.deviceUrl] : [])];
	return [...new Set(urls.flatMap((url) => (url === undefined ? [] : [new URL(url).host])))];
}
