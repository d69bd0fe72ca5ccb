// Markdown as models write it, made of elements: no text becomes markup, and a link leads to a page or nowhere.
const inline = /(`+)(.+?)\1|\*\*(.+?)\*\*|__(.+?)__|\*(?!\s)(.+?)(?<!\s)\*|(?<![\w])_(?!\s)(.+?)(?<!\s)_(?![\w])|~~(.+?)~~|\[([^\]]+)\]\((\S+?)\)|(https?:\/\/[^\s<>()]+[^\s<>().,;:!?'"])/s;

/** A fragment with the text's paragraphs, lists, headings, tables as they stand, and blocks of code. */
export function markdown(text) {
	const made = document.createDocumentFragment();
	const lines = text.split("\n");
	for (let i = 0; i < lines.length; ) {
		const line = lines[i];
		const fence = /^\s*(```+|~~~+)\s*(\S*)/.exec(line);
		if (fence) {
			const end = lines.findIndex((other, at) => at > i && other.trim().startsWith(fence[1]) && other.trim().replaceAll(fence[1][0], "") === "");
			const last = end < 0 ? lines.length : end;
			made.append(element("pre", element("code", lines.slice(i + 1, last).join("\n"))));
			i = last + 1;
			continue;
		}
		const heading = /^(#{1,6})\s+(.*)$/.exec(line);
		if (heading) {
			made.append(element(`h${Math.min(6, heading[1].length + 1)}`, ...spans(heading[2])));
			i++;
			continue;
		}
		const item = listItem(line);
		if (item) {
			const list = document.createElement(item.ordered ? "ol" : "ul");
			if (item.ordered) list.start = item.number;
			for (let next = item; next && next.ordered === item.ordered; next = i < lines.length ? listItem(lines[i]) : undefined) {
				list.append(element("li", ...spans(next.text)));
				i++;
			}
			made.append(list);
			continue;
		}
		if (line.startsWith(">")) {
			const quoted = takeWhile(lines, i, (other) => other.startsWith(">"));
			made.append(element("blockquote", markdown(quoted.map((other) => other.replace(/^> ?/, "")).join("\n"))));
			i += quoted.length;
			continue;
		}
		if (line.trim() === "") {
			i++;
			continue;
		}
		const isTable = line.trimStart().startsWith("|");
		const together = takeWhile(lines, i, (other, at) => other.trim() !== "" && (at === i || !beginsBlock(other)));
		made.append(isTable ? element("pre", together.join("\n")) : element("p", ...spans(together.join("\n"))));
		i += together.length;
	}
	return made;
}

function takeWhile(lines, from, fits) {
	let end = from;
	while (end < lines.length && fits(lines[end], end)) end++;
	return lines.slice(from, end);
}

const beginsBlock = (line) => /^\s*(?:```|~~~|#{1,6}\s|>)/.test(line) || listItem(line) !== undefined;

function listItem(line) {
	const found = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/.exec(line);
	return found ? { ordered: found[1] !== undefined, number: Number(found[1] ?? 0), text: found[2] } : undefined;
}

function spans(text) {
	const made = [];
	for (let rest = text; rest !== ""; ) {
		const found = inline.exec(rest);
		if (!found) return [...made, rest];
		if (found.index > 0) made.push(rest.slice(0, found.index));
		const [whole, , code, strong, strong2, em, em2, gone, label, target, address] = found;
		if (code !== undefined) made.push(element("code", code));
		else if (strong ?? strong2) made.push(element("strong", ...spans(strong ?? strong2)));
		else if (em ?? em2) made.push(element("em", ...spans(em ?? em2)));
		else if (gone) made.push(element("del", ...spans(gone)));
		else made.push(link(label ?? address, target ?? address) ?? whole);
		rest = rest.slice(found.index + whole.length);
	}
	return made;
}

function link(label, target) {
	if (!/^(?:https?:\/\/|mailto:)/i.test(target)) return undefined;
	const made = element("a", label);
	made.href = target;
	made.target = "_blank";
	made.rel = "noopener noreferrer";
	return made;
}

function element(name, ...children) {
	const made = document.createElement(name);
	made.append(...children);
	return made;
}
