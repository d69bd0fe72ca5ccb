// An agent with a node host, to be ended in all ways. Prints its child's process id, then does what the command says.
// `node test/programs/node-host.ts FILE [COMMAND]`
import { openHost } from "../contracts/host.ts";
import { engineWith, inWords, toolCall } from "../engine.ts";

const [file = "", command] = process.argv.slice(2);
const host = openHost("node");
const loaded = await host.load({ name: "hostile", file, trust: "user" });
const engine = engineWith(loaded.definitions);
if (command === "only loads") console.log(0);
else console.log(/\d+$/.exec(inWords(await engine.dispatch("tool.calling", toolCall({ command: "tells its process" }))))?.[0]);
if (command !== undefined && command !== "only loads") {
	void engine.dispatch("tool.calling", toolCall({ command }));
	setTimeout(() => console.log("under way"), 100);
}
