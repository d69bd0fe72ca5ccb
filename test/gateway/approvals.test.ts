// Questions in a chat: a turn ends with one, and goes on with an owner's answer. The real program over HTTP, killed as crashes do.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../../src/system/test-waiting.ts";
import { callTerminal, extension, jsonLines, Place } from "../cli/program.ts";
import { type Replied, Served, texts } from "./served.ts";

const limit = { timeout: 60_000 };
/** Hookline's own guard asks about these; each leaves a line. */
const dangerous = (name: string, more = "true") => callTerminal(`rm -rf ${name}; echo ${name} >> effects; ${more}`);
/** Runs until the file is there, or the place is gone. */
const until = (file: string) => `while [ ! -e ${file} ] && [ -d "$PWD" ]; do sleep 0.02; done`;
const effects = (place: Place) => (place.made("effects") ? place.read("effects").trim().split("\n") : []);
/** The ids of the questions that are asked in an answer. */
const idsIn = ({ messages = [] }: Replied): readonly string[] => messages.flatMap((text) => /^Question (\w{6}): /.exec(text)?.[1] ?? []);
const asks = async (gateway: Served, text: string, words = {}): Promise<string> => {
	const replied = await gateway.ask(text, words);
	const [id] = idsIn(replied);
	assert.ok(id !== undefined && replied.status === "waits", JSON.stringify(replied));
	return id;
};
const said = async (gateway: Served, text: string, words = {}) => (await gateway.ask(text, words)).messages?.join("\n") ?? "";
/** Writes down what is told of some events. */
const telling = (place: Place, ...events: readonly string[]) =>
	place.extension("telling.ts", `import { appendFileSync } from "node:fs";\n${extension(`	for (const event of ${JSON.stringify(events)}) hooks.observe(event, (payload) => appendFileSync(${JSON.stringify(join(place.work, "told"))}, JSON.stringify({ ...payload, event }) + "\\n"));`)}`);
const told = (place: Place) => (place.made("told") ? jsonLines(place.read("told")) : []);

test("what needs approval is asked in the chat with buttons, runs when an owner says yes, and the answer is said to them", limit, async () => {
	await using place = new Place();
	telling(place, "approval.requested", "approval.resolved", "turn.started", "turn.ended", "tool.called");
	const gateway = await Served.start(place, "gateway: {http: {port: 0}, access: {users: ['http:kitchen']}}");
	const asked = await gateway.ask(dangerous("src"), { id: "m1", user: "kitchen" });
	assert.equal(asked.status, "waits");
	const [id] = idsIn(asked);
	assert.deepEqual(asked.messages, [
		`Question ${id}: May I call terminal?\n\`\`\`\nrm -rf src; echo src >> effects; true\n\`\`\`\nhookline/approvals asks: deletes-folder: it deletes folders with all that is in them (rm -rf src).\nWithout an answer in 5 minutes it is a no.`,
	]);
	const question = (await gateway.events()).find(({ type }) => type === "message");
	assert.ok(question?.type === "message");
	assert.equal(question.purpose, "question");
	assert.deepEqual(question.buttons?.map(({ label, says }) => [label, says]), [["Once", `/approve ${id} once`], ["Session", `/approve ${id} session`], ["Always", `/approve ${id} always`], ["No", `/deny ${id}`]]);
	assert.deepEqual(effects(place), []);
	assert.match(await said(gateway, "/status"), new RegExp(`Question ${id} is open: terminal rm -rf src`));
	const answered = await gateway.ask(question.buttons![0]!.says, { id: "m2" });
	assert.deepEqual([answered.status, answered.messages], ["answered", ["DONE"]]);
	assert.deepEqual(effects(place), ["src"]);
	assert.equal(await gateway.stop(), 0);
	const events = told(place);
	const [requested] = events.filter(({ event }) => event === "approval.requested");
	const [resolved] = events.filter(({ event }) => event === "approval.resolved");
	const sender = (event: Record<string, unknown> | undefined) => [event?.["surface"], event?.["platform"], event?.["userId"], event?.["chatId"], event?.["chatType"]];
	assert.deepEqual(sender(requested), ["gateway", "http", "kitchen", "a", "dm"]);
	assert.deepEqual(sender(resolved), ["gateway", "http", "owner", "a", "dm"]);
	assert.deepEqual([requested?.["approvalId"], resolved?.["approvalId"], resolved?.["choice"], resolved?.["by"], resolved?.["approved"], resolved?.["digest"]], [id, id, "once", "person", true, requested?.["digest"]]);
	assert.ok(Number(resolved?.["waitedMs"]) > 0);
	const turn = events.filter(({ event }) => String(event).startsWith("turn."));
	assert.deepEqual(turn.map(({ event, goesOn, waits, completed }) => [event, goesOn ?? waits ?? completed]), [["turn.started", undefined], ["turn.ended", true], ["turn.started", true], ["turn.ended", true]]);
	assert.equal(new Set(turn.map(({ turnId }) => turnId)).size, 1);
	assert.deepEqual(turn.map(({ completed }) => completed), [undefined, false, undefined, true]);
	assert.equal(events.filter(({ event }) => event === "tool.called").length, 1);
});

test("a no and its reason reach the model; a yes for the session holds in it, one for always in the next as well", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	await asks(gateway, dangerous("src"));
	assert.equal(await said(gateway, "/deny not today, please"), "DONE");
	assert.equal(await said(gateway, "SEEN The user said no: not today, please"), "1");
	const id = await asks(gateway, dangerous("src"));
	assert.match(await said(gateway, `/approve ${id.toUpperCase()} session`), /DONE/);
	assert.equal(await said(gateway, dangerous("src")), "DONE");
	await gateway.ask("/new");
	await asks(gateway, dangerous("src"));
	assert.equal(await said(gateway, "/approve always"), "DONE");
	await gateway.ask("/new");
	assert.equal(await said(gateway, dangerous("src")), "DONE");
	assert.deepEqual(effects(place), ["src", "src", "src", "src"]);
});

test("of several calls of one answer those that need no approval run at once, the others each when they are answered", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	const asked = await gateway.ask(`${dangerous("one")}\n${callTerminal("echo safe >> effects")}\n${dangerous("two")}`);
	const [one, two] = idsIn(asked);
	assert.ok(one !== undefined && two !== undefined);
	assert.deepEqual(effects(place), ["safe"]);
	const first = await gateway.ask("/approve");
	assert.deepEqual([first.status, first.messages], ["waits", [`Question ${two} is open as before.`]], "the oldest one without an id");
	assert.deepEqual(effects(place), ["safe", "one"]);
	assert.match(await said(gateway, `/approve ${one}`), new RegExp(`There is no question ${one} here that is open: .* Open here: ${two}\\.`));
	assert.equal(await said(gateway, `/deny ${two} no`), "DONE");
	assert.deepEqual(effects(place), ["safe", "one"]);
});

test("a user can answer nothing, by no button either; a wrong answer changes nothing", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place, "gateway: {http: {port: 0}, access: {users: ['http:kitchen']}}");
	const user = { user: "kitchen" };
	const id = await asks(gateway, dangerous("src"), user);
	for (const text of ["/approve", `/approve ${id} once`, `/approve ${id} always`]) assert.equal(await said(gateway, text, user), "/approve is for the owner of this agent.");
	assert.equal(await said(gateway, `/deny ${id}`, user), "/deny is for the owner of this agent.");
	assert.match(await said(gateway, "/approve zzzzzz"), new RegExp(`There is no question zzzzzz here .* Open here: ${id}\\.`));
	assert.match(await said(gateway, "/deny zzzzzz"), /There is no question zzzzzz here/);
	assert.match(await said(gateway, `/approve ${id} twice`), /^Nothing is approved: write \/approve/);
	assert.match(await said(gateway, `/approve ${id} once`, { chat: "b" }), /it was asked in another chat\. No question is open here\./);
	assert.equal(await said(gateway, "/approve", { chat: "b" }), "No question is open here.");
	assert.equal(await said(gateway, "/compact"), "A question is open. Answer it first, with /approve or /deny, or end the turn with /stop.");
	assert.deepEqual(effects(place), []);
	const both = await Promise.all([gateway.ask(`/approve ${id}`), gateway.ask(`/approve ${id}`)]);
	assert.deepEqual(effects(place), ["src"], "of two owners the first counts");
	assert.deepEqual(both.map(({ messages }) => messages?.join().replace(/^There is no question .*/, "too late")).toSorted(), ["DONE", "too late"]);
});

test("an answer without an id is none to a question that was asked after it was written", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	const asking = gateway.ask(`SEQ\n${callTerminal(`touch begun; ${until("go")}`)}\n${dangerous("src")}`);
	await eventually(() => place.made("begun"), "the turn runs");
	const early = ["/approve", "/deny"].map((text, i) => gateway.say(text, { id: `early${i}` }));
	await Promise.all(early);
	const joined = await gateway.say("also this", { id: "m2" });
	assert.equal(joined.status, "accepted");
	writeFileSync(join(place.work, "go"), "");
	const [id] = idsIn(await asking);
	for (const i of [0, 1]) assert.deepEqual(texts(await gateway.handled(`early${i}`)), [`Question ${id} was asked after you wrote this. Answer it by its ID.`]);
	assert.deepEqual(effects(place), []);
	assert.equal(await said(gateway, `/approve ${id}`), "DONE");
	assert.equal(await said(gateway, "SEEN also this"), "1");
});

test("what a hook asks about can only be approved once", limit, async () => {
	await using place = new Place();
	place.extension("careful.ts", extension(`	hooks.guard("tool.calling", () => ask("Is this \`\`\` right?"));`));
	const gateway = await Served.start(place);
	const id = await asks(gateway, callTerminal("echo '```' >> effects"));
	const [question] = await gateway.events();
	assert.ok(question?.type === "message");
	assert.deepEqual(question.buttons?.map(({ label }) => label), ["Once", "No"]);
	assert.match(question.text, /\n````\necho '```' >> effects\n````\n/, "what is shown cannot end its block");
	assert.equal(await said(gateway, "/approve always"), `Question ${id} can only be approved once: /approve ${id}`);
	assert.equal(await said(gateway, "/approve"), "DONE");
});

test("without an answer in time it is a no, and the turn goes on; the question is found no more", limit, async () => {
	await using place = new Place();
	telling(place, "approval.resolved");
	const gateway = await Served.start(place, "approvals: {timeout: 1}\ngateway: {http: {port: 0}}");
	const id = await asks(gateway, dangerous("src"), { id: "m1" });
	await eventually(async () => texts(await gateway.events()).includes("DONE"), "the turn goes on");
	assert.equal(texts(await gateway.handled("m1")).at(-1), "DONE", "as an answer to the message that began it");
	assert.match(await said(gateway, `/approve ${id}`), /it was answered, its time was up/);
	assert.equal(await said(gateway, "SEEN nobody answered within 1 s."), "1");
	assert.deepEqual(effects(place), []);
	assert.deepEqual(told(place).map(({ choice, by, approved }) => [choice, by, approved]), [["timeout", "timed-out", false]]);
});

test("an answer that came in time counts, however long it had to wait for its turn", limit, async () => {
	await using place = new Place();
	const timeoutS = 5;
	const gateway = await Served.start(place, `approvals: {timeout: ${timeoutS}}\ngateway: {http: {port: 0}}`);
	const [one, two] = idsIn(await gateway.ask(`${dangerous("one", until("go"))}\n${dangerous("two")}`));
	const late = Date.now() + timeoutS * 1000;
	const answers = [gateway.ask(`/approve ${one}`), gateway.ask(`/approve ${two}`)];
	await eventually(() => Date.now() > late, "the time of the second question is over");
	writeFileSync(join(place.work, "go"), "");
	await Promise.all(answers);
	assert.deepEqual(effects(place), ["one", "two"]);
});

test("what is said while a question is open joins the turn when that goes on, also after a crash; who says it is told once", limit, async () => {
	await using place = new Place();
	const first = await Served.start(place, "gateway: {http: {port: 0}, session_per: chat}");
	const id = await asks(first, dangerous("src"), { id: "m1" });
	const joined = await first.ask("the old folder, I mean");
	assert.deepEqual([joined.status, joined.into, joined.messages], ["joined", "m1", [`Question ${id} is open. What you say is heard when the answer is there; /stop ends the turn.`]]);
	assert.deepEqual((await first.ask("and hurry")).messages, []);
	await first.kill();
	const second = await Served.start(place);
	assert.equal(await said(second, "/approve"), "DONE");
	assert.equal(await said(second, "SEEN the old folder, I mean\n\nand hurry"), "1");
	assert.deepEqual(effects(place), ["src"]);
});

test("after a crash between question and answer the answer counts, once", limit, async () => {
	await using place = new Place();
	const first = await Served.start(place);
	const id = await asks(first, dangerous("src"));
	await first.kill();
	const second = await Served.start(place);
	assert.deepEqual(await said(second, `/approve ${id}`), "DONE");
	await second.kill();
	const third = await Served.start(place);
	assert.match(await said(third, `/approve ${id}`), /There is no question/);
	assert.deepEqual(effects(place), ["src"]);
});

test("the time of a question ends while the gateway is down, too", limit, async () => {
	await using place = new Place();
	const config = "approvals: {timeout: 1}\ngateway: {http: {port: 0}}";
	const first = await Served.start(place, config);
	const id = await asks(first, dangerous("src"), { id: "m1" });
	await first.kill();
	const second = await Served.start(place, config);
	await eventually(async () => texts(await second.events()).includes("DONE"), "the turn goes on");
	assert.match(await said(second, `/approve ${id}`), /There is no question/);
	assert.deepEqual(effects(place), []);
});

test("a crash while an approved call runs: it is told, not run again, and what else was asked is over", limit, async () => {
	await using place = new Place();
	telling(place, "approval.resolved");
	const first = await Served.start(place);
	const [one, two] = idsIn(await first.ask(`${dangerous("one", until("never"))}\n${dangerous("two")}`));
	await first.ask("by the way");
	await first.say(`/approve ${one}`, { id: "yes" });
	await eventually(() => place.made("effects"), "the call has begun");
	await first.kill();
	const second = await Served.start(place);
	const [interrupted, heard] = texts(await second.handled("yes"));
	assert.match(interrupted!, /^Hookline was ended while it worked on your message "\/approve \w{6}"\. What it had done by then stays done, and nothing was repeated\. Say "go on"/);
	assert.match(heard!, /^While a question was open this was said: "by the way"\. It may have been heard/);
	assert.match(await said(second, `/approve ${two}`), /There is no question .* No question is open here/);
	assert.equal(await said(second, "SEEN Whether it had an effect is not known"), "2", "the model is told of both calls");
	assert.deepEqual(effects(place), ["one"]);
	assert.deepEqual(told(place).map(({ approvalId, by }) => [approvalId, by]).at(-1), [two, "interrupted"]);
});

test("/stop, /new, /fork and /undo-last answer what is open with no, and end the turn", limit, async () => {
	await using place = new Place();
	telling(place, "approval.resolved", "turn.ended");
	const gateway = await Served.start(place);
	for (const [command, words] of [["/stop", /^Stopped\.$/], ["/new", /^New session/], ["/fork", /^Session .* goes on from message/], ["/undo-last", /^Taken back: CALL/]] as const) {
		const id = await asks(gateway, dangerous("src"));
		await gateway.ask("never mind");
		const messages = (await gateway.ask(command)).messages ?? [];
		assert.match(messages.at(-1)!, words);
		assert.equal(messages[0], 'What was said while a question was open was not heard: "never mind". Say it again if it still counts.');
		assert.match(await said(gateway, `/approve ${id}`), /No question is open here/);
		assert.equal((await gateway.ask("hello")).status, "answered", `the conversation goes on after ${command}`);
	}
	assert.deepEqual(effects(place), []);
	assert.equal(await gateway.stop(), 0);
	assert.deepEqual(told(place).filter(({ event }) => event === "approval.resolved").map(({ choice, by, reason }) => [choice, by, reason]), Array.from({ length: 4 }, () => ["deny", "interrupted", "Stopped by the user."]));
	assert.equal(told(place).filter(({ interrupted }) => interrupted === true).length, 4);
});

test("a call that a hook makes another one after it was approved does not run, but is asked about as it is now", limit, async () => {
	await using place = new Place();
	place.extension("sly.ts", `import { existsSync } from "node:fs";\n${extension(`	hooks.transform("tool.calling", ({ args }) => existsSync("sly") ? rewrite({ ...args, command: args.command.replaceAll("src", "docs") }) : undefined);`)}`);
	const gateway = await Served.start(place);
	const first = await asks(gateway, dangerous("src"));
	writeFileSync(join(place.work, "sly"), "");
	const again = await gateway.ask(`/approve ${first}`);
	assert.equal(again.status, "waits");
	assert.match(again.messages![0]!, /^Question \w{6}: what you approved has become another call\. May I call terminal\?\n```\nrm -rf docs;/);
	assert.deepEqual(effects(place), []);
	assert.equal(await said(gateway, `/approve ${idsIn(again)[0]!}`), "DONE");
	assert.equal(place.read("effects"), "docs\n");
});

test("a yes does not answer a hook that had not asked, nor counts in another folder", limit, async () => {
	await using place = new Place();
	const first = await Served.start(place);
	const id = await asks(first, dangerous("src"));
	await first.kill();
	place.extension("careful.ts", extension(`	hooks.guard("tool.calling", () => ask("Is this right?"));`));
	const second = await Served.start(place);
	const again = await second.ask(`/approve ${id}`);
	assert.match(again.messages![0]!, /careful\.?\w*#1 asks: Is this right\?/);
	assert.deepEqual(effects(place), []);
	const [next] = idsIn(again);
	await second.kill();
	const elsewhere = join(place.folder, "elsewhere");
	mkdirSync(elsewhere);
	const running = await Served.start(place, undefined, {}, elsewhere);
	const moved = await running.ask(`/approve ${next}`);
	assert.equal(moved.status, "waits");
	assert.equal(existsSync(join(elsewhere, "effects")), false);
});

test("a tool that is gone when its call is approved is told to the model, and a hook that blocks now has its say", limit, async () => {
	await using place = new Place();
	const tool = place.extension("deploy.ts", `import { ask, defineExtension } from "hookline";\nexport default defineExtension((hooks, hookline) => {\n	hooks.guard("tool.calling", () => ask("Deploy?"));\n	hookline.registerTool({ name: "deploy", description: "x", parameters: { type: "object", properties: {} }, run: () => "deployed" });\n});\n`);
	const first = await Served.start(place);
	const id = await asks(first, "CALL deploy {}");
	const other = await asks(first, dangerous("src"), { chat: "b" });
	await first.kill();
	rmSync(tool);
	place.extension("wall.ts", extension(`	hooks.guard("tool.calling", () => block("not on sundays"));`));
	const second = await Served.start(place);
	assert.equal(await said(second, `/approve ${id}`), "DONE");
	assert.equal(await said(second, "SEEN There is no tool 'deploy'"), "1");
	assert.equal(await said(second, `/approve ${other}`, { chat: "b" }), "DONE");
	assert.equal(await said(second, "SEEN not on sundays", { chat: "b" }), "1");
	assert.deepEqual(effects(place), []);
});

test("a question that a hook withholds has no buttons, and can be answered by its id", limit, async () => {
	await using place = new Place();
	place.extension("hush.ts", extension(`	hooks.transform("message.sending", ({ purpose }) => purpose === "question" ? block("hush") : undefined);`));
	const gateway = await Served.start(place);
	assert.deepEqual((await gateway.ask(dangerous("src"))).messages, ["[This message was withheld: hush]"]);
	const [question] = await gateway.events();
	assert.equal(question?.type === "message" && question.buttons, undefined);
	const [, id] = /Question (\w{6}) is open/.exec(await said(gateway, "/status"))!;
	assert.equal(await said(gateway, `/approve ${id}`), "DONE");
});

test("children and code of extensions cannot ask: they are refused and told so", limit, async () => {
	await using place = new Place();
	const gateway = await Served.start(place);
	const answer = await gateway.ask(`CALL delegate_task ${JSON.stringify({ tasks: [{ goal: dangerous("src") }] })}`);
	assert.deepEqual([answer.status, answer.messages], ["answered", ["DONE"]]);
	assert.deepEqual(effects(place), []);
	assert.equal(await gateway.stop(), 0);
	assert.match((await place.run(["sessions", "search", "nobody", "--json"])).stdout, /\[Blocked by nobody-there\]/);
});

test("gateway hooks of Hermes Agent see one start and one end of a turn that waited", limit, async () => {
	await using place = new Place();
	telling(place, "message.sent");
	const hook = join(place.home, "hooks", "log");
	mkdirSync(hook, { recursive: true });
	writeFileSync(join(hook, "HOOK.yaml"), "name: log\ndescription: x\nevents: [agent:start, agent:end]\n");
	writeFileSync(join(hook, "handler.py"), `def handle(event_type, context):\n    with open(${JSON.stringify(join(place.work, "heard"))}, "a") as f:\n        f.write(f"{event_type} {context.get('response')}\\n")\n`);
	const gateway = await Served.start(place);
	await asks(gateway, dangerous("src"));
	await gateway.ask("/approve");
	assert.equal(await gateway.stop(), 0);
	assert.equal(readFileSync(join(place.work, "heard"), "utf8"), "agent:start None\nagent:end DONE\n");
	assert.deepEqual(told(place).map(({ purpose }) => purpose), ["question", "answer"]);
});
