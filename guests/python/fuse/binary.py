"""WebAssembly's binary form: numbers, names and sections."""

from collections.abc import Callable, Iterable, Iterator

IMPORT, GLOBAL, EXPORT, START = 2, 6, 7, 8
CUSTOM = 0
FUNCTION_KIND, TABLE_KIND, MEMORY_KIND, GLOBAL_KIND = range(4)
_END = 0x0B


class Reader:
    """Reads a section from its start."""

    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data = data
        self.at = at

    def byte(self) -> int:
        self.at += 1
        return self.data[self.at - 1]

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                return value

    def name(self) -> str:
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at].decode()

    def items(self) -> Iterator[None]:
        """Once for each entry of a vector."""
        for _ in range(self.number()):
            yield

    def limits(self) -> None:
        """Pass over the bounds of a table or a memory."""
        if self.byte() & 1:
            self.number()
        self.number()


def sections(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The sections of a module or a component: what they are, and what is in them."""
    reader = Reader(data, 8)
    while reader.at < len(data):
        kind, size = reader.byte(), reader.number()
        yield kind, data[reader.at : reader.at + size]
        reader.at += size


def joined(preamble: bytes, found: Iterable[tuple[int, bytes]]) -> bytes:
    """Sections after a preamble."""
    return preamble + b"".join(
        bytes([kind]) + number(len(content)) + content for kind, content in found
    )


def imports(section: bytes) -> Iterator[tuple[str, str, bytes]]:
    """Module, name and encoded type of what a module imports."""
    reader = Reader(section)
    for _ in reader.items():
        module, name, start = reader.name(), reader.name(), reader.at
        kind = reader.byte()
        if kind == FUNCTION_KIND:
            reader.number()
        elif kind == TABLE_KIND:
            reader.byte()
            reader.limits()
        elif kind == MEMORY_KIND:
            reader.limits()
        elif kind == GLOBAL_KIND:
            reader.at += 2
        else:
            raise ValueError(f"an import of a kind that is not known: {kind}")
        yield module, name, section[start : reader.at]


def exports(section: bytes) -> Iterator[tuple[str, int, int]]:
    """Name, kind and index of what a module exports."""
    reader = Reader(section)
    for _ in reader.items():
        yield reader.name(), reader.byte(), reader.number()


def variables(section: bytes) -> Iterator[int]:
    """Which of its own globals a module may change."""
    reader = Reader(section)
    for place, _ in enumerate(reader.items()):
        reader.byte()
        if reader.byte():
            yield place
        while (instruction := reader.byte()) != _END:
            _OPERANDS[instruction](reader)


def _skip(size: int) -> Callable[[Reader], None]:
    def pass_over(reader: Reader) -> None:
        reader.at += size

    return pass_over


_OPERANDS: dict[int, Callable[[Reader], object]] = {
    0x23: Reader.number,  # global.get
    0x41: Reader.number,  # i32.const
    0x42: Reader.number,  # i64.const
    0x43: _skip(4),  # f32.const
    0x44: _skip(8),  # f64.const
    0x6A: _skip(0),  # i32.add
    0xD0: Reader.number,  # ref.null
    0xD2: Reader.number,  # ref.func
}
"""What follows the instructions by which a global gets its first value."""


def number(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


def text(name: str) -> bytes:
    return number(len(name.encode())) + name.encode()


def vector(entries: Iterable[bytes]) -> bytes:
    listed = list(entries)
    return number(len(listed)) + b"".join(listed)
