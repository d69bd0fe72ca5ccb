// An extension's folder as an archive that can be installed. The same files give the same bytes.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PackageFile } from "./content.ts";

/** The bytes of a `.tgz`. */
export async function packed(files: readonly PackageFile[]): Promise<Buffer> {
	const { create } = await import("tar");
	const folder = mkdtempSync(join(tmpdir(), "hookline-pack-"));
	try {
		// Written out first: what is packed are the files that were read and looked at.
		for (const { path, bytes, executable } of files) {
			const file = join(folder, "package", path);
			mkdirSync(dirname(file), { recursive: true });
			writeFileSync(file, bytes, { mode: executable ? 0o755 : 0o644 });
		}
		const archive = join(folder, "archive.tgz");
		await create({ file: archive, cwd: folder, gzip: { level: 9 }, portable: true, noDirRecurse: true, mtime: new Date(499_162_500_000) }, files.map(({ path }) => `package/${path}`));
		return readFileSync(archive);
	} finally {
		rmSync(folder, { recursive: true, force: true });
	}
}
