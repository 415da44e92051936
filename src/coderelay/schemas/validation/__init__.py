"""Checks a value against a JSON Schema in counted steps, and says where it does not fit.

The `jsonschema_rs` library is fast and is used where it can be: see
`coderelay.schemas.schema_check`. But one call of it holds the interpreter's lock until it ends, and
its list of errors has no limit. So values that may take it long are checked here, and errors are
found here: step by step, within a budget, and only as many as are needed. The number of steps
depends only on schema and value.
"""

from coderelay.schemas.validation.compile import SchemaCompiler
from coderelay.schemas.validation.walk import Error, SchemaNode, TooCostly, Walk

__all__ = ["Error", "SchemaCompiler", "SchemaNode", "TooCostly", "Walk"]
