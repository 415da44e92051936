"""`coderelay warmup`, and how every command prepares an engine: it reports when it compiles."""

import time

from rich.console import Console
from rich.text import Text

from coderelay.cli import options
from coderelay.cli.exit_codes import reported
from coderelay.cli.run_display import duration
from coderelay.core import EngineError
from coderelay.engines.interface import Engine
from coderelay.engines.wasm.compiled import cache_folder, private_folder
from coderelay.languages.language_registry import LANGUAGES, engine


@reported
def warmup(language: options.Languages = None) -> None:
    """Compile the guests ahead of time, for container images and read-only disks.

    Compiled guests are kept in the cache folder of the user, or in CODERELAY_CACHE.

    [bold]Examples[/]
      coderelay warmup
      coderelay warmup --language typescript
      CODERELAY_CACHE=/opt/coderelay coderelay warmup
    """
    console = Console()
    for name in chosen(language):
        started = time.perf_counter()
        ready(name)
        line = f"{name} is ready, after {duration(time.perf_counter() - started)}"
        console.print(Text(line), soft_wrap=True)
    folder = cache_folder()
    if private_folder(folder) is None or not any(folder.glob("*.compiled")):
        raise EngineError(
            f"nothing could be kept in {folder}, so every process will compile anew: make it a "
            "folder that only you can write to, or set CODERELAY_CACHE"
        )
    console.print(Text(f"compiled guests are in {folder}", style="dim"), soft_wrap=True)


def ready(language: str) -> Engine:
    """The engine of a language. If it has to be compiled first, standard error says so."""
    console = Console(stderr=True)

    def progress(message: str) -> None:
        console.print(Text(f"{language}: {message}", style="dim"), soft_wrap=True)

    return engine(language, progress)


def chosen(names: list[str] | None) -> tuple[str, ...]:
    """The languages that a command was given, or all of them."""
    return tuple(names) if names else tuple(LANGUAGES)
