// The page to chat on. Text is only ever set as text: nothing that the agent or a tool says becomes markup.
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

function show(kind, text) {
	const article = document.createElement("article");
	article.className = kind;
	article.textContent = text;
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
		show(event.purpose, event.text);
	},
	handled(event) {
		showMine(event.message_id);
		open.delete(event.message_id);
		if (open.size === 0) status("");
	},
	delta({ text }) {
		arriving ??= show("arriving", "");
		arriving.textContent += text;
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

$("say").addEventListener("submit", async (event) => {
	event.preventDefault();
	const text = $("text").value;
	if (text.trim() === "") return;
	$("text").value = "";
	const id = crypto.randomUUID();
	said.set(id, text);
	open.add(id);
	sessionStorage.setItem("said", JSON.stringify([...said].slice(-mostSaid)));
	showMine(id);
	try {
		const response = await fetch("/v1/messages", { method: "POST", headers: { ...headers(), "Content-Type": "application/json" }, body: JSON.stringify({ chat, text, id }) });
		if (response.status === 401) return askForToken();
		const body = await response.json();
		if (body.error) show("notice", body.error);
	} catch {
		show("notice", "The message did not reach the gateway. Send it again.");
	}
});

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
