// How texts that no message asked for get to a chat.
import type { MessagePurpose } from "../events/payloads/conversation.ts";
import type { OutboundFile } from "./platform.ts";
import type { Target } from "./target.ts";

export interface Deliverer {
	/**
	 * Past the hooks of `message.sending` and onto the disk; from then on it is tried until it has arrived. What comes again under the same key is dropped.
	 * Gives the text as the hooks left it, or why they withheld it.
	 * @throws StoreError when it cannot be kept; Error when a file cannot be read.
	 */
	deliver(to: Target, text: string, how: { readonly key: string; readonly purpose?: MessagePurpose; readonly files?: readonly OutboundFile[] }): Promise<{ readonly text: string } | { readonly withheld: string }>;
	/** Names of those that are served. */
	platforms(): readonly string[];
	/** Bytes that a file may have on this platform; undefined where it takes none. */
	maxFileBytes(platform: string): number | undefined;
	/** `gateway.home_chat`. */
	readonly home: Target | undefined;
}
