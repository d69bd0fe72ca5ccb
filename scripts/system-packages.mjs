// Programs that some tests need and npm cannot bring, installed where that can be done without a question. Where it cannot, those tests say why they were skipped.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

/** The Debian package, and the programs of which one has to be there. */
const wanted = [
	["chromium", ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]],
	["strace", ["strace"]],
];
const longestMs = 5 * 60_000;

/** Tells on stderr what it does; never fails. */
export function installSystemPackages() {
	const missing = wanted.filter(([, programs]) => !programs.some(isThere)).map(([name]) => name);
	if (missing.length === 0 || process.platform !== "linux" || process.getuid?.() !== 0 || !isThere("apt-get")) return;
	console.error(`Installing ${missing.join(", ")} for the tests…`);
	const apt = (...args) => spawnSync("apt-get", ["-qq", "-y", ...args], { stdio: ["ignore", "ignore", "pipe"], encoding: "utf8", timeout: longestMs, env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" } });
	apt("update");
	const { status, stderr, error } = apt("install", "--no-install-recommends", ...missing);
	if (status !== 0) console.error(`They could not be installed, and the tests that need them are skipped: ${(error?.message ?? stderr ?? "").trim().split("\n").at(-1)}`);
}

const isThere = (program) => (process.env.PATH ?? "").split(delimiter).some((folder) => folder !== "" && existsSync(join(folder, program)));
