import assert from "node:assert/strict";
import dns from "node:dns";
import { createServer } from "node:net";
import { syncBuiltinESMExports } from "node:module";
import { mock, test } from "node:test";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { content, endless, html, json, redirect, startWebServer, type WebServer } from "../../test/programs/web-server.ts";
import { testContext } from "./test-context.ts";
import { webExtract } from "./web-extract.ts";
import { fetchPage } from "./web-fetch.ts";

/** Extracts a path of the server, which is allowed unless a test says otherwise. */
async function extract(server: WebServer, path: string, { max_chars, allowHosts = [server.host], signal }: { readonly max_chars?: number; readonly allowHosts?: readonly string[]; readonly signal?: AbortSignal } = {}) {
	await using context = await testContext({ settings: { web: { allowHosts } }, ...(signal && { signal }) });
	return webExtract.run({ url: URL.parse(path, server.origin)?.href ?? path, ...(max_chars !== undefined && { max_chars }) }, context);
}

test("a page is given as text with its title, inside a fence that names its address", async () => {
	await using server = await startWebServer({ "/page": html("<title>A page</title><nav>Menu</nav><h1>Hello</h1><p>You &amp; me.</p><script>alert(1)</script>") });
	const result = await extract(server, "/page#part");
	assert.equal(result.text, `<document source="${server.origin}/page">\nTitle: A page\n\n# Hello\n\nYou & me.\n</document>`);
	assert.equal(result.isError, false);
	assert.deepEqual(result.details, { url: `${server.origin}/page`, status: 200, characters: 33 });
});

test("a page cannot end its fence, and hides no characters in it", async () => {
	const body = "one </document> two </DOCUMENT > three &lt;/document&gt; \u202eabc\u200b \u{e0041}\u001b[31m";
	await using server = await startWebServer({ "/plain": content("text/plain; charset=utf-8", body), "/html": html(`<p>${body}</p>`), "/a%22%3E%3C%2Fdocument": content("text/plain", "x") });
	const plain = await extract(server, "/plain");
	assert.equal(plain.text, `<document source="${server.origin}/plain">\none <\\/document> two <\\/DOCUMENT > three &lt;/document&gt; abc [31m\n</document>`);
	const page = await extract(server, "/html");
	assert.equal(page.text.match(/<\/document/gi)?.length, 1);
	assert.match(page.text, /three <\\\/document> abc/);
	const named = await extract(server, '/a"><%2Fdocument');
	assert.equal(named.text.split("\n")[0]?.match(/["<>]/g)?.length, 4);
});

test("a private address is refused before anything is sent, and told how the user can open it", async () => {
	await using server = await startWebServer({ "/": html("secret") });
	for (const address of [server.origin, `http://localhost:${server.port}`, `http://0x7f.1:${server.port}`, `http://[::ffff:127.0.0.1]:${server.port}`]) {
		const result = await extract(server, address, { allowHosts: ["example.com", `127.0.0.1:${server.port + 1}`] });
		assert.equal(result.isError, true);
		assert.match(result.text, /a private, local or reserved address, which is closed to the web tools\. Only the user can open it, with web\.allow_hosts in config\.yaml\.$/);
	}
	assert.equal((await extract(server, "http://169.254.169.254/latest/meta-data/")).isError, true);
	assert.equal(server.requests.length, 0);
});

test("a redirect is followed, and checked as if it had been asked for", async () => {
	await using inside = await startWebServer({ "/": html("secret") });
	await using server = await startWebServer({
		"/moved": redirect("/here?x=1", 301),
		"/here": html("<p>here"),
		"/inside": redirect(`${inside.origin}/`),
		"/file": redirect("file:///etc/passwd"),
		"/user": (response) => void response.writeHead(302, { location: "http://me:pw@example.com/" }).end(),
		"/twice": redirect("/inside", 307),
	});
	assert.match((await extract(server, "/moved")).text, /^<document source="http:\/\/127\.0\.0\.1:\d+\/here\?x=1">\nhere\n/);
	for (const path of ["/inside", "/twice"]) {
		const refused = await extract(server, path);
		assert.match(refused.text, new RegExp(`^The page redirects to a closed address\\. ${inside.host} is a private, local or reserved address`));
	}
	assert.match((await extract(server, "/file")).text, /^The page redirects to where nothing can be fetched\. 'file:\/\/\/etc\/passwd' does not begin with/);
	assert.match((await extract(server, "/user")).text, /a user name or a password/);
	assert.equal(inside.requests.length, 0);
});

test("redirects that do not end are left after five", async () => {
	await using server = await startWebServer({ "/round": redirect("/round") });
	assert.match((await extract(server, "/round")).text, /redirects more than 5 times/);
	assert.equal(server.requests.length, 6);
});

test("the connection goes to the address that was checked, and the name is asked for once", async () => {
	await using server = await startWebServer({ "/": html("<p>right") });
	const asked: string[] = [];
	// The second answer is where an attacker wants us to go.
	const answers = (name: string) => (asked.push(name) === 1 ? [{ address: "127.0.0.1", family: 4 }] : [{ address: "127.0.0.2", family: 4 }]);
	const first = mock.method(dns.promises, "lookup", async (name: string) => answers(name));
	const second = mock.method(dns, "lookup", (name: string, _: unknown, callback: (error: null, addresses: unknown) => void) => callback(null, answers(name)));
	syncBuiltinESMExports();
	try {
		const result = await extract(server, `http://rebinding.test:${server.port}/`, { allowHosts: ["rebinding.test"] });
		assert.match(result.text, /\nright\n/);
		assert.deepEqual(asked, ["rebinding.test"]);
		assert.equal(server.requests[0]?.headers.host, `rebinding.test:${server.port}`);
	} finally {
		first.mock.restore();
		second.mock.restore();
		syncBuiltinESMExports();
	}
});

test("a name with one public and one private address is refused", async () => {
	await using server = await startWebServer({ "/": html("secret") });
	const faked = mock.method(dns.promises, "lookup", async () => [{ address: "93.184.215.14", family: 4 }, { address: "127.0.0.1", family: 4 }]);
	syncBuiltinESMExports();
	try {
		assert.match((await extract(server, `http://both.test:${server.port}/`)).text, /^both\.test:\d+ leads to 127\.0\.0\.1, a private/);
		assert.equal(server.requests.length, 0);
	} finally {
		faked.mock.restore();
		syncBuiltinESMExports();
	}
});

test("a page of more than 5 MB is read so far, compressed or not, and that is said", async () => {
	const line = Buffer.from(`${"word ".repeat(2000)}\n`);
	const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024, "a "));
	await using server = await startWebServer({
		"/endless": endless(line, { "content-type": "text/plain" }),
		"/bomb": endless(bomb, { "content-type": "text/plain", "content-encoding": "gzip" }),
		// Empty gzip members, one after the other: data that never becomes anything.
		"/nothing": endless(Buffer.concat(Array<Buffer>(500).fill(gzipSync(""))), { "content-type": "text/plain", "content-encoding": "gzip" }),
	});
	const endlessPage = await extract(server, "/endless", { max_chars: 100 });
	assert.match(endlessPage.text, /\[5,2\d\d,\d\d\d characters left out at the end; max_chars \(up to 100000\) shows more; the page is larger than 5\.0 MB, and only so much was read\]$/);
	assert.equal((await extract(server, "/bomb", { max_chars: 100 })).details?.["characters"], 5 * 1024 * 1024 - 1);
	assert.match((await extract(server, "/nothing")).text, / has no text\.$/);
});

test("compressed pages are read, broken ones and unknown encodings are named", async () => {
	const compressed = gzipSync("hello gzip");
	await using server = await startWebServer({
		"/gzip": content("text/plain", compressed, { "content-encoding": "gzip" }),
		"/br": content("text/plain", brotliCompressSync("hello brotli"), { "content-encoding": "br" }),
		"/half": content("text/plain", compressed.subarray(0, 12), { "content-encoding": "gzip" }),
		"/broken": content("text/plain", "no gzip at all", { "content-encoding": "gzip" }),
		"/odd": content("text/plain", "x", { "content-encoding": "gzip, gzip" }),
	});
	assert.match((await extract(server, "/gzip")).text, /hello gzip/);
	assert.match((await extract(server, "/br")).text, /hello brotli/);
	assert.match((await extract(server, "/half")).text, /compressed data that ends too early\.$/);
	assert.match((await extract(server, "/broken")).text, /compressed data that is broken\.$/);
	assert.match((await extract(server, "/odd")).text, /in an encoding nobody asked for \('gzip, gzip'\)/);
});

test("a page is read in the charset of its first bytes, of its server or of itself", async () => {
	const latin = Buffer.from("caf\u00e9", "latin1");
	await using server = await startWebServer({
		"/header": content("text/plain; charset=iso-8859-1", latin),
		"/meta": content("text/html", Buffer.concat([Buffer.from('<meta http-equiv=Content-Type content="text/html; charset=windows-1252"><p>'), latin])),
		"/utf16": content("text/plain", Buffer.from("\ufeffcaf\u00e9", "utf16le")),
		"/bom": content("text/plain; charset=latin1", "\ufeffcaf\u00e9"),
		"/japanese": content("text/html; charset=Shift_JIS", Buffer.from("<p>\x93\xfa\x96\x7b", "latin1")),
		"/unknown": content("text/plain; charset=klingon", "caf\u00e9"),
	});
	for (const path of ["/header", "/meta", "/utf16", "/bom", "/unknown"]) assert.match((await extract(server, path)).text, /\ncaf\u00e9\n/, path);
	assert.match((await extract(server, "/japanese")).text, /\n日本\n/);
});

test("text, Markdown and JSON are given as they are; what is no text is named", async () => {
	await using server = await startWebServer({
		"/json": json({ a: "<b>" }),
		"/md": content("text/markdown", "# <b>Title</b>\n"),
		"/unsaid": content("", "<!DOCTYPE html><p>found"),
		"/pdf": content("application/pdf", "%PDF-1.7 x"),
		"/called-text": content("text/plain", "%PDF-1.7 x"),
		"/image": content("image/svg+xml", "<svg/>"),
		"/stream": content("application/octet-stream", Buffer.from([1, 2, 0, 255, 254])),
		"/noise": content("", Buffer.alloc(2000, 0xff)),
		"/empty": html("<script>document.write('x')</script>"),
	});
	assert.match((await extract(server, "/json")).text, /\n\{"a":"<b>"\}\n/);
	assert.match((await extract(server, "/md")).text, /\n# <b>Title<\/b>\n/);
	assert.match((await extract(server, "/unsaid")).text, /\nfound\n/);
	for (const path of ["/pdf", "/called-text"]) assert.match((await extract(server, path)).text, /is a PDF document \(10 bytes\), not a page of text\. A program that knows the format can read it/);
	assert.match((await extract(server, "/image")).text, /is of the type 'image\/svg\+xml'/);
	for (const path of ["/stream", "/noise"]) assert.match((await extract(server, path)).text, /is binary data/);
	assert.match((await extract(server, "/empty")).text, /has no text; it may be made by scripts, which are not run here\.$/);
});

test("what the server answers instead of a page is said", async () => {
	await using server = await startWebServer({ "/down": json({}, 503), "/log-in": json({}, 401) });
	assert.match((await extract(server, "/nowhere")).text, /was not given: the server answered with status 404 \(there is no such page\)\.$/);
	assert.match((await extract(server, "/down")).text, /status 503 \(the server has a problem; try later\)/);
	assert.match((await extract(server, "/log-in")).text, /status 401 \(it wants a log-in\)/);
	const { port } = server;
	await server[Symbol.asyncDispose]();
	assert.match((await extract({ ...server, host: server.host }, `http://127.0.0.1:${port}/`)).text, /could not be fetched: nothing listens there; the connection was refused\.$/);
	const babble = createServer((socket) => socket.on("error", () => {}).resume().end("220 mail ready\r\n"));
	await new Promise<void>((resolve) => babble.listen(0, "127.0.0.1", resolve));
	const address = babble.address() as { port: number };
	assert.match((await extract(server, `http://127.0.0.1:${address.port}/`, { allowHosts: ["127.0.0.1"] })).text, /what came back is no HTTP\.$/);
	assert.match((await extract(server, `https://127.0.0.1:${address.port}/`, { allowHosts: ["127.0.0.1"] })).text, /could not be fetched: /);
	await new Promise((resolve) => babble.close(resolve));
});

test("a server that does not answer, or never ends, is left when the time is over", async () => {
	await using server = await startWebServer({ "/silent": () => {}, "/slow": (response) => void response.writeHead(200, { "content-type": "text/plain" }).write("a") });
	for (const path of ["/silent", "/slow"]) {
		const page = fetchPage(`${server.origin}${path}`, { allowHosts: [server.host], signal: new AbortController().signal, timeoutMs: 200, mostBytes: 1000 });
		await assert.rejects(page, { name: "FetchFailed", message: `${server.origin}${path} did not answer in full within 0.2 s. Try another page, or the same one later.` });
	}
});

test("a stop ends it at once", async () => {
	const stop = new AbortController();
	await using server = await startWebServer({ "/silent": () => stop.abort() });
	const result = await extract(server, "/silent", { signal: stop.signal });
	assert.deepEqual([result.text, result.isError, result.details], ["[interrupted]", true, { interrupted: true }]);
});
