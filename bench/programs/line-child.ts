// The least that a child process can do with a line: read it to its end, and write a short one.
process.stdin.setEncoding("latin1").on("data", (piece: string) => {
	for (let at = piece.indexOf("\n"); at >= 0; at = piece.indexOf("\n", at + 1)) process.stdout.write("ok\n");
});
