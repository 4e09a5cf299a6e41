"""All stored files are readable by their owner alone, for any umask."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest
from happenings import run

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(os.name != "posix", reason="modes are those of POSIX"),
]

EVERYTHING = """
import json, os, subprocess, sys
from pathlib import Path

os.umask(0)
from happenings import message_event, ran
from memoranda import Memoranda
import memoranda.hook

data, project = Path(sys.argv[1]), sys.argv[2]
payload = {"hook_event_name": "UserPromptSubmit", "session_id": "s", "cwd": project, "prompt": "hi"}
environ = os.environ | {"MEMORANDA_DATA_DIR": str(data)}

def hook(text):
    command = [sys.executable, "-I", "-S", memoranda.hook.__file__, "spool"]
    subprocess.run(command, input=text.encode(), env=environ, check=True)

hook(json.dumps(payload))
with Memoranda.open(data) as memory:
    (data / "spool" / "broken.jsonl").write_text("this is no event\\n")
    (data / "spool" / ".newest.draft").write_text("left by a drain that was killed")
    memory.capture.drain()
    memory.capture.take([ran("1", "ls", cwd=project)])
    memory.capture.take([message_event("2", "never touch main", cwd=project)])
    memory.remember("prices are net")
    memory._services.worker.run()
    hook(json.dumps(payload | {"prompt": "once more"}))
    memory.store.backup(data / "one.db")
    paths = sorted(path for path in data.rglob("*") if path.name != "broken.jsonl")
    print(json.dumps({str(path.relative_to(data)): path.stat().st_mode for path in [data, *paths]}))
"""


def test_nothing_in_the_data_directory_is_open_to_others(data_dir: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    modes = json.loads(run(EVERYTHING, data_dir, project))
    open_to_others = {name: oct(mode) for name, mode in modes.items() if mode & 0o077}
    assert open_to_others == {}
    for expected in (
        "memoranda.db",
        "memoranda.db-wal",
        "memoranda.db-shm",
        "key",
        "spool/s.jsonl",
        "spool/.lock",
        "spool/.newest",
        "spool/rejected.txt",
        "one.db",
    ):
        assert stat.S_ISREG(modes[expected]), expected
    assert any(name.startswith("context/") for name in modes)
    assert not any(name.endswith(".draft") for name in modes)
