// The page to chat on. Text is only ever set as text: nothing that the agent or a tool says becomes markup of this page.
import { markdown } from "./markdown.js";

const $ = (id) => document.getElementById(id);
const messages = $("messages");

// Behind the #, so that it is in no log and no referrer; kept for this tab alone.
const inAddress = new URLSearchParams(location.hash.slice(1)).get("token");
if (inAddress) {
	sessionStorage.setItem("token", inAddress);
	history.replaceState(undefined, "", location.pathname);
}
const chat = localStorage.getItem("chat") ?? `web-${crypto.randomUUID()}`;
localStorage.setItem("chat", chat);
/** What was said here, by id: the gateway keeps only what it says itself, and this page is to look the same when it is loaded again. */
const said = new Map(JSON.parse(sessionStorage.getItem("said") ?? "[]"));
const mostSaid = 200;
/** Those of them that stand on the page, and those that are not handled yet. */
const shown = new Set();
const open = new Set();
let lastId = 0;
let arriving;

const headers = () => ({ Authorization: `Bearer ${sessionStorage.getItem("token") ?? ""}` });

/** What the agent says for people is Markdown; all else is what it is. */
const formatted = new Set(["answer", "interim", "question"]);

function show(kind, text) {
	const article = document.createElement("article");
	article.className = kind;
	if (formatted.has(kind)) article.append(markdown(text));
	else article.textContent = text;
	messages.append(article);
	article.scrollIntoView({ block: "end" });
	return article;
}

function status(text) {
	$("status").textContent = text;
}

function askForToken() {
	$("say").hidden = true;
	$("token-form").hidden = false;
	status("This page needs the token that 'hookline gateway run' shows.");
	$("token").focus();
}

function showMine(id) {
	if (!said.has(id) || shown.has(id)) return;
	shown.add(id);
	show("mine", said.get(id));
}

const on = {
	message(event) {
		showMine(event.reply_to);
		arriving?.remove();
		arriving = undefined;
		const article = show(event.purpose, event.text);
		article.id = `event-${event.id}`;
		if (event.buttons) article.append(buttonsFor(event.buttons));
		for (const file of event.files ?? []) article.append(linkTo(file));
		article.scrollIntoView({ block: "end" });
	},
	pressed({ event, says }) {
		const row = $(`event-${event}`)?.querySelector(".buttons");
		if (!row) return;
		const label = [...row.children].find((button) => button.dataset.says === says)?.textContent ?? says;
		row.replaceWith(Object.assign(document.createElement("p"), { className: "pressed", textContent: `Answered: ${label}` }));
	},
	handled(event) {
		showMine(event.message_id);
		open.delete(event.message_id);
		if (open.size === 0) status("");
	},
	delta({ text }) {
		arriving ??= show("arriving", "");
		arriving.dataset.text = (arriving.dataset.text ?? "") + text;
		arriving.replaceChildren(markdown(arriving.dataset.text));
		arriving.scrollIntoView({ block: "end" });
	},
	discard() {
		arriving?.remove();
		arriving = undefined;
	},
	tool({ toolName, args, status: how }) {
		show("tool", `${toolName} ${JSON.stringify(args).slice(0, 300)}: ${how}`);
	},
	typing() {
		status("Working…");
	},
};

function take(block) {
	const field = (name) => block.split("\n").filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2)).join("\n");
	if (field("id") !== "") lastId = Number(field("id"));
	if (field("data") !== "") on[field("event")]?.(JSON.parse(field("data")));
}

// Not EventSource: that cannot send the token as a header.
async function follow() {
	for (;;) {
		try {
			const response = await fetch(`/v1/chats/${encodeURIComponent(chat)}/events`, { headers: { ...headers(), "Last-Event-ID": String(lastId) } });
			if (response.status === 401) return askForToken();
			const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
			status("");
			for (let rest = ""; ; ) {
				const { value, done } = await reader.read();
				if (done) break;
				const blocks = (rest + value).split("\n\n");
				rest = blocks.pop();
				blocks.forEach(take);
			}
		} catch {
			// Tried again below.
		}
		status("The gateway does not answer; trying again…");
		await new Promise((resolve) => setTimeout(resolve, 2000));
	}
}

function buttonsFor(buttons) {
	const row = Object.assign(document.createElement("div"), { className: "buttons" });
	for (const { label, says } of buttons) {
		const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
		button.dataset.says = says;
		button.addEventListener("click", async () => {
			for (const other of row.children) other.disabled = true;
			if (!(await post(says))) for (const other of row.children) other.disabled = false;
		});
		row.append(button);
	}
	return row;
}

/** A link cannot send the token as a header, so the file is fetched first. */
function linkTo({ id, name }) {
	const button = Object.assign(document.createElement("button"), { type: "button", className: "file", textContent: `Save ${name}` });
	button.addEventListener("click", async () => {
		const response = await fetch(`/v1/files/${id}`, { headers: headers() });
		if (!response.ok) return show("notice", `The file ${name} is not there any more.`);
		const url = URL.createObjectURL(await response.blob());
		Object.assign(document.createElement("a"), { href: url, download: name }).click();
		setTimeout(() => URL.revokeObjectURL(url), 60_000);
	});
	return button;
}

async function asBase64(file) {
	const bytes = new Uint8Array(await file.arrayBuffer());
	let text = "";
	for (let i = 0; i < bytes.length; i += 0x8000) text += String.fromCharCode(...bytes.subarray(i, i + 0x8000));
	return btoa(text);
}

$("say").addEventListener("submit", async (event) => {
	event.preventDefault();
	const text = $("text").value;
	const chosen = [...$("files").files];
	if (text.trim() === "" && chosen.length === 0) return;
	if (chosen.reduce((sum, { size }) => sum + size, 0) > 8 * 1024 * 1024) return void show("notice", "The files are too large: 8 MB together at most.");
	$("text").value = "";
	$("files").value = "";
	$("attach").textContent = "+";
	const files = await Promise.all(chosen.map(async (file) => ({ name: file.name, data: await asBase64(file), ...(file.type && { media_type: file.type }) })));
	await post(text, files);
});

$("attach").addEventListener("click", () => $("files").click());
$("files").addEventListener("change", () => {
	const count = $("files").files.length;
	$("attach").textContent = count === 0 ? "+" : `+${count}`;
});

/** Says it; false when it was not taken. */
async function post(text, files = []) {
	const id = crypto.randomUUID();
	said.set(id, [text, ...files.map(({ name }) => `[${name}]`)].filter((line) => line !== "").join("\n"));
	open.add(id);
	sessionStorage.setItem("said", JSON.stringify([...said].slice(-mostSaid)));
	showMine(id);
	try {
		const response = await fetch("/v1/messages", { method: "POST", headers: { ...headers(), "Content-Type": "application/json" }, body: JSON.stringify({ chat, text, id, ...(files.length > 0 && { files }) }) });
		if (response.status === 401) {
			askForToken();
			return false;
		}
		const body = await response.json();
		if (body.error) show("notice", body.error);
		if (body.error || body.status === "answered") open.delete(id);
		return body.error === undefined;
	} catch {
		open.delete(id);
		show("notice", "The message did not reach the gateway. Send it again.");
		return false;
	}
}

$("text").addEventListener("keydown", (event) => {
	if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
	event.preventDefault();
	$("say").requestSubmit();
});

$("token-form").addEventListener("submit", (event) => {
	event.preventDefault();
	sessionStorage.setItem("token", $("token").value);
	$("token-form").hidden = true;
	$("say").hidden = false;
	void follow();
});

void follow();
