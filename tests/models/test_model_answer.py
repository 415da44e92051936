"""A model's answer is limited in length, in whatever pieces it comes."""

from collections import deque
from collections.abc import Iterator

import pytest

from coderelay.conversation import UpstreamError
from coderelay.core import Json
from coderelay.core.json_values import dump
from coderelay.models import model_answer
from coderelay.models.model import CallPiece, Delta, ModelNamePiece, ReasoningPiece, TextPiece
from coderelay.models.model_answer import ModelAnswer

LONG = "x" * 100_000


ENDLESS: dict[str, Iterator[Delta]] = {
    "text": (TextPiece(LONG) for _ in range(1_000)),
    "reasoning": (ReasoningPiece(LONG) for _ in range(1_000)),
    "arguments": (CallPiece(0, arguments=LONG) for _ in range(1_000)),
    "names": (CallPiece(number, name=LONG) for number in range(1_000)),
    "empty calls": (CallPiece(number) for number in range(100_000)),
    "calls with one index": (CallPiece(0, id=f"{number}", name="f") for number in range(99_999)),
    "fields": (ModelNamePiece(extra={f"field-{number}": 0}) for number in range(1_000_000)),
    "long fields": (ModelNamePiece(extra={f"field-{number}": [LONG]}) for number in range(1_000)),
    "fields of a call": (CallPiece(0, extra={f"{number}": LONG}) for number in range(1_000)),
}


@pytest.mark.parametrize("what", ENDLESS)
def test_an_answer_without_end_is_ended(what: str) -> None:
    answer = ModelAnswer()
    with pytest.raises(UpstreamError, match="is longer than 16,777,216 characters"):
        deque(map(answer.add, ENDLESS[what]), maxlen=0)


def test_a_longer_answer_is_kept_where_it_may_be_longer() -> None:
    answer = ModelAnswer(20_000_000)
    for _ in range(190):
        answer.add(TextPiece(LONG))
    assert len(answer.text) == 19_000_000
    with pytest.raises(UpstreamError, match="longer than 20,000,000 characters"):
        deque(map(answer.add, [TextPiece(LONG)] * 20), maxlen=0)


def test_a_field_that_comes_with_every_piece_is_kept_once() -> None:
    answer = ModelAnswer()
    for number in range(1_000):
        answer.add(ModelNamePiece(extra={"signature": LONG + str(number)}))
        answer.add(TextPiece("a"))
    assert answer.text == "a" * 1_000
    assert answer.extra == {"signature": LONG + "999"}


def test_a_value_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[Json] = []

    def count(value: Json) -> str:
        counted.append(value)
        return dump(value)

    monkeypatch.setattr(model_answer, "dump", count)
    answer = ModelAnswer()
    for value in ([LONG], 1, 2):
        answer.add(ModelNamePiece(extra={"x": value}))
        answer.add(CallPiece(0, extra={"x": value}))
    assert counted == [[LONG], [LONG], 1, 1, 2, 2]


def test_a_text_in_small_pieces_is_put_together_as_it_is() -> None:
    answer = ModelAnswer()
    for letter in "é\r\n\r\u2028\ud800x":
        answer.add(TextPiece(letter))
        answer.add(CallPiece(0, arguments=letter))
    assert answer.text == "é\r\n\r\u2028\ud800x"


@pytest.mark.parametrize("id_on_every_piece", [False, True])
def test_calls_that_share_an_index_each_get_their_own_arguments(id_on_every_piece: bool) -> None:
    answer = ModelAnswer()
    for id, key in (("a", "x"), ("b", "y"), ("c", "z")):
        answer.add(CallPiece(0, id=id, name="pay"))
        for part in ('{"key":', f'"{key}"', "}"):
            answer.add(CallPiece(0, id=id if id_on_every_piece else "", arguments=part))
    calls = [(call.id, call.name, call.arguments) for call in answer.calls]
    assert calls == [(id, "pay", f'{{"key":"{key}"}}') for id, key in ("ax", "by", "cz")]


def test_calls_whose_pieces_are_mixed_are_told_apart_by_index_and_id() -> None:
    answer = ModelAnswer()
    for letter in "123":
        for index, id in ((0, "a"), (0, "b"), (1, "a")):  # the last has the id of the first
            answer.add(CallPiece(index, id=id, name="f", arguments=letter + id))
    assert [call.arguments for call in answer.calls] == ["1a2a3a", "1b2b3b", "1a2a3a"]
