"""A killed run is completed by the next one, without duplicates."""

from __future__ import annotations

import signal
import subprocess
import threading
from pathlib import Path

import pytest
from happenings import start

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.proposals.model import MemoryEdit

pytestmark = [pytest.mark.disk, pytest.mark.integration]

KILLED = """
import os, signal, sys
from pathlib import Path
from memoranda import Memoranda
from memoranda.config import load_settings
data, what, left = sys.argv[1], sys.argv[2], [int(sys.argv[3])]

def dying(function):
    def call(*given, **more):
        left[0] -= 1
        if left[0] < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*given, **more)
    return call

memory = Memoranda.open(settings=load_settings({"data_dir": data, "embedder": "none"}, {}))
os.link, os.fsync = dying(os.link), dying(os.fsync)
Path.rename, Path.unlink = dying(Path.rename), dying(Path.unlink)
memory._services.database.write = dying(memory._services.database.write)
getattr(memory.mirror, what)()
memory.close()
print("done")
"""
PAGE = "Memory/Global/learnings.md"


def opened(data: Path) -> Memoranda:
    memory = Memoranda.open(settings=load_settings({"data_dir": data, "embedder": "none"}, {}))
    memory._services.background.stop()
    return memory


def begun(data: Path, root: Path) -> list[str]:
    """Make a mirror with changes on both sides; return the memories."""
    with opened(data) as memory:
        ids = [memory.remember(f"fact {number}").id for number in range(4)]
        memory.mirror.enable(root)
        memory.memories.edit(ids[1], MemoryEdit(content="fact in the store"))
        memory.memories.edit(ids[2], MemoryEdit(content="fact here"))
    page = root / PAGE
    text = page.read_text("utf-8")
    for old, new in (("fact 0", "fact changed"), ("fact 2", "fact there")):
        text = text.replace(f"\n{old}\n", f"\n{new}\n")
    text = text[: text.index("## fact 3")] + "## Added\n\nfact added\n"
    page.write_text(text, "utf-8")
    (root / "Memory/Global/agent.md").write_text("fact mine\n", "utf-8")
    return ids


@pytest.mark.parametrize("what", ["sync", "rebuild"])
@pytest.mark.parametrize("step", [0, 4, 9, 20])
def test_a_run_killed_at_any_step_is_finished_by_the_next(
    tmp_path: Path, step: int, what: str
) -> None:
    data, root = tmp_path / "data", tmp_path / "files"
    ids = begun(data, root)
    child = start(KILLED, data, what, step)
    child.wait(timeout=60)
    assert child.returncode in (-signal.SIGKILL, 0)
    with opened(data) as memory:
        memory.mirror.sync()
        entries = [memory.memories.evidence(id).memory.content for id in ids]
        assert entries == ["fact changed", "fact in the store", "fact here", "fact 3"]
        listed = [one.content for one in memory.memories.list().items]
        assert listed.count("fact added") == 1
        assert len(listed) == 5
        waits = {one.memory: one.after for one in memory.proposals.list()}
        assert waits[ids[2]].content == "fact there"
        assert waits[ids[3]].status == "archived"
        assert len(waits) == 2
        assert len(memory.memories.history(ids[0]).items) == 1
        assert sorted(memory.mirror.status().conflicts) == [
            "Memory/Global/agent.conflict-1.md",
            "Memory/Global/learnings.conflict-1.md",
        ]
        assert memory.mirror.sync().written == []
    names = [path.name for path in root.rglob("*") if path.is_file()]
    assert not [name for name in names if name.endswith("~")]
    assert (root / PAGE).read_text("utf-8").count("\nfact in the store\n") == 1


def test_runs_at_once_do_the_work_once(tmp_path: Path) -> None:
    data, root = tmp_path / "data", tmp_path / "files"
    ids = begun(data, root)
    children = [start(KILLED, data, "sync", 1_000_000) for _ in range(3)]
    for child in children:
        out, err = child.communicate(timeout=60)
        assert out == "done\n", err
    with opened(data) as memory:
        assert len(memory.memories.list().items) == 5
        assert len(memory.memories.history(ids[0]).items) == 1
        assert len(memory.proposals.list().items) == 2
        assert len(memory.mirror.status().conflicts) == 2
        assert memory.mirror.sync().written == []


def test_a_person_who_saves_while_files_are_written_is_taken_in(tmp_path: Path) -> None:
    data, root = tmp_path / "data", tmp_path / "files"
    with opened(data) as memory:
        ids = [memory.remember(f"fact {number}").id for number in range(3)]
        memory.mirror.enable(root)
        page, wrote = root / PAGE, list[str]()

        def save() -> None:
            for number in range(60):
                try:
                    text = page.read_text("utf-8")
                except FileNotFoundError:
                    continue
                draft = page.with_name("draft.txt")
                word = f"word-{number}"
                draft.write_text(f"{text}\n## {word}\n\nsaid {word}\n", "utf-8")
                draft.replace(page)
                wrote.append(f"said {word}")

        person = threading.Thread(target=save)
        person.start()
        number = 0
        while person.is_alive():
            number += 1
            memory.memories.edit(ids[0], MemoryEdit(content=f"fact changed {number}"))
            memory.mirror.sync()
        person.join()
        memory.mirror.sync()
        memory.mirror.sync()
        memories = {one.content for one in memory.memories.list(limit=1_000).items}
        # Deletions in a later save are the person's own; the last save holds all it read.
        assert wrote[-1] in memories
        assert content_words(page) <= memories | {f"fact changed {number}"}
        assert memory.memories.evidence(ids[0]).memory.content == f"fact changed {number}"


def content_words(page: Path) -> set[str]:
    """Return the texts in a page, one line each."""
    lines = page.read_text("utf-8").split("\n")
    return {line for line in lines if line.startswith(("said ", "fact "))}


def test_a_killed_child_leaves_no_lock(tmp_path: Path) -> None:
    data, root = tmp_path / "data", tmp_path / "files"
    begun(data, root)
    child: subprocess.Popen[str] = start(KILLED, data, "sync", 3)
    child.wait(timeout=60)
    assert child.returncode == -signal.SIGKILL
    with opened(data) as memory:
        assert memory.mirror.sync().unfinished is False
