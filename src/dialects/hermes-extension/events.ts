// The three hooks of extensions in Python as our events.
export const events = {
	transform_user_input: "input.receiving",
	before_llm_call: "model.calling",
	intercept_tool_call: "tool.calling",
} as const;

export type ExtensionHook = keyof typeof events;

export const isExtensionHook = (name: unknown): name is ExtensionHook => typeof name === "string" && Object.hasOwn(events, name);
