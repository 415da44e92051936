"""The server is ready when its engines are warm: no client waits for a compiler."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from coderelay.core import DEFAULT_LIMITS, Program
from coderelay.languages.language_registry import LANGUAGES, engine
from coderelay.programs import evaluate
from coderelay.server.logs import log, log_bug
from coderelay.server.workers import Workers

# Every language has this program: nothing, which is enough to load all that a run needs.
_NOTHING = ""
_PATIENT = replace(DEFAULT_LIMITS, seconds=600)
"""A machine that is busy while the server starts is no reason to be never ready."""


class Readiness:
    """`problem` says why the server is not ready, and is None once it is. `failed`: it never will
    be."""

    def __init__(self, first: str, load: Callable[[str], None] | None = None) -> None:
        self.problem: str | None = "the engines are being loaded"
        self.failed = False
        self._languages = sorted(LANGUAGES, key=lambda language: language != first)
        self._load = load or _load

    async def reach(self) -> None:
        """Load the engines, on a thread of its own: those for requests may be few, and one
        language can be served while another is still compiled."""
        loader = Workers(1)
        try:
            for language in self._languages:
                await loader.run(partial(self._load, language))
        except Exception as error:
            self.problem = f"an engine cannot be loaded: {error}"
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
