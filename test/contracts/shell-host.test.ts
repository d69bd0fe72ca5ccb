import { shellHostContract, whyUntested } from "./shell-host.ts";

for (const kind of ["spawner", "node"] as const) {
	const why = whyUntested(kind);
	if (why === undefined) shellHostContract(kind);
	else console.log(why);
}
