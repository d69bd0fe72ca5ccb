// Secrets that can be told by their shape, taken out of texts that are kept.

/** In characters. Texts are cut after they were redacted, but only this much of one need be looked at beyond the cut: no secret but a private key is longer. */
export const longestSecret = 4096;
const secretText =
	/(?<=\b[A-Z0-9_]*(?:KEY|TOKEN|SECRET|PASSWORD|PASSWD)=["']?)[^\s"';&|]{3,}|(?<=\b[Bb]asic\s+)[A-Za-z0-9+/]{8,}={0,2}|\b(?:sk-[\w-]{16,}|gh[pousr]_\w{20,}|github_pat_\w{20,}|xox[abeoprs]-[\w-]{10,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]+)|(?<=\b[Bb]earer\s+)[\w.~+/-]{12,}=*|(?<=:\/\/[^\s:@/]{1,64}:)[^\s@/]{3,}(?=@)|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g;

export const redacted = "[redacted]";

/** A text without the secrets that can be told by their shape: keys of well-known services, bearer tokens, passwords in URLs, private keys, `SOME_TOKEN=…`. */
export function redactText(text: string): string {
	return text.replace(secretText, redacted);
}
