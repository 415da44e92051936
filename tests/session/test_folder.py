"""Programs write in the folder, so the host trusts nothing in it."""

import asyncio
import os
from pathlib import Path

import pytest

from coderelay.engines.python.live.interpreter import LiveLimits
from coderelay.engines.python.live.quota import Quota
from coderelay.session.callbacks import Callbacks
from coderelay.session.folder import Folder
from coderelay.session.sdk_module import MARK, Sdk
from coderelay.session.session_call import Session, SessionCall

TEXT = Sdk(()).file


def made(directory: Path | None, size: int = 10_000) -> Folder:
    made = Folder(directory, Quota(size, entries=100))
    made.make()
    return made


def test_a_temporary_folder_is_removed_and_a_given_one_is_not(tmp_path: Path) -> None:
    own, given = made(None), made(tmp_path / "inner" / "files")
    for folder in (own, given):
        folder.write_sdk(TEXT)
        assert (folder.path / "sdk.py").read_text().startswith(MARK)
        folder.remove()
    assert not own.path.exists()
    assert (given.path / "sdk.py").exists()


def test_a_temporary_folder_is_removed_however_deep_it_is(tmp_path: Path) -> None:
    """Deeper than Python can recurse, as programs can make it by moving directories."""
    outside = tmp_path / "outside"
    outside.write_text("mine")
    folder = made(None)
    inner = folder.path / "inner"
    for _ in range(1_500):
        outer = folder.path / "outer"
        outer.mkdir()
        (outer / "file").write_text("x")
        (outer / "link").symlink_to(tmp_path)
        if inner.exists():
            os.rename(inner, outer / "inner")
        os.rename(outer, inner)
    folder.remove()
    assert not folder.path.exists()
    assert outside.read_text() == "mine"


def test_a_folder_with_a_module_of_that_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / "sdk.py").write_text("import mine\n")
    with pytest.raises(ValueError, match="move it, or use another directory"):
        made(tmp_path)
    assert (tmp_path / "sdk.py").read_text() == "import mine\n"


def test_a_folder_that_was_used_before_is_taken(tmp_path: Path) -> None:
    made(tmp_path).write_sdk(TEXT)
    made(tmp_path).write_sdk(TEXT)


def test_the_declarations_never_go_through_a_link(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("mine")
    folder = made(tmp_path / "files")
    for name in ("sdk.py", ".sdk.py.new"):
        (folder.path / name).symlink_to(secret)
    folder.write_sdk(TEXT)
    assert secret.read_text() == "mine"
    assert not (folder.path / "sdk.py").is_symlink()


def test_files_that_a_program_put_in_the_way_stay(tmp_path: Path) -> None:
    folder = made(tmp_path)
    (tmp_path / "sdk.py").mkdir()
    folder.write_sdk(TEXT)
    assert (tmp_path / "sdk.py").is_dir()


def test_an_output_is_saved_under_a_free_name(tmp_path: Path) -> None:
    folder = made(tmp_path)
    assert folder.save_output("one") == "output-1.txt"
    (tmp_path / "output-7.txt").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "output-x.txt").touch()
    assert folder.save_output("two ü") == "output-8.txt"
    assert (tmp_path / "output-8.txt").read_text("utf-8") == "two ü"
    assert not (tmp_path / "elsewhere").exists()


def test_what_the_host_adds_counts_within_the_quota(tmp_path: Path) -> None:
    folder = made(tmp_path, 100)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "data").write_text("x" * 90)
    assert folder.save_output("y" * 11) is None
    assert folder.save_output("y" * 10) == "output-1.txt"
    folder.write_sdk("z")
    assert not (tmp_path / "sdk.py").exists()


def test_a_folder_with_a_pipe_of_that_name_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "sdk.py")
    with pytest.raises(ValueError, match="move it, or use another directory"):
        made(tmp_path)


def test_a_session_that_is_closed_before_its_interpreter_starts_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = made(None)
    session = Session(Sdk(()), folder, limits=LiveLimits(), budget=100)
    write_sdk = folder.write_sdk

    def closed_meanwhile(text: str) -> None:
        write_sdk(text)
        session.stop("the session was closed")
        folder.remove()

    monkeypatch.setattr(folder, "write_sdk", closed_meanwhile)
    callbacks = Callbacks(lambda *call: None, None, 1_000)
    with pytest.raises(RuntimeError, match="the session is closed"):
        session.run("1", SessionCall(callbacks, asyncio.new_event_loop))
    session.close()
