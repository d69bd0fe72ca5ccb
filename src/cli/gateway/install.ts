// `hookline gateway install` and `uninstall`: the system starts the gateway, and again when it fails.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join } from "node:path";
import { type Home, homeOf } from "../../system/home.ts";
import { CommandError, exitCodes } from "../exit.ts";
import { askForHooks } from "../hooks/at-start.ts";
import { note, print } from "../output.ts";
import { askForTrust } from "../trust/ask.ts";
import { argumentsOf, findLive } from "./live.ts";
import { openOutput, outputFile } from "./output-file.ts";
import { programEnvironment, programWith } from "./program.ts";
import type { GatewayRunOptions } from "./serving.ts";
import { launchdAgent, systemdUnit, type UnitFacts } from "./unit.ts";

type Call = readonly [string, ...string[]];

/** Where the system reads how to run the gateway of a home, and what it is told with. */
export interface Unit {
	readonly name: string;
	readonly file: string;
	readonly enable: readonly Call[];
	readonly disable: readonly Call[];
	/** When its file is gone. */
	readonly forget: readonly Call[];
	readonly start: readonly Call[];
	/** Keeps it from being started again; absent where the system cannot be told so. */
	readonly stop?: readonly Call[];
	/** Where to look when it does not come up, in a sentence. */
	readonly whatItSays: string;
	/** @throws CommandError that says what to run by hand */
	run(calls: readonly Call[]): void;
}

export interface InstallOptions extends GatewayRunOptions {
	readonly print?: boolean;
	readonly force?: boolean;
}

export async function install(options: InstallOptions): Promise<number> {
	const home = homeOf(process.env);
	const unit = neededUnit(home);
	const wanted = textOf(home, unit, options);
	if (options.print === true) {
		print(wanted);
		return exitCodes.fine;
	}
	const present = existsSync(unit.file) ? readFileSync(unit.file, "utf8") : undefined;
	if (present !== undefined && present !== wanted && options.force !== true) {
		print(difference(present, wanted));
		throw new CommandError(`${unit.file} is there and says something else; the lines above differ. --force replaces it.`);
	}
	const live = await findLive(home);
	if (present === undefined && live !== undefined) throw new CommandError(`A gateway runs for ${home.path} already${live.pid === undefined ? "" : `: process ${live.pid}`}. End it with 'hookline gateway stop', then install it.`);
	// Nobody can be asked in the background.
	await askForTrust(options);
	await askForHooks(options);
	// launchd makes no folder for what is written.
	openOutput(home)[Symbol.dispose]();
	mkdirSync(dirname(unit.file), { recursive: true });
	writeFileSync(unit.file, wanted);
	note(`${unit.file} ${present === undefined ? "is written" : present === wanted ? "stands as it was" : "is replaced"}.`);
	unit.run(unit.enable);
	print(`${unit.name} is enabled: it runs from now on, and whenever you log in.${live === undefined ? "" : " 'hookline gateway restart' lets the running one take up what changed."}`);
	if (process.platform === "linux") note(`To let it run while you are not logged in: loginctl enable-linger\nIt does not see the environment of your shell. What config.yaml reads from there goes into ${environmentFile(home)}, a NAME=value on each line (chmod 600).`);
	return exitCodes.fine;
}

export function uninstall(): number {
	const home = homeOf(process.env);
	const unit = neededUnit(home);
	if (!existsSync(unit.file)) throw new CommandError(`There is no ${unit.file}: the gateway of ${home.path} is not installed.`);
	unit.run(unit.disable);
	rmSync(unit.file);
	unit.run(unit.forget);
	print(`${unit.name} is stopped, and ${unit.file} removed. What is in ${home.path} stays.`);
	return exitCodes.fine;
}

/** Undefined where it is not installed. */
export function installedUnit(home: Home): Unit | undefined {
	const unit = unitOf(home);
	return unit !== undefined && existsSync(unit.file) ? unit : undefined;
}

const environmentFile = (home: Home) => join(home.path, "gateway.env");

function neededUnit(home: Home): Unit {
	const unit = unitOf(home);
	if (unit === undefined) throw new CommandError(`Hookline knows no way to install programs on this system (${process.platform}). Let the system run at log-on: hookline gateway start`);
	return unit;
}

function unitOf(home: Home): Unit | undefined {
	const user = process.env["HOME"] || homedir();
	// Two homes do not clash.
	const suffix = home.origin === "default" ? "" : createHash("sha256").update(home.path).digest("hex").slice(0, 8);
	if (process.platform === "linux") {
		const configured = process.env["XDG_CONFIG_HOME"];
		const name = `hookline-gateway${suffix && `-${suffix}`}.service`;
		const tell = (...words: readonly string[]): Call => ["systemctl", "--user", ...words];
		return {
			name,
			file: join(configured !== undefined && isAbsolute(configured) ? configured : join(user, ".config"), "systemd", "user", name),
			enable: [tell("daemon-reload"), tell("enable", "--now", name)],
			disable: [tell("disable", "--now", name)],
			forget: [tell("daemon-reload")],
			start: [tell("start", name)],
			stop: [tell("stop", "--no-block", name)],
			whatItSays: `'journalctl --user -u ${name}' shows why.`,
			run: runAll,
		};
	}
	if (process.platform === "darwin") {
		const name = `hookline.gateway${suffix && `.${suffix}`}`;
		const domain = `gui/${process.getuid?.() ?? 501}`;
		const file = join(user, "Library", "LaunchAgents", `${name}.plist`);
		return {
			name,
			file,
			enable: [["launchctl", "bootstrap", domain, file]],
			disable: [["launchctl", "bootout", `${domain}/${name}`]],
			forget: [],
			start: [["launchctl", "kickstart", `${domain}/${name}`]],
			whatItSays: `${outputFile(home)} shows why.`,
			run: runAll,
		};
	}
	return undefined;
}

function textOf(home: Home, { name }: Unit, options: GatewayRunOptions): string {
	const path = process.env["PATH"];
	const facts: UnitFacts = {
		words: programWith("gateway", "run", ...argumentsOf(options)),
		environment: { ...programEnvironment(home), ...(path !== undefined && { PATH: path }) },
		folder: process.cwd(),
		environmentFile: environmentFile(home),
		output: outputFile(home),
		label: name,
	};
	// A line break would end the line it stands in, and begin another setting.
	const odd = [...facts.words, ...Object.values(facts.environment), facts.folder, facts.environmentFile].find((one) => /\p{Cc}/u.test(one));
	if (odd !== undefined) throw new CommandError(`${JSON.stringify(odd)} has a control character in it, which such a file cannot hold.`);
	return process.platform === "darwin" ? launchdAgent(facts) : systemdUnit(facts);
}

function runAll(calls: readonly Call[]): void {
	for (const [program, ...args] of calls) {
		const { status, error, stderr } = spawnSync(program, args, { encoding: "utf8", stdio: ["ignore", "ignore", "pipe"] });
		if (status === 0) continue;
		const why = error === undefined ? stderr.trim() || `it ended with ${status}` : `it cannot be started: ${error.message}`;
		throw new CommandError(`'${[program, ...args].join(" ")}' failed (${why}). Run where your own session of the system is: ${calls.map((call) => call.join(" ")).join(" && ")}`);
	}
}

/** Lines of one that the other has not, the old ones first. */
function difference(before: string, after: string): string {
	const [old, wanted] = [before, after].map((text) => text.trimEnd().split("\n")) as [string[], string[]];
	return [...old.filter((line) => !wanted.includes(line)).map((line) => `- ${line}`), ...wanted.filter((line) => !old.includes(line)).map((line) => `+ ${line}`)].join("\n");
}
