interface Context {
	readonly message?: string;
	readonly command?: string;
}

export async function handle(eventType: string, context: Context): Promise<object | undefined> {
	console.log(eventType, context.message ?? context.command);
	return context.command === undefined ? undefined : { decision: "rewrite", command_name: "model" };
}
