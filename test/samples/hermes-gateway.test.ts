// The cases below hermes-gateway/: `hooks/` as it lies in a user's home.
import { join } from "node:path";
import { userGatewayHooks } from "../../src/extensions/python.ts";
import { samplesOf } from "../python-samples.ts";

samplesOf("hermes-gateway", (folder, _, hosts) => userGatewayHooks(join(folder, "hooks"), hosts, hosts.warn));
