// Whose the hooks of the command line itself are.
import type { Source } from "../events/registration.ts";

export const ownSource: Source = { extension: "hookline", trust: "bundled", dialect: "native", rank: 0 };
