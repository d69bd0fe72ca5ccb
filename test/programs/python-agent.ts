// An agent with a Python host in it that waits to be killed: `python-agent.ts PYTHON WAY`. Prints the processes its hooks run in, as JSON.
import { callOf, open, program } from "../contracts/python-host.ts";

const [executable = "python3", way] = process.argv.slice(2);
const { host } = open({ python: { executable } });
const unit = await host.load({ name: "a", loader: program("plain_loader.py"), settings: { file: program("hostile.py") } });
const pids = [await callOf(unit, { do: "pid" }), await callOf(unit, { do: "leave a program" })];
const call = callOf(unit, { do: way }, { timeoutMs: 600_000 });
console.log(JSON.stringify(pids));
await call;
