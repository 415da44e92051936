"""Bundles CommonJS modules into one expression, so that the guest needs no module loader."""

import re
from pathlib import Path

_REQUIRE = re.compile(r"require\('([^']+)'\)")


def bundle(entries: dict[str, Path]) -> str:
    """A JavaScript expression: an object with what each entry module exports, by name."""
    modules: dict[Path, str] = {}
    for path in entries.values():
        _collect(path.resolve(), modules)
    ids = {path: number for number, path in enumerate(modules)}
    bodies = ",\n".join(
        f"(module, exports, require) => {{\n{_link(path, source, ids)}\n}}"
        for path, source in modules.items()
    )
    exported = ", ".join(f"{name}: load({ids[path.resolve()]})" for name, path in entries.items())
    return f"""(() => {{
const modules = [{bodies}];
const loaded = [];
const load = (id) => {{
  if (loaded[id]) return loaded[id].exports;
  const module = (loaded[id] = {{ exports: {{}} }});
  modules[id](module, module.exports, load);
  return module.exports;
}};
return {{ {exported} }};
}})()"""


def _collect(path: Path, modules: dict[Path, str]) -> None:
    if path in modules:
        return
    modules[path] = path.read_text("utf-8")
    for request in _REQUIRE.findall(modules[path]):
        _collect(_resolve(path, request), modules)


def _link(path: Path, source: str, ids: dict[Path, int]) -> str:
    return _REQUIRE.sub(lambda match: f"require({ids[_resolve(path, match[1])]})", source)


def _resolve(origin: Path, request: str) -> Path:
    target = (origin.parent / request).resolve()
    for candidate in (target, target.with_name(target.name + ".js"), target / "index.js"):
        if candidate.is_file():
            return candidate
    raise FileNotFoundError(f"{origin.name} requires {request}, which is not there")
