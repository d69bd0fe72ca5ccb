// All hooks of a process as lists show them, as plain data: a gateway tells its own over its control socket.
import type { HookSummary } from "../../events/record.ts";
import type { Examined } from "../../extensions/consent/consent.ts";
import type { LoadedExtensions } from "../../extensions/load.ts";
import type { OutboundState } from "../../extensions/outbound/load.ts";
import type { ProjectStatus } from "../../extensions/project/project.ts";
import type { Runtime } from "../../runtime.ts";
import { shellHooksNow } from "./shell-rows.ts";

export interface HookList {
	readonly hooks: readonly HookSummary[];
	readonly shell: readonly Examined[];
	readonly outbound: readonly OutboundState[];
	readonly extensions: Pick<LoadedExtensions, "loaded" | "failed" | "disabled">;
	readonly project: ProjectStatus;
}

export function hookListOf(runtime: Runtime): HookList {
	const { engine, project, outbound } = runtime;
	const { loaded, failed, disabled } = runtime.extensions;
	const shell = shellHooksNow(runtime).map(({ hook, state, reason }) => ({ hook, state, ...(reason !== undefined && { reason }) }));
	return { hooks: engine.hooks(), shell, outbound, extensions: { loaded, failed, disabled }, project };
}
