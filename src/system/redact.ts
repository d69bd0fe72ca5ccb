// Secrets taken out of texts: those that can be told by their shape, and those whose value is known.

/** In characters. Texts are cut after they were redacted, but only this much of one need be looked at beyond the cut: no secret but a private key is longer. */
export const longestSecret = 4096;

// Each begins where nothing that could belong to it stands before it, and none can begin inside of another try: time is linear.
const keys = [
	/(?<!\w)sk-[\w-]{16,}/,
	/(?<!\w)(?:sk|rk|pk|whsec)_(?:live_|test_)?[A-Za-z0-9]{16,}/,
	/(?<!\w)(?:gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{20,}|hf_[A-Za-z0-9]{30,}|npm_[A-Za-z0-9]{36})/,
	/(?<!\w)(?:xox[abeoprs]-[\w-]{10,}|xapp-[\w-]{20,})/,
	/(?<!\w)(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])/,
	/(?<!\w)AIza[\w-]{30,}/,
	/(?<!\w)ya29\.[\w-]{20,}/,
	/(?<!\w)SG\.[\w-]{16,}\.[\w-]{16,}/,
	/(?<!\d)\d{8,10}:AA[\w-]{33}/,
	/(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+/,
	/(?<=hooks\.slack\.com\/services\/)[\w/]{20,}/,
	// With a digit or a change of case in it: the two are words as well.
	/(?<=\b[Bb]asic\s{1,8})(?=[A-Za-z0-9+/]{0,512}(?:[0-9=]|[a-z][A-Z]))[A-Za-z0-9+/]{8,}={0,2}/,
	/(?<=\b[Bb]earer\s{1,8})(?=[\w.~+/-]{0,512}[0-9=])[\w.~+/-]{12,}=*/,
	/(?<=:\/\/[^\s:@/]{1,64}:)[^\s@/]{3,}(?=@)/,
	/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/,
];
// Raw terminal output has a colour right before it, which ends in a letter.
const colour = "(?<=\\x1b\\[[\\d;]{0,16}m)";
const shapes = keys.map(({ source }) => source.replace(/^\(\?<!\[?\\w-?\]?\)/, (start) => `(?:${start}|${colour})`)).join("|");
const assigned = /(?<=\b[A-Z0-9_]{0,64}(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=["']?)[^\s"';&|]{3,}/;
// What is kept for long has no use for a word that may be a token.
const carried = /(?<=\b[Bb]asic\s{1,8})[A-Za-z0-9+/]{8,}={0,2}|(?<=\b[Bb]earer\s{1,8})[\w.~+/-]{12,}=*/;
const anySecret = new RegExp(`${assigned.source}|${carried.source}|${shapes}`, "g");
const shapedSecret = new RegExp(shapes, "g");

/** `SOME_TOKEN=…`, `"api_key": "…"`, `password: …`, `Authorization: …`: a name that says there is a secret, and what could be one. */
const namedSecret =
	/((?<![A-Za-z0-9])[A-Za-z0-9_.-]{0,64}?(?:api[_-]?key|access[_-]?key(?:[_-]id)?|secret[_-]?key|private[_-]?key|auth[_-]?key|[_-]key|key|token|secret|passw(?:or)?d|passphrase|credentials?|authorization)["']?[ \t]{0,4}[=:][ \t]{0,4}["']?(?:(?:token|apikey) )?)([^\s"'`,;&|<>(){}[\]]{8,512})/gi;

export const redacted = "[redacted]";

/** A text without the secrets that can be told by their shape (keys of well-known services, bearer tokens, passwords in URLs, private keys), all of `SOME_TOKEN=…`, and known values. */
export function redactText(text: string): string {
	return withoutValues(text).replace(anySecret, redacted);
}

/**
 * The same for what programs print, which is read by a model: of assignments only those whose value looks like no word, path, number, hash or
 * identifier, so that work with them goes on.
 */
export function redactOutput(text: string): string {
	return withoutValues(text)
		.replace(shapedSecret, redacted)
		.replace(namedSecret, (whole, name: string, value: string) => (looksSecret(name, value) ? `${name}${redacted}` : whole));
}

function looksSecret(name: string, value: string): boolean {
	if (value.startsWith(redacted) || value.startsWith("[") || value.startsWith("$") || /^(?:[A-Za-z]+:\/\/|[~.]?\/|\.{1,2}\/|[\w-]+\.[\w.-]+\/)/.test(value)) return false;
	const isPassword = /passw|passphrase/i.test(name);
	// A bare KEY is as often the name of a thing as a secret; hashes and identifiers are no secrets there.
	const isVague = !/api|access|secret|private|auth|token|passw|passphrase|credential/i.test(name);
	if (isVague && /^(?:[0-9a-f]{7,}|[0-9a-f-]{36}|sha\d+[-:].*)$/i.test(value)) return false;
	if (/^(?:sha\d+[-:].*|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i.test(value)) return false;
	if (/^[0-9a-f]{40}$|^[0-9a-f]{64}$/i.test(value)) return /secret|private|api|password/i.test(name);
	// A name in a program is not what it stands for.
	if (/^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$/.test(value)) return false;
	const kinds = [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].filter((kind) => kind.test(value)).length;
	if (isPassword) return kinds >= 2;
	return isVague ? value.length >= 20 && kinds >= 3 && entropy(value) >= 3.5 : value.length >= 12 && /\d/.test(value) && entropy(value) >= 3;
}

/** Bits per character. */
function entropy(value: string): number {
	const counts = new Map<string, number>();
	for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
	let bits = 0;
	for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
	return bits;
}

const secretName = /(?:^|_)(?:API_?KEY|ACCESS_KEY|SECRET_KEY|PRIVATE_KEY|AUTH_KEY|TOKEN|SECRET|CREDENTIALS?)$|PASSWORD$|PASSWD$|PASSPHRASE$/i;

/** Whether a variable of the environment looks like a secret by its name: `..._API_KEY`, `..._TOKEN`, `..._SECRET`, `...PASSWORD` and the like. */
export const isSecretVariable = (name: string): boolean => secretName.test(name);

let values: RegExp | undefined;
let known: readonly string[] = [];
/** Of no variable: keys that were looked up, tokens. */
const found = new Set<string>();

/**
 * From now on the values of variables whose names say that they are secret are taken out of every text. Short ones, words and paths are not: they would
 * be found where nobody meant them.
 */
export function knowSecrets(environment: Readonly<Record<string, string | undefined>>): void {
	known = Object.entries(environment).flatMap(([name, value]) => (secretName.test(name) && value !== undefined && canBeTold(value) ? [value] : []));
	lookFor();
}

/** The same for a secret that is kept elsewhere, once it was looked up. */
export function knowSecret(value: string): void {
	if (found.has(value) || !canBeTold(value)) return;
	found.add(value);
	lookFor();
}

const canBeTold = (value: string): boolean => value.length >= 8 && value.length <= longestSecret && !/^(?:[a-z]+|[A-Z]+|\d+|[~.]?\/.*)$/.test(value);

function lookFor(): void {
	const all = [...known, ...found].toSorted((a, b) => b.length - a.length).map((value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&"));
	values = all.length === 0 ? undefined : new RegExp(all.join("|"), "g");
}

const withoutValues = (text: string): string => (values === undefined ? text : text.replace(values, redacted));
