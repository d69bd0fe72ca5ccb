// The model providers that extensions bring, as a conversation here would have them.
import { Provided } from "../agent/provided.ts";
import { openRuntime } from "../runtime.ts";
import { homeOf } from "../system/home.ts";
import { silent } from "./answers.ts";
import { keepStdoutForAnswers, warn } from "./output.ts";

/** Errors of the start that are no reason to say nothing of the other models. */
const survivable = new Set(["RequiredExtensionError", "TrustError", "StoreError"]);

/** Loads the extensions, and lets them go again. `tell` hears warnings. */
export async function providedNow(tell: (message: string) => void = warn): Promise<Provided> {
	keepStdoutForAnswers();
	const provided = new Provided({ home: homeOf(process.env).path, warn: () => {} });
	// When they leave they take back what they brought.
	let leaving = false;
	try {
		const runtime = await openRuntime({
			environment: process.env,
			cwd: process.cwd(),
			surface: "test",
			hooks: true,
			output: silent,
			warn: tell,
			log: () => {},
			onBrings: (extension, { providers = [] }) => void (leaving || provided.set(extension, providers)),
		});
		leaving = true;
		await runtime[Symbol.asyncDispose]();
	} catch (error) {
		if (!(error instanceof Error) || !survivable.has(error.name)) throw error;
		tell(`Models that extensions bring are left out. ${error.message}`);
	}
	return provided;
}
