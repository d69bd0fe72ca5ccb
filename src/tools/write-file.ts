// The tool that writes whole files.
import { explain, resolvePath } from "./path.ts";
import { inTurn, replaceFile } from "./replace-file.ts";
import { failed, sized, succeeded } from "./result.ts";
import type { Tool } from "./tool.ts";

interface WriteArgs {
	readonly path: string;
	readonly content: string;
}

export const writeFile: Tool = {
	name: "write_file",
	description: "Writes a whole file, creating it and its folders or replacing what was there. To change a part of a file use patch.",
	parameters: {
		type: "object",
		properties: {
			path: { type: "string", description: "The file. Relative paths start at the working folder, ~ is the home folder." },
			content: { type: "string", description: "Everything the file shall hold." },
		},
		required: ["path", "content"],
		additionalProperties: false,
	},
	async run(args, context) {
		const { path: name, content } = args as unknown as WriteArgs;
		const resolved = resolvePath(name, context.cwd);
		if ("mistake" in resolved) return failed(resolved.mistake);
		const { path } = resolved;
		if (name.endsWith("/")) return failed(`'${name}' names a folder. Give the path of a file; its folders are made when they are missing.`);
		try {
			return await inTurn(path, async (target) => {
				if (context.signal.aborted) return failed("[interrupted] Nothing was written.", { interrupted: true });
				const { bytes, previousBytes } = await replaceFile(target, content);
				const text = previousBytes === undefined ? `Created '${name}' (${sized(bytes)}).` : `Replaced '${name}' (${sized(bytes)}, before ${sized(previousBytes)}).`;
				return succeeded(text, { path: target, bytes, created: previousBytes === undefined });
			});
		} catch (error) {
			return failed(`Nothing was written. ${await explain(error, path, name)}`);
		}
	},
};
