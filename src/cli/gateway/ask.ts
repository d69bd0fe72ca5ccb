// Asks a running gateway over its control socket.
import { request } from "node:http";
import { CommandError } from "../exit.ts";
import type { Live } from "./live.ts";

export type Question = "GET /status" | "GET /hooks" | "POST /reload" | "POST /stop";

/** What it said to something it could not do. */
class Refused extends CommandError {}

/** What it says, from JSON. @throws CommandError when it does not answer in this many ms, or says why it cannot. */
export async function ask<Answer>({ pid, control }: Pick<Live, "pid" | "control">, question: Question, longestMs = 3_000): Promise<Answer> {
	const [method, path] = question.split(" ") as [string, string];
	try {
		return await new Promise<Answer>((resolve, reject) => {
			const asked = request({ socketPath: control, method, path, signal: AbortSignal.timeout(longestMs) }, async (response) => {
				try {
					const text = (await response.setEncoding("utf8").toArray()).join("");
					const answer = JSON.parse(text) as Answer & { readonly error?: string };
					if ((response.statusCode ?? 500) >= 400) reject(new Refused(`The gateway could not do it: ${answer.error ?? text}`));
					else resolve(answer);
				} catch (error) {
					reject(error);
				}
			});
			asked.on("error", reject);
			asked.end();
		});
	} catch (error) {
		if (error instanceof Refused) throw error;
		throw new CommandError(`The gateway (process ${pid}) does not answer at ${control} (${error instanceof Error ? error.message : String(error)}). 'hookline gateway stop' ends it, with --now at once.`);
	}
}
