"""A failure says in a short text which calls had succeeded before it."""

from coderelay.core.made_calls import MadeCalls

MADE = "It had made these calls, and they succeeded; do not repeat those that change something"


def test_without_calls_the_text_is_empty() -> None:
    assert MadeCalls().text() == ""


def test_the_first_and_the_last_are_named_and_the_others_counted() -> None:
    made = MadeCalls()
    for number in range(8):
        made.add("get", {"n": number})
    calls = [f'get({{"n":{number}}})' for number in range(8)]
    assert made.text() == f"{MADE}: {', '.join(calls)}."
    for number in range(8, 1_000):
        made.add("get", {"n": number})
    last = [f'get({{"n":{number}}})' for number in range(996, 1_000)]
    assert made.text() == f"{MADE}: {', '.join([*calls[:4], '… 992 more …', *last])}."


def test_the_text_about_calls_is_short_whatever_the_calls_are() -> None:
    made = MadeCalls()
    for _ in range(1_000):
        made.add("n" * 10_000, {"text": "\ud800" + "x" * 1_000_000})
    assert len(made.text()) < 2_000
    made.text().encode()
