"""Python."""

from coderelay.engines.interface import Engine, Progress
from coderelay.languages.language import Language
from coderelay.languages.naming import NamingStyle, snake
from coderelay.languages.python.declarations import PRINTER, WORDING
from coderelay.languages.python.instructions import GUIDE
from coderelay.languages.python.reserved_names import RESERVED


def _load_engine(progress: Progress) -> Engine:
    from coderelay.engines.python import PythonEngine

    return PythonEngine(progress)


PYTHON = Language(
    name="python",
    title="Python",
    load_engine=_load_engine,
    naming=NamingStyle(join=snake, number="_", reserved=RESERVED),
    tools=PRINTER,
    wording=WORDING,
    guide=GUIDE,
    fence_tags=("py", "python3"),
    suffixes=(".py",),
)
