import { apiContract } from "./api.ts";

apiContract("inline");
apiContract("node");
