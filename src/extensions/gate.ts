// What an installed extension does through us, as far as it was granted: programs by name, and requests to hosts.
import { isIP } from "node:net";
import { isAbsolute, join } from "node:path";
import type { Gate } from "../hosts/gate.ts";
import { isExecutable } from "../hosts/shell/spawner.ts";
import { type GrantError, allows, type AreaName, type Permissions } from "./permissions.ts";

export interface GateOptions {
	readonly granted: Permissions;
	readonly environment: Readonly<Record<string, string | undefined>>;
	/** Hosts, or hosts with port, that the user let have a private address. */
	readonly allowHosts: readonly string[];
	/** Tells everybody, and makes the error. */
	readonly refuse: (area: AreaName, wanted: string) => GrantError;
}

export function gateFor({ granted, environment, allowHosts, refuse }: GateOptions): Gate {
	const need = (area: AreaName, wanted: string) => {
		if (!allows(granted, area, wanted)) throw refuse(area, wanted);
	};
	// A name leads where its owner says, so it opens no private address; a number is one.
	const numbers = granted.hosts.filter((host) => /^localhost(?::\d+)?$/.test(host) || isIP(host.replace(/^\[(.*)\].*$/, "$1").replace(/^([\d.]+):\d+$/, "$1")) !== 0);
	let requests: Promise<Pick<Gate, "fetch" | "piece" | "end">> | undefined;
	const loaded = () => (requests ??= import("./granted-fetch.ts").then(({ grantedFetch }) => grantedFetch({ allowHosts: [...allowHosts, ...numbers], need: (host) => need("hosts", host) })));
	return {
		program(command, env) {
			need("exec", command);
			for (const name of env) need("env", name);
			// Also where it is in the list: what is granted is a name, and the user's PATH says what that is.
			if (command.includes("/")) throw new Error(`'${command}' was not started: a program is called by its name, and found on the PATH.`);
			const file = (environment["PATH"] ?? "").split(":").filter(isAbsolute).map((folder) => join(folder, command)).find(isExecutable);
			if (file === undefined) throw new Error(`'${command}' was not started: there is no such program on the PATH.`);
			return file;
		},
		fetch: async (request, signal) => (await loaded()).fetch(request, signal),
		piece: async (body) => (await loaded()).piece(body),
		end: (body) => void loaded().then((all) => all.end(body)),
	};
}
