"""The languages there are, and the one engine of each in this process."""

import threading
from collections.abc import Callable

from coderelay.core import UnknownLanguage
from coderelay.engines.interface import Engine
from coderelay.engines.wasm.compiled import Progress

Loader = Callable[[Progress], Engine]


def _typescript(progress: Progress) -> Engine:
    from coderelay.engines.typescript import TypeScriptEngine

    return TypeScriptEngine(progress)


def _python(progress: Progress) -> Engine:
    from coderelay.engines.python import PythonEngine

    return PythonEngine(progress)


LOADERS: dict[str, Loader] = {"typescript": _typescript, "python": _python}
"""How to get an engine. Loading compiles its guest where no cache has it: seconds, once."""

_loaded: dict[str, Engine] = {}
_loading = threading.RLock()  # the handler of a signal may run a program, too


def languages() -> tuple[str, ...]:
    """The names of all languages."""
    return tuple(LOADERS)


def engine(language: str, progress: Progress = lambda message: None) -> Engine:
    """The engine of a language, loaded when first asked for."""
    if language not in LOADERS:
        known = ", ".join(LOADERS)
        raise UnknownLanguage(f"no engine runs {language!r}: choose one of {known}")
    if language in _loaded:  # nobody waits for another language's compiler
        return _loaded[language]
    with _loading:
        if language not in _loaded:
            _loaded[language] = LOADERS[language](progress)
        return _loaded[language]
