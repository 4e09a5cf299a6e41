"""Damaged files of other systems are imported or refused, never a crash."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import foreign_files
from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.exceptions import MemorandaError
from memoranda.integrations.imports.format_detection import form_of
from memoranda.integrations.imports.runner import import_foreign

pytestmark = pytest.mark.integration

CASES = Path(__file__).parents[1] / "cases"
FILES = (
    CASES / "import-mcp-damaged" / "good.jsonl",
    CASES / "import-mcp-damaged" / "read_graph.json",
    CASES / "import-claude-mem-export" / "export.json",
    CASES / "import-letta-shared" / "many.af",
    CASES / "import-chatgpt-voice" / "folder" / "conversations-000.json",
    CASES / "import-front-matter" / "inline.md",
)
ODD: tuple[Any, ...] = (
    None, 0, -1, 1e400, 2**70, True, "", "\u2028x\x00", "\ud800", [], {}, [[]], {"a": None},
    "2026-99-99", {"text": 5}, {"parts": "x"},
)  # fmt: skip


def reshaped(value: Any, chance: random.Random) -> Any:
    """Replace a random part of a value."""
    if isinstance(value, dict | list) and value and chance.random() > 0.25:
        places: Any = list(value) if isinstance(value, dict) else range(len(value))
        place = chance.choice(places)
        changed = value.copy()
        changed[place] = reshaped(value[place], chance)
        return changed
    return chance.choice(ODD)


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Truncate a file, overwrite it, repeat its end, or change its JSON."""
    at = chance.randrange(len(data))
    kind = chance.randrange(6)
    if kind == 0:
        return data[:at]
    if kind == 1:
        return data[:at] + chance.randbytes(5) + data[at + 3 :]
    if kind == 2:
        return data + data[at:]
    try:
        lines = [json.loads(data)]
    except ValueError:
        lines = [json.loads(line) for line in data.split(b"\n") if line.startswith(b"{")]
    changed = (json.dumps(reshaped(line, chance)) for line in lines)
    return "\n".join(changed).encode() or data[::-1]


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_file_is_taken_or_refused(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    settings = load_settings({"data_dir": str(tmp_path / "data"), "embedder": "none"})
    files = [*FILES, foreign_files.mem0_export(tmp_path / "mem0.json")]
    taken = 0
    with Memoranda.open(settings=settings) as memory:
        for number in range(60):
            good = chance.choice(files)
            file = tmp_path / f"{number}{good.suffix}"
            file.write_bytes(damaged(good.read_bytes(), chance))
            try:
                if form := form_of(file):
                    import_foreign(memory, file, form=form, dry_run=number % 2 == 0)
                    taken += 1
            except MemorandaError as error:
                assert str(error)
    assert taken > 20
