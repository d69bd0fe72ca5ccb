// MCP servers: each is started as a conversation would start it, and ended again.
import type { Config } from "../../config/schema.ts";
import type { Check } from "./check.ts";

export async function checkServers(config: Config | undefined): Promise<readonly Check[]> {
	const servers = Object.entries(config?.mcp ?? {});
	if (servers.length === 0) return [];
	const { tryServer } = await import("../../tools/mcp/servers.ts");
	return Promise.all(
		servers.map(async ([server, settings]): Promise<Check> => {
			const name = `mcp ${server}`;
			if (settings.enabled === false) return { name, state: "ok", message: "Not started: config.yaml says enabled: false." };
			const { tools, note, failure, ms } = await tryServer(server, settings, process.env);
			if (failure !== undefined) return { name, state: "problem", message: `${settings.required ? "It is required and not there, so nothing starts" : "It is not there"}: ${failure}.` };
			const message = `It answers, in ${ms} ms: ${tools === 1 ? "1 tool" : `${tools} tools`}.`;
			return note === "" ? { name, state: "ok", message } : { name, state: "warning", message: `${message} ${note}` };
		}),
	);
}
