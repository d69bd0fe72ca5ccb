import { hostileContract } from "./shell-host-hostile.ts";
import { whyUntested } from "./shell-host.ts";

for (const kind of ["spawner", "node"] as const) {
	const why = whyUntested(kind);
	if (why === undefined) hostileContract(kind, "off");
	else console.log(why);
}
