// What tells the system to run the gateway: a unit of systemd, or an agent of launchd. Only the texts.

export interface UnitFacts {
	/** Absolute program, then its arguments. */
	readonly words: readonly [string, ...string[]];
	readonly environment: Readonly<Record<string, string>>;
	/** Absolute. */
	readonly folder: string;
	/** A file with more of the environment, `NAME=value` a line, that need not be there. */
	readonly environmentFile: string;
	/** Where launchd puts what it writes. */
	readonly output: string;
	readonly label: string;
}

/** For `~/.config/systemd/user`. */
export function systemdUnit({ words, environment, folder, environmentFile }: UnitFacts): string {
	// systemd starts no program with one of these in its path, whatever its quotes; another program may.
	const [program, ...args] = /["'\\]/.test(words[0]) ? ["/usr/bin/env", ...words] : words;
	return `[Unit]
Description=Hookline gateway

[Service]
Type=exec
ExecStart=${[quoted(program), ...args.map((arg) => quoted(arg).replaceAll("$", "$$$$"))].join(" ")}
WorkingDirectory=${bare(folder)}
${Object.entries(environment).map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}`).join("\n")}
EnvironmentFile=-${bare(environmentFile)}
Restart=on-failure
RestartSec=5
TimeoutStopSec=20

[Install]
WantedBy=default.target
`;
}

/** A word of systemd's own. A dollar means something in arguments only, and there it is doubled; in the program and in the environment it is one. */
const quoted = (text: string) => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")}"`;

/** A path that stands to the end of its line, where quotes are part of it. What would be lost there is kept by a slash behind it. */
const bare = (path: string) => path.replaceAll("%", "%%") + (/[\s\\]$/.test(path) ? "/" : "");

/** For `~/Library/LaunchAgents`. launchd knows no file with an environment. */
export function launchdAgent({ words, environment, folder, output, label }: UnitFacts): string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	${text(label)}
	<key>ProgramArguments</key>
	<array>
${words.map((word) => `\t\t${text(word)}`).join("\n")}
	</array>
	<key>EnvironmentVariables</key>
	<dict>
${Object.entries(environment).map(([name, value]) => `\t\t<key>${escaped(name)}</key>\n\t\t${text(value)}`).join("\n")}
	</dict>
	<key>WorkingDirectory</key>
	${text(folder)}
	<key>RunAtLoad</key>
	<true/>
	<key>KeepAlive</key>
	<dict>
		<key>SuccessfulExit</key>
		<false/>
	</dict>
	<key>StandardOutPath</key>
	${text(output)}
	<key>StandardErrorPath</key>
	${text(output)}
</dict>
</plist>
`;
}

const text = (value: string) => `<string>${escaped(value)}</string>`;
const escaped = (value: string) => value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
