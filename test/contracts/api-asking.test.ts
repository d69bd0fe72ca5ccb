import { apiAskingContract } from "./api-asking.ts";

apiAskingContract("inline");
apiAskingContract("node");
