"""The old name of `coderelay.engines.scripted_engine`, kept for one release."""

from coderelay.engines.scripted_engine import (
    Batch,
    Script,
    ScriptedEngine,
    ScriptedExecution,
    ScriptedFailure,
    value,
)

__all__ = ["Batch", "Script", "ScriptedEngine", "ScriptedExecution", "ScriptedFailure", "value"]
