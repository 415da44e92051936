"""The n-th entry of a journal records the n-th call, by name and arguments."""

import pytest

from coderelay.core import Call, Diverged, Entry, InvalidProgram, Program, Returned
from coderelay.core.journal import check
from coderelay.core.json_values import digest


def test_a_digest_decides_where_one_was_recorded() -> None:
    call = Call(0, "pay", {"amount": 2**60 + 1})
    rounded = {"amount": float(2**60)}
    check(call, Entry("pay", rounded, Returned(None), digest=digest(call.arguments)))


def test_a_wrong_digest_diverges_even_if_the_arguments_look_alike() -> None:
    with pytest.raises(Diverged, match="with another digest"):
        check(Call(0, "pay", {"a": 1}), Entry("pay", {"a": 1}, Returned(None), digest="0" * 16))


def test_long_arguments_are_cut_in_the_message_but_not_in_the_error() -> None:
    with pytest.raises(Diverged) as caught:
        check(Call(0, "f", {"a": "x" * 5000}), Entry("f", {"a": "y" * 5000}, Returned(None)))
    assert len(str(caught.value)) < 600
    assert caught.value.recorded["arguments"] == {"a": "y" * 5000}


def test_the_seed_depends_on_the_id_alone() -> None:
    one = Program("typescript", "1", id="a")
    assert one.seed == Program("python", "2", id="a", created=5).seed
    assert one.seed != Program("typescript", "1", id="b").seed


@pytest.mark.parametrize("created", [-1, 6_000_000_001, 1.5, True, "0", None])
def test_an_impossible_time_of_creation_is_refused(created: object) -> None:
    with pytest.raises(InvalidProgram, match="created"):
        Program("typescript", "1", created=created)  # type: ignore[arg-type]


@pytest.mark.parametrize("id", ["", None, 5])
def test_an_id_that_is_not_a_string_is_refused(id: object) -> None:
    with pytest.raises(InvalidProgram, match="id"):
        Program("typescript", "1", id=id)  # type: ignore[arg-type]
