// The files of a new hook in each language: a script that works as it is, a sample of what it reads, and a test of it.
import { type Json, pathsOf, type Sample, typeOf } from "./payload.ts";

export const languages = ["sh", "py", "ts"] as const;
export type Language = (typeof languages)[number];

export interface NewFile {
	readonly name: string;
	readonly text: string;
	readonly executable: boolean;
}

export interface Template {
	/** The script first. */
	readonly files: readonly NewFile[];
	/** How the test is run, in the folder. */
	readonly test: string;
}

/** `name` is also that of the folder. */
export function templateFor(language: Language, name: string, sample: Sample): Template {
	const payload = { name: "payload.json", text: `${JSON.stringify(sample.document, undefined, 2)}\n`, executable: false };
	const { files, test } = { sh, py, ts }[language](name, sample, kindOf(sample));
	return { files: [...files, payload], test };
}

/** What the new script does: refuse, add context, or only look. */
type Kind = "guard" | "context" | "observer";

function kindOf({ event }: Sample): Kind {
	return event === "tool.calling" ? "guard" : event === "turn.starting" ? "context" : "observer";
}

type Write = (name: string, sample: Sample, kind: Kind) => Template;

const intro = (mark: string, name: string, { written, event }: Sample) => `${mark} ${name}: runs at ${written}${written === event ? "" : ` (${event})`}. It reads one JSON document and answers with one; {} says nothing.`;

const sh: Write = (name, sample, kind) => {
	const body: Record<Kind, string> = {
		guard: `command -v jq >/dev/null || { echo "this hook needs jq" >&2; exit 1; }
command=$(printf '%s' "$payload" | jq -r '.tool_input.command // empty')
if printf '%s' "$command" | grep -qE 'rm[[:space:]]+-rf?[[:space:]]+/'; then
	printf '{"decision": "block", "reason": "rm -rf / is not permitted"}\\n'
else
	printf '{}\\n'
fi`,
		context: `printf '{"context": "Today is %s."}\\n' "$(date +%F)"`,
		observer: `# What you write to the standard error is kept in the log.\nprintf '{}\\n'`,
	};
	const reads = kind === "guard" ? "payload=$(cat)" : "cat >/dev/null";
	const checks: Record<Kind, string> = {
		guard: `check '{}'\njq '.tool_input.command = "rm -rf /"' payload.json | ./${name}.sh | grep -q '"block"' || { echo "FAILED: rm -rf / is not blocked"; exit 1; }`,
		context: `check '{"context": "Today is *."}'`,
		observer: `check '{}'`,
	};
	return {
		test: "sh test.sh",
		files: [
			{ name: `${name}.sh`, executable: true, text: `#!/bin/sh\n${intro("#", name, sample)}\n#\n# It reads:\n${pathsOf(sample.document).map((path) => `#   ${path}`).join("\n")}\n${reads}\n${body[kind]}\n` },
			{
				name: "test.sh",
				executable: false,
				text: `#!/bin/sh\n# Feeds the sample to the hook and looks at its answer. Run it: sh test.sh\ncd "$(dirname "$0")" || exit 1\ncheck() {\n\tanswer=$(./${name}.sh <payload.json) || { echo "FAILED: exit code $?"; exit 1; }\n\tcase $answer in\n\t$1) ;;\n\t*) echo "FAILED: it answered $answer"; exit 1 ;;\n\tesac\n}\n${checks[kind].replace(/check '(.*)'/, (_, pattern: string) => `check '${pattern}'`)}\necho fine\n`,
			},
		],
	};
};

const py: Write = (name, sample, kind) => {
	const { type, declarations } = declared(sample.document, { nothing: "None", string: "str", number: "float", boolean: "bool", any: "object", record: "dict[str, Any]", list: (item) => `list[${item}]` }, (title, fields) => `class ${title}(TypedDict):\n${fields.map(([field, kindWords]) => `    ${field}: ${kindWords}`).join("\n") || "    pass"}\n`);
	const module = name.replaceAll("-", "_");
	const body: Record<Kind, string> = {
		guard: `    command = str((payload["tool_input"] or {}).get("command", ""))\n    if re.search(r"rm\\s+-rf?\\s+/", command):\n        return {"decision": "block", "reason": "rm -rf / is not permitted"}\n    return {}`,
		context: `    return {"context": f"Today is {datetime.date.today()}."}`,
		observer: `    # What is printed to sys.stderr is kept in the log.\n    return {}`,
	};
	const imports: Record<Kind, string> = { guard: "import json\nimport re\nimport sys", context: "import datetime\nimport json\nimport sys", observer: "import json\nimport sys" };
	const checks: Record<Kind, string> = {
		guard: `    def test_the_sample_passes(self):\n        self.assertEqual(decide(sample()), {})\n\n    def test_rm_is_blocked(self):\n        payload = sample()\n        payload["tool_input"]["command"] = "rm -rf /"\n        self.assertEqual(decide(payload)["decision"], "block")`,
		context: `    def test_it_says_the_day(self):\n        self.assertTrue(decide(sample())["context"].startswith("Today is"))`,
		observer: `    def test_it_says_nothing(self):\n        self.assertEqual(decide(sample()), {})`,
	};
	return {
		test: `python3 -m unittest`,
		files: [
			{
				name: `${module}.py`,
				executable: true,
				text: `#!/usr/bin/env python3\n${intro("#", name, sample)}\nfrom __future__ import annotations\n\n${imports[kind]}\nfrom typing import Any, TypedDict\n\n\n${declarations.join("\n\n")}\n\ndef decide(payload: ${type}) -> dict[str, Any]:\n${body[kind]}\n\n\nif __name__ == "__main__":\n    json.dump(decide(json.load(sys.stdin)), sys.stdout)\n`,
			},
			{
				name: `test_${module}.py`,
				executable: false,
				text: `# Run it in this folder: python3 -m unittest\nimport json\nimport pathlib\nimport unittest\n\nfrom ${module} import decide\n\n\ndef sample():\n    return json.loads((pathlib.Path(__file__).parent / "payload.json").read_text(encoding="utf-8"))\n\n\nclass Test(unittest.TestCase):\n${checks[kind]}\n`,
			},
		],
	};
};

const ts: Write = (name, sample, kind) => {
	const { type, declarations } = declared(sample.document, { nothing: "null", string: "string", number: "number", boolean: "boolean", any: "unknown", record: "Record<string, unknown>", list: (item) => `${/ /.test(item) ? `(${item})` : item}[]` }, (title, fields) => `export interface ${title} {\n${fields.map(([field, kindWords]) => `\t${field}: ${kindWords};`).join("\n")}\n}\n`);
	const body: Record<Kind, string> = {
		guard: `\tconst command = String(payload.tool_input?.["command"] ?? "");\n\tif (/rm\\s+-rf?\\s+\\//.test(command)) return { decision: "block", reason: "rm -rf / is not permitted" };\n\treturn {};`,
		context: `\treturn { context: \`Today is \${new Date(Date.now()).toISOString().slice(0, 10)}.\` };`,
		observer: `\t// What is printed with console.error is kept in the log.\n\treturn {};`,
	};
	const unused = kind === "guard" ? "payload" : "_payload";
	const checks: Record<Kind, string> = {
		guard: `test("the sample passes", () => assert.deepEqual(decide(sample()), {}));\ntest("rm -rf / is blocked", () => assert.equal(decide({ ...sample(), tool_input: { command: "rm -rf /" } })["decision"], "block"));`,
		context: `test("it says the day", () => assert.match(String(decide(sample())["context"]), /^Today is/));`,
		observer: `test("it says nothing", () => assert.deepEqual(decide(sample()), {}));`,
	};
	return {
		test: `node --test ${name}.test.mts`,
		files: [
			{
				name: `${name}.mts`,
				executable: false,
				text: `${intro("//", name, sample)}\nimport { text } from "node:stream/consumers";\n\n${declarations.join("\n")}\nexport function decide(${unused}: ${type}): Record<string, unknown> {\n${body[kind]}\n}\n\nif (import.meta.main) process.stdout.write(JSON.stringify(decide(JSON.parse(await text(process.stdin)) as ${type})));\n`,
			},
			{
				name: `${name}.test.mts`,
				executable: false,
				text: `// Run it in this folder: node --test ${name}.test.mts\nimport assert from "node:assert/strict";\nimport { readFileSync } from "node:fs";\nimport { test } from "node:test";\nimport { decide, type Payload } from "./${name}.mts";\n\nconst sample = () => JSON.parse(readFileSync(new URL("payload.json", import.meta.url), "utf8")) as Payload;\n\n${checks[kind]}\n`,
			},
		],
	};
};

type Words = Omit<Parameters<typeof typeOf>[2], "object">;
type Declare = (title: string, fields: readonly (readonly [string, string])[]) => string;

/** The types a document needs, each before what uses it. */
function declared(document: Json, words: Words, declare: Declare): { readonly type: string; readonly declarations: readonly string[] } {
	const titles = new Map<string, string>();
	const type = typeOf(document, "payload", {
		...words,
		object(title, fields) {
			const text = declare(title, fields);
			const same = [...titles].find(([known, other]) => other === text.replace(title, known));
			if (same) return same[0];
			const free = titles.has(title) ? `${title}${titles.size}` : title;
			titles.set(free, text.replace(title, free));
			return free;
		},
	});
	return { type, declarations: [...titles.values()] };
}
