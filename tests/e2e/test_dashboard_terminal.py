"""The dashboard in a real terminal, and where there is none."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import SOURCES, forked, invoke, run

from made_stores import copied
from memoranda import Memoranda

pytestmark = pytest.mark.e2e

COLUMNS, LINES = 120, 36
PATIENCE = 60.0


class Terminal:
    """A pseudo-terminal with `memoranda tui` in it."""

    def __init__(self, data_dir: Path, *words: str, **variables: str) -> None:
        """Start it."""
        self._end, inner = pty.openpty()
        fcntl.ioctl(inner, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, COLUMNS, 0, 0))
        plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
        home = {"HOME": str(data_dir.parent), "PYTHONPATH": SOURCES, "TERM": "xterm-256color"}
        home |= {"MEMORANDA_DATA_DIR": str(data_dir), "MEMORANDA_EMBEDDER": "none"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "memoranda", "tui", *words],
            stdin=inner,
            stdout=inner,
            stderr=inner,
            env=plain | home | variables,
            cwd=data_dir.parent,
            start_new_session=True,
        )
        os.close(inner)
        self.said = b""

    def until(self, text: str) -> None:
        """Read on until a text came."""
        give_up = time.monotonic() + PATIENCE
        while text.encode() not in self.said:
            assert time.monotonic() < give_up, self.said[-4_000:]
            self._read(0.2)

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._end, keys.encode())

    def end(self) -> int:
        """Read to the end; return the exit code."""
        give_up = time.monotonic() + PATIENCE
        while self.process.poll() is None:
            assert time.monotonic() < give_up, self.said[-4_000:]
            self._read(0.1)
        self._read(0)
        return self.process.returncode

    def close(self) -> None:
        """Leave nothing behind."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._end)

    def _read(self, seconds: float) -> None:
        ready, _, _ = select.select([self._end], [], [], seconds)
        if ready:
            try:
                self.said += os.read(self._end, 65_536)
            except OSError:  # the other end is closed
                self.process.wait()


@pytest.fixture
def data_dir(imported_example: Path, tmp_path: Path) -> Path:
    folder = copied(imported_example, tmp_path / "data")
    with Memoranda.open(folder) as memory:
        memory.remember("\x1b]0;owned\x07\x1b[2J[@click=app.quit]harmless[/]", workspace="parcel")
    return folder


@pytest.fixture
def terminal(data_dir: Path) -> Iterator[Terminal]:
    opened = Terminal(data_dir, "--workspace", "parcel")
    yield opened
    opened.close()


def test_it_starts_shows_and_ends_with_q(terminal: Terminal) -> None:
    for text in ("155 kept", "Memoranda", "parcel", "last capture", "Latest errors"):
        terminal.until(text)
    terminal.press("2")
    terminal.until("harmless")
    terminal.until("\\u001b]0;owned\\u0007")
    terminal.press("q")
    assert terminal.end() == 0
    assert b"\x1b]0;owned" not in terminal.said
    own = re.compile(rb"\x1b\]22;[a-z]+\x07")  # the shape of the pointer
    assert b"\x07" not in own.sub(b"", terminal.said)
    assert terminal.said.rstrip().endswith(b"\x1b[?25h") or b"\x1b[?1049l" in terminal.said
    assert b"Traceback" not in terminal.said


def test_the_badge_shows_pending_proposals_until_decided(data_dir: Path) -> None:
    forked(data_dir, "remember", "Lamps are dim", "--workspace", "parcel", MEMORANDA_AGENT_ID="bob")
    terminal = Terminal(data_dir)
    try:
        terminal.until("(1)")
        terminal.press("q")
        assert terminal.end() == 0
    finally:
        terminal.close()
    assert b"pending approval" not in terminal.said
    assert "1 memory update pending approval" in invoke(data_dir, "stats").err


def test_a_problem_at_start_is_explained_in_plain_text(data_dir: Path) -> None:
    for words, code, result in (
        (("--workspace", "nowhere"), 3, "error (not_found): no workspace 'nowhere'"),
        (("--url", "http://127.0.0.1:9"), 22, "error (server_unavailable): "),
    ):
        terminal = Terminal(data_dir, *words, MEMORANDA_TOKEN="t")
        try:
            assert terminal.end() == code
        finally:
            terminal.close()
        assert result.encode() in terminal.said
        assert b"\x1b[?1049h" not in terminal.said  # no screen was opened for it


def test_without_a_terminal_it_explains_the_problem(data_dir: Path) -> None:
    result = forked(data_dir, "tui")
    assert (result.code, result.out) == (2, "")
    assert "error (invalid): a dashboard needs a terminal" in result.err


def test_without_the_extra_it_names_the_package_to_install(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    (tmp_path / "without" / "textual.py").write_text("raise ModuleNotFoundError(name='textual')\n")
    path = f"{tmp_path / 'without'}{os.pathsep}{SOURCES}"
    result = run(data_dir, "tui", PYTHONPATH=path)
    assert result.code == 2
    assert result.err == (
        "error (invalid): this command needs an extra: pip install 'memoranda[tui]'\n"
    )
    assert run(data_dir, "stats", PYTHONPATH=path).code == 0
