// An agent with a shell host, to be killed. `node test/programs/shell/waiting.ts [FOLDER MARK]`: runs a hook that never ends when it has both, else one that does.
import { shellHost } from "../../../src/hosts/shell/host.ts";
import { jobOf } from "../../contracts/shell-host.ts";

const [cwd, mark] = process.argv.slice(2);
const host = shellHost();
await host.run(jobOf({ args: ["-c", ":"] }));
if (cwd !== undefined && mark !== undefined) await host.run(jobOf({ args: ["-c", "trap '' TERM; sleep 600 & touch here; wait"], cwd, env: { TEST_RUN: mark } }));
