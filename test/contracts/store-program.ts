// A small process that uses a store, for tests that need a second one: node store-program.ts <what> <database> [session].
// It says on standard output when it is where it was told to go.
import { openSqliteStore } from "../../src/stores/sqlite.ts";

const [what, path = "", session = ""] = process.argv.slice(2);
const say = (line: string | number) => void process.stdout.write(`${line}\n`);
if (what === "open") say("opening");
const store = openSqliteStore(path, { onProblem: (message) => console.error(message) });

switch (what) {
	case "open":
		store.close();
		break;
	case "hold":
		store.leases.acquire(session);
		say("held");
		setInterval(() => {}, 1000);
		break;
	case "hold and return":
		store.leases.acquire(session);
		store.trace.hookSet({ id: "left", hooks: [] });
		say("held");
		break;
	case "hold and exit":
		store.leases.acquire(session);
		store.trace.hookSet({ id: "left", hooks: [] });
		process.exit(0);
		break;
	case "append":
		appendForEver();
		break;
	default:
		throw new Error(`There is no '${what}'.`);
}

function appendForEver(): void {
	for (let i = 1; ; i++) {
		store.sessions.append(session, [
			{ role: "user", text: `question ${i} ${"x".repeat(i % 9000)}` },
			{ role: "assistant", text: `answer ${i}` },
		]);
		say(i);
	}
}
