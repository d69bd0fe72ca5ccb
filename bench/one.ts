// Takes one measurement and hands its rows to the process that prints them. Started by main.ts, with the places of group and measurement.
import { groups } from "./groups.ts";

const [group, place, large] = process.argv.slice(2);
const measurements = await groups[Number(group)]?.load();
const measurement = measurements?.measurements[Number(place)];
if (measurement === undefined) throw new Error("bench/one.ts is started by bench/main.ts.");
const rows = await measurement.measure({ large: large === "large" });
process.send?.({ rows });
process.disconnect();
