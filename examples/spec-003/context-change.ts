// The messages are added to right before they go to the model.
import { defineExtension, inject } from "hookline";

export default defineExtension((hooks, hookline) => {
	hooks.transform("model.calling", async ({ cwd }, { signal }) => {
		const { exitCode, stdout } = await hookline.exec("git", ["symbolic-ref", "--short", "HEAD"], { cwd, signal });
		return exitCode === 0 ? inject(`Current git branch: ${stdout.trim()}`, "user") : undefined;
	});
});
