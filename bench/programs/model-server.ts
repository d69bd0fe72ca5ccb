// The quickest model there is: reads a request to its end and answers every one with the same call of the tool `noop`, in the pieces of an
// OpenAI-compatible stream. Prints its base URL; ends with its standard input.
import { createServer } from "node:http";

const chunk = (choices: readonly object[], more: object = {}) => `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "bench", choices, ...more })}\n\n`;
const delta = (value: object, finish: string | null = null) => chunk([{ index: 0, delta: value, finish_reason: finish }]);
const answer = [
	delta({ role: "assistant", content: "" }),
	delta({ tool_calls: [{ index: 0, id: "call_1", type: "function", function: { name: "noop", arguments: "" } }] }),
	delta({ tool_calls: [{ index: 0, function: { arguments: "{}" } }] }),
	delta({}, "tool_calls"),
	chunk([], { usage: { prompt_tokens: 1000, completion_tokens: 10, total_tokens: 1010 } }),
	"data: [DONE]\n\n",
].join("");

const server = createServer((request, response) => {
	request.resume().once("end", () => response.writeHead(200, { "content-type": "text/event-stream" }).end(answer));
});
server.keepAliveTimeout = 60_000;
server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}/v1`);
});
process.stdin.resume().once("end", () => process.exit(0));
