"""An engine that has to be compiled says so on standard error, so nobody waits in silence."""

from rich.console import Console
from rich.text import Text

from coderelay.engines.engine_registry import engine, languages
from coderelay.engines.interface import Engine


def ready(language: str) -> Engine:
    """The engine of a language, with its progress shown."""
    console = Console(stderr=True)

    def progress(message: str) -> None:
        console.print(Text(f"{language}: {message}", style="dim"), soft_wrap=True)

    return engine(language, progress)


def chosen(names: list[str] | None) -> tuple[str, ...]:
    """The languages that were asked for, or all there are."""
    return tuple(names) if names else languages()
