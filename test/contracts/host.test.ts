import { hostContract } from "./host.ts";

hostContract("inline");
hostContract("node");
