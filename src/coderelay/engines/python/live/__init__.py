"""A CPython that stays, with a directory of its own: what sessions are made of.

`interpreter` runs cells; `world` is what it asks of its host, with `calls` and the real `clock`.
`directory` is the part of the host's file system that it sees, counted by `usage`; `files` are its
open handles, and `wasifiles` how it asks for them.
"""
