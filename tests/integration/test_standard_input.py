"""Standard input that is not UTF-8 is refused, and nothing of it is stored."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration


def _run(data_dir: Path, *words: str, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "memoranda", *words, "--data-dir", str(data_dir)]
    return subprocess.run(
        command, input=text, capture_output=True, check=False, env=dict(os.environ)
    )


def test_bytes_that_are_not_utf8_are_refused(tmp_path: Path) -> None:
    done = _run(tmp_path, "remember", "-", text=b"the caf\xe9 opens at nine")
    assert done.returncode == 2
    assert b"standard input is not UTF-8: byte 8 is 0xe9" in done.stderr
    assert b"opens at nine" not in _run(tmp_path, "memory", "list").stdout
