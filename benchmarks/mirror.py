"""Edit memories in files and in the store while the sync is killed.

No edit of either side may be lost.
"""

from __future__ import annotations

import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.config import Settings, load_settings
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, MemoryStatus
from memoranda.memories.removal import RemovalSelection
from memoranda.proposals.model import MemoryEdit, ProposalStatus

SYNC = """
import sys
from memoranda import Memoranda
from memoranda.config import load_settings
memory = Memoranda.open(settings=load_settings({"data_dir": sys.argv[1], "embedder": "none"}, {}))
while True:
    memory.mirror.sync()
"""
WORKSPACES = ("shop", "Shop", "con")
LONGEST_LIFE = 1.6
"""Seconds; a run needs about 0.5 to open the store."""
TOKEN = re.compile(r"word-\d+-\d+")


@dataclass(slots=True)
class Sides:
    """Writers of the two sides, and what they wrote."""

    settings: Settings
    root: Path
    chance: random.Random
    seed: int
    owed: set[str] = field(default_factory=set)
    """Words that must not be lost."""
    made: dict[str, int] = field(default_factory=dict)
    count: int = 0

    def word(self) -> str:
        """Return a new unique word."""
        self.count += 1
        return f"word-{self.seed}-{self.count}"

    def opened(self) -> Memoranda:
        """Open the store without background jobs."""
        memory = Memoranda.open(settings=self.settings)
        memory._services.background.stop()
        return memory

    def begin(self, size: int) -> None:
        """Write memories and enable the mirror."""
        with self.opened() as memory:
            for _ in range(size):
                word = self.word()
                stored = NewMemory(f"said {word}", category=self.chance.choice(list(Category)))
                memory.remember(stored, workspace=self.chance.choice(WORKSPACES))
                self.owed.add(word)
            memory.mirror.enable(self.root)

    # -------------------------------------------------------------- the store's side

    def in_store(self, edits: int) -> None:
        """Change, add and archive memories."""
        with self.opened() as memory:
            memories = list(memory.memories.list(status=MemoryStatus.APPROVED, limit=1_000).items)
            for _ in range(edits):
                word, one = self.word(), self.chance.choice(memories)
                what = self.chance.choice(("edit", "edit", "edit", "add", "archive"))
                if what == "edit":
                    now = memory.memories.evidence(one.id).memory.content
                    memory.memories.edit(one.id, MemoryEdit(content=f"{now} {word}"))
                elif what == "add":
                    place = self.chance.choice(WORKSPACES)
                    memory.remember(f"said {word}", workspace=place)
                else:
                    memory.memories.archive(one.id)
                if what != "archive":
                    self.owed.add(word)
                self._did(f"store: {what}")

    # -------------------------------------------------------------- the person's side

    def in_files(self) -> None:
        """Change a page as an editor does: read it, write a copy, replace it."""
        pages = [path for path in self.root.rglob("*.md") if _page(path)]
        if not pages:
            return
        page = self.chance.choice(pages)
        try:
            text = page.read_text("utf-8")
        except FileNotFoundError:
            return
        kinds = ("edit", "edit", "edit", "edit", "add", "add", "remove", "rename", "delete")
        what = self.chance.choice(kinds)
        if what in ("rename", "delete"):
            self._whole(page, text, what)
        else:
            self._part(page, text, what)

    def _whole(self, page: Path, text: str, what: str) -> None:
        try:
            if what == "rename":
                page.rename(page.with_name(f"mine {self.word()}.md"))
            else:
                content = page.read_text("utf-8")
                page.unlink()
                self._given_up(content)
        except FileNotFoundError:
            return
        self._did(f"file: {what}")

    def _part(self, page: Path, text: str, what: str) -> None:
        word, gone = self.word(), ""
        head, *entries = re.split(r"(?m)^(?=## )", text)
        if what == "add" or not entries:
            what, entries = "add", [*entries, f"## {word}\n\nsaid {word}\n"]
        else:
            at = self.chance.randrange(len(entries))
            gone = entries[at] if what == "remove" else ""
            entries[at] = "" if gone else f"{entries[at].rstrip()} {word}\n\n"
        draft = page.with_name(f"{page.name}.{word}.txt")
        draft.write_text(head + "".join(entries), "utf-8")
        try:
            unseen = set(TOKEN.findall(page.read_text("utf-8"))) - set(TOKEN.findall(text))
        except FileNotFoundError:
            unseen = set()
        draft.replace(page)
        self._given_up(gone)
        if what != "remove":
            self.owed.add(word)
        self.made["overwritten unseen"] = self.made.get("overwritten unseen", 0) + len(unseen)
        self._did(f"file: {what}")

    def _given_up(self, text: str) -> None:
        """Stop expecting words that a person deleted before they were stored."""
        self.owed -= set(TOKEN.findall(text)) - self.kept()

    def kept(self) -> set[str]:
        """Return every word in the store: current texts, versions, proposals."""
        found: list[str] = []
        with self.opened() as memory:
            for one in memory.memories.list(limit=1_000).items:
                found += [one.title, one.content]
                for version in memory.memories.history(one.id, limit=1_000).items:
                    found += [version.state.title, version.state.content]
            for status in ProposalStatus:
                for waits in memory.proposals.list(status=status, limit=1_000).items:
                    found += [waits.after.title, waits.after.content]
        return set(TOKEN.findall("\n".join(found)))

    def _did(self, what: str) -> None:
        self.made[what] = self.made.get(what, 0) + 1


def _page(path: Path) -> bool:
    names = ("patterns", "anti-patterns", "decisions", "references", "learnings")
    return re.sub(r"-\d+$", "", path.stem) in names and path.parent.parent.name == "Projects"


def started(settings: Settings) -> subprocess.Popen[bytes]:
    """Start a process that syncs both sides continuously."""
    command = [sys.executable, "-c", SYNC, str(settings.data_dir)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def killed(child: subprocess.Popen[bytes]) -> str:
    """Kill a process; return its error output if it had already exited."""
    if child.poll() is None:
        os.kill(child.pid, signal.SIGKILL)
    _, complaint = child.communicate()
    return complaint.decode("utf-8", "replace") if child.returncode != -signal.SIGKILL else ""


def life(sides: Sides, edits: int, lives: list[str]) -> int:
    """Edit both sides while a process syncs them, then kill it.

    Returns the edits.
    """
    child = started(sides.settings)
    until = time.monotonic() + sides.chance.uniform(0.3, LONGEST_LIFE)
    done = 0
    while done < edits:
        if sides.chance.random() < 0.4:
            sides.in_store(1)
        else:
            sides.in_files()
        done += 1
        time.sleep(sides.chance.uniform(0, 0.05))
    time.sleep(max(0.0, until - time.monotonic()))
    if complaint := killed(child):
        lives.append(complaint.strip().splitlines()[-1])
    return done


def run(report: Report, home: Path, seed: int, edits: int) -> None:
    """Make all edits of one seed, then search for lost words."""
    settings = load_settings({"data_dir": home / "data", "embedder": "none"}, {})
    sides = Sides(settings, home / "files", random.Random(f"mirror-{seed}"), seed)
    sides.begin(60)
    done, kills, troubles = 0, 0, list[str]()
    while done < edits:
        done += life(sides, min(edits - done, sides.chance.randint(3, 20)), troubles)
        kills += 1
        progress(f"seed {seed}: {done} edits, {kills} kills")
    progress("")
    with sides.opened() as memory:
        for _ in range(3):
            memory.mirror.sync()
        settled = memory.mirror.sync()
        status = memory.mirror.status()
    aside = {
        path.relative_to(sides.root).as_posix(): path.read_text("utf-8", "replace")
        for path in sides.root.rglob("*")
        if path.is_file() and (".conflict-" in path.name or ".kept-" in path.name)
    }
    beside = set(TOKEN.findall("\n".join(aside.values())))
    lost = sides.owed - sides.kept() - beside
    section = f"seed {seed}"
    for name, number in sorted(sides.made.items()):
        report.add(section, name, number)
    report.add(section, "kills", kills)
    report.add(section, "words written", len(sides.owed))
    report.add(section, "conflicts", len(status.conflicts), note=f"kept aside: {len(status.kept)}")
    report.add(section, "lost", len(lost), note=" ".join(sorted(lost)[:5]))
    report.add(section, "runs that failed", len(troubles), note="; ".join(troubles[:2])[:200])
    report.claim(f"seed {seed}: nothing that was written is lost", not lost)
    reported = set(status.conflicts) | set(status.kept)
    report.claim(f"seed {seed}: every conflict is reported", set(aside) == reported)
    report.claim(f"seed {seed}: both sides are equal at the end", settled.written == [])
    report.claim(f"seed {seed}: no run failed", not troubles)
    report.claim(f"seed {seed}: forgetting leaves no trace", forgotten(sides))


def forgotten(sides: Sides) -> bool:
    """Delete every memory; return whether the folder has none of their words."""
    with sides.opened() as memory:
        while items := memory.memories.list(limit=500).items:
            memory.forget(RemovalSelection(ids=[one.id for one in items]))
        conflicts = memory.mirror.status().conflicts
    left = [
        path
        for path in sides.root.rglob("*")
        if path.is_file()
        and path.relative_to(sides.root).as_posix() not in conflicts
        and ".kept-" not in path.name
        and TOKEN.search(path.read_text("utf-8", "replace"))
    ]
    return not left


def main() -> int:
    """Run every seed."""
    options = parser(__doc__)
    options.add_argument("--edits", type=int, default=500, help="on both sides together")
    options.add_argument("--seeds", type=int, default=1)
    chosen = options.parse_args()
    report = Report("mirror", vars(chosen))
    for seed in range(chosen.seed, chosen.seed + chosen.seeds):
        with tempfile.TemporaryDirectory(prefix="memoranda-mirror-") as folder:
            run(report, Path(folder), seed, chosen.edits)
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
