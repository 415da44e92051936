"""The sample programs and their tools, which ship with the package."""

from importlib.resources import files
from pathlib import Path

from coderelay.cli.exit_codes import UsageError
from coderelay.core.alternatives import alternatives
from coderelay.languages.language import Language
from coderelay.languages.language_registry import LANGUAGES, find_language

SAMPLES = ("parallel_news", "stock_analysis", "loop_with_failure")


def examples() -> Path:
    """The folder of the samples."""
    return Path(str(files("coderelay").joinpath("examples")))


def sample(name: str, language: str) -> Path:
    """The sample of this name in a language."""
    path = _find(name, find_language(language))
    if path is None:
        known = alternatives(each for each in LANGUAGES if _find(name, LANGUAGES[each]))
        raise UsageError(f"there are no samples in {language}: choose {known}")
    return path


def programs(language: str) -> list[Path]:
    """The sample programs in a language."""
    return [sample(name, language) for name in SAMPLES]


def save(folder: Path) -> list[Path]:
    """Copy all samples to a folder. Raises `UsageError` if one of them is there already."""
    found = sorted(path for path in examples().iterdir() if path.is_file())
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path in found:
            with (folder / path.name).open("xb") as copy:
                copy.write(path.read_bytes())
    except FileExistsError as error:
        raise UsageError(f"{error.filename} is there already: choose another folder") from error
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from error
    return [folder / path.name for path in found]


def _find(name: str, language: Language) -> Path | None:
    paths = [examples() / f"{name}{suffix}" for suffix in language.suffixes]
    return next((path for path in paths if path.is_file()), None)
