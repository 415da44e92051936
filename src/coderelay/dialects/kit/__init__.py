"""Code that all dialects share: typed fields, tools, programs, `code_mode`, errors, OpenAPI."""
