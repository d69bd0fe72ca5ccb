// How extensions show themselves where a command only writes: their notices go to stderr, nobody can be asked, nothing stays in sight.
import type { Ui } from "../events/ui.ts";
import { extensionUi } from "./chat/ui/extension-ui.ts";
import { noticeInWords, Notices } from "./chat/ui/notices.ts";
import { note } from "./output.ts";

/** Gives each extension its own. */
export function writtenUi(): (extension: string) => Ui {
	const notices = new Notices((...notice) => note(noticeInWords(...notice)));
	process.once("exit", () => notices.flush());
	return (extension) => extensionUi(extension, { notices });
}
