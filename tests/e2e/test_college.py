"""Three processes coordinate through a shared block and do nothing twice."""

from __future__ import annotations

import os
import re
from collections import Counter
from pathlib import Path

from commands import SOURCES

import forked_processes
from memoranda import Memoranda
from memoranda.observations.model import ObservationType
from memoranda.observations.table import ObservationFilter

COLLEGE = Path(__file__).parents[2] / "examples" / "college" / "college.py"


def test_a_critic_a_professor_and_a_scribe_share_a_board(tmp_path: Path) -> None:
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    environ = plain | {
        "MEMORANDA_DATA_DIR": str(tmp_path / "data"),
        "MEMORANDA_EMBEDDER": "none",
        "PYTHONPATH": SOURCES,
    }
    roles = ("critic", "professor", "scribe", "professor", "critic")  # some are there twice
    running = [forked_processes.script(COLLEGE, [role], environ, tmp_path) for role in roles]
    for process in running:
        _, complaint = process.communicate(timeout=120)
        assert process.returncode == 0, complaint
    with Memoranda.open(tmp_path / "data", workspace="college") as memory:
        value = memory.blocks.show("board").value
        names = re.findall(r"- \[written\] (\S+):", value)
        assert len(names) == len(set(names)) == len(value.splitlines()) - 1
        versions = list(memory.blocks.history("board", limit=1000))
        assert [one.version for one in versions] == list(range(len(versions), 0, -1))
        result = Counter(one.reason for one in versions)
        assert result["found"] == len(names)
        assert result["fix now"] + result["fix later"] == len(names)
        decided = ObservationFilter(type=ObservationType.DECISION)
        assert len(memory.observations.list(where=decided, limit=100).items) == len(names)
        assert {one.agent for one in memory.blocks.holders("board")} == set(roles)
