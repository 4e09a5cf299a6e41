"""Rules about the journal, transcripts and working memory."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from contract.clock import START
from contract.machine.rules import StoreRules
from contract.machine.stores import call
from contract.machine.texts import moments, odd, task_ids, teams, texts
from memoranda.capture import transcript_table as transcripts
from memoranda.journal import table as journal
from memoranda.journal.table import NewJournalEntry
from memoranda.json_data import JsonValue
from memoranda.working import table as working
from memoranda.working.model import WorkingEntry
from memoranda.working.table import END

OPERATIONS = ("observe", "forget", "it's")
SUBJECTS = ("01A1", "", "名")
PATHS = ("/log/a", "/log/名", "it's")
HEADS = ("", "head", "other")
KEYS = ("step", "Step", "名", "it's", "%", "~", "\x7f", "\U0010ffff")

operations = st.sampled_from(OPERATIONS)
subjects = st.sampled_from(SUBJECTS)
notes = st.builds(
    NewJournalEntry,
    moments,
    st.sampled_from(("human", "agent")),
    operations,
    subjects,
    st.dictionaries(texts, st.integers() | texts | st.none(), max_size=2),
)
paths = st.sampled_from(PATHS)
heads = st.sampled_from(HEADS)
keys = st.sampled_from(KEYS)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)  # fmt: skip


class NoteRules(StoreRules):
    """Write to the journal, transcript positions and working memory."""

    @rule(team=teams, entries=st.lists(notes, min_size=1, max_size=2))
    def append(self, team: str, entries: list[NewJournalEntry]) -> None:
        """Add to the journal."""
        self.change(team, *(self.of(team, journal.append, note) for note in entries))

    @rule(team=teams, path=paths, head=heads, offset=st.integers(0, 2**40))
    def advance(self, team: str, path: str, head: str, offset: int) -> None:
        """Store how far a transcript was read."""
        place = (offset, self.now)
        self.change(team, self.of(team, transcripts.advance, path, head, place))

    @rule(team=teams, task=task_ids, key=keys | odd, value=values, lives=st.integers(1, 12))
    def put(self, team: str, task: str, key: str, value: JsonValue, lives: int) -> None:
        """Store an entry of a task that may be missing."""
        entry = WorkingEntry(self.teams[team], task, key, value, START, START + lives)
        self.change(team, call(working.put, entry))

    @rule(team=teams, task=task_ids, key=keys, until=st.sampled_from((END, START, START - 1)))
    def delete_note(self, team: str, task: str, key: str, until: int) -> None:
        """Delete an entry, unless it was written after a time."""
        self.change(team, self.of(team, working.delete, task, key, until))

    @rule(team=teams, tasks=st.lists(task_ids, max_size=1), until=moments)
    def clear_notes(self, team: str, tasks: list[str], until: int) -> None:
        """Delete expired entries, and all entries of some tasks."""
        self.change(team, self.of(team, working.sweep, until))
        self.change(team, self.of(team, working.clear, tasks))
