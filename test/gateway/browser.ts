// A browser, without a window and without a way off this machine.
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import type { Browser } from "playwright-core";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const elsewhere = ["/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "/Applications/Chromium.app/Contents/MacOS/Chromium"];

const program = [...(process.env["PATH"] ?? "").split(delimiter).flatMap((folder) => names.map((name) => join(folder, name))), ...elsewhere].find((path) => existsSync(path));

/** Why tests in a browser are skipped; false when there is one. */
export const noBrowser: string | false = program === undefined ? "there is no Chromium here; on Debian: apt-get install chromium" : false;

const quiet = ["--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-gpu", "--disable-dev-shm-usage"];

export async function openBrowser(): Promise<Browser> {
	const { chromium } = await import("playwright-core");
	// Its sandbox cannot be had by root.
	return chromium.launch({ executablePath: program!, headless: true, chromiumSandbox: process.getuid?.() !== 0, args: quiet });
}
