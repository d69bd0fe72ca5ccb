// The page to chat on, in a real browser, with a real gateway behind it.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { callTerminal, Place } from "../cli/program.ts";
import { noBrowser, openBrowser } from "./browser.ts";
import { Served } from "./served.ts";

const config = `gateway: {http: {port: 0}}`;

describe("the page to chat on", { timeout: 120_000, skip: noBrowser }, () => {
	let place: Place;
	let served: Served;
	let browser: Browser;

	before(async () => {
		place = new Place();
		served = await Served.start(place, config);
		browser = await openBrowser();
	});
	after(async () => {
		await browser?.close();
		await served?.stop();
		await place?.[Symbol.asyncDispose]();
	});

	/** As `hookline gateway run` shows the address. What goes wrong in the page fails the test. */
	async function open(): Promise<Page & AsyncDisposable> {
		const context = await browser.newContext();
		const page = await context.newPage();
		const problems: string[] = [];
		page.on("pageerror", (error) => problems.push(error.message));
		page.on("console", (line) => line.type() === "error" && problems.push(line.text()));
		await page.goto(`${served.address}/#token=${served.token}`);
		return Object.assign(page, {
			async [Symbol.asyncDispose]() {
				await context.close();
				assert.deepEqual(problems, []);
			},
		});
	}

	async function say(page: Page, text: string): Promise<void> {
		await page.getByLabel("Message").fill(text);
		await page.getByLabel("Message").press("Enter");
	}

	it("answers what is said, keeps the token out of the address, and looks the same when it is loaded again", async () => {
		await using page = await open();
		await say(page, "hello there");
		await page.locator("article.answer", { hasText: "ECHO: hello there" }).waitFor();
		assert.equal(new URL(page.url()).hash, "");
		await page.reload();
		await page.locator("article.answer", { hasText: "ECHO: hello there" }).waitFor();
		assert.deepEqual(await page.locator("article").allTextContents(), ["hello there", "ECHO: hello there"]);
	});

	it("shows Markdown as people read it, and nothing the agent says becomes markup", async () => {
		await using page = await open();
		await say(page, "SAY # Result\nIt is **42**, see `x < y`:\n\n```js\nconst a = \"<b>\";\n```\n- one\n- two\n\n<img src=x onerror=\"document.title='owned'\"> [safe](https://example.com/) [not](javascript:alert(1))");
		const answer = page.locator("article.answer");
		await answer.waitFor();
		assert.equal(await answer.locator("strong").textContent(), "42");
		assert.equal(await answer.locator("pre code").textContent(), 'const a = "<b>";');
		assert.deepEqual(await answer.locator("li").allTextContents(), ["one", "two"]);
		assert.equal(await answer.locator("img").count(), 0);
		assert.deepEqual(await answer.locator("a").evaluateAll((links) => links.map((link) => link.getAttribute("href"))), ["https://example.com/"]);
		assert.equal(await page.title(), "Hookline");
	});

	it("sends a file along, of which the agent is told where it lies", async () => {
		await using page = await open();
		await page.locator("#files").setInputFiles({ name: "notes.txt", mimeType: "text/plain", buffer: Buffer.from("grün") });
		await say(page, "read this");
		const answer = page.locator("article.answer");
		await answer.waitFor();
		assert.match((await answer.textContent()) ?? "", /^ECHO: read this\s*\[The user sent the file notes\.txt, 5 bytes: \S+notes\.txt\]$/);
	});

	it("puts a question with buttons; the one that is pressed lets the call run, and can be pressed once", async () => {
		await using page = await open();
		mkdirSync(join(place.work, "docs"));
		await say(page, callTerminal("rm -rf docs"));
		const question = page.locator("article.question");
		await question.getByRole("button", { name: "Once" }).waitFor();
		assert.match((await question.textContent()) ?? "", /rm -rf docs/);
		assert.equal(place.made("docs"), true);
		await question.getByRole("button", { name: "Once" }).click();
		await page.locator("article.answer", { hasText: "DONE" }).waitFor();
		assert.equal(place.made("docs"), false);
		assert.equal(await question.getByRole("button").count(), 0);
		assert.match((await question.locator(".pressed").textContent()) ?? "", /Answered: Once/);
		await page.reload();
		await page.locator("article.question .pressed").waitFor();
	});

	it("asks for the token when it has none, and says what it needs", async () => {
		const context = await browser.newContext();
		const page = await context.newPage();
		await page.goto(served.address);
		await page.getByLabel("Token of the gateway").fill(served.token);
		await page.getByRole("button", { name: "Open" }).click();
		await say(page, "let me in");
		await page.locator("article.answer", { hasText: "ECHO: let me in" }).waitFor();
		await context.close();
	});
});
