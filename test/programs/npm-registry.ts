// A registry of npm packages on the loopback, as far as `npm pack` asks one. Every request is kept.
import { createHash } from "node:crypto";
import { createServer } from "node:http";

export interface NpmRegistry extends AsyncDisposable {
	/** `http://127.0.0.1:PORT/`. */
	readonly url: string;
	/** Paths that were asked for. */
	readonly requests: readonly string[];
	/** Publishes a version; it is the newest from then on. `integrity` in place of the true one. */
	publish(name: string, version: string, tarball: Buffer, integrity?: string): void;
}

export async function startNpmRegistry(): Promise<NpmRegistry> {
	const requests: string[] = [];
	const packages = new Map<string, Map<string, { readonly tarball: Buffer; readonly integrity: string }>>();
	const server = createServer((request, response) => {
		const path = decodeURIComponent(new URL(request.url ?? "/", "http://127.0.0.1").pathname);
		requests.push(path);
		const [, name = "", version] = /^\/(.+?)(?:\/-\/(.+)\.tgz)?$/.exec(path) ?? [];
		const versions = packages.get(name);
		const tarball = versions?.get(version ?? "")?.tarball;
		if (tarball !== undefined) return response.writeHead(200, { "content-type": "application/octet-stream" }).end(tarball);
		if (versions === undefined || version !== undefined) return response.writeHead(404, { "content-type": "application/json" }).end('{"error":"Not found"}');
		const documents = [...versions].map(([number, { integrity }]) => [number, { name, version: number, dist: { tarball: `${url}${name}/-/${number}.tgz`, integrity } }]);
		return response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ name, "dist-tags": { latest: [...versions.keys()].at(-1) }, versions: Object.fromEntries(documents) }));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("the registry has no port");
	const url = `http://127.0.0.1:${address.port}/`;
	return {
		url,
		requests,
		publish(name, version, tarball, integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`) {
			if (!packages.has(name)) packages.set(name, new Map());
			packages.get(name)!.set(version, { tarball, integrity });
		},
		async [Symbol.asyncDispose]() {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}
