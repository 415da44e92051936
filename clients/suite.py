"""Every client by every guide, whole and streamed, with programs in every language."""

import os
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from textwrap import indent

from clients.catalogue import Client
from clients.environments import Missing, prepared
from clients.trial import Trial, run_trial

FORMS = ("whole", "streamed")
LANGUAGES = ("typescript", "python")
Say = Callable[[str], None]
Results = dict[Trial, list[str]]
"""What did not hold, of each conversation."""


def run(clients: Sequence[Client], say: Say) -> Results:
    """Hold all conversations of these clients, a few at a time."""
    results: Results = {}
    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        for client in clients:
            trials = _trials(client)
            try:
                environment = prepared(client, say)
            except Missing as missing:
                say(f"FAILED {client.name} could not be installed: {missing}")
                results |= {trial: ["not installed"] for trial in trials}
                continue
            one = partial(_run_and_report, environment=environment, say=say)
            results |= dict(zip(trials, pool.map(one, trials), strict=True))
    return results


def _trials(client: Client) -> list[Trial]:
    return [
        Trial(client, guide, form, language)
        for guide in client.guides
        for form in FORMS
        for language in LANGUAGES
    ]


def _run_and_report(trial: Trial, *, environment: Path, say: Say) -> list[str]:
    started = time.monotonic()
    try:
        wrong = run_trial(trial, environment)
    except Exception as error:  # the other conversations go on
        wrong = [f"it could not be held: {error!r}"]
    took = time.monotonic() - started
    say(f"{'FAILED' if wrong else 'passed'} {trial} ({took:.1f} s)")
    for each in wrong:
        say(indent(each, "       "))
    return wrong
