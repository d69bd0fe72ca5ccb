import assert from "node:assert/strict";
import { test } from "node:test";
import { readable } from "./web-readable.ts";

const read = (html: string): string => readable(html, new URL("https://example.com/docs/page")).text;

test("headings, paragraphs, lines, lists and quotes", () => {
	const html = `<h1>One</h1><p>a  b
		c<br>d</p><ul><li>x<li>y <b>bold</b><ol><li>deep</li><li><p>second</p><p>more</p></li></ol></li></ul><h2>Two
		lines</h2><blockquote><p>said</p><p>twice</p></blockquote><hr>end`;
	assert.equal(read(html), [
		"# One", "", "a b c", "d", "", "- x", "- y bold", "  1. deep", "  2. second", "     more", "", "## Two lines", "", "> said", ">", "> twice", "", "---", "", "end",
	].join("\n"));
});

test("links are whole addresses; those that lead nowhere or are no address of the web are only their words", () => {
	assert.equal(read('see <a href="../x?a=1&amp;b=2">the  page </a>now'), "see [the page](https://example.com/x?a=1&b=2) now");
	assert.equal(read('<a href="#top">up</a> <a href="javascript:alert(1)">run</a> <a href="data:text/html,x">data</a> <a>none</a>'), "up run data none");
	assert.equal(read('<a href="/a"></a><a href="/b">one<a href="/c">two</p>three'), "[one](https://example.com/b)[two](https://example.com/c)\n\nthree");
	assert.equal(read('<base href="https://other.example/dir/"><a href="x(1)">y</a>'), "[y](https://other.example/dir/x%281%29)");
	assert.equal(read('<a href="/i"><img src="i.png" alt="A cat"></a><img src="x">'), "[[image: A cat]](https://example.com/i)");
});

test("code keeps its lines, and a table its rows", () => {
	assert.equal(read("<p>use <code>a &lt; b</code></p><pre><code>\n  if (x) {\n\ty;\n  }\n</code></pre>"), "use `a < b`\n\n```\n  if (x) {\n\ty;\n  }\n```");
	assert.equal(read("<pre>```\nx</pre>"), "``````\n```\nx\n``````");
	assert.equal(read("<table><tr><th>Name<th>Size</tr><tr><td>a|b<td><p>1</p><p>2</p></table>after"), "| Name | Size |\n| --- | --- |\n| a\\|b | 1 2 |\n\nafter");
	assert.equal(read("<table><tr><td>layout</td></tr></table>"), "layout");
});

test("scripts, styles, navigation, controls and what is hidden are left out", () => {
	const html = `<head><style>p{}</style><script>"</p>"</script></head><nav>menu<nav>more</nav>still</nav><p>seen</p><div hidden>no<div>no</div></div>
		<span style="display: NONE">no</span><span aria-hidden=true>no</span><svg><title>no</title><text>no</text></svg><select><option>no</select><button>no</button><!-- no --><noscript>no</noscript><template>no</template><p>end`;
	assert.equal(read(html), "seen\n\nend");
	assert.equal(read("<nav>menu <main>content</main>"), "content");
});

test("entities and the title are decoded", () => {
	const { title, text } = readable("<title>Tom &amp; J&eacute;r&ocirc;me &lt;3</title><p>&#x41;&notit; &nbsp; &hellip;&#0;", new URL("https://example.com"));
	assert.equal(title, "Tom & Jérôme <3");
	assert.equal(text, "A¬it; …\ufffd");
});

test("broken and hostile pages take time in proportion to their length", () => {
	const timed = (html: string): number => {
		const began = performance.now();
		read(html);
		return performance.now() - began;
	};
	const patterns = ["<div>", "</div>", "<a href=x>y", "<ul><li>", "<table><tr><td>", "<b></i>", "<pre>", "<nav>", "<blockquote>", "<", "&amp", "<!--", "<p x=\"", "a ", "<br>", "<div hidden>", "</title><title>", "<![CDATA[", "<svg/>"];
	read("<p>x".repeat(10_000));
	for (const pattern of patterns) {
		const small = Math.max(20, timed(pattern.repeat(30_000)));
		const large = timed(pattern.repeat(240_000));
		assert.ok(large < small * 40, `${pattern}: ${Math.round(small)} ms, eight times as much ${Math.round(large)} ms`);
	}
});
