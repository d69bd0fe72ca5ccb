// A home of Hermes Agent beside one of ours.
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Report } from "../../src/extensions/import-hermes/report.ts";
import { type Ended, Place } from "./program.ts";

export class HermesPlace extends Place {
	readonly hermes = join(this.folder, ".hermes");

	/** Writes a file into the home of Hermes; gives its path. */
	theirs(path: string, text: string, mode = 0o644): string {
		const file = join(this.hermes, path);
		mkdirSync(dirname(file), { recursive: true });
		writeFileSync(file, text, { mode });
		return file;
	}

	ours(path: string): string {
		return readFileSync(join(this.home, path), "utf8");
	}

	async import(...args: readonly string[]): Promise<Report & { readonly code: Ended["code"] }> {
		const { code, stdout, stderr } = await this.run(["import", "hermes", "--json", ...args]);
		assert.equal(stderr, "");
		return { ...(JSON.parse(stdout) as Report), code };
	}
}
