// `/model`: which model this conversation talks to, and another one from its next step on.
import { ModelConfigError } from "../models/find.ts";
import { ModelError } from "../models/model.ts";
import { nearest } from "../system/nearest.ts";
import { type Command, CommandRefused, type Conversation } from "./conversation.ts";
import { factsInWords } from "./model-list.ts";

export const modelCommands: readonly Command[] = [
	{
		name: "model",
		summary: "the model and those that can be chosen, or another one from the next step on: /model NAME",
		anytime: true,
		run: (conversation, args) => (args === "" ? overview(conversation) : change(conversation, args)),
	},
];

function overview({ parts: { models } }: Conversation): string {
	const { chosen, current, fallbacks } = models;
	const all = models.list();
	const ready = all.filter(({ missing }) => missing === undefined);
	const width = Math.max(...ready.map(({ name }) => name.length));
	return [
		`The model is ${chosen.name}: ${factsInWords(chosen)}.${current === chosen ? "" : ` It failed in this turn; ${current.name} is asked.`}`,
		...(fallbacks.length > 0 ? [`When it fails, these are asked in its place: ${fallbacks.map(({ name }) => name).join(", ")}.`] : []),
		"/model NAME takes another one, also one that is not listed:",
		...ready.map((one) => `  ${one.name.padEnd(width)}  ${factsInWords(one)}`),
		...(ready.length < all.length ? [`${all.length - ready.length} more need a key or an address: 'hookline models' lists them.`] : []),
	].join("\n");
}

async function change({ parts, session }: Conversation, name: string): Promise<string> {
	const { models, engine } = parts;
	const previous = models.chosen.name;
	let note: string | undefined;
	try {
		note = await models.choose(name);
	} catch (error) {
		if (!(error instanceof ModelConfigError) && !(error instanceof ModelError)) throw error;
		throw new CommandRefused(`${error.message}${/Did you mean/.test(error.message) ? "" : suggestion(name, models.list().map((one) => one.name))} The model is still ${previous}.`);
	}
	const { chosen } = models;
	session.setModel(chosen.name);
	if (chosen.name !== previous && engine.has("model.selected")) engine.tell("model.selected", { ...session.facts(), model: chosen.name, previous });
	return `The model is now ${chosen.name}: ${factsInWords(chosen)}.${note === undefined ? "" : ` ${note}`}`;
}

/** People leave the provider out: what stands behind it is looked at too. */
function suggestion(name: string, known: readonly string[]): string {
	const near = nearest(name, known) ?? known.find((one) => one.endsWith(`:${nearest(name, known.map((each) => each.slice(each.indexOf(":") + 1))) ?? ""}`));
	return near === undefined || near === name ? "" : ` Did you mean '${near}'?`;
}
