"""The end of a guest that can go no further."""

from wasmtime import TrapCode


class Trapped(Exception):
    """A trap, or what ends a guest as one does: the cause says more."""

    def __init__(self, code: TrapCode) -> None:
        super().__init__(code.name)
        self.trap_code = code
