// The least that running a script can cost: starts it as often as it is told, hands it a payload, reads what it says, and prints the wall time of each run
// in ns. `start FILE BYTES`, then a number of runs on each line of standard input.
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static long long now(void) {
	struct timespec at;
	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000LL + at.tv_nsec;
}

static void read_all(int fd) {
	char piece[65536];
	while (read(fd, piece, sizeof piece) > 0) {}
	close(fd);
}

static void run(char *file, const char *payload, size_t bytes) {
	int in[2], out[2], err[2], status;
	pid_t pid;
	char *arguments[] = {file, NULL};
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) exit(1);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	posix_spawn_file_actions_adddup2(&actions, err[1], 2);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
	if (posix_spawn(&pid, file, &actions, &attributes, arguments, environ)) exit(1);
	close(in[0]);
	close(out[1]);
	close(err[1]);
	if (write(in[1], payload, bytes) < 0) exit(1);
	close(in[1]);
	read_all(out[0]);
	read_all(err[0]);
	if (waitpid(pid, &status, 0) != pid || status != 0) exit(1);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
}

int main(int count, char **words) {
	if (count != 3) return 2;
	size_t bytes = strtoul(words[2], NULL, 10);
	char *payload = malloc(bytes + 1);
	memset(payload, 'x', bytes);
	int times;
	while (scanf("%d", &times) == 1) {
		for (int i = 0; i < times; i++) {
			long long began = now();
			run(words[1], payload, bytes);
			printf("%s%lld", i ? " " : "", now() - began);
		}
		printf("\n");
		fflush(stdout);
	}
	return 0;
}
