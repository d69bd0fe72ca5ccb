// The tools every agent has.
import { memory } from "./memory.ts";
import { patch } from "./patch.ts";
import { readFile } from "./read-file.ts";
import { searchFiles } from "./search-files.ts";
import { terminal } from "./terminal.ts";
import { todo } from "./todo.ts";
import type { Tool } from "./tool.ts";
import { webExtract } from "./web-extract.ts";
import { webSearch } from "./web-search.ts";
import { writeFile } from "./write-file.ts";

const tools = [terminal, readFile, writeFile, patch, searchFiles, webExtract, webSearch, todo, memory] as const;

/** Always in the same order: the list is part of what providers cache. */
export const builtInTools = (): readonly Tool[] => tools;
