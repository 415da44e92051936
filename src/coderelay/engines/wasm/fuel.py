"""Limits the fuel of a run, as a whole and for each step between two batches of calls.

Fuel counts instructions, so a replay runs out of it at the same place as the first run.
"""

import wasmtime


class Fuel:
    """Gives a store its fuel before each step, and adds up what was used."""

    def __init__(self, total: int, step: int) -> None:
        self._total = total
        self._step = step
        self._before = 0
        self._granted: int | None = None

    def begin_step(self, store: wasmtime.Store) -> None:
        """Give the store the fuel that the next step may use."""
        self._before = self.spent(store)
        self._granted = min(self._step, self._total - self._before)
        store.set_fuel(self._granted)

    def spent(self, store: wasmtime.Store) -> int:
        """Return the fuel that was used since the first step began."""
        return 0 if self._granted is None else self.spent_with_step - store.get_fuel()

    @property
    def spent_with_step(self) -> int:
        """The fuel that will have been used if the current step uses up all that it was given."""
        return self._before + (self._granted or 0)

    @property
    def exceeded_limit(self) -> tuple[str, str]:
        """The name of the limit that is exceeded if the current step runs out of fuel, and the
        message for it."""
        if self.spent_with_step < self._total:
            message = "the program used up the CPU budget of one step: do less between two calls"
            return "step_fuel", message
        return "fuel", "the program used up its CPU budget: do less work"
