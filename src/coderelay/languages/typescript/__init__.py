"""TypeScript, and JavaScript with it."""

from coderelay.engines.interface import Engine, Progress
from coderelay.languages.language import Language
from coderelay.languages.naming import NamingStyle, camel
from coderelay.languages.typescript.declarations import PRINTER, WORDING
from coderelay.languages.typescript.instructions import GUIDE
from coderelay.languages.typescript.reserved_names import RESERVED


def _load_engine(progress: Progress) -> Engine:
    from coderelay.engines.typescript import TypeScriptEngine

    return TypeScriptEngine(progress)


TYPESCRIPT = Language(
    name="typescript",
    title="TypeScript",
    load_engine=_load_engine,
    naming=NamingStyle(join=camel, number="", reserved=RESERVED, extra="$"),
    tools=PRINTER,
    wording=WORDING,
    guide=GUIDE,
    fence_tags=("ts", "js", "javascript", "tsx"),
    suffixes=(".ts", ".mts", ".js", ".mjs"),
)
