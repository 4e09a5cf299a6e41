"""Print what the index of Claude's own files includes of a repository."""

from pathlib import Path

from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.integrations.claude_instruction_files import follow
from memoranda.observations.model import Origin

with Memoranda.open() as memory:
    folder = str(Path("repo").resolve())
    hello = Event(
        kind=EventKind.MESSAGE, host="claude-code", session="s", source=EventSource.HOOK, key="k",
        origin=Origin.HUMAN, text="Hello", cwd=folder,
    )  # fmt: skip
    taken = memory.capture.take([hello], actor="hook")
    follow(memory, taken.tasks, Path.home() / ".claude")
    for one in memory.observations.list(limit=100):
        print(memory.observations.show(one.id).content)
