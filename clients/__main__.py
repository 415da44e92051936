"""`make test-clients`: run every client, write the table, and fail if one of them did."""

import sys

from clients.catalogue import CLIENTS
from clients.suite import run
from clients.table import write


def say(line: str) -> None:
    """Progress, at once."""
    print(line, flush=True)


def main(*only: str) -> int:
    """Run the named clients, or all."""
    names = [client.name for client in CLIENTS]
    if unknown := set(only) - set(names):
        say(f"no client is called {', '.join(unknown)}: choose from {', '.join(names)}")
        return 2
    results = run([client for client in CLIENTS if not only or client.name in only], say)
    write(results)
    failed = [str(trial) for trial, wrong in results.items() if wrong]
    say(f"{len(results) - len(failed)} of {len(results)} conversations passed")
    for trial in failed:
        say(f"FAILED {trial}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
