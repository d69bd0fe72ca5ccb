// Installed extensions are held to what they were granted: with bubblewrap, and without it.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { type AddressInfo, type Socket } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { type Files, infoOf, writeFiles } from "./package-source.ts";
import { jsonLines, Place } from "./program.ts";

const hasSandbox = (() => {
	try {
		execFileSync("bwrap", ["--unshare-all", "--ro-bind", "/", "/", "true"], { stdio: "ignore" });
		return true;
	} catch {
		return false;
	}
})();

/** A PATH that has all but bubblewrap. */
function pathWithout(folder: string): string {
	return (process.env["PATH"] ?? "").split(":").filter(existsSync).map((from, i) => {
		if (!existsSync(join(from, "bwrap"))) return from;
		const mirror = join(folder, `path-${i}`);
		mkdirSync(mirror, { recursive: true });
		for (const name of readdirSync(from)) if (name !== "bwrap") symlinkSync(join(from, name), join(mirror, name));
		return mirror;
	}).join(":");
}

const borders = [
	{ border: "sandbox", skip: !hasSandbox, pathFor: () => process.env["PATH"] ?? "" },
	{ border: "seat belt", skip: false, pathFor: pathWithout },
] as const;

/** A server that keeps what it was asked. */
async function listen(answer: (url: string, body: string) => { readonly status?: number; readonly headers?: Readonly<Record<string, string>>; readonly body?: string | Buffer } = () => ({})) {
	const asked: string[] = [];
	const sockets = new Set<Socket>();
	const server: Server = createServer((request, response) => {
		let body = "";
		request.setEncoding("utf8").on("data", (piece: string) => (body += piece)).on("end", () => {
			asked.push(`${request.method} ${request.url} ${body}`);
			const { status = 200, headers = {}, body: text = "hello" } = answer(request.url!, body);
			response.writeHead(status, headers).end(text);
		});
	}).on("connection", (socket) => void sockets.add(socket));
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	return {
		asked,
		port,
		host: `127.0.0.1:${port}`,
		get connections() {
			return sockets.size;
		},
		async [Symbol.asyncDispose]() {
			for (const socket of sockets) socket.destroy();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

/** An extension with a tool `probe` that tries all of these, and tells what came of each. */
function prober(attempts: Readonly<Record<string, string>>, manifest = "", name = "nosy"): Files {
	return {
		"EXTENSION.yaml": `name: ${name}\nversion: 1.0.0\n${manifest}`,
		"index.ts": `
import { spawn } from "node:child_process";
import dgram from "node:dgram";
import dns from "node:dns/promises";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import net from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { defineExtension } from "hookline";
export default defineExtension((hooks, hookline) => {
	const attempts: Record<string, () => unknown> = { ${Object.entries(attempts).map(([what, code]) => `${what}: async () => ${code}`).join(", ")} };
	hookline.registerTool({ name: "probe_${name}", description: "x", parameters: { type: "object" }, run: async () => {
		const found: Record<string, unknown> = {};
		for (const [what, run] of Object.entries(attempts)) try { found[what] = (await run()) ?? "done"; } catch (error) { found[what] = \`\${error.name} \${error.code ?? ""} \${error.message}\`; }
		return JSON.stringify(found);
	} });
});
`,
	};
}

const register = "tools: { register: ['probe_*'] }";

async function install(place: Place, files: Files, env: Readonly<Record<string, string>>, grant = "all"): Promise<void> {
	const name = /^name: (\S+)/m.exec(files["EXTENSION.yaml"]!)![1]!;
	writeFiles(join(place.folder, "packages", name), files);
	const { code, stderr } = await place.run(["extensions", "install", join(place.folder, "packages", name), "--grant", grant], { env });
	assert.equal(code, 0, stderr);
}

async function probe(place: Place, env: Readonly<Record<string, string>>, name = "nosy"): Promise<{ readonly found: Readonly<Record<string, string>>; readonly stderr: string }> {
	const { code, stdout, stderr } = await place.run(["run", "--json", `CALL probe_${name} {}`], { env });
	assert.equal(code, 0, stderr);
	const called = jsonLines(stdout).find(({ event }) => event === "tool.called") as { readonly result: { readonly text: string } } | undefined;
	assert.match(called?.result.text ?? "", /^\{/, stderr);
	return { found: JSON.parse(called!.result.text) as Record<string, string>, stderr };
}

/** `permission wanted` of all refusals in the trace. */
async function refusals(place: Place): Promise<readonly string[]> {
	return (await place.trace("--event", "extension.refused")).map(({ payload }) => `${String(payload?.["permission"])} ${String(payload?.["wanted"])}`);
}

for (const { border, skip, pathFor } of borders) {
	const set = (place: Place) => ({ PATH: pathFor(place.folder), HOME: place.folder, MY_TOKEN: "s3cret-of-mine" });

	test(`${border}: what was not granted is refused, and each refusal is in the trace and said`, { skip, timeout: 120_000 }, async () => {
		await using place = new Place();
		await using server = await listen();
		const env = set(place);
		writeFiles(place.folder, { ".ssh/id_x": "a private key" });
		const url = `http://${server.host}/`;
		await install(place, prober({
			read: `readFileSync(join(homedir(), ".ssh/id_x"), "utf8")`,
			write: `writeFileSync(join(homedir(), "made"), "x")`,
			ownCode: `writeFileSync(import.meta.filename, "x")`,
			fetch: `(await hookline.fetch(${JSON.stringify(url)})).text()`,
			globalFetch: `(await fetch(${JSON.stringify(url)})).text()`,
			socket: `once(net.connect(${server.port}, "127.0.0.1"), "connect")`,
			listens: `once(net.createServer().listen(0), "listening")`,
			datagram: `dgram.createSocket("udp4").send("x", 9, "127.0.0.1")`,
			lookup: `dns.lookup("localhost")`,
			spawns: `once(spawn("id"), "spawn")`,
			exec: `(await hookline.exec("id")).stdout`,
			thread: `once(new Worker("1", { eval: true }), "online")`,
			variable: `String(process.env.MY_TOKEN)`,
		}, `permissions: { ${register} }\n`), env);
		const { found, stderr } = await probe(place, env);
		assert.match(found["read"]!, /^Error ERR_ACCESS_DENIED/);
		assert.match(found["write"]!, /^Error ERR_ACCESS_DENIED/);
		assert.match(found["ownCode"]!, /^Error ERR_ACCESS_DENIED/);
		assert.equal(found["fetch"], `GrantError  it may not connect to ${server.host}: 'hosts' was not granted to it for that. 'hookline extensions info nosy' shows what it asks for and what you granted; to grant more, remove it and install it again.`);
		assert.equal(found["globalFetch"], found["fetch"]);
		assert.equal(found["socket"], `GrantError  it may not open a connection of its own (${server.host}): 'hookline.fetch' reaches the hosts it was granted.`);
		assert.match(found["listens"]!, /^GrantError .*listening at/);
		assert.match(found["datagram"]!, /^GrantError .*udp/);
		assert.match(found["lookup"]!, /^GrantError .*looking up localhost/);
		assert.match(found["spawns"]!, /^Error ERR_ACCESS_DENIED/);
		assert.match(found["exec"]!, /^GrantError  it may not start id: 'exec' was not granted/);
		assert.match(found["thread"]!, /^Error ERR_ACCESS_DENIED/);
		assert.equal(found["variable"], "undefined");
		assert.deepEqual([server.connections, existsSync(join(place.folder, "made"))], [0, false]);
		const traced = await refusals(place);
		const code = join(place.home, "extensions/nosy/index.ts");
		for (const one of [`paths.read ${place.folder}/.ssh/id_x`, `paths.write ${place.folder}/made`, `paths.write ${code}`, `hosts ${server.host}`, "hosts looking up localhost", "exec id", "worker "]) assert.ok(traced.includes(one), `${one} in\n${traced.join("\n")}`);
		assert.equal(new Set(traced).size, traced.length);
		assert.match(stderr, new RegExp(`The extension 'nosy' was refused: it may not read ${place.folder}/\\.ssh/id_x: 'paths\\.read' was not granted to it for that\\.`));
		assert.match((await place.run(["hooks", "trace"])).stdout, /extension\.refused {2}nosy: it may not start a thread of its own, which is never granted\./);
		assert.match((await place.run(["logs"])).stdout, /was refused: it may not start id/);
	});

	test(`${border}: what was granted works, and no more than that`, { skip, timeout: 120_000 }, async () => {
		await using place = new Place();
		await using other = await listen();
		await using server = await listen((url, body) => {
			if (url === "/away") return { status: 302, headers: { location: `http://${other.host}/` } };
			if (url === "/here") return { status: 302, headers: { location: "/packed" } };
			if (url === "/packed") return { headers: { "content-encoding": "gzip", "x-mine": "1" }, body: gzipSync("u".repeat(3_000_000)) };
			return { body: `you said ${body}` };
		});
		const env = set(place);
		writeFiles(place.folder, { "notes/a": "a note", "out/old": "", "elsewhere/b": "no note" });
		const url = `http://${server.host}`;
		await install(place, prober({
			read: `readFileSync(join(homedir(), "notes/a"), "utf8")`,
			readBeside: `readFileSync(join(homedir(), "elsewhere/b"), "utf8")`,
			write: `writeFileSync(join(homedir(), "out/new"), "kept")`,
			writeWhatItReads: `writeFileSync(join(homedir(), "notes/a"), "x")`,
			workFolder: `readFileSync(${JSON.stringify(join(place.work, "here"))}, "utf8")`,
			post: `(await hookline.fetch("${url}/echo", { method: "POST", body: "hi", headers: { "x-a": "b" } })).text()`,
			long: `(async () => { const answer = await fetch("${url}/here"); return [answer.status, answer.url, answer.redirected, answer.headers.get("x-mine"), (await answer.text()).length].join(" "); })()`,
			away: `fetch("${url}/away")`,
			exec: `(await hookline.exec("printf", ["%s", "$HOME; id"], { env: { MY_TOKEN: "x" } })).stdout`,
			execWithMore: `hookline.exec("printf", ["x"], { env: { LD_PRELOAD: "/x.so" } })`,
			execByPath: `hookline.exec("/usr/bin/printf", ["x"])`,
			variable: `String(process.env.MY_TOKEN)`,
			temporary: `process.env.TMPDIR === undefined ? "none" : String(writeFileSync(join(process.env.TMPDIR, "x"), "x"))`,
		}, `permissions: { ${register}, paths: { read: [~/notes, .], write: [~/out] }, hosts: ["${server.host}"], exec: [printf], env: [MY_TOKEN] }\n`), env);
		writeFileSync(join(place.work, "here"), "in the working folder");
		const { found } = await probe(place, env);
		assert.deepEqual([found["read"], found["write"], found["workFolder"]], ["a note", "done", "in the working folder"]);
		assert.equal(readFileSync(join(place.folder, "out/new"), "utf8"), "kept");
		assert.match(found["readBeside"]!, /ERR_ACCESS_DENIED/);
		assert.match(found["writeWhatItReads"]!, /ERR_ACCESS_DENIED/);
		assert.equal(found["post"], "you said hi");
		assert.equal(found["long"], `200 ${url}/packed true 1 3000000`);
		assert.match(found["away"]!, new RegExp(`^GrantError  it may not connect to ${other.host}:`));
		assert.equal(other.connections, 0);
		assert.equal(found["exec"], "$HOME; id");
		assert.match(found["execWithMore"]!, /^GrantError  it may not see the variables LD_PRELOAD/);
		assert.match(found["execByPath"]!, /^GrantError  it may not start \/usr\/bin\/printf/);
		assert.equal(found["variable"], "s3cret-of-mine");
		assert.equal(found["temporary"], border === "sandbox" ? "undefined" : "none");
	});

	for (const around of ["~/", "/"]) test(`${border}: what holds it is not in its hands, also where ${around} around it was granted`, { skip, timeout: 120_000 }, async () => {
		await using place = new Place();
		const env = set(place);
		const config = place.config("agent: { max_steps: 9 }\n");
		await install(place, prober({
			around: `writeFileSync(join(homedir(), "made"), "x")`,
			config: `writeFileSync(${JSON.stringify(config)}, "x")`,
			seesConfig: `readFileSync(${JSON.stringify(config)}, "utf8")`,
			ownCode: `writeFileSync(import.meta.filename, "x")`,
		}, `permissions: { ${register}, paths: { read: ["${around}"], write: ["${around}"] } }\n`), env);
		const { found, stderr } = await probe(place, env);
		for (const what of ["config", "seesConfig", "ownCode"]) assert.match(found[what]!, /ERR_ACCESS_DENIED|ENOENT|EROFS/, what);
		assert.equal(readFileSync(config, "utf8"), "agent: { max_steps: 9 }\n");
		assert.equal(existsSync(join(place.folder, "made")), border === "sandbox");
		if (border === "seat belt") assert.match(stderr, new RegExp(`${around}, which an extension was granted .*, stays closed to it: .*which is Hookline's own, lies in it, and only bubblewrap can leave that out\\.`));
	});

	test(`${border}: 'info' and 'doctor' say what holds, and what is open all the same`, { skip, timeout: 120_000 }, async () => {
		await using place = new Place();
		const env = set(place);
		const database = join(place.folder, "by-sqlite.db");
		await install(place, prober({ sqlite: `new DatabaseSync(${JSON.stringify(database)}).exec("create table t (a)")` }, `permissions: { ${register}, paths: { read: [~/notes] } }\n`), env);
		const { stdout } = await place.run(["extensions", "info", "nosy"], { env });
		const doctor = (await place.run(["extensions", "doctor"], { env })).stdout;
		const { found } = await probe(place, env);
		if (border === "sandbox") {
			assert.match(stdout, /paths\.read\s+~\/notes\s+~\/notes\s+enforced\s+Nothing else of the disk is there/);
			assert.match(stdout, /Its process is held by bubblewrap and Node's permission model\./);
			assert.doesNotMatch(stdout, /node:sqlite/);
			assert.match(found["sqlite"]!, /unable to open database file/);
		} else {
			assert.match(stdout, /paths\.read\s+~\/notes\s+~\/notes\s+seat belt\s+Node's permission model refuses anything else, but for node:sqlite/);
			assert.match(stdout, /held by Node's permission model alone: bubblewrap \('bwrap'\) is not installed\./);
			assert.match(stdout, /Without bubblewrap it can write files by way of node:sqlite/);
			assert.match(doctor, /permissions\s+warning\s+nosy: .*bubblewrap \('bwrap'\) is not installed\./);
		}
		// The hole is where it is said to be, and nowhere else.
		assert.equal(existsSync(database), border === "seat belt");
		assert.match(doctor, /A program that it may start can do all you can\./);
	});
}

test("a hook, a tool and an override that were not granted are refused, and each is in the trace", { timeout: 120_000 }, async () => {
	await using place = new Place();
	const tool = (name: string, more = "") => `hookline.registerTool({ name: "${name}", description: "x", parameters: { type: "object" }, run: () => "x"${more} });`;
	const code = (body: string) => `import { defineExtension } from "hookline";\nexport default defineExtension((hooks, hookline) => { ${body} });\n`;
	await install(place, { "EXTENSION.yaml": "name: hooky\nversion: 1.0.0\nevents: [turn.ended]\n", "index.ts": code(`hooks.observe("turn.ended", () => {}); hooks.guard("tool.calling", () => undefined);`) }, {});
	await install(place, { "EXTENSION.yaml": "name: tooly\nversion: 1.0.0\npermissions: { tools: { register: [patch] } }\n", "index.ts": code(`${tool("sneaky")} ${tool("read_file", ", overrides: true")} ${tool("patch", ", overrides: true")} setTimeout(() => { ${tool("later")} }, 1);`) }, {});
	const { stderr } = await place.run(["run", "hello"]);
	assert.match(stderr, /The extension 'hooky' is not loaded.*it hooks tool\.calling, which you have not granted it\./);
	const traced = await refusals(place);
	for (const one of ["events tool.calling", "tools.register sneaky", "tools.override read_file", "tools.override patch"]) assert.ok(traced.includes(one), `${one} in\n${traced.join("\n")}`);
});

test("'host: inline' of one that was installed needs to be granted", { timeout: 120_000 }, async () => {
	await using place = new Place();
	await install(place, prober({ pid: "String(process.permission === undefined)" }, `permissions: { ${register}, inline: true }\n`), {}, "tools");
	place.config("extensions: { nosy: { host: inline } }\n");
	const { stderr } = await place.run(["run", "hello"]);
	assert.match(stderr, /The extension 'nosy' is not loaded, and none of its hooks run: .*config\.yaml says 'host: inline' of it, which runs it in Hookline's own process, and you have not granted it 'inline'\. Remove the line, or grant it that/);
	place.config("");
	assert.equal((await probe(place, {})).found["pid"], "false");
	await place.run(["extensions", "remove", "nosy"]);
	await install(place, prober({ pid: "String(process.permission === undefined)" }, `permissions: { ${register}, inline: true }\n`), {});
	assert.equal((await probe(place, {})).found["pid"], "true");
	const { permissions } = await infoOf(place, "nosy");
	assert.equal(permissions.find(({ area }) => area === "paths.read")?.held, "declared");
});

test("those that were granted exactly the same share a process, and no others", { timeout: 120_000 }, async () => {
	await using place = new Place();
	const mark = { mark: `String((globalThis.seen ??= []).push(hookline.name))` };
	await install(place, prober(mark, `permissions: { ${register} }\n`, "one"), {});
	await install(place, prober(mark, `permissions: { ${register} }\n`, "two"), {});
	const reads = { reads: `readFileSync(import.meta.filename.replace("/three/", "/one/"), "utf8")` };
	await install(place, prober({ ...mark, ...reads }, `permissions: { ${register}, exec: [git] }\n`, "three"), {});
	const { code, stdout, stderr } = await place.run(["run", "--json", "SEQ\nCALL probe_one {}\nCALL probe_two {}\nCALL probe_three {}"]);
	assert.equal(code, 0, stderr);
	const texts = jsonLines(stdout).filter(({ event }) => event === "tool.called").map((called) => (called as unknown as { readonly result: { readonly text: string } }).result.text);
	assert.deepEqual(texts.slice(0, 2), ['{"mark":"1"}', '{"mark":"2"}']);
	assert.match(texts[2]!, /^\{"mark":"1","reads":"Error ERR_ACCESS_DENIED/);
});

test("one that is linked is read from where it lies, and that Node looks around for modules is no refusal", { timeout: 120_000 }, async () => {
	await using place = new Place();
	const folder = join(place.folder, "packages/linked");
	writeFiles(folder, {
		"EXTENSION.yaml": `name: linked\nversion: 1.0.0\npermissions: { ${register} }\n`,
		"index.js": `const { defineExtension } = require("hookline");\nconst { text } = require("./other.cjs");\nmodule.exports = defineExtension((hooks, hookline) => hookline.registerTool({ name: "probe_linked", description: "x", parameters: { type: "object" }, run: () => JSON.stringify({ text }) }));\n`,
		"other.cjs": `exports.text = "from the other file";\n`,
	});
	const { code, stderr } = await place.run(["extensions", "install", folder, "--link", "--yes"]);
	assert.equal(code, 0, stderr);
	assert.deepEqual((await probe(place, {}, "linked")).found, { text: "from the other file" });
	assert.deepEqual(await refusals(place), []);
});
