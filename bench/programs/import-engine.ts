// A program that mounts the engine and nothing else.
import { createEngine } from "../../src/engine/engine.ts";

createEngine();
