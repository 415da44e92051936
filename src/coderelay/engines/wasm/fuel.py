"""A run has so much fuel in all, and so much of it for one step: from one delivered batch to the
next. Both count instructions, so a replay runs out where the first run did."""

import wasmtime


class Fuel:
    """Fills a store up before each step, and knows what was spent since the first."""

    def __init__(self, total: int, step: int) -> None:
        self._total = total
        self._step = step
        self._before = 0
        self._granted: int | None = None

    def begin_step(self, store: wasmtime.Store) -> None:
        """Give the store what the next step may spend."""
        self._before = self.spent(store)
        self._granted = min(self._step, self._total - self._before)
        store.set_fuel(self._granted)

    def spent(self, store: wasmtime.Store) -> int:
        """What was spent since the first step began."""
        return 0 if self._granted is None else self.spent_with_step - store.get_fuel()

    @property
    def spent_with_step(self) -> int:
        """What will have been spent when this step has spent all that it may."""
        return self._before + (self._granted or 0)

    @property
    def passed(self) -> tuple[str, str]:
        """The limit that a step passes which runs out of fuel, and what to do about it."""
        if self.spent_with_step < self._total:
            message = "the program used up the CPU budget of one step: do less between two calls"
            return "step_fuel", message
        return "fuel", "the program used up its CPU budget: do less work"
