// What the specification prints, put on disk as it stands there, in `~/.hermes` as that is Hookline's home.
// Below blocks/ lies what is printed and nothing else; what its text leaves to the reader is `given`, and stands before it.
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { type Ended, Place, type Running, type StartOptions } from "../cli/program.ts";

const blocks = join(import.meta.dirname, "blocks");
const modules = join(import.meta.dirname, "../programs/python/modules");

/** What was posted to whatever address. */
export interface Posted {
	readonly url: string;
	readonly json: Record<string, unknown>;
}

export class Receiver implements AsyncDisposable {
	readonly posted: Posted[] = [];
	readonly #server: Server;

	private constructor(server: Server) {
		this.#server = server;
	}

	static async open(): Promise<Receiver> {
		const server = createServer((request, response) => {
			let body = "";
			request.setEncoding("utf8").on("data", (piece: string) => (body += piece));
			request.on("end", () => {
				receiver.posted.push({ url: String(request.headers["x-meant"]), json: JSON.parse(body) as Posted["json"] });
				response.end(JSON.stringify({ results: [{ text: "User likes Python" }, { text: "Working on hermes-agent" }] }));
			});
		});
		const receiver = new Receiver(server);
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		return receiver;
	}

	get address(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.closeAllConnections();
		await new Promise((resolve) => this.#server.close(resolve));
	}
}

/** A home with one block in it. */
export class Hermes extends Place {
	readonly hermes = join(this.folder, ".hermes");
	readonly receiver: Receiver;

	constructor(receiver: Receiver) {
		super();
		this.receiver = receiver;
	}

	override start(args: readonly string[], options: StartOptions = {}): Running {
		return super.start(args, { ...options, env: { HOOKLINE_HOME: this.hermes, PATH: `${join(this.folder, "bin")}:${process.env["PATH"]}`, ...options.env } });
	}

	/** One turn; everything it printed. */
	async turn(prompt: string, ...args: readonly string[]): Promise<Ended> {
		return this.run(["run", ...args, prompt]);
	}

	override async [Symbol.asyncDispose](): Promise<void> {
		await super[Symbol.asyncDispose]();
		await this.receiver[Symbol.asyncDispose]();
	}
}

export type Kind = "hooks" | "plugins" | "extensions";

/** Puts a block where its kind lies in a home; gives its name. */
export function put(home: string, kind: Kind, block: string, given: string, receiver: string): string {
	const name = block.slice(3);
	const folder = join(home, kind, name);
	mkdirSync(folder, { recursive: true });
	for (const file of readdirSync(join(blocks, block))) cpSync(join(blocks, block, file), join(file === "BOOT.md" ? home : folder, file));
	if (kind === "plugins") writeFileSync(join(folder, "plugin.yaml"), `name: ${name}\n`);
	const code = join(folder, kind === "hooks" ? "handler.py" : "__init__.py");
	if (given !== "") writeFileSync(code, `${given}\n${readFileSync(code, "utf8")}`);
	// What would be taken out of a tool's output anyway is none of the block's doing.
	const settings = { redact: "off", plugins: { enabled: [name] } };
	const env = [`HOME=${dirname(home)}`, `PYTHONPATH=${modules}`, "PYTHONDONTWRITEBYTECODE=1", `RECEIVER=${receiver}`, "TELEGRAM_BOT_TOKEN=T", "TELEGRAM_HOME_CHANNEL=C", "SPONGEBOB_MODE=on"];
	// Beside Hermes's own settings, none of which is written to.
	const own = basename(home) === ".hermes" ? join(home, "hookline") : home;
	mkdirSync(own, { recursive: true });
	writeFileSync(join(own, "config.yaml"), JSON.stringify({ ...settings, python: { env } }));
	return name;
}
