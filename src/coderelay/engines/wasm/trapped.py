"""The exception for a guest that was stopped."""

from wasmtime import TrapCode


class Trapped(Exception):
    """The guest trapped or was interrupted, and must not be entered again."""

    def __init__(self, code: TrapCode) -> None:
        super().__init__(code.name)
        self.trap_code = code
