// Before each changing step the working tree is kept as it is, in git, beside all that is the person's own. /checkpoints lists, /undo brings back.
import { defineExtension, type Facts } from "hookline";
import { type Checkpoint, NoRepository, Repository } from "./git.ts";

export default defineExtension((hooks, hookline) => {
	const { tools = ["write_file", "patch", "terminal"], time_limit_s: seconds = 10 } = hookline.config as { readonly tools?: readonly string[]; readonly time_limit_s?: number };
	const timeoutMs = seconds * 1000;
	const repositories = new Map<string, Repository>();
	const said = new Set<string>();
	const sayOnce = (message: string, kind?: "warning") => {
		if (said.has(message)) return;
		said.add(message);
		hookline.log(message);
		if (kind !== undefined) hookline.ui.notify(message, kind);
	};
	/** Working folders whose repository took too long. */
	const tooLarge = new Set<string>();

	const repositoryAt = async (cwd: string): Promise<Repository> => {
		const known = repositories.get(cwd) ?? (await Repository.at(cwd, hookline.exec, timeoutMs));
		repositories.set(cwd, known);
		return known;
	};
	let before: Promise<unknown> = Promise.resolve();
	/** One after the other: they share an index. */
	const inTurn = <Result>(run: () => Promise<Result>): Promise<Result> => {
		const result = before.then(run);
		before = result.catch(() => {});
		return result;
	};

	const keep = async (cwd: string, session: string, step: string): Promise<void> => {
		if (tooLarge.has(cwd)) return;
		const began = performance.now();
		try {
			const repository = await repositoryAt(cwd);
			await repository.keep(session, await repository.now(), step);
		} catch (error) {
			if (error instanceof NoRepository) return sayOnce(`${error.message} There are no checkpoints.`);
			const late = performance.now() - began >= timeoutMs;
			if (late) tooLarge.add(cwd);
			sayOnce(`No checkpoint could be made in ${cwd}${late ? ` within ${seconds} s; no more are tried` : ""}: ${(error as Error).message}`, "warning");
		}
	};

	// Around the call, so that what is refused makes none. Its time is its own: what the tool takes does not count.
	hooks.wrap("tool.calling", { name: "keep", tool: tools, timeoutMs: Math.min(600_000, 4 * timeoutMs + 5_000) }, async (call, next) => {
		await inTurn(() => keep(call.cwd, sessionOf(call), stepOf(call.toolName, call.args)));
		return next();
	});

	hookline.registerCommand({
		name: "checkpoints",
		summary: "the checkpoints of this session, the newest first",
		run: (_, { cwd, sessionId }) =>
			inTurn(async () => {
				const all = await (await repositoryAt(cwd)).list(sessionId);
				return all.map(inWords).join("\n") || "There are no checkpoints in this session yet.";
			}),
	});
	hookline.registerCommand({
		name: "undo",
		summary: "brings the files back to checkpoint n of /checkpoints; without n to the last that is different; --yes does not ask",
		async run(args, { cwd, sessionId, signal }) {
			const words = args.split(/\s+/).filter((word) => word !== "");
			const sure = words.includes("--yes");
			const [which, ...rest] = words.filter((word) => word !== "--yes");
			if (rest.length > 0 || (which !== undefined && !/^[1-9]\d*$/.test(which))) throw new Error("it is /undo, /undo 3 or /undo 3 --yes.");
			const repository = await repositoryAt(cwd);
			const wanted = await inTurn(async () => checkpointFor(which, await repository.list(sessionId), await repository.now()));
			if (!sure) {
				if (!hookline.ui.can("confirm")) throw new Error(`nobody can be asked here. '/undo ${which === undefined ? "" : `${which} `}--yes' does it without.`);
				const changes = await inTurn(async () => repository.changes(await repository.now(), wanted.tree));
				const shown = [...changes.slice(0, 10), ...(changes.length > 10 ? [`… and ${changes.length - 10} more`] : [])];
				if (!(await hookline.ui.confirm(`Bring back what was there before '${wanted.before}'? ${counted(changes)} will change.`, shown.join("\n"), signal))) return "Nothing was changed.";
			}
			return inTurn(async () => {
				const now = await repository.now();
				await repository.keep(sessionId, now, "/undo");
				const changes = await repository.changes(now, wanted.tree);
				await repository.restore(now, wanted.tree);
				return `${counted(changes)} changed to what was there before '${wanted.before}'. /undo takes that back.`;
			});
		},
	});
	hookline.onUnload(() => repositories.forEach((repository) => repository.close()));
});

/** What a subagent does is undone in the session it works for. */
const sessionOf = ({ parentSessionId, sessionId = "none" }: Facts): string => parentSessionId ?? sessionId;

function stepOf(tool: string, args: Readonly<Record<string, unknown>>): string {
	const what = String(args["path"] ?? args["command"] ?? "").replace(/\s+/g, " ");
	return `${tool} ${what.length > 100 ? `${what.slice(0, 99)}…` : what}`.trim();
}

const counted = ({ length }: readonly string[]): string => `${length} ${length === 1 ? "file" : "files"}`;

const inWords = ({ at, before }: Checkpoint, i: number): string => `${String(i + 1).padStart(3)}  ${new Date(at).toLocaleTimeString("en-GB")}  before ${before}`;

function checkpointFor(which: string | undefined, all: readonly Checkpoint[], now: string): Checkpoint {
	if (all.length === 0) throw new Error("there are no checkpoints in this session yet.");
	const wanted = which === undefined ? all.find(({ tree }) => tree !== now) : all[Number(which) - 1];
	if (wanted === undefined) throw new Error(which === undefined ? "the files are as they were at the first checkpoint." : `there are ${all.length} checkpoints in this session, and no ${which}.`);
	if (wanted.tree === now) throw new Error(`the files are as they were at checkpoint ${which}.`);
	return wanted;
}
