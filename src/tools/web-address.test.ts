import assert from "node:assert/strict";
import { test } from "node:test";
import { addressesOf, isPublicAddress, readUrl } from "./web-address.ts";

test("private, local, shared, test, multicast and reserved IPv4 addresses are closed", () => {
	const closed = [
		"0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "100.100.100.200", "100.127.255.255", "127.0.0.1", "127.255.255.254", "168.63.129.16", "169.254.169.254",
		"172.16.0.1", "172.31.255.255", "192.0.0.192", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.7", "203.0.113.9",
		"224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255",
	];
	assert.deepEqual(closed.filter(isPublicAddress), []);
	const open = ["1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.1", "100.63.255.255", "100.128.0.1", "169.253.1.1", "172.15.0.1", "172.32.0.1", "192.167.1.1", "223.255.255.255"];
	assert.deepEqual(open.filter((address) => !isPublicAddress(address)), []);
});

test("of IPv6 only what is given out is open, and no address hides an IPv4 one", () => {
	const closed = [
		"::", "::1", "::127.0.0.1", "fe80::1", "fe80::1%eth0", "fec0::1", "fc00::1", "fd00:ec2::254", "ff02::1", "100::1", "2001:db8::1", "2001::1", "2002:7f00:1::", "3fff::1", "4000::1", "5f00::1",
		"::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:ffff:a00:1", "::ffff:169.254.169.254", "64:ff9b::10.0.0.1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "::ffff:0:127.0.0.1",
	];
	assert.deepEqual(closed.filter(isPublicAddress), []);
	const open = ["2606:4700:4700::1111", "2a00:1450:4001:80b::200e", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"];
	assert.deepEqual(open.filter((address) => !isPublicAddress(address)), []);
	assert.deepEqual(["", "example.com", "1.2.3", "1.2.3.4.5"].filter(isPublicAddress), []);
});

test("odd spellings of an address come out as the address they mean, and are closed with it", async () => {
	const spellings = [
		"http://0x7f.1/", "http://2130706433/", "http://0177.0.0.1/", "http://127.1/", "http://127.0.0.1./", "http://0x7f000001/", "http://①②⑦.0.0.1/", "http://%31%32%37.0.0.1/",
		"http://[::ffff:127.0.0.1]/", "http://[0:0:0:0:0:0:0:1]/", "http://0/", "http://[::]/", "http://169.254.169.254/latest/meta-data/", "http://[fd00:ec2::254]/", "http://localhost/",
		"http://LOCALHOST./", "https://0xA9FEA9FE/",
	];
	for (const spelling of spellings) {
		const target = readUrl(spelling);
		assert.ok("url" in target, spelling);
		const checked = await addressesOf(target.url, []).catch((error: Error) => ({ mistake: error.message }));
		assert.ok("mistake" in checked, spelling);
	}
});

test("what is no address of the web is refused, and so are user names in it", () => {
	const mistake = (text: string) => {
		const target = readUrl(text);
		return "mistake" in target ? target.mistake : target.url.href;
	};
	assert.equal(mistake("example.com"), "'example.com' is no address. Give a whole one, for example https://example.com/page.");
	for (const text of ["file:///etc/passwd", "ftp://example.com/", "gopher://127.0.0.1:6379/_x", "data:text/html,x", "javascript:alert(1)", "blob:https://example.com/1"]) assert.match(mistake(text), /does not begin with http:\/\/ or https:\/\//);
	assert.equal(mistake("https://example.com@127.0.0.1/"), "The address has a user name or a password before the host '127.0.0.1'. Leave that out.");
	assert.match(mistake("http://[::1"), /is no address/);
	assert.match(mistake(`http://${"x".repeat(5000)} /`), /x\.\.\.' is no address/);
	assert.equal(mistake("https://example.com/a#b"), "https://example.com/a");
});

test("what the user allowed is open, by host or by host and port, and nothing beside it", async () => {
	const isOpen = async (url: string, allowed: readonly string[]) => "addresses" in (await addressesOf(new URL(url), allowed));
	assert.ok(await isOpen("http://127.0.0.1:8080/", ["127.0.0.1"]));
	assert.ok(await isOpen("http://127.0.0.1:8080/", ["127.0.0.1:8080"]));
	assert.ok(await isOpen("https://127.0.0.1/", ["127.0.0.1:443"]));
	assert.ok(await isOpen("http://[::1]:81/", ["[::1]:81"]));
	assert.ok(await isOpen("http://localhost/", ["LocalHost"]));
	assert.ok(!(await isOpen("http://127.0.0.1:8081/", ["127.0.0.1:8080"])));
	assert.ok(!(await isOpen("http://127.0.0.2/", ["127.0.0.1"])));
	assert.ok(!(await isOpen("http://127.0.0.1/", ["127.0.0.1:443", "", "*"])));
});
