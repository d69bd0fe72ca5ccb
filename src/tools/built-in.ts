// The tools every agent has.
import { patch } from "./patch.ts";
import { readFile } from "./read-file.ts";
import { searchFiles } from "./search-files.ts";
import { terminal } from "./terminal.ts";
import type { Tool } from "./tool.ts";
import { writeFile } from "./write-file.ts";

const tools = [terminal, readFile, writeFile, patch, searchFiles] as const;

/** Always in the same order: the list is part of what providers cache. */
export const builtInTools = (): readonly Tool[] => tools;
