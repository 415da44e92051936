"""A program from a file: its language is in its suffix, unless somebody says otherwise."""

import sys
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from coderelay.cli.exit_codes import UsageError
from coderelay.core import Program

STDIN = Path("-")
SUFFIXES = {
    ".ts": "typescript",
    ".mts": "typescript",
    ".js": "typescript",
    ".mjs": "typescript",
    ".py": "python",
}


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
    """Seconds since 1970, from that number or from an ISO date, which is in UTC by default."""
    if text.isascii() and text.isdigit():
        return int(text)
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise UsageError(
            f"--created {text!r} is no time: give seconds since 1970, or 2025-11-15T09:46:40Z"
        ) from None
    return int((time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp())


def _language(path: Path) -> str:
    if path.suffix in SUFFIXES:
        return SUFFIXES[path.suffix]
    known = ", ".join(SUFFIXES)
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
