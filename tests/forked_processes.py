"""Processes of Memoranda that are forked from one which has loaded it.

Each command has a process of its own, as with `python -m memoranda`, without the half second that
loading takes. What only a new interpreter shows (how the command is found, what it loads, what
Python's own variables do) is tested with `python -m memoranda` itself.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import json
import os
import pkgutil
import re
import runpy
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Mapping, Sequence
from concurrent import futures
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import IO, Any

import memoranda
from memoranda import Memoranda
from memoranda.config import load_settings

SOURCES = str(Path(memoranda.__file__).parents[1])
REQUEST_BYTES = 100_000
READ_ONCE = re.compile("PYTHON(?!PATH$)|LC_|LANG|LD_|OPENBLAS_")
"""How the names of variables begin that an interpreter reads when it starts."""
LOADED = (
    "agents", "api.client", "archive", "assembly", "banks", "blocks", "capture", "checkpoints",
    "cli", "compression", "context", "conversations", "costs", "documents", "errors",
    "feedback", "idempotency", "integrations.imports", "jobs", "journal", "language", "lessons",
    "memories", "mirror", "observations", "profile", "proposals", "quarantine", "search",
    "stages", "statements", "store.sqlite", "supervision", "tasks", "tools", "upkeep",
    "utterances", "working", "workspaces",
)  # fmt: skip
"""Packages of which every command needs a good part."""
SERVED = (*LOADED, "api", "telemetry", "web")
"""Packages of which a server needs a good part."""

CALLER = Path(__file__).with_name("forked_command.py")
ITSELF = "itself"
"""What a shell's command is told that must start the interpreter itself."""

AS_IT_IS: Mapping[str, Any] = {"encoding": "utf-8", "errors": "surrogateescape", "newline": ""}
"""How bytes become text and the same bytes again."""


class Forked:
    """A process that was forked: what can be done with it is as with `subprocess.Popen`."""

    def __init__(self, origin: socket.socket, request: bytes, stderr: int | None = None) -> None:
        """Have it forked; it complains to a stream of this process, or else to a pipe."""
        (values, to), (out, there), (err, err_there), (status, result) = (
            os.pipe() for _ in range(4)
        )
        streams = [values, there, err_there if stderr is None else stderr, result]
        socket.send_fds(origin, [request], streams)
        for stream in (values, there, err_there, result):
            os.close(stream)
        self.stdin: IO[str] = os.fdopen(
            to, "w", encoding="utf-8", errors="surrogateescape", newline=""
        )
        self.stdout: IO[str] = os.fdopen(
            out, encoding="utf-8", errors="surrogateescape", newline=""
        )
        self.stderr: IO[str] = os.fdopen(
            err, encoding="utf-8", errors="surrogateescape", newline=""
        )
        self._status: IO[bytes] = os.fdopen(status, "rb", buffering=0)
        self.pid = int(self._status.read(16))
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Return the code that it ended with, minus the signal that ended it; None if it runs."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.wait(0)
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        """Return the code it ends with.

        Raises:
            subprocess.TimeoutExpired: it runs on after so many seconds.
        """
        if self.returncode is None:
            if not select.select([self._status], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
            self.returncode = int(self._status.read(16))
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            with contextlib.suppress(ProcessLookupError):  # it ended just now
                os.kill(self.pid, number)

    def kill(self) -> None:
        """Kill it."""
        self.send_signal(signal.SIGKILL)

    def communicate(self, text: str = "", timeout: float | None = None) -> tuple[str, str]:
        """Give it a text; wait until it has ended; return what it printed that nobody has read.

        Raises:
            subprocess.TimeoutExpired: it holds its pipes after so many seconds.
        """
        if self.stdout.closed:
            return "", ""
        with ThreadPoolExecutor(3) as threads:
            values = threads.submit(self._send_input, text)
            out, err = (threads.submit(stream.read) for stream in (self.stdout, self.stderr))
            late = bool(futures.wait((out, err), timeout).not_done)
            if late:
                self.kill()
            values.result()
        if late:
            raise subprocess.TimeoutExpired(str(self.pid), timeout or 0)
        self.wait(timeout)
        self.close()
        return out.result(), err.result()

    def close(self) -> None:
        """Let go of its pipes."""
        with contextlib.suppress(BrokenPipeError):
            self.stdin.close()
        for stream in (self.stdout, self.stderr, self._status):
            stream.close()

    def _send_input(self, text: str) -> None:
        with contextlib.suppress(BrokenPipeError):
            if not self.stdin.closed:
                self.stdin.write(text)
                self.stdin.close()


def run(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    cwd: Path,
    text: bytes = b"",
    seconds: float = 120,
) -> subprocess.CompletedProcess[bytes]:
    """Run a command in which warnings are errors, in a new interpreter if variables of Python say
    how that is to be.

    Raises:
        subprocess.TimeoutExpired: it did not end in time and was killed.
    """
    if interpreter(environ) != interpreter(os.environ):
        return subprocess.run(
            [sys.executable, "-W", "error", "-m", "memoranda", *arguments],
            input=text, capture_output=True, env=environ, cwd=cwd, timeout=seconds, check=False,
        )  # fmt: skip
    command = Forked(_origin(LOADED), _request(["-m", *arguments], environ, cwd))
    printed = command.communicate(text.decode("utf-8", "surrogateescape"), seconds)
    out, err = (one.encode("utf-8", "surrogateescape") for one in printed)
    return subprocess.CompletedProcess(list(arguments), command.wait(), out, err)


def serve(arguments: Sequence[str], environ: Mapping[str, str], stderr: int | None = 2) -> Forked:
    """Start a server in this folder, which complains where these tests do, or else to a pipe.

    It leads a session of its own, so that it can be killed with its workers.
    """
    request = _request(["-m", "serve", *arguments], environ, Path.cwd(), apart=True)
    return Forked(_origin(SERVED), request, stderr)


def command(
    arguments: Sequence[str],
    environ: Mapping[str, str],
    cwd: Path | None = None,
    stderr: int | None = None,
) -> Forked:
    """Start a command that is talked to, watched or killed; ``stderr``: what it complains to, by
    default a pipe."""
    packages = SERVED if arguments[0] == "mcp" else LOADED
    return Forked(
        _origin(packages), _request(["-m", *arguments], environ, cwd or Path.cwd()), stderr
    )


def script(path: Path, arguments: Sequence[str], environ: Mapping[str, str], cwd: Path) -> Forked:
    """Start a file of Python, with the packages of commands loaded."""
    return Forked(_origin(LOADED), _request([str(path), *arguments], environ, cwd))


def program(code: str, arguments: Sequence[str], environ: Mapping[str, str]) -> Forked:
    """Start Python on a piece of code in this folder, with the packages of commands loaded."""
    return Forked(_origin(LOADED), _request(["-c", code, *arguments], environ, Path.cwd()))


@cache
def shell_commands() -> Path:
    """Return a folder for PATH, with a `memoranda` that is forked.

    A shell that has other variables of Python, or closes a stream, gets a new interpreter.
    """
    _origin(LOADED)
    command = _folder() / "memoranda"
    words = [sys.executable, "-IS", str(CALLER), str(_folder() / LOADED[-1])]
    command.write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
    command.chmod(0o700)
    return _folder()


def interpreter(environ: Mapping[str, str]) -> dict[str, str]:
    """Return those variables that an interpreter reads when it starts."""
    return {name: value for name, value in environ.items() if READ_ONCE.match(name)}


def _request(
    words: Sequence[str], environ: Mapping[str, str], cwd: Path, *, apart: bool = False
) -> bytes:
    request = json.dumps([list(words), dict(environ), str(cwd), apart]).encode()
    assert len(request) <= REQUEST_BYTES, "more than a test may say to a process"
    return request


@cache
def _folder() -> Path:
    """Return the folder with what shells find us by; only the tests' user may enter it."""
    folder = Path(mkdtemp(prefix="forked-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def _origin(packages: tuple[str, ...]) -> socket.socket:
    """Start what has packages loaded and forks each command that it is sent."""
    line, there = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with there, socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as callers:
        callers.bind(str(_folder() / packages[-1]))
        callers.listen()
        ours = [there.fileno(), callers.fileno()]
        process = subprocess.Popen(
            [sys.executable, "-W", "error", __file__, *map(str, ours), *packages],
            env=os.environ | {"PYTHONPATH": SOURCES},
            pass_fds=ours,
            stdin=subprocess.DEVNULL,
        )

    def close() -> None:
        line.close()
        process.wait()

    atexit.register(close)
    return line


def _load(packages: Sequence[str]) -> None:
    """Import what commands import, so that none of them has to."""
    for name in packages:
        package = import_module(f"memoranda.{name}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            import_module(module.name)
    _use()
    gc.collect()
    gc.freeze()


def _use() -> None:
    """Load what commands load at its first use: vocabularies, tables, models and patterns."""
    with TemporaryDirectory() as folder:
        settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
        with Memoranda.open(settings=settings) as memory:
            memory.observe("Never run it on Fridays, since port 8080 fails.", task="one")
            memory.say("Remember that nothing is deployed on Fridays")
            memory.context(task="one", query="port")
            memory.tasks.end("one")


def _forked(line: socket.socket, callers: socket.socket) -> list[str]:
    """Fork a process for each command that comes on a line or from a shell, and tell its number and
    how it ends; return its arguments in that process."""
    marks = _mark_ends()
    watched: dict[int, int] = {}
    while True:
        ready = select.select([line, callers, marks[0]], [], [])[0]
        if marks[0] in ready:
            os.read(marks[0], 1_000)
            _tell_ends(watched)
        if line in ready:
            request, streams, _, _ = socket.recv_fds(line, REQUEST_BYTES, 4)
            if not request:
                os._exit(0)
        elif callers in ready:
            with callers.accept()[0] as caller:
                request, streams, _, _ = socket.recv_fds(caller, REQUEST_BYTES, 4)
            if not _can_fork(request, streams):
                continue
        else:
            continue
        status = streams.pop()
        child = os.fork()
        if not child:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            line.close()
            callers.close()
            for stream in (*marks, status, *watched.values()):
                os.close(stream)
            return _become(streams, *json.loads(request))
        watched[child] = status
        _tell(status, f"{child:<16}")
        for stream in streams:
            os.close(stream)


def _mark_ends() -> tuple[int, int]:
    """Return a pipe that can be read from when a child has ended."""
    ended, mark = os.pipe()
    os.set_blocking(mark, False)
    signal.set_wakeup_fd(mark, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)  # else nothing is written
    return ended, mark


def _can_fork(request: bytes, streams: list[int]) -> bool:
    """Return whether a shell's command needs no new interpreter; else tell that it does."""
    if request and interpreter(json.loads(request)[1]) == interpreter(os.environ):
        return True
    for stream in streams[-1:]:
        _tell(stream, ITSELF)
    for stream in streams:
        os.close(stream)
    return False


def _tell_ends(watched: dict[int, int]) -> None:
    """Tell of each process that has ended how it did."""
    for child in list(watched):
        ended, code = os.waitpid(child, os.WNOHANG)
        if ended:
            status = watched.pop(child)
            _tell(status, str(os.waitstatus_to_exitcode(code)))
            os.close(status)


def _tell(status: int, text: str) -> None:
    with contextlib.suppress(BrokenPipeError):  # nobody wants to know
        os.write(status, text.encode())


def _become(
    streams: list[int], words: list[str], environ: dict[str, str], cwd: str, apart: bool
) -> list[str]:
    """Give this process what one that was started for these words would have; ``apart``: in a
    session of its own."""
    if apart:
        os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.environ.clear()
    os.environ.update(environ)
    time.tzset()
    os.chdir(cwd)
    values = environ.get("PYTHONPATH", "").split(os.pathsep)
    sys.path[:2] = [cwd if words[0] == "-m" else "", *filter(None, values)]
    return words


def _run(kind: str) -> None:
    """Run a command, a piece of code, or else a file."""
    # The MCP SDK leaves streams of a cancelled call open.
    warnings.filterwarnings("ignore", "Unclosed <MemoryObject", ResourceWarning)
    if kind == "-m":
        import_module("memoranda.cli").main()
    elif kind == "-c":
        sys.argv[0] = kind
        exec(compile(sys.argv.pop(1), "<string>", "exec"), {"__name__": "__main__"})
    else:
        sys.argv[0] = kind
        sys.path[0] = str(Path(kind).parent)
        runpy.run_path(kind, run_name="__main__")


def _end(code: Any) -> None:
    """End as an interpreter does, but leave what is loaded.

    To free it copies each page of it, which takes longer than most commands. An interpreter reports
    output that cannot be written.
    """
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    gc.collect()
    try:
        for stream in (sys.stdout, sys.stderr):
            if not stream.closed:
                stream.flush()
    except OSError:
        return
    if code is None or isinstance(code, int):
        os._exit(code or 0)


if __name__ == "__main__":
    _load(sys.argv[3:])
    kind, *sys.argv[1:] = _forked(*(socket.socket(fileno=int(one)) for one in sys.argv[1:3]))
    code: Any = 0
    try:
        _run(kind)
    except SystemExit as ended:
        code = ended.code
    _end(code)  # without the frames of the command: what it left open is complained of
    raise SystemExit(code)
