"""Standard input that is not UTF-8 is refused, and nothing of it is stored."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import forked_processes

pytestmark = pytest.mark.integration


def _run(data_dir: Path, *words: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [*words, "--data-dir", str(data_dir)]
    return forked_processes.run(command, os.environ, Path.cwd(), text)


def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    done = _run(tmp_path, "remember", "-", text=b"the caf\xe9 opens at nine")
    assert done.returncode == 2
    assert b"standard input is not UTF-8: byte 8 is 0xe9" in done.stderr
    assert b"opens at nine" not in _run(tmp_path, "memory", "list").stdout
