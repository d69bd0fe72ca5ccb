// The cases below hermes-extension/: `extensions/` as it lies in a user's home.
import { join } from "node:path";
import { userPackages } from "../../src/extensions/python.ts";
import { samplesOf } from "../python-samples.ts";

samplesOf("hermes-extension", (folder, settings = {}, { python }) => userPackages(join(folder, "extensions"), settings, "config.yaml", python));
