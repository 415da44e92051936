"""A session's files: its directory is all there is, no name leads out, and the quota is exact."""

import os
import socket
from pathlib import Path

import pytest

from coderelay.engines.python.live.interpreter import LiveLimits
from coderelay.engines.python.live.quota import Quota, WriteRefused
from coderelay.engines.python.live.session_directory import SessionDirectory
from tests.python.living import Session, session

WORKING = [
    "assert os.getcwd() == '/' and os.listdir() == []",
    "with open('a', 'w') as f:\n    f.write('one\\n')\nassert open('a').read() == 'one\\n'",
    "for _ in range(2):\n    with open('a', 'a') as f:\n        f.write('x')\n"
    "assert open('a').read() == 'xx'",
    "with open('a', 'wb+') as f:\n    f.write(bytes(range(256)))\n    f.seek(10)\n"
    "    assert f.read(2) == b'\\x0a\\x0b'\n    f.seek(-1, 2)\n    assert f.read() == b'\\xff'\n"
    "    f.truncate(3)\nassert os.path.getsize('a') == 3",
    "Path('a').write_text('x')\nwith open('a', 'r+') as f:\n    f.seek(3)\n    f.write('y')\n"
    "assert Path('a').read_bytes() == b'x\\0\\0y'",
    "open('a', 'x').close()\ntry:\n    open('a', 'x')\nexcept FileExistsError:\n    pass\n"
    "else:\n    raise AssertionError",
    "Path('d/e').mkdir(parents=True)\nPath('d/e/f').write_text('é')\n"
    "assert [str(p) for p in sorted(Path('.').rglob('*'))] == ['d', 'd/e', 'd/e/f']\n"
    "assert list(os.walk('d')) == [('d', ['e'], []), ('d/e', [], ['f'])]\n"
    "assert [e.name for e in os.scandir('d') if e.is_dir()] == ['e']\nshutil.rmtree('d')\n"
    "assert not os.path.exists('d')",
    "Path('a').write_text('x')\nos.rename('a', 'b')\nPath('c').write_text('y')\n"
    "os.replace('c', 'b')\nassert os.listdir() == ['b'] and open('b').read() == 'y'\n"
    "os.remove('b')",
    "Path('a').write_text('x')\nos.mkdir('d')\nshutil.copy('a', 'b')\nshutil.copy2('a', 'd')\n"
    "shutil.move('a', 'd/m')\nshutil.copytree('d', 't')\n"
    "assert sorted(os.listdir('t')) == ['a', 'm'] and sorted(os.listdir()) == ['b', 'd', 't']",
    "json.dump({'a': 1}, open('j', 'w'))\nassert json.load(open('j')) == {'a': 1}",
    "with open('c', 'w', newline='') as f:\n    csv.writer(f).writerows([[1, 2], [3, 4]])\n"
    "assert list(csv.reader(open('c'))) == [['1', '2'], ['3', '4']]",
    "import sqlite3\nwith sqlite3.connect('db') as db:\n    db.execute('create table t(a)')\n"
    "    db.executemany('insert into t values (?)', [(n,) for n in range(500)])\ndb.close()\n"
    "assert sqlite3.connect('db').execute('select sum(a) from t').fetchone() == (124750,)",
    "with tempfile.NamedTemporaryFile() as f:\n    assert os.path.exists(f.name)\n"
    "with tempfile.TemporaryDirectory() as d:\n    Path(d, 'x').write_text('x')\n"
    "assert os.listdir() == []",
    "os.mkdir('d')\nos.chdir('d')\nassert os.getcwd() == '/d'\nPath('x').write_text('1')\n"
    "assert open('../d/x').read() == '1'\nos.chdir('..')\nassert os.getcwd() == '/'",
    "Path('a').write_text('x')\nos.utime('a', (1, 2))\nassert os.stat('a').st_mtime == 2\n"
    "os.utime('a')\nassert os.stat('a').st_mtime > 1e9",
    "Path('a').write_text('x')\nassert os.path.samefile('a', './a')\n"
    "assert os.stat('a').st_size == 1 and Path('a').is_file() and Path('.').is_dir()",
    "import zipfile, gzip\nwith zipfile.ZipFile('z', 'w') as z:\n    z.writestr('n', 'x' * 999)\n"
    "assert zipfile.ZipFile('z').read('n') == b'x' * 999\n"
    "with gzip.open('g', 'wt') as f:\n    f.write('y')\nassert gzip.open('g', 'rt').read() == 'y'",
    "fd = os.open('a', os.O_RDWR | os.O_CREAT)\nn = os.pwrite(fd, b'x' * 5_000_000, 0)\n"
    "assert 0 < n == os.fstat(fd).st_size and os.pread(fd, 3, 1) == b'xxx'\nos.close(fd)",
    "data = os.urandom(300_000)\nPath('a').write_bytes(data)\n"
    "assert Path('a').read_bytes() == data",
]
OUTSIDE = [
    "open('../secret')",
    "open('/../secret')",
    "open('d/../../secret')",
    "open('d/../../../../../../etc/passwd')",
    "open('/etc/passwd')",
    "open('/proc/self/environ')",
    "open('{secret}')",
    "open('link')",
    "open('link', 'w')",
    "open('link', 'a')",
    "open('linked/secret')",
    "open('linked/../secret')",
    "open('linked/new', 'w')",
    "os.listdir('linked')",
    "os.listdir('..')",
    "os.stat('link')",
    "os.stat('linked/secret')",
    "os.mkdir('linked/new')",
    "os.mkdir('../new')",
    "os.remove('linked/secret')",
    "os.remove('../secret')",
    "os.rename('linked/secret', 'mine')",
    "os.rename('mine', '../new')",
    "os.rename('mine', 'linked/new')",
    "os.link('mine', 'hard')",
    "os.symlink('/etc/passwd', 'soft')",
    "os.symlink('..', 'soft')",
    "os.readlink('link')",
    "os.truncate('link', 0)",
    "os.utime('linked/secret')",
    "os.utime('../secret')",
    "os.rmdir('../outside')",
    "os.rmdir('linked')",
    "shutil.copyfile('link', 'copy')",
    "shutil.copytree('linked', 'copy')",
    "os.chdir('..') or open('secret')",
    "os.chdir('linked') or open('secret')",
    "open('secret', opener=lambda n, f: os.open(n, f, dir_fd=os.open('d/..', os.O_RDONLY)))",
    "os.open('../secret', os.O_RDONLY, dir_fd=os.open('d', os.O_RDONLY)) and open('../secret')",
    "open('fifo')",
    "open('fifo', 'r+')",
    "open('socket')",
    "open('d')",
]


@pytest.mark.parametrize("source", WORKING)
def test_files_work_as_anywhere(live: Session, source: str) -> None:
    live.run("import csv, json, os, shutil, tempfile\nfrom pathlib import Path")
    cell = live.run(source)
    assert cell.failure is None, cell.failure


@pytest.fixture
def trapped(tmp_path: Path) -> Path:
    """A directory full of ways out."""
    (tmp_path / "secret").write_text("SECRET")
    (tmp_path / "outside").mkdir()
    inside = tmp_path / "inside"
    (inside / "d").mkdir(parents=True)
    (inside / "mine").write_text("mine")
    (inside / "link").symlink_to(tmp_path / "secret")
    (inside / "linked").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(inside / "fifo")
    with socket.socket(socket.AF_UNIX) as server:
        here = os.open(inside, os.O_RDONLY)
        try:
            server.bind(f"/proc/self/fd/{here}/socket")  # its own path may be too long
        except OSError:
            (inside / "socket").symlink_to("fifo")
        finally:
            os.close(here)
    return inside


def test_nothing_leads_out_of_the_directory(trapped: Path) -> None:
    outside = trapped.parent
    before = sorted(os.listdir(outside)), (outside / "secret").stat().st_mtime_ns
    with session(trapped) as live:
        for source in OUTSIDE:
            source = source.replace("{secret}", str(outside / "secret"))
            live.run("import os, shutil\nos.chdir('/')")
            cell = live.run(source)
            assert cell.failure is not None, source
            assert cell.failure.name.endswith("Error"), (source, cell.failure)
            assert "SECRET" not in f"{cell.value}{cell.output}"
            assert cell.alive
    assert before == (sorted(os.listdir(outside)), (outside / "secret").stat().st_mtime_ns)
    assert (outside / "secret").read_text() == "SECRET"


def test_links_are_seen_and_lead_nowhere(trapped: Path) -> None:
    with session(trapped) as live:
        live.run("import os, shutil\nfrom pathlib import Path")
        assert live.value("os.path.islink('link'), os.path.exists('link')") == "(True, False)"
        assert live.value("sorted(p.name for p in Path('.').iterdir() if p.is_dir())") == "['d']"
        assert live.value("[n for n, *_ in os.walk('.')]") == "['.', './d']"
        live.run("os.remove('link')\nos.rename('linked', 'renamed')\nos.remove('renamed')")
    assert not (trapped / "link").is_symlink() and not (trapped / "renamed").is_symlink()
    assert (trapped.parent / "secret").exists()


def test_a_directory_that_becomes_a_link_meanwhile_leads_nowhere(tmp_path: Path) -> None:
    inside = tmp_path / "inside"
    (inside / "d").mkdir(parents=True)
    (tmp_path / "secret").write_text("SECRET")
    directory = SessionDirectory(inside, Quota(1000, 10), descriptors=9)
    held = directory.open(directory.root, "d", access=os.O_RDONLY, how=frozenset())
    (inside / "d").rmdir()
    (inside / "d").symlink_to(tmp_path)
    for base, path in ((directory.root, "d/secret"), (held, "../secret"), (held, "secret")):
        with pytest.raises((WriteRefused, OSError)):
            directory.open(base, path, access=os.O_RDONLY, how=frozenset())
    directory.end()


def test_file_names_that_are_not_utf_8_are_left_out(live: Session) -> None:
    Path(os.fsdecode(os.fsencode(live.directory) + b"/\xff")).write_text("x")
    (live.directory / "ok").write_text("x")
    assert live.value("import os\nos.listdir()") == "['ok']"


def test_there_is_no_environment_no_network_no_process_and_no_thread(live: Session) -> None:
    live.run("import os, socket, subprocess, threading")
    assert live.value("dict(os.environ)") == "{}"
    for source in (
        "socket.create_connection(('127.0.0.1', 80), 1)",
        "socket.socket().bind(('127.0.0.1', 0))",
        "socket.getaddrinfo('localhost', 80)",
        "subprocess.run(['ls'])",
        "os.system('ls')",
        "os.fork()",
        "threading.Thread(target=print).start()",
        "import ctypes",
    ):
        failure = live.failure(source)
        assert (
            failure.name
            in (
                "AttributeError ModuleNotFoundError OSError PermissionError RuntimeError gaierror"
            ).split()
        ), (source, failure)


SMALL = LiveLimits(files=10_000, entries=5, descriptors=4)
PASSING = [
    "open('a', 'w').write('x' * 10_001)",
    "open('a', 'wb', buffering=0).write(b'x' * 10_001)",
    "f = open('a', 'wb')\nfor _ in range(99):\n    f.write(b'x' * 1000)\n    f.flush()",
    "open('a', 'w').truncate(10**12)",
    "f = open('a', 'wb')\nf.seek(10**12)\nf.write(b'x')\nf.flush()",
    "for n in range(4):\n    open(f'{n}', 'w').write('x' * 3_000)",
    "os.pwrite(os.open('a', os.O_RDWR | os.O_CREAT), b'x' * 10_001, 0)",
    "os.posix_fallocate(os.open('a', os.O_RDWR | os.O_CREAT), 0, 10**9)",
    "for n in range(4):\n    f = open('a', 'wb')\n    f.write(b'x' * 4_000)\n    f.flush()\n"
    "    os.remove('a')\n    kept.append(f)",
    "for n in range(6):\n    os.mkdir(str(n))",
    "for n in range(6):\n    open(str(n), 'w').close()",
    "os.makedirs('a/b/c/d/e/f')",
]


@pytest.mark.parametrize("source", PASSING)
def test_what_passes_the_quota_is_refused_and_fails_the_cell(tmp_path: Path, source: str) -> None:
    with session(tmp_path, limits=SMALL) as live:
        live.run("import os\nkept = []\nx = 1")
        failure = live.failure(source)
        if failure.name == "LimitError":
            assert (failure.kind, failure.limit) == ("limit", "files")
        else:
            assert "fallocate" in source  # there is none
        found = list(tmp_path.rglob("*"))
        assert sum(path.stat().st_size for path in found if path.is_file()) <= SMALL.files
        assert len(found) <= SMALL.entries
        assert live.value("x") == "1"


def test_a_full_directory_is_free_again_after_files_were_removed(tmp_path: Path) -> None:
    with session(tmp_path, limits=SMALL) as live:
        write = "open('a', 'w').write('x' * 9_000)"
        for _ in range(3):
            live.output(
                f"import os\n{write}\nos.remove('a')\n{write}\nos.truncate('a', 0)\n{write}"
            )
        live.output("open('b', 'w').write('x' * 1_000)")
        assert live.failure("open('c', 'w').write('x')").limit == "files"
        live.output("os.replace('a', 'b')\nopen('a', 'w').write('x' * 1_000)")


def test_a_cell_that_hides_its_full_disk_fails_all_the_same(tmp_path: Path) -> None:
    source = "try:\n    open('a', 'wb', buffering=0).write(b'x' * 10_001)\nexcept OSError: pass\n5"
    with session(tmp_path, limits=SMALL) as live:
        failure = live.failure(source)
    assert failure.limit == "files"
    assert "over 9.76562 KB: remove some" in failure.message


def test_the_quota_counts_what_was_there_and_what_comes_from_outside(tmp_path: Path) -> None:
    (tmp_path / "before").write_bytes(bytes(6_000))
    with session(tmp_path, limits=SMALL) as live:
        assert live.failure("open('a', 'w').write('x' * 5_000)").limit == "files"
        (tmp_path / "before").unlink()
        live.output("open('a', 'w').write('x' * 5_000)")
        (tmp_path / "more").write_bytes(bytes(5_000))
        assert live.failure("open('b', 'w').write('x')").limit == "files"
        assert live.value("len(open('more').read())") == "5000"


def test_open_files_are_bounded(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    with session(tmp_path, limits=SMALL) as live:
        live.run("kept = []")
        failure = live.failure("while True:\n    kept.append(open('a'))")
        assert failure.limit == "files" and "close some" in failure.message
        assert live.value("len(kept)") == "4"
        assert live.value("kept.clear()\nopen('a').read()") == "'x'"


def test_no_file_of_the_host_stays_open_after_a_session(tmp_path: Path) -> None:
    with session(tmp_path) as live:
        live.run("1")
        before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    with session(tmp_path, limits=LiveLimits(descriptors=30)) as live:
        live.run(
            "import os\nkept = [open(str(n), 'w') for n in range(20)]\ns = os.scandir('.')\nnext(s)"
        )
        live.run("os._exit(0)")
        live.run("kept = [open(str(n), 'w') for n in range(20)]")
    after = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    assert after < before


@pytest.mark.parametrize(
    "source",
    [
        "os.makedirs('/'.join('d' * 200))",
        "for _ in range(200):\n    os.mkdir('d')\n    os.chdir('d')",
        "open('x' * 300, 'w')",
        "open('d/' * 3000 + 'x', 'w')",
        "open('a/' + '../a/' * 100 + 'x', 'w')",
        "open('', 'w')",
        "open('a\\0b', 'w')",
    ],
)
def test_deep_and_long_paths_are_refused(live: Session, source: str) -> None:
    live.run("import os")
    assert live.failure(source).name in (
        "OSError FileNotFoundError IsADirectoryError ValueError".split()
    )
    assert live.value("os.chdir('/')\nlen(os.listdir())") in ("0", "1")


def test_directories_moved_into_each_other_too_deep_stop_all_writing(live: Session) -> None:
    chain = "for n in 'ab':\n    os.makedirs(n + '/d' * 50)\nos.rename('b', 'a' + '/d' * 50 + '/b')"
    live.output(f"import os\n{chain}")
    assert live.failure("open('x', 'w').write('x')").limit == "files"
    live.output("import shutil\nos.rename('a' + '/d' * 50 + '/b', 'b')\nopen('x', 'w').write('x')")
