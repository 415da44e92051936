"""Reads and writes values of the component model in a guest's memory (the canonical ABI).

The types come from `imports.json`, which the build wrote from the component. What a guest passes is
not trusted: an address outside its memory or text that is not UTF-8 raises an exception, which ends
the guest.
"""

import struct
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, Protocol


class Memory(Protocol):
    """The part of a guest's memory that values need."""

    def read(self, at: int, size: int) -> bytes:
        """Return bytes of the memory. Raises `IndexError` for a range outside it."""

    def write(self, at: int, data: bytes) -> None:
        """Write bytes to the memory. Raises `IndexError` for a range outside it."""

    def allocate(self, size: int, align: int) -> int:
        """Return the address of `size` new bytes."""


class Ok(NamedTuple):
    """A result of success, with a value or None."""

    value: Any = None


class Err(NamedTuple):
    """A result of failure, with an error or None."""

    value: Any = None


class Case(NamedTuple):
    """A case of a variant, with its value or None."""

    name: str
    value: Any = None


Words = Iterator[int]
_LONGEST_LIST = 1 << 12
"""How many items a list of the guest may have. On the host an item takes ten times the memory, and
time."""


class Type:
    """A type of the component model.

    `size` and `align` are those of a value in memory; `words` is how many words it takes when it
    is passed as an argument.
    """

    size: int
    align: int
    words: int

    def load(self, memory: Memory, at: int) -> Any:
        """Return the value at an address."""
        raise NotImplementedError

    def store(self, memory: Memory, at: int, value: Any) -> None:
        """Write a value to an address."""
        raise NotImplementedError

    def lift(self, memory: Memory, words: Words) -> Any:
        """Return the value that is passed in words."""
        raise NotImplementedError


class _Number(Type):
    words = 1

    def __init__(self, code: str) -> None:
        self._form = struct.Struct("<" + code)
        self.size = self.align = self._form.size
        self._mask = (1 << 8 * self.size) - 1

    def load(self, memory: Memory, at: int) -> Any:
        return self._form.unpack(memory.read(at, self.size))[0]

    def store(self, memory: Memory, at: int, value: Any) -> None:
        memory.write(at, self._form.pack(value))

    def lift(self, memory: Memory, words: Words) -> Any:
        return next(words) & self._mask


class _Sequence(Type):
    """A type that is passed as an address and a length."""

    size, align, words = 8, 4, 2
    _pair = struct.Struct("<II")

    def load(self, memory: Memory, at: int) -> Any:
        return self.get(memory, *self._pair.unpack(memory.read(at, 8)))

    def store(self, memory: Memory, at: int, value: Any) -> None:
        memory.write(at, self._pair.pack(*self.put(memory, value)))

    def lift(self, memory: Memory, words: Words) -> Any:
        return self.get(memory, next(words), next(words))

    def get(self, memory: Memory, at: int, length: int) -> Any:
        raise NotImplementedError

    def put(self, memory: Memory, value: Any) -> tuple[int, int]:
        raise NotImplementedError


class _Bytes(_Sequence):
    def get(self, memory: Memory, at: int, length: int) -> bytes:
        return memory.read(at, length) if length else b""

    def put(self, memory: Memory, value: bytes) -> tuple[int, int]:
        at = memory.allocate(len(value), 1)
        memory.write(at, value)
        return at, len(value)


class Text(_Bytes):
    """A string, as UTF-8."""

    def get(self, memory: Memory, at: int, length: int) -> Any:
        """Return the text at an address."""
        return super().get(memory, at, length).decode()

    def put(self, memory: Memory, value: Any) -> tuple[int, int]:
        """Write a text to newly allocated memory, and return its address and length."""
        return super().put(memory, value.encode())


class _List(_Sequence):
    def __init__(self, element: Type) -> None:
        self._element = element

    def get(self, memory: Memory, at: int, length: int) -> list[Any]:
        element = self._element
        if length > _LONGEST_LIST:
            raise IndexError(f"the list has {length} items, the limit is {_LONGEST_LIST}")
        memory.read(at + element.size * length, 0)  # raises if the list ends outside the memory
        return [element.load(memory, at + element.size * place) for place in range(length)]

    def put(self, memory: Memory, value: list[Any]) -> tuple[int, int]:
        element = self._element
        at = memory.allocate(element.size * len(value), element.align)
        for place, item in enumerate(value):
            element.store(memory, at + element.size * place, item)
        return at, len(value)


class _TupleOrRecord(Type):
    """A tuple, or a record, which is a dict in Python."""

    def __init__(self, kinds: list[Type], names: list[str] | None = None) -> None:
        self._names = names
        self._places = []
        at = 0
        for kind in kinds:
            at = _aligned(at, kind.align)
            self._places.append((at, kind))
            at += kind.size
        self.align = max((kind.align for kind in kinds), default=1)
        self.size = _aligned(at, self.align)
        self.words = sum(kind.words for kind in kinds)

    def load(self, memory: Memory, at: int) -> Any:
        return self._made(kind.load(memory, at + place) for place, kind in self._places)

    def store(self, memory: Memory, at: int, value: Any) -> None:
        items = value if self._names is None else [value[name] for name in self._names]
        for (place, kind), item in zip(self._places, items, strict=True):
            kind.store(memory, at + place, item)

    def lift(self, memory: Memory, words: Words) -> Any:
        return self._made(kind.lift(memory, words) for _, kind in self._places)

    def _made(self, items: Iterator[Any]) -> Any:
        return tuple(items) if self._names is None else dict(zip(self._names, items, strict=True))


class _Flags(_Number):
    def __init__(self, names: list[str]) -> None:
        super().__init__("B" if len(names) <= 8 else "H" if len(names) <= 16 else "I")
        self._names = names

    def load(self, memory: Memory, at: int) -> Any:
        return self._set(super().load(memory, at))

    def store(self, memory: Memory, at: int, value: Any) -> None:
        super().store(memory, at, sum(1 << self._names.index(name) for name in value))

    def lift(self, memory: Memory, words: Words) -> Any:
        return self._set(super().lift(memory, words))

    def _set(self, bits: int) -> frozenset[str]:
        return frozenset(name for place, name in enumerate(self._names) if bits >> place & 1)


class _Variant(Type):
    """A type with cases: a variant, an enum, an option or a result.

    `to_python(case, value)` makes the Python value, and `from_python` returns the case and value.
    """

    def __init__(
        self,
        cases: list[tuple[str, Type | None]],
        to_python: Callable[[str, Any], Any],
        from_python: Callable[[Any], tuple[str, Any]],
    ) -> None:
        kinds = [kind for _, kind in cases if kind is not None]
        self._cases = cases
        self._numbers = {name: number for number, (name, _) in enumerate(cases)}
        self._to_python, self._from_python = to_python, from_python
        self.align = max((kind.align for kind in kinds), default=1)
        self._at = self.align  # after the number of the case, which is one byte
        self.size = _aligned(self._at + max((kind.size for kind in kinds), default=0), self.align)
        if not kinds:
            self.size = 1
        self.words = 1 + max((kind.words for kind in kinds), default=0)

    def load(self, memory: Memory, at: int) -> Any:
        name, kind = self._cases[memory.read(at, 1)[0]]
        return self._to_python(name, None if kind is None else kind.load(memory, at + self._at))

    def store(self, memory: Memory, at: int, value: Any) -> None:
        name, payload = self._from_python(value)
        number = self._numbers[name]
        memory.write(at, bytes([number]))
        kind = self._cases[number][1]
        if kind is not None:
            kind.store(memory, at + self._at, payload)

    def lift(self, memory: Memory, words: Words) -> Any:
        name, kind = self._cases[next(words) & 0xFF]
        rest = iter([next(words) for _ in range(self.words - 1)])
        return self._to_python(name, None if kind is None else kind.lift(memory, rest))


def _aligned(at: int, align: int) -> int:
    return -(-at // align) * align


def _result(ok: Type | None, err: Type | None) -> Type:
    return _Variant(
        [("ok", ok), ("err", err)],
        lambda name, value: Ok(value) if name == "ok" else Err(value),
        lambda result: ("ok" if isinstance(result, Ok) else "err", result.value),
    )


def _option(some: Type) -> Type:
    return _Variant(
        [("none", None), ("some", some)],
        lambda name, value: value,
        lambda value: ("none" if value is None else "some", value),
    )


def _enum(names: list[str]) -> Type:
    cases: list[tuple[str, Type | None]] = [(name, None) for name in names]
    return _Variant(cases, lambda name, value: name, lambda name: (name, None))


_NUMBERS = {
    "bool": "?",
    "u8": "B",
    "u16": "H",
    "u32": "I",
    "u64": "Q",
    "s8": "b",
    "s16": "h",
    "s32": "i",
    "s64": "q",
    "handle": "I",
}


def type_from_json(declared: Any) -> Type:
    """Return the type that `imports.json` declares."""
    match declared:
        case "string":
            return Text()
        case str():
            return _Number(_NUMBERS[declared])
        case ["list", "u8"]:
            return _Bytes()
        case ["list", element]:
            return _List(type_from_json(element))
        case ["tuple", kinds]:
            return _TupleOrRecord([type_from_json(kind) for kind in kinds])
        case ["record", fields]:
            return _TupleOrRecord(
                [type_from_json(kind) for _, kind in fields], [name for name, _ in fields]
            )
        case ["flags", names]:
            return _Flags(names)
        case ["enum", names]:
            return _enum(names)
        case ["option", some]:
            return _option(type_from_json(some))
        case ["result", ok, err]:
            return _result(_optional_type(ok), _optional_type(err))
        case ["variant", cases]:
            return _Variant(
                [(name, _optional_type(kind)) for name, kind in cases],
                Case,
                lambda case: (case.name, case.value),
            )
    raise ValueError(f"imports.json has an unknown type: {declared}")


def _optional_type(declared: Any) -> Type | None:
    return None if declared is None else type_from_json(declared)
