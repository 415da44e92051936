"""Every module of the harness takes its builtins from here, not from those a program can replace.

A function looks its builtins up in the `__builtins__` of its module, as they were when it was made.
"""

import builtins

__builtins__ = dict(vars(builtins))  # type: ignore[assignment]
