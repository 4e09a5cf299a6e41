"""In any failure the hook exits with 0, without output, at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from happenings import environment
from hooking import HOOK, PROMPT, Ended, hook, without_drain

pytestmark = pytest.mark.integration


def blocked_by_a_file(home: Path) -> Path:
    (home / "data").write_text("not a directory")
    return home / "data"


def spool_is_a_file(home: Path) -> Path:
    (home / "data").mkdir()
    (home / "data" / "spool").write_text("not a directory")
    return home / "data"


def read_only(home: Path) -> Path:
    (home / "data").mkdir(mode=0o500)
    return home / "data"


def below_a_device(home: Path) -> Path:
    return Path(os.devnull) / "data"


def too_long_a_name(home: Path) -> Path:
    return home / ("x" * 300)


def session_file_is_a_link(home: Path) -> Path:
    (home / "data" / "spool").mkdir(parents=True)
    (home / "victim").write_text("")
    (home / "data" / "spool" / "s1.jsonl").symlink_to(home / "victim")
    return home / "data"


def session_file_is_a_pipe(home: Path) -> Path:
    (home / "data" / "spool").mkdir(parents=True)
    os.mkfifo(home / "data" / "spool" / "s1.jsonl")
    return home / "data"


def session_file_is_a_directory(home: Path) -> Path:
    (home / "data" / "spool" / "s1.jsonl").mkdir(parents=True)
    return home / "data"


def context_is_a_file(home: Path) -> Path:
    (home / "data").mkdir()
    (home / "data" / "context").write_text("not a directory")
    without_drain(home / "data")
    return home / "data"


PLACES: list[Callable[[Path], Path]] = [
    blocked_by_a_file,
    spool_is_a_file,
    read_only,
    below_a_device,
    too_long_a_name,
    session_file_is_a_link,
    session_file_is_a_pipe,
    session_file_is_a_directory,
    context_is_a_file,
]


def quickest(run: Callable[[], Ended]) -> Ended:
    """Run a hook up to three times, until it takes less than a second."""
    for _ in range(2):
        ended = run()
        if ended.seconds < 1 or not ended.silent:
            return ended
    return run()


@pytest.mark.parametrize("mode", ["spool", "context"])
@pytest.mark.parametrize("place", PLACES)
def test_an_unusable_data_directory_causes_no_error(
    place: Callable[[Path], Path], mode: str, tmp_path: Path
) -> None:
    data_dir = place(tmp_path)
    ended = quickest(lambda: hook(data_dir, PROMPT, mode))
    assert ended.silent, ended
    assert ended.seconds < 1
    if (tmp_path / "victim").exists():
        assert (tmp_path / "victim").read_text() == ""


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"\n\n",
        b"null",
        b"[]",
        b'"text"',
        b"\xff\xfe\x00",
        b"{",
        b'{"session_id": "s1", "prompt": "cut of',
        b"not json at all",
        b"\0" * 100_000,
    ],
    ids=range(10),
)
@pytest.mark.parametrize("mode", ["context", "nonesuch"])
def test_input_that_is_no_event_causes_no_error(value: bytes, mode: str, data_dir: Path) -> None:
    ended = quickest(lambda: hook(data_dir, value, mode))
    assert ended.silent, ended
    assert ended.seconds < 1
    kept = data_dir / "spool" / "unnamed.jsonl"  # for the drain, which reports it
    assert kept.exists() is bool(value.strip())


@pytest.mark.parametrize("sent", [b"", b'{"session_id":"s1"', json.dumps(PROMPT).encode()])
def test_an_input_that_is_never_closed_is_not_waited_for(sent: bytes, data_dir: Path) -> None:
    def run() -> Ended:
        began = time.monotonic()
        words = [sys.executable, "-I", "-S", str(HOOK), "spool"]
        environ = environment(MEMORANDA_DATA_DIR=str(data_dir))
        pipe = subprocess.PIPE
        process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=pipe, env=environ)
        assert process.stdin and process.stdout and process.stderr
        process.stdin.write(sent)
        process.stdin.flush()
        code = process.wait(timeout=30)
        seconds = time.monotonic() - began
        ended = Ended(code, process.stdout.read(), process.stderr.read(), seconds)
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
        return ended

    ended = quickest(run)
    assert ended.silent, ended
    assert ended.seconds < 1
    assert (data_dir / "spool" / "s1.jsonl").exists() == sent.endswith(b"}")


def test_a_hook_that_is_switched_off_leaves_only_the_id_of_the_session(data_dir: Path) -> None:
    assert hook(data_dir, PROMPT, "context", MEMORANDA_DISABLED="1").silent
    assert hook(data_dir, {"prompt": "No session."}, MEMORANDA_DISABLED="1").silent
    assert hook(data_dir, b"no event", MEMORANDA_DISABLED="1").silent
    files = [path for path in data_dir.rglob("*") if path.is_file()]
    assert files == [data_dir / "not-recorded" / "s1"]
    assert files[0].read_bytes() == b""


@pytest.mark.parametrize(
    ("off", "inside"), [("shop", "shop"), ("shop", "shop/src/cart"), ("shop/src", "shop/src")]
)
def test_a_file_switches_capture_off_in_its_folder_and_below(
    data_dir: Path, tmp_path: Path, off: str, inside: str
) -> None:
    (tmp_path / inside).mkdir(parents=True)
    (tmp_path / off / ".memoranda-off").touch()
    assert hook(data_dir, PROMPT | {"cwd": str(tmp_path / inside)}).silent
    assert not (data_dir / "spool").exists()
    assert [path.name for path in (data_dir / "not-recorded").iterdir()] == ["s1"]
    assert hook(data_dir, PROMPT | {"cwd": str(tmp_path)}).silent
    assert (data_dir / "spool" / "s1.jsonl").exists()


def test_a_hook_without_a_home_causes_no_error(tmp_path: Path) -> None:
    work = tmp_path / "work"
    work.mkdir()
    bare = {"HOME": "", "USERPROFILE": "", "XDG_DATA_HOME": str(tmp_path / "data")}
    ended = quickest(lambda: hook(None, PROMPT, cwd=work, **bare))
    assert ended.silent, ended
    assert ended.seconds < 1
    assert (tmp_path / "data" / "memoranda" / "spool" / "s1.jsonl").exists()
    assert list(work.iterdir()) == []
