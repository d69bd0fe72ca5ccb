// What a person is asked about: services, containers, clouds, data bases, packages: what others use as well.
import { isKnown } from "../field.ts";
import { has, is, operands, type Rule } from "../rule.ts";
import type { Act } from "../world.ts";

const verbs = (act: Act, names: readonly string[], pattern: RegExp) => is(act, names) && pattern.test(operands(act, "nfHpPlc").slice(0, 3).join(" "));
const databases = /^(?:psql|mysql|mariadb|sqlite3|sqlcmd|mongo|mongosh|clickhouse-client|duckdb|cockroach|bq)$/;

/** SQL that loses data; a text of a database client, not of a shell. */
function losesData(sql: string): boolean {
	return sql.replace(/--.*$|\/\*[\s\S]*?\*\//gm, " ").split(";").some((one) => /\b(?:drop\s+(?:table|database|schema|view|index|user|role|collection)|truncate\s+\w|dropDatabase|\.drop\(\)|deleteMany\(\s*\{\s*\}\s*\))/i.test(one) || (/\bdelete\s+from\b/i.test(one) && !/\bwhere\b/i.test(one)) || (/\bupdate\s+\S+\s+set\b/i.test(one) && !/\bwhere\b/i.test(one)));
}

export const systems: readonly Rule[] = [
	{
		id: "stops-machine",
		class: "dangerous",
		reason: "it stops the machine or all that runs on it",
		when: (act) => is(act, /^(?:shutdown|reboot|halt|poweroff)$/) || verbs(act, ["init", "telinit"], /^[06]\b/) || verbs(act, ["systemctl"], /^(?:poweroff|reboot|halt|suspend|hibernate|kexec|isolate|emergency|rescue)\b/) || (is(act, ["kill"]) && act.args.slice(/^-\w/.test(act.args[0] ?? "") && act.args.length > 1 ? 1 : 0).some((arg) => /^(?:-1|1)$/.test(arg))),
		stops: ["shutdown -h now", "reboot", "systemctl poweroff", "kill -9 -1", "init 0", "kill 1"],
		passes: ["kill 1234", "kill -9 4321", "kill %1", "echo reboot", "systemctl status x", "kill -1 4321"],
	},
	{
		id: "stops-programs",
		class: "dangerous",
		reason: "it ends programs by their name, or a service",
		when: (act) => is(act, ["pkill", "killall", "killall5", "skill"]) || verbs(act, ["systemctl"], /^(?:stop|restart|disable|mask|kill|reload-or-restart|try-restart)\b/) || (is(act, ["service", "rc-service"]) && /^(?:stop|restart)$/.test(operands(act)[1] ?? "")) || verbs(act, ["launchctl"], /^(?:unload|bootout|remove|kill|stop)\b/) || (is(act, ["brew"]) && act.args[0] === "services" && /^(?:stop|restart)$/.test(act.args[1] ?? "")),
		stops: ["pkill -9 node", "killall python", "systemctl stop nginx", "service ssh restart"],
		passes: ["kill 1234", "systemctl status nginx", "service --status-all", "pgrep node"],
	},
	{
		id: "loses-data",
		class: "dangerous",
		reason: "it deletes data from a data base",
		when: (act) => (databases.test(act.name) && (act.args.some(losesData) || ("text" in act.input && losesData(act.input.text)))) || is(act, ["dropdb"]) || (is(act, ["redis-cli"]) && act.args.some((arg) => /^flush(?:all|db)$/i.test(arg))) || (is(act, ["prisma", "npx"]) && /\b(?:migrate reset|db push --force-reset)\b/.test(act.args.join(" "))),
		stops: ["psql -c 'DROP TABLE users'", "mysql -e 'delete from a'", "sqlite3 a.db 'truncate x; drop table y'", "echo 'drop database x' | psql", "redis-cli FLUSHALL", "dropdb x"],
		passes: ["psql -c 'select * from drops'", "mysql -e 'delete from a where id = 1'", "grep -r 'DROP TABLE' .", "echo 'drop table x'"],
	},
	{
		id: "changes-containers",
		class: "dangerous",
		reason: "it stops or removes containers, or gives one the whole machine",
		when: (act) =>
			is(act, ["docker", "podman", "nerdctl", "docker-compose"]) &&
			(/^(?:(?:container |image |volume |network |system |builder )?(?:rm|rmi|prune|stop|kill|restart|remove)|compose (?:down|rm|stop|kill|restart)|(?:down|swarm leave|service rm|stack rm))\b/.test(operands(act, "fHcp").join(" ")) ||
				act.args.some((arg, i) => /^--privileged|^--pid=host$|^--(?:cap-add=(?:ALL|SYS_ADMIN))/.test(arg) || (/^(?:-v|--volume|--mount)$/.test(act.args[i - 1] ?? "") && /^(?:\/|~|\/etc|\/var\/run\/docker\.sock|\/root|\/home\/\w+):|source=\/,|src=\/,/.test(arg)) || /^-v(?:\/|~):/.test(arg)) ||
				(typeof act.variable("DOCKER_HOST") === "string" && act.variable("DOCKER_HOST") !== "")),
		stops: ["docker rm -f x", "docker system prune -af", "docker compose down -v", "docker run --privileged x", "docker run -v /:/host x", "docker stop x"],
		passes: ["docker ps", "docker build .", "docker run --rm x", "docker compose up -d", "docker run -v ./data:/data x", "docker logs x"],
	},
	{
		id: "changes-cloud",
		class: "dangerous",
		reason: "it deletes or changes what runs for others",
		when: (act) =>
			verbs(act, ["kubectl", "oc"], /^(?:delete|drain|cordon|replace|scale)\b/) ||
			verbs(act, ["helm"], /^(?:uninstall|delete|rollback)\b/) ||
			verbs(act, ["terraform", "tofu", "pulumi", "terragrunt"], /^(?:destroy|apply|up|state rm|taint)\b/) ||
			(is(act, ["aws", "gcloud", "az", "doctl", "heroku", "fly", "flyctl", "gsutil", "firebase", "vercel", "netlify", "wrangler"]) && act.args.some((arg) => /^(?:rm|rb|delete|remove|destroy|terminate|purge)$|^(?:delete|terminate|remove|destroy|deregister)-|:destroy$/.test(arg))) ||
			(is(act, ["gh", "glab"]) && /^(?:repo (?:delete|archive|rename)|release delete|pr merge|mr merge|secret (?:set|delete)|api .*(?:-X|--method)[ =]?DELETE)\b/.test(act.args.join(" "))),
		stops: ["kubectl delete pod x", "terraform destroy", "aws s3 rm s3://b --recursive", "aws ec2 terminate-instances --instance-ids i", "helm uninstall x", "gh repo delete x", "gcloud compute instances delete x"],
		passes: ["kubectl get pods", "terraform plan", "aws s3 ls", "gh pr list", "helm list"],
	},
	{
		id: "removes-packages",
		class: "dangerous",
		reason: "it removes programs from this machine",
		when: (act) => (is(act, /^(?:apt|apt-get|aptitude|dnf|yum|zypper|brew|snap|flatpak|pip\d*|pipx|conda|gem|port)$/) && /^(?:remove|purge|autoremove|uninstall|erase)$/.test(operands(act)[0] ?? "")) || (is(act, ["pacman"]) && act.args.some((arg) => arg.startsWith("-R"))) || (is(act, ["apk"]) && operands(act)[0] === "del") || (is(act, ["npm", "pnpm", "yarn"]) && /^(?:uninstall|remove|rm|un|r)$/.test(operands(act)[0] ?? "") && has(act, "g", "--global")) || (is(act, ["dpkg"]) && has(act, "rP", "--purge", "--remove")),
		stops: ["apt-get remove x", "brew uninstall x", "pip uninstall x", "npm uninstall -g x", "pacman -Rns x"],
		passes: ["apt-get install x", "npm uninstall x", "pip install x", "brew list"],
	},
	{
		id: "publishes",
		class: "dangerous",
		reason: "it publishes something to everybody, which cannot be taken back",
		when: (act) => (is(act, ["npm", "pnpm", "yarn", "cargo", "poetry", "flit", "hatch", "uv", "vsce"]) && /^(?:publish|unpublish|deprecate|yank)$/.test(operands(act)[0] ?? "") && !has(act, "", "--dry-run")) || verbs(act, ["twine"], /^upload\b/) || verbs(act, ["gem"], /^(?:push|yank)\b/) || verbs(act, ["docker", "podman"], /^push\b/) || verbs(act, ["gh"], /^release create\b/),
		stops: ["npm publish", "cargo publish", "twine upload dist/*", "docker push x", "gem push x.gem"],
		passes: ["npm publish --dry-run", "npm pack", "cargo build", "npm run publish-docs"],
	},
	{
		id: "changes-system",
		class: "dangerous",
		reason: "it changes users, the network, the kernel or what the machine is protected by",
		when: (act) => is(act, /^(?:useradd|userdel|usermod|groupadd|groupdel|passwd|chpasswd|visudo|vipw|adduser|deluser|setenforce|insmod|rmmod|modprobe|mount|umount|swapoff|iptables|ip6tables|nft|ufw|firewall-cmd|update-grub|grub-install|setcap|chsh|csrutil|spctl)$/) && !has(act, "lLhV", "--list", "--help", "--version") && !(is(act, ["mount"]) && act.args.length === 0) && !/^(?:status|list)$/.test(operands(act)[0] ?? "")
			|| (is(act, ["sysctl"]) && (has(act, "w", "--write") || act.args.some((arg) => /^[\w.]+=/.test(arg)))),
		stops: ["useradd x", "iptables -F", "ufw disable", "mount /dev/sdb1 /mnt", "sysctl -w a.b=1", "setenforce 0"],
		passes: ["mount", "iptables -L", "ufw status", "sysctl a.b", "id"],
	},
	{
		id: "on-another-machine",
		class: "dangerous",
		reason: "what it runs on another machine is known only when it runs",
		when: (act) => act.within.includes("(remote)") && !isKnown(act.args.join(" ")),
		stops: ['ssh host "rm $(date)"'],
		passes: ["ssh host ls", "ssh -i key host uptime", "scp x host:"],
	},
];
