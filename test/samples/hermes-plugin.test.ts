// The cases below hermes-plugin/: `plugins/` as it lies in a user's home.
import { join } from "node:path";
import { NextCalls } from "../../src/dialects/hermes-plugin/next-calls.ts";
import { userPlugins } from "../../src/extensions/plugins.ts";
import { samplesOf } from "../python-samples.ts";

const nextCalls = new NextCalls();

samplesOf(
	"hermes-plugin",
	(folder, _, { python, warn }, { plugins, environment = {}, messages = [] }) => {
		const sessions = { messages: () => messages, get: () => ({ model: "rehearsal:sample" }) as never };
		return userPlugins(join(folder, "plugins"), "config.yaml", { settings: plugins, environment, sessions, python, nextCalls, warn });
	},
	nextCalls.services,
);
