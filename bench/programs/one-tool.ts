// One tool for the node host's row.
import { defineExtension } from "hookline";

export default defineExtension((_, hookline) => {
	hookline.registerTool({ name: "length", description: "Counts.", parameters: { type: "object", properties: { content: { type: "string" } } }, run: ({ content }) => String(String(content).length) });
});
