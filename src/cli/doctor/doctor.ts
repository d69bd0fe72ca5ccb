// `hookline doctor`: what a conversation stands on, looked over in one go. No check that fails keeps another from running.
import { homeOf } from "../../system/home.ts";
import { exitCodes } from "../exit.ts";
import { keepStdoutForAnswers, note, printJson, printTable } from "../output.ts";
import type { Check } from "./check.ts";
import { checkConfig } from "./config.ts";
import { checkDatabase } from "./database.ts";
import { checkExtensions } from "./extensions.ts";
import { checkDisk, checkHome, checkTemporaryFiles } from "./home.ts";
import { checkCompileCache, checkNode, checkPrograms } from "./machine.ts";
import { checkServers } from "./mcp.ts";
import { checkModels } from "./model.ts";
import { checkPlugins } from "./plugins.ts";
import { checkProject } from "./project.ts";
import { checkPython } from "./python.ts";
import { checkShell } from "./shell.ts";
import { checkShellHooks } from "./shell-hooks.ts";

/** @returns 1 when there is a problem. */
export async function doctor({ fix = false, json }: { readonly fix?: boolean; readonly json?: boolean }): Promise<number> {
	keepStdoutForAnswers();
	const home = homeOf(process.env);
	const homeCheck = checkHome(home, fix);
	const { checks: configChecks, config } = await checkConfig(home);
	const checks: readonly Check[] = [
		checkNode(),
		checkCompileCache(),
		homeCheck,
		...checkTemporaryFiles(home, fix),
		checkDisk(home),
		...configChecks,
		...checkDatabase(home),
		...(await checkExtensions(home, config)),
		...(await checkPlugins(home)),
		...(await checkProject(home)),
		...(await checkShellHooks(config)),
		...(await checkShell()),
		await checkPython(home, config),
		...(await checkModels(config)),
		...(await checkServers(config)),
		...(await checkPrograms()),
	];
	const count = (state: Check["state"]) => checks.filter((check) => check.state === state).length;
	if (json) printJson(checks);
	else {
		printTable(["CHECK", "STATE", "FOUND"], checks.map(({ name, state, message, advice }) => [name, state, advice === undefined ? message : `${message} ${advice}`]), "");
		note(`Problems: ${count("problem")}, warnings: ${count("warning")}, ok: ${count("ok")}.`);
	}
	return count("problem") > 0 ? exitCodes.problems : exitCodes.fine;
}
