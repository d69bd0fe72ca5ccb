// Secrets of platforms and webhooks: in an environment variable or in a file, never in config.yaml.
import { homedir } from "node:os";
import { readKey } from "../../models/api-key.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The secret that `NAME_env` or `NAME_file` of these settings leads to; undefined when neither is set.
 * @param settings for example those of `gateway.telegram`
 * @param where how they are called for a person: `gateway.telegram`
 * @throws Error when there is none where they say, or both are set. The message never holds the secret.
 */
export async function secretIn(settings: object, name: string, where: string, environment: Environment): Promise<string | undefined> {
	const { [`${name}_env`]: variable, [`${name}_file`]: file } = settings as Readonly<Record<string, string | undefined>>;
	if (variable !== undefined && file !== undefined) throw new Error(`${where} has both ${name}_env and ${name}_file. Leave one of them.`);
	if (variable !== undefined) {
		const found = environment[variable]?.trim();
		if (!found) throw new Error(`There is nothing in the environment variable ${variable} (${where}.${name}_env). Set it where the gateway is started.`);
		return found;
	}
	if (file === undefined) return undefined;
	const path = file.replace(/^~(?=[/\\])/, environment["HOME"] || homedir());
	try {
		return await readKey({ kind: "file", path });
	} catch (error) {
		throw new Error(`${where}.${name}_file: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
	}
}

/** As `secretIn`, where there has to be one. @throws Error */
export async function neededSecret(settings: object, name: string, where: string, environment: Environment): Promise<string> {
	const found = await secretIn(settings, name, where, environment);
	if (found === undefined) throw new Error(`${where} needs ${name}_env or ${name}_file.`);
	return found;
}
