"""A function that raises gives an error result; only cancelling leaves a call without a result."""

import asyncio
import contextvars
import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from pydantic import BaseModel, Field

from coderelay.client import answer, tool
from coderelay.core import CallError, Json, Raised, Result, Returned
from tests.clocks import Gate


@dataclass
class Point:
    x: int
    y: int


class Person(BaseModel):
    name: str
    born: date = Field(alias="birthday")


def call(function: Callable[..., Any], arguments: Json, **options: Any) -> Result:
    return asyncio.run(answer(tool(function), arguments, **options))


def test_arguments_arrive_as_their_type_hints_say() -> None:
    received: list[Any] = []

    def keep(point: Point, day: date, people: set[str], price: Decimal) -> None:
        received.extend([point, day, people, price])

    arguments = {
        "point": {"x": 1, "y": 2},
        "day": "2025-11-15",
        "people": ["Ana"],
        "price": "1.50",
    }
    assert call(keep, arguments) == Returned(None)
    assert received == [Point(1, 2), date(2025, 11, 15), {"Ana"}, Decimal("1.50")]


def test_answers_leave_as_json() -> None:
    def born(name: str) -> Person:
        return Person(name=name, birthday=date(2000, 1, 2))

    assert call(born, {"name": "Ana"}) == Returned({"name": "Ana", "birthday": "2000-01-02"})


def test_an_answer_that_is_not_what_the_hint_says_is_dumped_as_it_is() -> None:
    def where() -> list[Point]:
        return [{"x": 1, "y": date(2025, 1, 1)}]  # type: ignore[list-item]

    assert call(where, {}) == Returned([{"x": 1, "y": "2025-01-01"}])


def test_a_function_without_hints_answers_with_anything() -> None:
    def anything():  # type: ignore[no-untyped-def]
        return (Point(1, 2), {3: b"bytes"})

    assert call(anything, {}) == Returned([{"x": 1, "y": 2}, {"3": "bytes"}])


def test_async_functions_and_objects_are_awaited() -> None:
    async def later(number: int) -> int:
        await asyncio.sleep(0)
        return number + 1

    class Later:
        async def __call__(self, number: int) -> int:
            return await later(number)

    def soon(number: int):  # type: ignore[no-untyped-def]
        return later(number)

    for local in (tool(later), tool(name="later")(Later()), tool(soon)):
        assert asyncio.run(answer(local, {"number": 1})) == Returned(2)


def test_defaults_stay_the_functions_own() -> None:
    nothing: Any = object()

    def uses_defaults(value: Any = nothing, /, other: int = Field(7)) -> bool:
        return value is nothing and other == 7

    assert call(uses_defaults, {}) == Returned(True)


@pytest.mark.parametrize("is_async", [False, True], ids=["plain", "async"])
@pytest.mark.parametrize(
    ("raised", "expected"),
    [
        (ValueError("no"), CallError("no", "ValueError")),
        (KeyError("k"), CallError("'k'", "KeyError")),
        (RuntimeError(), CallError("RuntimeError", "RuntimeError")),
        (SystemExit(3), CallError("3", "SystemExit")),
        (asyncio.CancelledError(), CallError("the tool was cancelled", "CancelledError")),
    ],
    ids=lambda case: type(case).__name__,
)
def test_an_exception_is_an_answer(
    is_async: bool, raised: BaseException, expected: CallError
) -> None:
    def plain() -> None:
        raise raised

    async def asynchronous() -> None:
        raise raised

    assert call(asynchronous if is_async else plain, {}) == Raised(expected)


def test_a_stray_stop_iteration_is_an_answer_too() -> None:
    def stop() -> int:
        return next(iter([]))

    result = call(stop, {})
    assert isinstance(result, Raised)


def test_arguments_that_do_not_fit_are_an_answer_that_names_them() -> None:
    def add(point: Point, times: int) -> None: ...

    result = call(add, {"point": {"x": "one", "y": 2}, "tims": 3})
    assert isinstance(result, Raised)
    assert result.error.name == "ValidationError"
    assert "point.x: Input should be a valid integer" in result.error.message
    assert "times: Field required" in result.error.message
    assert "tims: Extra inputs are not permitted" in result.error.message


def test_arguments_that_are_not_an_object_give_an_error_result() -> None:
    def nothing() -> None: ...

    result = call(nothing, [1])
    assert isinstance(result, Raised)
    assert result.error.name == "ValidationError"


def test_nan_and_infinities_become_text() -> None:
    def numbers() -> list[float]:
        return [1.5, float("nan"), float("inf")]

    def anything() -> Any:
        return numbers()

    assert call(numbers, {}) == call(anything, {}) == Returned([1.5, "NaN", "Infinity"])


def test_an_answer_without_a_json_form_is_refused() -> None:
    def odd() -> Any:
        return [object()]

    result = call(odd, {})
    assert isinstance(result, Raised)
    assert "object" in result.error.message


def test_an_answer_nested_too_deeply_is_refused() -> None:
    def deep() -> Any:
        value: Any = None
        for _ in range(300):
            value = [value]
        return value

    result = call(deep, {})
    assert isinstance(result, Raised)


def test_an_answer_over_its_limit_is_refused() -> None:
    def big() -> str:
        return "é" * 100

    assert call(big, {}, limit=202) == Returned("é" * 100)
    result = call(big, {}, limit=201)
    assert result == Raised(
        CallError("the tool's answer is 202 bytes, the limit is 201: ask for less", "ValueError")
    )


def test_plain_functions_run_beside_each_other_however_many() -> None:
    together = threading.Barrier(64)

    @tool
    def meet() -> int:
        return together.wait()

    async def all_at_once() -> list[Result]:
        return await asyncio.gather(*(answer(meet, {}) for _ in range(64)))

    values = [result.value for result in asyncio.run(all_at_once()) if isinstance(result, Returned)]
    assert sorted(values) == list(range(64))


def test_context_variables_reach_plain_functions() -> None:
    user: contextvars.ContextVar[str] = contextvars.ContextVar("user")

    def who() -> str:
        return user.get()

    async def as_ana() -> Result:
        user.set("Ana")
        return await answer(tool(who), {})

    assert asyncio.run(as_ana()) == Returned("Ana")


def test_cancelling_does_not_wait_for_a_blocked_function() -> None:
    entered, release = Gate(), threading.Event()

    @tool
    def block() -> None:
        entered.open()
        release.wait()

    async def give_up() -> None:
        task = asyncio.create_task(answer(block, {}))
        await entered.opened()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(give_up())
    release.set()
