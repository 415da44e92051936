"""JSON Schemas as types: what every language prints its declarations from."""
