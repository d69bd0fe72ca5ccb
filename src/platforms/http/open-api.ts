// What the HTTP platform takes and gives, for programs.
import { maxBodyBytes } from "./request.ts";

const name = (description: string) => ({ type: "string", minLength: 1, maxLength: 100, description });
const error = (description: string) => ({ description, content: { "application/json": { schema: { type: "object", properties: { error: { type: "string" } } } } } });
const chat = { name: "chat", in: "path", required: true, schema: { type: "string" } };
const event = {
	type: "object",
	required: ["id", "type", "chat", "at"],
	properties: {
		id: { type: "integer", description: "Rises; Last-Event-ID takes it." },
		type: { type: "string", enum: ["message", "handled", "pressed"] },
		chat: { type: "string" },
		thread: { type: "string" },
		at: { type: "integer", description: "Milliseconds since the epoch." },
		text: { type: "string", description: "Of a message." },
		purpose: { type: "string", enum: ["answer", "interim", "notice", "question"], description: "Of a message." },
		reply_to: { type: "string", description: "The id of the message that a message is about." },
		message_id: { type: "string", description: "The message that is handled: everything about it was sent." },
		how: { type: "string", enum: ["answered", "joined", "interrupted", "waits"], description: "waits: its turn goes on when an owner has answered a question. joined: it was said into the turn of another message, `into`, whose answer is for both. interrupted: the gateway ended in its middle, and it was not run again." },
		into: { type: "string" },
		buttons: { type: "array", description: "Of a message: who presses one sends what it says as a message.", items: { type: "object", properties: { label: { type: "string" }, says: { type: "string" } } } },
		files: { type: "array", description: "Of a message; GET /v1/files/{id} gives one.", items: { type: "object", properties: { id: { type: "string" }, name: { type: "string" }, media_type: { type: "string" } } } },
		event: { type: "integer", description: "The message one of whose buttons was pressed: they count no more." },
		says: { type: "string" },
	},
};

export const openApi = (version: string) => ({
	openapi: "3.1.0",
	info: { title: "Hookline gateway", version },
	security: [{ token: [] }],
	paths: {
		"/v1/messages": {
			post: {
				summary: "Says something to the agent. With ?wait=1 the response is the answer.",
				parameters: [{ name: "wait", in: "query", schema: { type: "string", enum: ["1"] } }],
				requestBody: {
					required: true,
					content: {
						"application/json": {
							schema: {
								type: "object",
								required: ["chat"],
								additionalProperties: false,
								properties: {
									chat: name("Which conversation it belongs to; any name."),
									thread: name("A thread of that chat, with a conversation of its own."),
									user: name("Who says it; the access list is asked about them. The owner when left out."),
									text: { type: "string", description: "At most 1 MiB; may be left out where there are files." },
									files: { type: "array", maxItems: 10, items: { type: "object", required: ["name", "data"], properties: { name: { type: "string" }, data: { type: "string", contentEncoding: "base64" }, media_type: { type: "string" } } } },
									id: name("Your number for it: what is sent twice is handled once."),
								},
							},
						},
					},
				},
				responses: {
					"200": {
						description: "With ?wait=1, or when a hook answered: it is handled.",
						content: { "application/json": { schema: { type: "object", properties: { id: { type: "string" }, status: { type: "string", enum: ["answered", "joined", "interrupted", "waits"] }, messages: { type: "array", items: { type: "string" } }, into: { type: "string" } } } } },
					},
					"202": { description: "It is on the disk, and will be handled.", content: { "application/json": { schema: { type: "object", properties: { id: { type: "string" }, status: { type: "string", enum: ["accepted", "duplicate"] } } } } } },
					"400": error("It cannot be read."),
					"401": error("Without the token."),
					"403": error("A hook dropped it, or the user may not talk to this agent: then the text says how they can be let in."),
					"413": error(`It has more than ${maxBodyBytes} bytes.`),
					"429": error("Its sender said too much in a minute. Send it again after Retry-After."),
					"503": error("It was not taken. Send it again after Retry-After."),
				},
			},
		},
		"/v1/chats/{chat}/events": {
			get: {
				summary: "Follows a chat as server-sent events: `message` and `handled` with ids, and without one `delta`, `discard`, `tool` and `typing`, which are not kept.",
				parameters: [chat, { name: "Last-Event-ID", in: "header", schema: { type: "integer" }, description: "The last event you have; 0 for all. From now on when left out." }],
				responses: { "200": { description: "A stream that does not end.", content: { "text/event-stream": {} } }, "401": error("Without the token.") },
			},
		},
		"/v1/chats/{chat}/messages": {
			get: {
				summary: "What was sent into a chat, at most 1000 events.",
				parameters: [chat, { name: "after", in: "query", schema: { type: "integer" }, description: "The last event you have." }],
				responses: { "200": { description: "Oldest first.", content: { "application/json": { schema: { type: "object", properties: { events: { type: "array", items: event } } } } } }, "401": error("Without the token.") },
			},
		},
		"/v1/files/{id}": { get: { summary: "A file that was sent.", parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }], responses: { "200": { description: "Its bytes.", content: { "application/octet-stream": {} } }, "401": error("Without the token."), "404": error("There is none, or not any more.") } } },
		"/metrics": { get: { summary: "Figures in the text format of Prometheus.", responses: { "200": { description: "They.", content: { "text/plain": {} } }, "401": error("Without the token.") } } },
		"/v1/health": { get: { summary: "Whether the process is alive.", security: [], responses: { "200": { description: "It is." } } } },
		"/v1/ready": { get: { summary: "Whether it takes messages.", security: [], responses: { "200": { description: "It does." }, "503": { description: "It is starting or stopping." } } } },
	},
	components: { securitySchemes: { token: { type: "http", scheme: "bearer" } } },
});
