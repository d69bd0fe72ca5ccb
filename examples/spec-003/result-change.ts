// A result is changed before the model reads it.
import { defineExtension, rewrite } from "hookline";

export default defineExtension((hooks) => {
	// `redacts`: what it takes out is not kept in the trace either. `closed`: when it fails, the model gets no result at all.
	hooks.transform("tool.returning", { redacts: true, onError: "closed" }, ({ result }) => rewrite({ ...result, text: sanitized(result.text) }));
});

const sanitized = (text: string): string => text.replace(/\b[\w.+-]+@[\w-]+\.[\w.]+\b/g, "[an e-mail address]");
