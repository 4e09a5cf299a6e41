"""A script that forgets to close its memory ends well and loses nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memoranda import Memoranda

pytestmark = pytest.mark.e2e

SCRIPT = """
import sys
from memoranda import Memoranda
m = Memoranda.open(sys.argv[1], workspace="w")
m.conversations.add("And a pump is needed, never call me", session="s1")
m.context(budget=500, query="pump")
"""


def test_a_memory_that_is_never_closed_ends_with_the_script(tmp_path: Path) -> None:
    for _ in range(2):
        command = [sys.executable, "-c", SCRIPT, str(tmp_path / "data")]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (0, "")
    with Memoranda.open(tmp_path / "data") as memory:
        assert memory.store.stats().observations == 2
