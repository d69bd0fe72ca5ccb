# Runs a conversation on a pseudo-terminal and tells what its parts cost. One JSON object a line in ({"argv", "env", "prompt"}), one out: the times in
# ns from the start to the first prompt and from there to the end of the answer, and what the system charged the process for each.
import fcntl, json, os, pty, select, signal, struct, sys, termios, time

tick = os.sysconf("SC_CLK_TCK")
# The status line, or the banner of plain lines.
ready = b"0 hooks"
end = b"The very end."


def charged(pid):
    # The schedstat counts ns where it is there; the stat only ticks.
    try:
        return sum(int(open(f"/proc/{pid}/task/{task}/schedstat").read().split()[0]) for task in os.listdir(f"/proc/{pid}/task"))
    except OSError:
        fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) * 1_000_000_000 // tick


def until(terminal, text, limit_s):
    seen = b""
    limit = time.monotonic() + limit_s
    while text not in seen:
        if time.monotonic() > limit:
            raise TimeoutError(f"{text!r} was not shown: {seen[-500:]!r}")
        if select.select([terminal], [], [], 1)[0]:
            seen = seen[-4096:] + os.read(terminal, 1 << 20)


def left(terminal, limit_s):
    limit = time.monotonic() + limit_s
    try:
        while time.monotonic() < limit:
            if select.select([terminal], [], [], 0.1)[0] and not os.read(terminal, 1 << 20):
                return
    except OSError:
        return


for line in sys.stdin:
    job = json.loads(line)
    began = time.monotonic_ns()
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(job["argv"][0], job["argv"], job["env"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    try:
        until(terminal, ready, 30)
        prompt = time.monotonic_ns()
        start_cpu = charged(pid)
        answer = {}
        if job.get("prompt"):
            # Whatever it still does after its first frame is not the answer's.
            while select.select([terminal], [], [], 0.5)[0]:
                os.read(terminal, 1 << 20)
            before = charged(pid)
            asked = time.monotonic_ns()
            os.write(terminal, (job["prompt"] + "\r").encode())
            until(terminal, end, 60)
            answer = {"answerWall": time.monotonic_ns() - asked, "answerCpu": charged(pid) - before}
        # Left as people leave it: the compile cache is written at the end.
        os.write(terminal, b"\x04")
        left(terminal, 5)
        print(json.dumps({"startWall": prompt - began, "startCpu": start_cpu, **answer}), flush=True)
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        os.close(terminal)
