"""Checks a value against a JSON Schema in counted steps, and says where it does not fit.

The `jsonschema_rs` library is fast, and it is asked first: see `coderelay.schemas.schema_check`.
But one call of it holds the interpreter's lock until it ends, and its list of errors has no bound.
So values that it might take long for are checked here, and errors are described here: step by step,
within a budget, only as many as are shown. Each step is counted, and the count follows from schema
and value alone.
"""

from coderelay.schemas.validation.compile import SchemaCompiler
from coderelay.schemas.validation.walk import Error, SchemaNode, TooCostly, Walk

__all__ = ["Error", "SchemaCompiler", "SchemaNode", "TooCostly", "Walk"]
