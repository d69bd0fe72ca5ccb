/** What every rule has. */
export interface Rule {
	/** As it is written. */
	readonly rule: string;
	/** What the person gave as its reason. */
	readonly reason: string | undefined;
}
