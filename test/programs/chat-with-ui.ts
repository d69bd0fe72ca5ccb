// The conversation with a view whose `ui` any inline extension can reach, as `ui("its name")`: what hosts hand to extensions.
import { converse } from "../../src/cli/chat.ts";
import { PlainView } from "../../src/cli/chat/plain-view.ts";
import { ScreenView } from "../../src/cli/chat/screen/screen-view.ts";
import type { ChatView } from "../../src/cli/chat/view.ts";
import { keepStdoutForAnswers } from "../../src/cli/output.ts";

const plain = process.argv.includes("--plain") || !process.stdin.isTTY;
const view: ChatView = plain ? new PlainView(process.stdin.isTTY) : new ScreenView();
Object.assign(globalThis, { view, ui: (extension: string) => view.ui(extension) });
keepStdoutForAnswers();
process.exitCode = await converse(view, { hooks: true }, "0.0.0");
