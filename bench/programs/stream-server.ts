// A model that answers every request with ten thousand tokens of Markdown, a hundred every 20 ms: as fast as the quickest providers are, many times
// as fast as the usual ones. Prints its base URL; ends with its standard input.
import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const tokens = 10_000;
const perPiece = 100;
const pieceMs = 20;

const event = (delta: object, finish: string | null = null) => `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "bench", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const section = [
	"## A heading\n\n",
	"Some words that make a paragraph, with **bold** ones and `code` between them, as models write when they explain what they have done and why it was done in that way and not another. ",
	"A second sentence follows the first, so that lines are wrapped.\n\n",
	"- the first point of a list\n- the second, which is a little longer than the first one\n\n",
	"```ts\nexport function answer(question: string): number {\n\treturn question.length > 0 ? 42 : 0; // as everybody knows\n}\n```\n\n",
].join("");
/** Four characters are about a token. Whole sections, so that the end is no code. */
const text = section.repeat(Math.ceil((tokens * 4) / section.length));
const pieces = Array.from({ length: tokens }, (_, i) => (i === tokens - 1 ? text.slice(i * 4) : text.slice(i * 4, i * 4 + 4)));

const server = createServer((request, response) => {
	request.resume().once("end", async () => {
		response.writeHead(200, { "content-type": "text/event-stream" });
		for (let i = 0; i < tokens; i += perPiece) {
			response.write(pieces.slice(i, i + perPiece).map((content) => event({ content })).join(""));
			await pause(pieceMs);
		}
		response.end(`${event({ content: "\n\nThe very end." })}${event({}, "stop")}data: [DONE]\n\n`);
	});
});
server.listen(0, "127.0.0.1", () => {
	const address = server.address();
	if (typeof address === "object" && address !== null) console.log(`http://127.0.0.1:${address.port}/v1`);
});
process.stdin.resume().once("end", () => process.exit(0));
