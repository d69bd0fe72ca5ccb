// What an extension says of itself.
import type { Permissions } from "../permissions.ts";

export interface Manifest {
	readonly name: string;
	readonly version: string;
	readonly description?: string;
	readonly author?: string;
	readonly license?: string;
	/** A semver range. */
	readonly hookline?: string;
	/** Below its folder, with slashes; undefined for the usual ones. */
	readonly main?: string;
	/** What it asks for. */
	readonly permissions: Permissions;
	/** JSON Schema of its settings. */
	readonly config?: Readonly<Record<string, unknown>>;
	/** Semver ranges by name. */
	readonly dependencies: Readonly<Record<string, string>>;
	readonly conflicts: readonly string[];
}
