// In a process that is enclosed: tells of what Node's permission model refuses, and refuses sockets and name look-ups, which it does not. That makes a
// mistake of an author plain; it holds nobody who means harm, as it lies in their own process. What holds them is bubblewrap.
import { subscribe } from "node:diagnostics_channel";
import dgram from "node:dgram";
import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";
import { basename } from "node:path";
import { GrantError } from "../../events/grant-error.ts";
import { bothNames, isWithin } from "./enclosure.ts";

export interface SeatBeltOptions {
	/** Something was tried that was not granted. Called once for each extension and thing. */
	readonly refused: (extension: number | undefined, permission: string, wanted: string) => void;
	/** The number of the extension whose code is running, as far as that is known. */
	readonly running: () => number | undefined;
	/** The `fetch` of the extension whose code is running. */
	readonly fetch: typeof fetch;
	/** Files of the extensions in here, absolute. */
	readonly files: () => readonly string[];
}

type Any = (...given: unknown[]) => unknown;

/** Node's word for what was refused, in ours. */
const permissions: Readonly<Record<string, string>> = { FileSystem: "paths.write", FileSystemRead: "paths.read", FileSystemWrite: "paths.write", ChildProcess: "exec", WorkerThreads: "worker", WASI: "wasi", Inspector: "inspector", Addon: "addon" };
/** Of all extensions in here together: who tries more is known well enough. */
const mostTold = 1_000;

export function fastenSeatBelt({ refused, running, fetch, files }: SeatBeltOptions): void {
	const told = new Set<string>();
	let looking = false;
	/** Node itself looks at every folder above a module, and for these in each of them. */
	const isForImports = (path: string): boolean => {
		looking = true;
		try {
			return ["package.json", "node_modules"].includes(basename(path)) || [import.meta.filename, ...files()].flatMap(bothNames).some((file) => isWithin(file, path));
		} finally {
			looking = false;
		}
	};
	const tell = (permission: string, wanted: string) => {
		const extension = running();
		const key = `${extension} ${permission} ${wanted}`;
		if (told.has(key) || told.size >= mostTold) return;
		told.add(key);
		refused(extension, permission, wanted);
	};
	for (const channel of ["fs", "child", "worker", "wasi", "inspector", "addon"]) {
		subscribe(`node:permission-model:${channel}`, (message) => {
			const { permission, resource } = message as { readonly permission: string; readonly resource: string };
			// What looks itself is refused as well.
			if (looking || (permission === "FileSystemRead" && isForImports(resource))) return;
			tell(permissions[permission] ?? permission, resource);
		});
	}
	const noSocket = (wanted: string): GrantError => {
		tell("hosts", wanted);
		return new GrantError(`it may not open a connection of its own (${wanted}): 'hookline.fetch' reaches the hosts it was granted.`);
	};
	put(net.Socket.prototype, "connect", function (this: net.Socket, ...given) {
		const error = noSocket(addressIn(given));
		// As a refused connection shows itself.
		process.nextTick(() => this.destroy(error));
		return this;
	});
	put(net.Server.prototype, "listen", function (this: net.Server, ...given) {
		const error = noSocket(`listening at ${addressIn(given)}`);
		process.nextTick(() => this.emit("error", error));
		return this;
	});
	for (const name of ["bind", "connect", "send"]) {
		put(dgram.Socket.prototype, name, (...given) => {
			throw noSocket(`udp ${addressIn(given)}`);
		});
	}
	for (const from of [dns, dns.Resolver.prototype, dns.promises, dns.promises.Resolver.prototype]) {
		for (const name of Object.getOwnPropertyNames(from)) {
			if (!/^(?:lookup|resolve|reverse)/.test(name)) continue;
			const isPromised = from === dns.promises || from === dns.promises.Resolver.prototype;
			put(from, name, (...given) => {
				const error = noSocket(`looking up ${String(given[0])}`);
				if (isPromised) return Promise.reject(error);
				const callback = given.at(-1);
				if (typeof callback !== "function") throw error;
				process.nextTick(callback as Any, error);
			});
		}
	}
	const open = process.dlopen.bind(process);
	process.dlopen = (...given) => {
		tell("addon", String(given[1]));
		open(...given);
	};
	globalThis.fetch = fetch;
	syncBuiltinESMExports();
}

function put(on: object, name: string, value: Any): void {
	Object.defineProperty(on, name, { value, writable: true, configurable: true });
}

/** `host:port`, or a path, in what `connect`, `listen` and `send` take. */
function addressIn(given: readonly unknown[]): string {
	const first = Array.isArray(given[0]) ? (given[0][0] as unknown) : given[0];
	if (typeof first === "object" && first !== null) {
		const { host = "localhost", port, path } = first as { readonly host?: string; readonly port?: number; readonly path?: string };
		return path === undefined ? `${host}:${port ?? 0}` : String(path);
	}
	const [port, host] = given;
	return typeof port === "number" ? `${typeof host === "string" ? host : "localhost"}:${port}` : String(port ?? "any address");
}
