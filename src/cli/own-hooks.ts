// Whose the hooks of the command line itself are.
import type { Source } from "../events/registration.ts";

/** Whether a hook is Hookline's own; those of a bundled extension are the user's, who enabled it. */
export const isOwn = ({ extension }: Source): boolean => extension === ownSource.extension;

export const ownSource: Source = { extension: "hookline", trust: "bundled", dialect: "native", rank: 0 };
