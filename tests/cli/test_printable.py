"""Text that is shown in a terminal cannot control the terminal."""

import pytest

from coderelay.cli.printable import one_line, printable
from coderelay.cli.run_display import duration


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é → 🙂", "plain é → 🙂"),
        ("two\n\tlines", "two\n\tlines"),
        ("\x1b[31m", r"\x1b[31m"),
        ("\x9b\x00\r", r"\x9b\x00\r"),
        ("\ud800", r"\ud800"),
        ("a\u202eb\u2066", r"a\u202eb\u2066"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("a\u200b\u200d\ufeff\u00adb", r"a\u200b\u200d\ufeff\xadb"),
        ("non\u00a0breaking\u3000space", "non\u00a0breaking\u3000space"),
    ],
)
def test_control_characters_are_shown_as_escapes(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_a_long_value_is_cut_to_its_width() -> None:
    assert one_line({"a": 1}, 8) == '{"a": 1}'
    assert one_line({"a": 12}, 8) == '{"a": 1…'


@pytest.mark.parametrize(
    ("seconds", "said"), [(0.00012, "0.12 ms"), (0.2034, "203 ms"), (1.25, "1.2 s"), (61, "61 s")]
)
def test_durations_are_short(seconds: float, said: str) -> None:
    assert duration(seconds) == said
