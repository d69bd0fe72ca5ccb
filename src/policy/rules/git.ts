// What a person is asked about: work that git would lose.
import { has, is, operands, type Rule } from "../rule.ts";
import type { Act } from "../world.ts";

/** The words from the subcommand on; an act that has that subcommand. */
function sub(act: Act, verb: string): Act | undefined {
	if (!is(act, ["git"])) return undefined;
	const at = act.args.findIndex((arg, i) => !arg.startsWith("-") && !["-c", "-C", "--git-dir", "--work-tree"].includes(act.args[i - 1] ?? ""));
	return at >= 0 && act.args[at] === verb ? { ...act, args: act.args.slice(at + 1) } : undefined;
}
const any = (act: Act, test: (found: Act) => boolean, ...verbs: readonly string[]) => verbs.some((verb) => {
	const found = sub(act, verb);
	return found !== undefined && test(found);
});

export const git: readonly Rule[] = [
	{
		id: "git-discards",
		class: "dangerous",
		reason: "it throws away changes that are committed nowhere",
		when: (act) =>
			any(act, (found) => has(found, "", "--hard", "--merge"), "reset") ||
			any(act, (found) => has(found, "f", "--force") && !has(found, "n", "--dry-run"), "clean") ||
			any(act, (found) => has(found, "f", "--force") || (found.args.includes("--") ? found.args.at(-1) !== "--" : found.args.includes(".")), "checkout") ||
			any(act, (found) => has(found, "f", "--force", "--discard-changes"), "switch") ||
			any(act, (found) => !has(found, "S", "--staged") || has(found, "W", "--worktree"), "restore") ||
			any(act, ({ args }) => /^(?:drop|clear)$/.test(args[0] ?? ""), "stash"),
		stops: ["git reset --hard", "git clean -fdx", "git checkout -- .", "git checkout .", "git restore src", "git stash drop", "git -C ../x reset --hard HEAD~3"],
		passes: ["git reset HEAD x", "git clean -n", "git checkout main", "git checkout -b x", "git restore --staged x", "git stash", "git commit -m 'git reset --hard'"],
	},
	{
		id: "git-rewrites-remote",
		class: "dangerous",
		reason: "it overwrites or deletes what others have pushed",
		when: (act) => any(act, (found) => has(found, "fd", "--force", "--force-with-lease", "--delete", "--mirror", "--prune") || operands(found, "o").some((ref) => /^\+|^:./.test(ref)), "push"),
		stops: ["git push --force", "git push -f origin main", "git push origin +main", "git push origin :old", "git push --delete origin x", "git push --force-with-lease"],
		passes: ["git push", "git push origin main", "git push -u origin x", "git fetch -f"],
	},
	{
		id: "git-rewrites-history",
		class: "dangerous",
		reason: "it deletes branches or history for good",
		when: (act) =>
			any(act, (found) => has(found, "D") || (has(found, "d", "--delete") && has(found, "f", "--force")), "branch") ||
			any(act, () => true, "filter-branch", "filter-repo") ||
			any(act, ({ args }) => args[0] === "expire" || args[0] === "delete", "reflog") ||
			any(act, (found) => has(found, "d", "--delete"), "update-ref") ||
			any(act, (found) => found.args.some((arg) => /^--prune=(?:now|all)/.test(arg)), "gc") ||
			any(act, ({ args }) => args[0] === "remove" && args.some((arg) => /^(?:-f+|--force)$/.test(arg)), "worktree"),
		stops: ["git branch -D x", "git filter-branch --all", "git reflog expire --expire=now --all", "git gc --prune=now", "git update-ref -d refs/heads/x"],
		passes: ["git branch -d x", "git branch", "git reflog", "git gc", "git log --all"],
	},
];
