// One thing the doctor looked at.

export interface Check {
	readonly name: string;
	/** A problem keeps something from working or from being safe; a warning does not. */
	readonly state: "ok" | "warning" | "problem";
	/** What was found, in sentences. */
	readonly message: string;
	/** What to do about it. */
	readonly advice?: string;
	/** The doctor changed something; the message says what. */
	readonly fixed?: true;
}
