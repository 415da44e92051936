"""Builds the TypeScript guest: QuickJS with our harness, and the type stripper."""

import base64
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from guests.packages import fetch
from guests.typescript.bundle import bundle
from guests.typescript.image import bake

HERE = Path(__file__).parent
HARNESS = (
    "captured",
    "encode",
    "inspect",
    "console",
    "random",
    "clock",
    "unawaited",
    "tools",
    "encoding",
    "locale",
    "web",
    "program",
)
LIBRARY = {
    "URL": "actual/url/index.js",
    "URLSearchParams": "actual/url-search-params/index.js",
    "structuredClone": "actual/structured-clone.js",
}
QUICKJS_HOLDERS = (
    "2017-2026 Fabrice Bellard",
    "2017-2024 Charlie Gordon",
    "2023-2026 Ben Noordhuis",
    "2023-2026 Saúl Ibarra Corretgé",
)
UNICODE = (
    "Its character tables are derived from the Unicode Character Database,\n"
    "Copyright (c) 1991-2026 Unicode, Inc., under the Unicode License V3."
)
LICENCES = {
    "quickjs-wasi": "quickjs-wasi",
    "swc-wasm-typescript": "@swc/wasm-typescript",
    "core-js-pure": "core-js-pure",
}


def build(output: Path, work: Path, say: Callable[[str], None]) -> None:
    """Write the guest's files into `output`; `work` is for what is fetched on the way."""
    packages = fetch(HERE, work, "QuickJS and the type stripper", say)
    say("baking QuickJS with the harness")
    quickjs = (packages / "quickjs-wasi" / "quickjs.wasm").read_bytes()
    module, handles = bake(quickjs, harness(packages))
    (output / "quickjs.wasm").write_bytes(module)
    (output / "handles.json").write_text(json.dumps(handles, indent=2) + "\n")
    (output / "swc.wasm").write_bytes(stripper(packages))
    for name, package in LICENCES.items():
        licence = next((packages / package).glob("LICENSE*"))
        shutil.copyfile(licence, output / f"LICENSE.{name}.txt")
    wrapper = (packages / "quickjs-wasi" / "LICENSE").read_text("utf-8")
    (output / "LICENSE.quickjs-ng.txt").write_text(quickjs_licence(wrapper), "utf-8")


def quickjs_licence(wrapper: str) -> str:
    """QuickJS-NG is under the same licence as the package that wraps it, of other holders; that
    package names only its own."""
    holders = "\n".join(f"Copyright (c) {holder}" for holder in QUICKJS_HOLDERS)
    licence, replaced = re.subn(r"^Copyright .*$", holders, wrapper, count=1, flags=re.MULTILINE)
    if not licence.startswith("MIT License") or not replaced:
        raise RuntimeError("quickjs-wasi has changed its licence: look at it before building")
    return f"{licence.rstrip()}\n\n{UNICODE}\n"


def harness(packages: Path) -> str:
    """One script, whose value is an object with the functions that the host enters."""
    library = {name: packages / "core-js-pure" / path for name, path in LIBRARY.items()}
    parts = [(HERE / "harness" / f"{name}.js").read_text("utf-8") for name in HARNESS]
    return (
        f"(() => {{ 'use strict';\nconst library = {bundle(library)};\n"
        "delete globalThis['__core-js_shared__'];\n" + "\n".join(parts) + "\n})()"
    )


def stripper(packages: Path) -> bytes:
    """The module that @swc/wasm-typescript carries inside its script as base64 text."""
    script = (packages / "@swc" / "wasm-typescript" / "wasm.js").read_text("utf-8")
    found = re.search(r"Buffer\.from\('([A-Za-z0-9+/=]+)', 'base64'\)", script)
    if found is None:
        raise RuntimeError("@swc/wasm-typescript no longer carries its module as base64 text")
    return base64.b64decode(found[1])
