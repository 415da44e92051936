"""`make bench`: prints every measurement and whether its goal is met.

It measures on a thread of its own, as a server runs programs. From the main thread, each entry into
a sandbox waits for another thread: see docs/design/off-main-thread.md.
"""

from concurrent.futures import ThreadPoolExecutor

from bench import gateway, healthz, python, session, typescript

MEASUREMENTS = (
    typescript.measure,
    python.measure,
    gateway.measure,
    healthz.measure,
    session.measure,
)


def measure_all() -> None:
    """Print every measurement as soon as it is made."""
    for measure in MEASUREMENTS:
        for goal in measure():
            print(goal, flush=True)


def main() -> None:
    """Measure everything. Raises what a measurement raises."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(measure_all).result()


if __name__ == "__main__":
    main()
