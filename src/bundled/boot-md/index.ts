// A checklist for each start: the agent works through BOOT.md in a session of its own, and says something only when there is something to say.
import { readFile } from "node:fs/promises";
import { defineExtension } from "hookline";

/** What the model answers when nobody has to hear of it. */
const silent = "[SILENT]";

const task = (checklist: string): string => `You are running the checklist for the start of the gateway. Follow it exactly; use your tools where it asks for something to be done or looked up.

---
${checklist.trim()}
---

If nothing in it needs attention, answer with ${silent} and nothing else. Otherwise say in a few sentences what does.`;

export default defineExtension((hooks, hookline) => {
	const { file } = hookline.config as { readonly file: string };

	hooks.observe("gateway.started", { name: "checklist" }, () => {
		// Not waited for: the gateway is there for people while the agent works.
		void work().catch((error: unknown) => hookline.log(`BOOT.md was not worked through: ${error instanceof Error ? error.message : String(error)}`));
	});

	async function work(): Promise<void> {
		const checklist = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
			if (error.code === "ENOENT") return "";
			throw error;
		});
		if (checklist.trim() === "") return;
		const { text, completed, error, sessionId } = await hookline.converse({ text: task(checklist), surface: "boot" });
		if (!completed) throw new Error(error ?? `session ${sessionId} was interrupted`);
		if (text.includes(silent)) return;
		const failure = await sendHome(text);
		if (failure === "sent") return;
		hookline.log(text);
		hookline.ui.notify(text);
		if (failure !== "no home") hookline.log(`This was not sent to the home chat: ${failure}`);
	}

	/** Otherwise why not. */
	async function sendHome(text: string): Promise<"sent" | "no home" | (string & {})> {
		if (!(await hookline.getAllTools()).includes("send_message")) return "no home";
		try {
			const sent = await hookline.callTool("send_message", { to: "home", text });
			if (!sent.isError) return "sent";
			return sent.details?.["noHome"] === true ? "no home" : sent.text;
		} catch (error) {
			return error instanceof Error ? error.message : String(error);
		}
	}
});
