"""Failure cases of a hook: bad disks, odd files, input that never comes."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from measuring.burst import settle
from measuring.processes import Command


@dataclass(frozen=True, slots=True)
class Case:
    """One failure case."""

    name: str
    data_dir: Path
    stdin: bytes
    keep_open: bool = False
    """Whether the writing end of standard input stays open."""
    disabled: bool = False
    mount: Callable[[Path], None] | None = None
    """Mounts a file system at the data directory; needs special rights."""


@dataclass(frozen=True, slots=True)
class Suffered:
    """The result of the hook in a case."""

    code: int
    """The exit code; of several runs, the first that is not 0."""
    output: bytes
    slowest_ms: float


def cases(home: Path, event: bytes) -> Iterator[Case]:
    """Yield every case, with its data directory created."""
    home.mkdir(parents=True)
    a_file = home / "a-file"
    a_file.write_text("not a directory")
    yield Case("data directory is a file", a_file, event)
    spool_file = _made(home / "spool-file")
    (spool_file / "spool").write_text("not a directory")
    yield Case("spool is a file", spool_file, event)
    yield Case("data directory read-only", _made(home / "read-only"), event, mount=_read_only)
    yield Case("disk full", _made(home / "full"), event, mount=_full)
    ordinary = _made(home / "ordinary")
    settle(ordinary)
    yield Case("empty standard input", ordinary, b"")
    yield Case("garbage on standard input", ordinary, b"\xff\x00\x1b{not json" * 500)
    yield Case("standard input open and silent", ordinary, b"", keep_open=True)
    yield Case("standard input open after the event", ordinary, event, keep_open=True)
    yield Case("switched off", ordinary, event, disabled=True)


def suffer(case: Case, command: Command, tries: int) -> Suffered | None:
    """Run the hook in a case several times; None if the case is impossible."""
    with _mounted(case) as ready:
        if not ready:
            return None
        found = [_run(case, command) for _ in range(tries)]
    codes = [one.code for one in found if one.code]
    return Suffered(
        codes[0] if codes else 0,
        b"".join(one.output for one in found),
        max(one.slowest_ms for one in found),
    )


def _run(case: Case, command: Command) -> Suffered:
    environ = {"PATH": os.environ.get("PATH", ""), "MEMORANDA_DATA_DIR": str(case.data_dir)}
    if case.disabled:
        environ["MEMORANDA_DISABLED"] = "1"
    reading, writing = os.pipe()
    began = time.perf_counter()
    hook = subprocess.Popen(
        command, stdin=reading, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environ
    )
    os.close(reading)
    with suppress(BrokenPipeError):  # a disabled hook does not read its input
        os.write(writing, case.stdin)
    if not case.keep_open:
        os.close(writing)
    output, _ = hook.communicate(timeout=30)
    wall = time.perf_counter() - began
    if case.keep_open:
        os.close(writing)
    return Suffered(hook.returncode, output, wall * 1e3)


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


@contextmanager
def _mounted(case: Case) -> Iterator[bool]:
    if case.mount is None:
        yield True
        return
    if os.name != "posix" or os.geteuid() != 0:
        yield False
        return
    place = str(case.data_dir)
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "memoranda-bench", place]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        yield False
        return
    try:
        case.mount(case.data_dir)
        yield True
    finally:
        subprocess.run(["umount", place], capture_output=True, check=True)


def _read_only(place: Path) -> None:
    command = ["mount", "-o", "remount,ro", str(place)]
    subprocess.run(command, capture_output=True, check=True)


def _full(place: Path) -> None:
    (place / "spool").mkdir()
    with (place / "ballast").open("wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(4096))
        except OSError:
            return
