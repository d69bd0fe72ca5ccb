// The machine in words.
import { platform, release } from "node:os";

const names: Partial<Record<NodeJS.Platform, string>> = { linux: "Linux", darwin: "macOS", win32: "Windows" };

/** For example `Linux 6.1.0`. */
export function osName(): string {
	return `${names[platform()] ?? platform()} ${release()}`;
}
