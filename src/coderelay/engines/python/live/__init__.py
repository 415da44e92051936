"""The interpreter of a session: a CPython that stays in memory, with a directory of its own.

`interpreter` runs cells. `session_world` has the host functions that it uses, with `session_calls`
for tools and `session_clock` for the real time. `session_directory` is the part of the host's file
system that it can see, and `quota` limits its size. `files` are the open files, and `wasifiles`
makes them available to the guest.
"""
