# Runs commands and tells what the system charged for each: Node cannot read that of a child. One JSON object a line in, one out.
import json, os, sys, time

null = os.open(os.devnull, os.O_RDWR)
out = [(os.POSIX_SPAWN_DUP2, null, fd) for fd in (0, 1, 2)]
scale = 1 if sys.platform == "darwin" else 1024
for line in sys.stdin:
    job = json.loads(line)
    began = time.monotonic_ns()
    pid = os.posix_spawn(job["argv"][0], job["argv"], job["env"], file_actions=out)
    _, status, usage = os.wait4(pid, 0)
    wall = time.monotonic_ns() - began
    cpu = round((usage.ru_utime + usage.ru_stime) * 1e9)
    print(json.dumps({"wall": wall, "cpu": cpu, "rss": usage.ru_maxrss * scale, "code": os.waitstatus_to_exitcode(status)}), flush=True)
