// How code of an extension shows itself to the person and asks them, on whatever surface they are.
export type UiPart = "notify" | "select" | "confirm" | "input" | "status" | "widget";

export interface Ui {
	/** Whether this surface can: one that cannot show a part does nothing for it, and one that cannot ask answers that nobody did. */
	can(part: UiPart): boolean;
	/** A line beside the conversation. */
	notify(text: string, kind?: "info" | "warning" | "error"): void;
	/** Undefined when nobody chose. Never an approval: those are the agent's own to ask. */
	select(title: string, options: readonly string[], signal?: AbortSignal): Promise<string | undefined>;
	/** False when nobody said yes. */
	confirm(title: string, text: string, signal?: AbortSignal): Promise<boolean>;
	/** Undefined when nobody answered. */
	input(title: string, placeholder?: string, signal?: AbortSignal): Promise<string | undefined>;
	/** A text on the status line under that key; undefined takes it away. */
	status(key: string, text: string | undefined): void;
	/** Lines above or below the editor under that key, ten at most; undefined takes them away. */
	widget(key: string, lines: readonly string[] | undefined, place?: "above" | "below"): void;
}

/** Where nobody is. */
export const noUi: Ui = {
	can: () => false,
	notify: () => {},
	select: async () => undefined,
	confirm: async () => false,
	input: async () => undefined,
	status: () => {},
	widget: () => {},
};
