"""Reads a program from a file. The suffix tells the language, unless the caller does."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from coderelay.cli.exit_codes import UsageError
from coderelay.core import Program
from coderelay.languages.language_registry import LANGUAGES

STDIN = Path("-")


def read_program(
    path: Path, *, language: str | None, id: str | None, created: str | None
) -> Program:
    """The program in a file, or on standard input where the path is `-`."""
    program = Program(language or _language(path), _source(path))
    if id is not None:
        program = replace(program, id=id)
    if created is not None:
        program = replace(program, created=read_time(created))
    return program


def read_time(text: str) -> int:
    """Seconds since 1970, given as that number or as an ISO date, which is in UTC by default."""
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"--created {text!r} is not a time: give seconds since 1970, or 2025-11-15T09:46:40Z"
        ) from None
    return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())


def _language(path: Path) -> str:
    for language in LANGUAGES.values():
        if path.suffix in language.suffixes:
            return language.name
    known = ", ".join(suffix for each in LANGUAGES.values() for suffix in each.suffixes)
    raise UsageError(
        f"the language of {path} is not known: name the file {known}, or give --language"
    )


def _source(path: Path) -> str:
    try:
        data = sys.stdin.buffer.read() if path == STDIN else path.read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not UTF-8 text: byte {error.start}") from error
