// `/cron` in a chat.
import { type Command, CommandRefused } from "../agent/conversation.ts";
import { didYouMean } from "../system/nearest.ts";
import { act, type CronAction, type CronPlace, onOne } from "./cron/actions.ts";
import { CronError } from "./cron/change.ts";
import { chatHere } from "./here.ts";
import { targetText } from "./target.ts";

const usage = 'Type /cron list, /cron add NAME "SCHEDULE" WHAT TO DO, or /cron remove, run, history, pause or resume with NAME.';

export function cronCommand(place: CronPlace): Command {
	return {
		name: "cron",
		summary: "jobs that run by the clock: list, add, remove, run, history, pause, resume",
		anytime: true,
		async run({ session }, args) {
			const here = chatHere(session);
			try {
				return await act(place, wantedIn(args, here && targetText(here)));
			} catch (error) {
				throw error instanceof CronError ? new CommandRefused(error.message) : error;
			}
		},
	};
}

/** @param here where answers go unless the person says otherwise. @throws CronError for what cannot be understood */
function wantedIn(args: string, here: string | undefined): CronAction {
	const [, action = "list", rest = ""] = /^(\S+)?\s*([\s\S]*)$/.exec(args.trim())!;
	if (action === "list") return { action };
	if (action === "add") {
		// Phones write quotes of their own.
		const found = /^(\S+)\s+(?:["“”„']([^"“”„']+)["“”„']|(@\w+))\s+([\s\S]+)$/.exec(rest);
		if (found === null) throw new CronError(`That is not how a job is added. Type /cron add NAME "SCHEDULE" WHAT TO DO, for example: /cron add report "0 9 * * 1-5" sum up yesterday's log`);
		const [, name, quoted, nickname, prompt] = found;
		return { action, name: name!, schedule: (quoted ?? nickname)!, prompt: prompt!, chat: here };
	}
	const one = onOne.find((known) => known === action);
	if (one === undefined) throw new CronError(`There is no '/cron ${action}'.${didYouMean(action, ["list", "add", ...onOne])} ${usage}`);
	if (rest === "" || /\s/.test(rest)) throw new CronError(`Type /cron ${action} and the name of one job; /cron list shows them.`);
	return { action: one, name: rest };
}
