"""The languages that there are, one row each, and the one engine of each in this process."""

import atexit
import threading

from coderelay.core import UnknownLanguage
from coderelay.core.alternatives import alternatives
from coderelay.engines.interface import Engine, Progress
from coderelay.languages.language import Language
from coderelay.languages.python import PYTHON
from coderelay.languages.typescript import TYPESCRIPT

LANGUAGES: dict[str, Language] = {each.name: each for each in (TYPESCRIPT, PYTHON)}
"""The languages by their names."""

DEFAULT_LANGUAGE = TYPESCRIPT.name
"""The language of a program where neither the request nor the server's settings name one."""

_loaded: dict[str, Engine] = {}
_loading = threading.RLock()  # the handler of a signal may run a program, too
# Engines are freed before Python takes wasmtime apart: their finalisers would fail after that.
atexit.register(_loaded.clear)


def find_language(name: str) -> Language:
    """The language of this name. Raises `UnknownLanguage`."""
    if name not in LANGUAGES:
        raise UnknownLanguage(f"unknown language {name!r}: choose {alternatives(LANGUAGES)}")
    return LANGUAGES[name]


def engine(language: str, progress: Progress = lambda message: None) -> Engine:
    """The engine of a language, loaded when it is first asked for. Raises `UnknownLanguage`.

    Loading compiles the engine's guest where no cache has it, which takes seconds.
    """
    found = find_language(language)
    if language in _loaded:  # without the lock: nobody waits for another language's compiler
        return _loaded[language]
    with _loading:
        if language not in _loaded:
            _loaded[language] = found.load_engine(progress)
        return _loaded[language]
