"""What several files of tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.python.living import Session, session


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Session]:
    """A live session in an empty directory."""
    with session(tmp_path) as opened:
        yield opened
