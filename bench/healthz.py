"""How long `/healthz` waits while the worst requests there are run on every thread.

`python -m bench.healthz` measures it alone; `python -m bench.healthz "lists 250 deep"` one attack.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack

from bench import attacks
from bench.attacks import ATTACKS, KEY
from bench.gateway import running, until_answered
from bench.load import processor_seconds
from bench.report import Goal
from coderelay.cli.hosting import free_port

GOAL_MS = 100
SECONDS, INTERVAL = 6.0, 0.005
THREADS = os.cpu_count() or 1
SENDERS = THREADS + 2
"""One for each thread that runs programs, and for each that reads large bodies."""
PROBE = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def measure(names: tuple[str, ...] = tuple(ATTACKS)) -> Iterator[Goal]:
    """The longest wait under each attack, and under none."""
    with ExitStack() as stack:
        upstream, port = free_port(), free_port()
        stack.enter_context(running([sys.executable, "-m", "bench.upstream", str(upstream)]))
        until_answered(upstream)
        place = ["--port", str(port), "--threads", str(THREADS), "--client-key", KEY]
        model = ["--upstream", f"http://127.0.0.1:{upstream}/v1"]
        command = [sys.executable, "-m", "coderelay", "serve", *place, *model]
        server = stack.enter_context(running(command))
        until_ready(port)
        yield goal("nothing else", waits(port, 2.0), "")
        for name in names:
            until_idle(server.pid)
            yield attacked(name, port)


def attacked(name: str, port: int) -> Goal:
    """The waits while an attack runs, in a process of its own."""
    senders = attacks.SENDERS.get(name, SENDERS)
    command = [sys.executable, "-m", "bench.attacks", name, str(port), str(senders), str(SECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as attack:
        assert attack.stdout is not None
        attack.stdout.readline()  # it is ready
        measured = waits(port, SECONDS)
        statuses = attack.stdout.readline().strip()
        attack.kill()
    return goal(name, measured, statuses, None if name in attacks.SENDERS else GOAL_MS)


def waits(port: int, seconds: float) -> list[float]:
    """How many milliseconds each of many requests for /healthz took."""
    taken, until = [], time.monotonic() + seconds
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        while time.monotonic() < until:
            began = time.perf_counter()
            connection.sendall(PROBE)
            answer = b""
            while not answer.endswith(b"}"):
                answer += connection.recv(4_096)
            taken.append((time.perf_counter() - began) * 1e3)
            assert answer.startswith(b"HTTP/1.1 200"), answer
            time.sleep(INTERVAL)
    return sorted(taken)


def goal(name: str, taken: list[float], statuses: str, goal_ms: float | None = GOAL_MS) -> Goal:
    """What the waits come to. Without `goal_ms` they are only told: a crowd of senders takes the
    cores for itself, and the goal is for one sender for each thread."""
    median, late = taken[len(taken) // 2], taken[int(len(taken) * 0.99)]
    return Goal(
        f"Gateway: longest wait for /healthz in ms, during: {name}",
        taken[-1],
        goal_ms,
        at_least=False,
        detail=f"median {median:.1f}, 99 of 100 under {late:.1f}, {len(taken)} asked {statuses}",
    )


def until_idle(pid: int) -> None:
    """Wait until a server has done what an attack left behind."""
    deadline = time.monotonic() + 120
    spent = processor_seconds(pid)
    while time.monotonic() < deadline:
        time.sleep(0.5)
        before, spent = spent, processor_seconds(pid)
        if spent - before < 0.05:
            return
    raise OSError("the server does not come to rest")


def until_ready(port: int) -> None:
    """Wait until the engines are warm."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        try:
            with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
                connection.sendall(PROBE.replace(b"healthz", b"readyz"))
                if connection.recv(4_096).startswith(b"HTTP/1.1 200"):
                    return
        except OSError:
            pass
        time.sleep(0.2)
    raise OSError("the server does not become ready")


def main() -> None:
    """Measure what was asked for, or everything."""
    for each in measure(tuple(sys.argv[1:]) or tuple(ATTACKS)):
        print(each, flush=True)


if __name__ == "__main__":
    main()
