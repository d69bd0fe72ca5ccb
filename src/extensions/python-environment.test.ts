import assert from "node:assert/strict";
import { test } from "node:test";
import { homeOf } from "../system/home.ts";
import { pythonEnvironment } from "./python-environment.ts";

test("Python code gets what is named, its home under both names, and nothing else; what is named and not there is told of", () => {
	const home = homeOf({ HOOKLINE_HOME: "/projects/home" });
	const warnings: string[] = [];
	const environment = { TOKEN: "t", SECRET: "s", EMPTY: "" };
	const given = pythonEnvironment(["TOKEN", "EMPTY", "MODE=a=b", "ABSENT", "HERMES_HOME=/elsewhere"], home, environment, (message) => warnings.push(message));
	assert.deepEqual(given, { TOKEN: "t", EMPTY: "", MODE: "a=b", HOOKLINE_HOME: "/projects/home", HERMES_HOME: "/projects/home" });
	assert.deepEqual(warnings, ["/projects/home/config.yaml hands ABSENT on to hooks in Python (python.env), and it is not set here."]);
	assert.deepEqual(pythonEnvironment(undefined, home, environment, assert.fail), { HOOKLINE_HOME: "/projects/home", HERMES_HOME: "/projects/home" });
});
