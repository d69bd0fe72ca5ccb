// Where the program starts. Only what every call needs is imported here: `--version` must be as quick as Node itself.
import { readFileSync } from "node:fs";

// The launcher set it for us alone: programs that tools start must not share our cache.
delete process.env["NODE_COMPILE_CACHE"];

const argv = process.argv.slice(2);
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-V")) process.stdout.write(`${version()}\n`);
else {
	const { main } = await import("./program.ts");
	process.exitCode = await main(argv, version());
}

function version(): string {
	const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
	return (JSON.parse(text) as { version: string }).version;
}
