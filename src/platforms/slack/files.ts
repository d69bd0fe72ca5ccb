// Files that people sent: only Slack itself gets to see the token.
import type { InboundFile } from "../../gateway/platform.ts";
import type { Api } from "./api.ts";
import type { Json } from "./events.ts";

export interface FileSource {
	readonly api: Api;
	readonly token: string;
	readonly baseUrl?: string | undefined;
}

export function fileOf(source: FileSource, file: Json): InboundFile {
	const { id, name, title, mimetype, size } = file;
	const called = [name, title, id].find((one): one is string => typeof one === "string" && one !== "") ?? "file";
	return {
		name: called.replace(/^.*[/\\]/s, "") || "file",
		...(typeof mimetype === "string" && mimetype !== "" && { mediaType: mimetype }),
		...(typeof size === "number" && { bytes: size }),
		read: (signal) => read(source, file, called, signal),
	};
}

async function read({ api, token, baseUrl = "https://slack.com/api/" }: FileSource, file: Json, name: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
	// Files of other workspaces are told of without where they are.
	const known = file["file_access"] === "check_file_info" ? ((await api.call("files.info", { file: file["id"] }))["file"] as Json) : file;
	const address = known["url_private_download"] ?? known["url_private"];
	if (typeof address !== "string") throw new Error(`Slack does not hand out the file ${name} (${String(known["mode"] ?? "no address")}).`);
	if (!isSlack(new URL(address), new URL(baseUrl))) throw new Error(`The file ${name} is not kept by Slack, only linked there.`);
	const answer = await fetch(address, { headers: { Authorization: `Bearer ${token}` }, signal });
	if (!answer.ok || answer.body === null) {
		await answer.body?.cancel();
		throw new Error(`Slack answers with status ${answer.status} for the file ${name}.`);
	}
	// Without the scope Slack shows its page for logging in.
	if (answer.headers.get("content-type")?.startsWith("text/html") && known["mimetype"] !== "text/html") {
		await answer.body.cancel();
		throw new Error(`Slack does not hand out the file ${name}: add the scope files:read under 'OAuth & Permissions' in the settings of the app, and install it again.`);
	}
	return answer.body;
}

function isSlack(address: URL, base: URL): boolean {
	return address.host === base.host || (address.protocol === "https:" && /(?:^|\.)slack(?:-files)?\.com$/.test(address.hostname));
}
