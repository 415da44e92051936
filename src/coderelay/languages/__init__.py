"""The languages that programs are written in: one package each, and one row in the registry."""
