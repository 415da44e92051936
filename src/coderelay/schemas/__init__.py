"""JSON Schemas: checked when they come in, read into types, and used to validate arguments."""
