// The tool with which the agent makes itself jobs.
import type { AgentToolContext } from "../../agent/tool-context.ts";
import { failed, succeeded } from "../../tools/result.ts";
import type { Tool } from "../../tools/tool.ts";
import { chatHere } from "../here.ts";
import { speaking } from "../speaking.ts";
import { targetText } from "../target.ts";
import { act, type CronAction, type CronPlace, onOne } from "./actions.ts";
import { CronError } from "./change.ts";

interface CronArgs {
	readonly action: CronAction["action"];
	readonly name?: string;
	readonly schedule?: string;
	readonly prompt?: string;
	readonly zone?: string;
	readonly to?: string;
	readonly catch_up?: boolean;
}

export const cronTool = (place: CronPlace): Tool => ({
	name: "cron",
	description: [
		"Keeps jobs: what you are to do at a later time, or again and again, for reminders too. 'add' makes one, 'list' shows all, 'history' how the last runs of one came out; 'remove', 'pause', 'resume' and 'run' take its name.",
		"When its time has come a job runs in a conversation of its own, in which nobody can be asked and nothing of this one is known: say in 'prompt' all that has to be known. Its answer goes to a chat; an answer with [SILENT] in it goes nowhere.",
	].join(" "),
	parameters: {
		type: "object",
		properties: {
			action: { type: "string", enum: ["list", "add", ...onOne] },
			name: { type: "string", description: "Which job: letters, digits, '-', '_' and '.'." },
			schedule: { type: "string", description: "For 'add': 'in 20m', 'at 2026-12-01T09:00', 'every 2h', '@daily', or a cron line ('0 9 * * 1-5')." },
			prompt: { type: "string", description: "For 'add': what to do." },
			zone: { type: "string", description: "For 'add': the time zone of the schedule, as 'Europe/Berlin'. Default: this machine's." },
			to: { type: "string", description: "For 'add': where its answers go: 'here' (the default), 'home' (the owner's chat) or PLATFORM:CHAT." },
			catch_up: { type: "boolean", description: "For 'add': run once later when it was missed. Default false." },
		},
		required: ["action"],
		additionalProperties: false,
	},
	async run(args, context) {
		// Its jobs would go on with what only the owner may do.
		if (speaking.getStore()?.role === "user") return failed("Jobs are the business of the owner of this agent, who is not the one you are talking to.");
		const { action, name, schedule, prompt, zone, to = "here", catch_up: catchUp } = args as unknown as CronArgs;
		const here = chatHere((context as AgentToolContext).session);
		try {
			if (action === "list") return succeeded(await act(place, { action }));
			if (name === undefined) return failed(`'name' is missing: '${action}' needs the name of a job.`);
			if (action !== "add") return succeeded(await act(place, { action, name }));
			if (schedule === undefined || prompt === undefined) return failed(`'${schedule === undefined ? "schedule" : "prompt"}' is missing: 'add' needs it.`);
			return succeeded(await act(place, { action, name, schedule, prompt, zone, catchUp, chat: to === "here" ? here && targetText(here) : to }));
		} catch (error) {
			if (error instanceof CronError) return failed(error.message);
			throw error;
		}
	},
});
