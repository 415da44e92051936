"""Reads a WebAssembly module's sections and writes them with another start state."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

TYPE, IMPORT, FUNCTION, MEMORY, GLOBAL, EXPORT, CODE, DATA, DATA_COUNT = (
    1,
    2,
    3,
    5,
    6,
    7,
    10,
    11,
    12,
)
CUSTOM, START = 0, 8
_I32_CONST, _END = 0x41, 0x0B
_PAGE = 4096


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What a module's memory and stack pointer were when it had initialised itself."""

    memory: bytes
    stack_pointer: int


@dataclass(frozen=True, slots=True)
class Added:
    """A function to add: 32-bit integers in, one out, and its code (see `assemble`)."""

    name: str
    parameters: int
    locals: int
    code: str


def rewrite(module: bytes, snapshot: Snapshot, keep: set[str], added: Sequence[Added]) -> bytes:
    """The module as it would be had it started in that state, with functions added.

    It exports only those and `keep`.
    """
    sections = dict(_sections(module))
    exports = _exports(sections[EXPORT])
    exported = [export for export in exports if export[0] in keep]
    for function in added:
        index = _add(sections, function, {name: place for name, _, place in exports})
        exports.append((function.name, 0, index))
        exported.append((function.name, 0, index))
    sections[MEMORY] = _memory(sections[MEMORY], len(snapshot.memory) // 65536)
    sections[GLOBAL] = _first_global(sections[GLOBAL], snapshot.stack_pointer)
    sections[EXPORT] = _vector(
        _name(name) + bytes([kind]) + _unsigned(index) for name, kind, index in exported
    )
    segments = list(_segments(snapshot.memory))
    sections[DATA] = _vector(
        bytes([0, _I32_CONST]) + _signed(offset) + bytes([_END]) + _unsigned(len(data)) + data
        for offset, data in segments
    )
    if DATA_COUNT in sections:
        sections[DATA_COUNT] = _unsigned(len(segments))
    sections.pop(START, None)
    body = b"".join(
        bytes([number]) + _unsigned(len(content)) + content for number, content in sections.items()
    )
    return module[:8] + body


def _add(sections: dict[int, bytes], function: Added, functions: Mapping[str, int]) -> int:
    """Add a function to the sections; the answer is its index."""
    types, type_count = _entries(sections[TYPE])
    declared, count = _entries(sections[FUNCTION])
    bodies, _ = _entries(sections[CODE])
    kind = b"\x60" + _unsigned(function.parameters) + b"\x7f" * function.parameters + b"\x01\x7f"
    code = _unsigned(1) + _unsigned(function.locals) + b"\x7f" + assemble(function.code, functions)
    sections[TYPE] = _unsigned(type_count + 1) + types + kind
    sections[FUNCTION] = _unsigned(count + 1) + declared + _unsigned(type_count)
    sections[CODE] = _unsigned(count + 1) + bodies + _unsigned(len(code)) + code
    return _imported_functions(sections[IMPORT]) + count


_PLAIN = {
    "loop": b"\x03\x40",
    "if": b"\x04\x40",
    "end": b"\x0b",
    "return": b"\x0f",
    "again": b"\x0d\x00",  # br_if 0
    "load": b"\x28\x02\x00",
    "store": b"\x36\x02\x00",
    "copy": b"\xfc\x0a\x00\x00",  # memory.copy
    "zero?": b"\x45",
    "above?": b"\x4a",  # signed
}
_NUMBERED = {"get": b"\x20", "set": b"\x21", "tee": b"\x22"}


def assemble(code: str, functions: Mapping[str, int]) -> bytes:
    """Words to instructions: a number is a constant, `get0` a local, a function's name its call."""
    assembled = bytearray()
    for word in code.split():
        if word in _PLAIN:
            assembled += _PLAIN[word]
        elif word[:3] in _NUMBERED and word[3:].isdigit():
            assembled += _NUMBERED[word[:3]] + _unsigned(int(word[3:]))
        elif word.lstrip("-").isdigit():
            assembled += bytes([_I32_CONST]) + _signed(int(word))
        else:
            assembled += b"\x10" + _unsigned(functions[word])
    return bytes([*assembled, _END])


def _sections(module: bytes) -> Iterator[tuple[int, bytes]]:
    at = 8
    while at < len(module):
        number = module[at]
        size, start = _read(module, at + 1)
        at = start + size
        if number != CUSTOM:
            yield number, module[start:at]


def _entries(section: bytes) -> tuple[bytes, int]:
    count, start = _read(section, 0)
    return section[start:], count


def _imported_functions(section: bytes) -> int:
    count, at = _read(section, 0)
    functions = 0
    for _ in range(count):
        for _ in range(2):
            size, at = _read(section, at)
            at += size
        if section[at] != 0:
            raise ValueError("the module imports something that is not a function")
        functions += 1
        _, at = _read(section, at + 1)
    return functions


def _exports(section: bytes) -> list[tuple[str, int, int]]:
    count, at = _read(section, 0)
    exports = []
    for _ in range(count):
        size, at = _read(section, at)
        name, kind = section[at : at + size].decode(), section[at + size]
        index, at = _read(section, at + size + 1)
        exports.append((name, kind, index))
    return exports


def _memory(section: bytes, pages: int) -> bytes:
    flags = section[1]
    _, at = _read(section, 2)
    return bytes([1, flags]) + _unsigned(pages) + section[at:]


def _first_global(section: bytes, value: int) -> bytes:
    """The stack pointer is the first global of what clang links, and must be the only one: a
    guest is made new by restoring its memory."""
    count, at = _read(section, 0)
    if count != 1 or section[at + 2] != _I32_CONST:
        raise ValueError("the module has globals besides its stack pointer")
    _, end = _read(section, at + 3)
    patched = section[at : at + 3] + _signed(value)
    return _unsigned(count) + patched + section[end:]


def _segments(memory: bytes) -> Iterator[tuple[int, bytes]]:
    """The pages that are not all zero, neighbours joined."""
    start: int | None = None
    for offset in range(0, len(memory) + _PAGE, _PAGE):
        used = any(memory[offset : offset + _PAGE])
        if used and start is None:
            start = offset
        elif not used and start is not None:
            yield start, memory[start:offset]
            start = None


def _vector(entries: Iterator[bytes]) -> bytes:
    listed = list(entries)
    return _unsigned(len(listed)) + b"".join(listed)


def _name(name: str) -> bytes:
    return _unsigned(len(name.encode())) + name.encode()


def _read(data: bytes, at: int) -> tuple[int, int]:
    """An unsigned LEB128 number and where it ends."""
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if not byte & 0x80:
            return value, at


def _unsigned(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def _signed(value: int) -> bytes:
    written = bytearray()
    while not -64 <= value < 64:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value & 0x7F])
