"""A guest is stopped after its seconds of processor time, and by the wall clock much later."""

from itertools import product

import pytest
import wasmtime

from coderelay.engines.wasm.backstop import Backstop, Watch
from coderelay.engines.wasm.config import STACK, metered


class Clock:
    """A clock that the test holds."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(("processor", "wall"), [*product((0, 1, 2), (0, 19, 21))])
def test_a_guest_is_not_stopped_because_the_machine_is_busy(processor: int, wall: int) -> None:
    engine = wasmtime.Engine(metered(STACK))
    clocks = Clock(), Clock()
    with Watch(
        Backstop(engine), wasmtime.Store(engine), 2, ((clocks[0], 1), (clocks[1], 10))
    ) as on:
        clocks[0].now += processor
        clocks[1].now += wall
        assert on.may_continue() == (processor < 2 and wall < 20)
        on.allow(2)
        assert on.may_continue()
