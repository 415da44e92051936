"""The rules of a turn, without I/O: no socket, no thread, no event loop, no WebAssembly."""
