"""The server's metrics for Prometheus, summed over all worker processes."""

import os
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

SHARED_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
"""The environment variable with the folder in which worker processes share their counts. The
library reads it when it is first imported."""
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300)


class Metrics:
    """All metrics of a server. Labels have few values, so that memory stays bounded: a path is one
    that is served, and a status is a number."""

    def __init__(self) -> None:
        self._registry = own = CollectorRegistry()
        self._requests = Counter(
            "coderelay_requests",
            "Requests, by path and status.",
            ["path", "status"],
            registry=own,
        )
        self._seconds = self._histogram(
            "request_seconds", "How long a request took, to the answer's last byte.", "path"
        )
        self._in_progress = Gauge(
            "coderelay_requests_in_progress",
            "Requests in progress.",
            multiprocess_mode="livesum",
            registry=own,
        )
        self._guest_wait = self._histogram(
            "guest_wait_seconds", "How long a run waited for a thread."
        )
        self._guest_run = self._histogram("guest_run_seconds", "How long a run took on its thread.")
        self._programs = Counter(
            "coderelay_programs", "Programs that ended.", ["language", "outcome"], registry=own
        )
        self._calls = Counter(
            "coderelay_calls", "Calls handed out to clients.", ["language"], registry=own
        )
        self._tokens = Counter(
            "coderelay_tokens", "Tokens, as the upstream counted them.", ["kind"], registry=own
        )

    def _histogram(self, name: str, what: str, *labels: str) -> Histogram:
        return Histogram(
            f"coderelay_{name}", what, labels, buckets=_SECONDS, registry=self._registry
        )

    def began(self) -> None:
        """Count a request that has begun."""
        self._in_progress.inc()

    def ended(self, path: str, status: int, seconds: float) -> None:
        """Count a request that was answered, or whose client disconnected."""
        self._in_progress.dec()
        self._requests.labels(path, status).inc()
        self._seconds.labels(path).observe(seconds)

    def guest(self, waited: float, ran: float) -> None:
        """Record how long a run waited for a worker thread, and how long it ran there."""
        self._guest_wait.observe(waited)
        self._guest_run.observe(ran)

    def program(self, language: str, outcome: str) -> None:
        """Count a program that has ended."""
        self._programs.labels(language, outcome).inc()

    def calls(self, language: str, count: int) -> None:
        """Count calls that were handed out."""
        self._calls.labels(language).inc(count)

    def tokens(self, prompt: int, completion: int) -> None:
        """Count the tokens of a turn."""
        self._tokens.labels("prompt").inc(prompt)
        self._tokens.labels("completion").inc(completion)

    def text(self) -> bytes:
        """Return all metrics of all worker processes, in the text format of Prometheus."""
        if SHARED_FOLDER not in os.environ:
            return generate_latest(self._registry)
        _remove_dead_workers(Path(os.environ[SHARED_FOLDER]))
        together = CollectorRegistry()
        MultiProcessCollector(together)  # type: ignore[no-untyped-call]
        return generate_latest(together)


def _remove_dead_workers(folder: Path) -> None:
    """Remove the requests in progress of worker processes that were killed; their counts stay."""
    if os.name == "nt":  # there, signal 0 would end the process
        return
    for file in folder.glob("gauge_live*_*.db"):
        process = int(file.stem.rpartition("_")[2])
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            mark_process_dead(process)  # type: ignore[no-untyped-call]
