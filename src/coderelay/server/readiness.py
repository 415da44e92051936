"""Loads the engines when the server starts, and says when it is ready, so that no client has to
wait for a compiler."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from coderelay.core import DEFAULT_LIMITS, Program
from coderelay.languages.language_registry import LANGUAGES, engine
from coderelay.programs import evaluate
from coderelay.server.logs import log, log_bug
from coderelay.server.workers import Workers

# The empty program is valid in every language, and running it loads everything that a run needs.
_NOTHING = ""
_PATIENT = replace(DEFAULT_LIMITS, seconds=600)
"""A long timeout, because a machine may be very busy while the server starts."""


class Readiness:
    """Whether the server is ready. `problem` says why it is not, and is None once it is. `failed`
    means that it never will be."""

    def __init__(self, first: str, load: Callable[[str], None] | None = None) -> None:
        self.problem: str | None = "the engines are being loaded"
        self.failed = False
        self._languages = sorted(LANGUAGES, key=lambda language: language != first)
        self._load = load or _load

    async def reach(self) -> None:
        """Load the engines on a separate thread: there may be few worker threads, and one language
        can be served while another is still being compiled."""
        loader = Workers(1)
        try:
            for language in self._languages:
                await loader.run(partial(self._load, language))
        except Exception as error:
            self.problem = f"an engine could not be loaded: {error}"
            self.failed = True
            log_bug("not ready", error)
            return
        finally:
            loader.close(wait=False)
        self.problem = None
        log("ready")


def _load(language: str) -> None:
    engine(language, lambda message: log("engine", language=language, progress=message))
    evaluate(Program(language, _NOTHING), [], [], limits=_PATIENT)
