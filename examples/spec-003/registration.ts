// Tools, commands and keys that were not there before, which tools the model is offered, and a word to other extensions.
import { defineExtension } from "hookline";

const readOnly = ["read_file", "search_files", "count_words"];

export default defineExtension((_, hookline) => {
	hookline.registerTool({
		name: "count_words",
		description: "Counts the words of a text.",
		parameters: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
		run: ({ text }) => String(String(text).split(/\s+/).filter(Boolean).length),
	});

	let before: readonly string[] | undefined;
	const toggle = async (): Promise<string> => {
		if (before === undefined) {
			before = await hookline.getActiveTools();
			await hookline.setActiveTools(readOnly);
		} else {
			await hookline.setActiveTools(before);
			before = undefined;
		}
		const only = before !== undefined;
		// Others hear it as `registration:look`.
		hookline.events.emit("look", { only });
		return only ? "Only looking now." : "All tools again.";
	};
	hookline.registerCommand({ name: "look", summary: "only look, change nothing; again: as before", run: toggle });
	hookline.registerShortcut({ key: "alt+l", summary: "only look, change nothing; again: as before", run: toggle });
	hookline.events.on("registration:look", (said, { from }) => hookline.log(`${from} says ${JSON.stringify(said)}`));
});
