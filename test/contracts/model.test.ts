import { openAiCompatibleModel } from "../../src/models/openai-compatible.ts";
import { rehearsalModel } from "../../src/models/rehearsal.ts";
import { startModelServer } from "../programs/model-server.ts";
import { modelContract } from "./model.ts";

modelContract("rehearsal, in this process", async () => ({ model: rehearsalModel(), async [Symbol.asyncDispose]() {} }));

modelContract("openai-compatible, over a loopback server", async () => {
	const server = await startModelServer();
	const model = openAiCompatibleModel({ model: "loopback", baseUrl: server.baseUrl, apiKey: "sk-test" });
	return { model, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
});
