"""Edits on either side of the mirror, in any order, are never lost."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, MemoryStatus
from memoranda.proposals.model import MemoryEdit, ProposalStatus

pytestmark = pytest.mark.integration

WORD = re.compile(r"word\d+x")
PAGES = ("patterns", "anti-patterns", "decisions", "references", "learnings")


class Killed(BaseException):
    """Interrupts a run."""


@dataclass
class Both:
    """A store and its files, and what was written to either."""

    memory: Memoranda
    root: Path
    chance: random.Random
    owed: set[str] = field(default_factory=set)
    count: int = 0

    def word(self) -> str:
        self.count += 1
        return f"word{self.count}x"

    def in_store(self) -> None:
        memories = self.memory.memories.list(status=MemoryStatus.APPROVED, limit=500).items
        what = self.chance.choice(("edit", "edit", "add", "archive", "restore", "approve"))
        word = self.word()
        if what == "add" or not memories:
            chosen = self.chance.choice(list(Category))
            self.memory.remember(NewMemory(f"said {word}", category=chosen), workspace="shop")
            self.owed.add(word)
            return
        one = self.chance.choice(memories)
        if what == "edit":
            self.memory.memories.edit(one.id, MemoryEdit(content=f"{one.content} {word}"))
            self.owed.add(word)
        elif what == "archive":
            self.memory.memories.archive(one.id)
        elif what == "restore" and (older := self.memory.memories.history(one.id).items):
            self.memory.memories.restore(one.id, self.chance.choice(older).version)
        elif waiting := self.memory.proposals.list(limit=500).items:
            self.memory.proposals.approve_all([self.chance.choice(waiting)])

    def in_files(self) -> None:
        pages = [path for path in self.root.rglob("*.md") if path.stem in PAGES]
        if not pages:
            return
        page = self.chance.choice(sorted(pages))
        head, *entries = re.split(r"(?m)^(?=## )", page.read_text("utf-8"))
        what = self.chance.choice(("edit", "edit", "add", "remove", "rename", "delete", "copy"))
        word = self.word()
        if what in ("rename", "copy"):
            self._elsewhere(page, what, word)
            return
        at = self.chance.randrange(len(entries)) if entries else 0
        gone = ""
        if what == "delete":
            gone = "".join(entries)
        elif what == "remove" and entries:
            gone = entries.pop(at)
        elif what == "edit" and entries:
            entries[at] = f"{entries[at].rstrip()} {word}\n\n"
            self.owed.add(word)
        else:
            entries.append(f"## {word}\n\nsaid {word}\n")
            self.owed.add(word)
        self.owed -= set(WORD.findall(gone)) - self.kept()
        if what == "delete":
            page.unlink()
        else:
            page.write_text(head + "".join(entries), "utf-8")

    def _elsewhere(self, page: Path, what: str, word: str) -> None:
        target = page.with_name(f"mine {word}.md")
        if what == "rename":
            page.rename(target)
        else:
            target.write_bytes(page.read_bytes())

    def kept(self) -> set[str]:
        """Return every word in the store: current texts, versions and proposals."""
        found: list[str] = []
        for one in self.memory.memories.list(limit=500).items:
            found += [one.title, one.content]
            for version in self.memory.memories.history(one.id, limit=500).items:
                found += [version.state.title, version.state.content]
        for status in ProposalStatus:
            for waits in self.memory.proposals.list(status=status, limit=500).items:
                found += [waits.after.title, waits.after.content]
        return set(WORD.findall("\n".join(found)))

    def beside(self) -> dict[str, str]:
        """Return the conflict copies in the folder."""
        return {
            path.relative_to(self.root).as_posix(): path.read_text("utf-8")
            for path in self.root.rglob("*")
            if ".conflict-" in path.name
        }


@pytest.mark.parametrize("seed", range(6))
def test_nothing_that_anybody_wrote_is_lost(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as memory:
        memory._services.background.stop()
        both = Both(memory, tmp_path / "files", random.Random(f"both-{seed}"))
        for _ in range(8):
            both.in_store()
        memory.mirror.enable(both.root)
        write = memory._services.database.write
        for _ in range(60):
            both.chance.choice((both.in_store, both.in_files))()
            left = both.chance.randrange(12)

            def ending(work: object, steps: list[int]) -> object:
                steps[0] -= 1
                if steps[0] < 0:
                    raise Killed
                return write(work)  # type: ignore[arg-type]

            if left < 8:
                steps = [left]
                monkeypatch.setattr(
                    memory._services.database, "write", lambda work, s=steps: ending(work, s)
                )
                try:
                    memory.mirror.sync()
                except Killed:
                    pass
                finally:
                    monkeypatch.setattr(memory._services.database, "write", write)
        memory.mirror.sync()
        aside = both.beside()
        lost = both.owed - both.kept() - set(WORD.findall("\n".join(aside.values())))
        assert lost == set()
        assert set(aside) == set(memory.mirror.status().conflicts)
        assert memory.mirror.sync().written == []
        text = "".join(
            path.read_text("utf-8")
            for path in sorted(both.root.rglob("*.md"))
            if path.stem in PAGES
        )
        memories = memory.memories.list(status=MemoryStatus.APPROVED, limit=500).items
        assert sorted(re.findall(r"<!-- memoranda (\S+) ", text)) == sorted(m.id for m in memories)
