// Every rule, in the order in which they are named.
import type { Rule } from "../rule.ts";
import { files } from "./files.ts";
import { floor } from "./floor.ts";
import { git } from "./git.ts";
import { running } from "./running.ts";
import { systems } from "./systems.ts";

export const rules: readonly Rule[] = [...floor, ...files, ...running, ...git, ...systems];
