"""Rules about the journal, transcripts and working memory."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import rule

from memoranda.store.tables import journal, transcripts, working
from memoranda.store.tables.journal import NEWEST, Note
from memoranda.store.tables.working import END, EVER
from memoranda.testing.clock import START
from memoranda.testing.machine.rules import StoreRules
from memoranda.testing.machine.stores import call
from memoranda.testing.machine.texts import limits, maybe, moments, odd, task_ids, teams, texts
from memoranda.values.json import JsonValue
from memoranda.values.working import WorkingEntry

operations = st.sampled_from(("observe", "forget", "it's"))
subjects = st.sampled_from(("01A1", "", "名"))
notes = st.builds(
    Note,
    moments,
    st.sampled_from(("human", "agent")),
    operations,
    subjects,
    st.dictionaries(texts, st.integers() | texts | st.none(), max_size=2),
)
paths = st.sampled_from(("/log/a", "/log/名", "it's"))
HEADS = ("", "head", "other")
heads = st.sampled_from(HEADS)
keys = st.sampled_from(("step", "Step", "名", "it's", "%", "~", "\x7f", "\U0010ffff"))
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=4,
)  # fmt: skip


class NoteRules(StoreRules):
    """What is written down: for good, up to where, and for a while."""

    @rule(team=teams, entries=st.lists(notes, min_size=1, max_size=2))
    def append(self, team: str, entries: list[Note]) -> None:
        """Add to the journal."""
        self.change(team, *(self.of(team, journal.append, note) for note in entries))

    @rule(
        team=teams,
        operation=maybe(operations),
        subject=maybe(subjects),
        before=st.sampled_from((NEWEST, 1, 3)),
        limit=limits,
    )
    def read_journal(
        self, team: str, operation: str | None, subject: str | None, before: int, limit: int
    ) -> None:
        """List the journal through a filter, and verify it."""
        self.ask(
            team,
            self.of(team, journal.listed, operation=operation, subject=subject, before=before,
                    limit=limit),
            self.of(team, journal.listed),
            self.of(team, journal.version),
            self.of(team, journal.verify),
        )  # fmt: skip

    @rule(team=teams, path=paths, head=heads, offset=st.integers(0, 2**40))
    def advance(self, team: str, path: str, head: str, offset: int) -> None:
        """Remember how far a transcript was read, and ask."""
        place = (offset, self.now)
        self.change(team, self.of(team, transcripts.advance, path, head, place))
        self.ask(team, *(self.of(team, transcripts.position, path, each) for each in HEADS))

    @rule(team=teams, task=task_ids, key=keys | odd, value=values, lives=st.integers(1, 12))
    def put(self, team: str, task: str, key: str, value: JsonValue, lives: int) -> None:
        """Note something down for a task that may not be there."""
        entry = WorkingEntry(self.teams[team], task, key, value, START, START + lives)
        self.change(team, call(working.put, entry))

    @rule(team=teams, task=task_ids, key=keys, until=st.sampled_from((END, START, START - 1)))
    def delete_note(self, team: str, task: str, key: str, until: int) -> None:
        """Delete an entry, unless it was written after a time."""
        self.change(team, self.of(team, working.delete, task, key, until))

    @rule(team=teams, tasks=st.lists(task_ids, max_size=1), until=moments)
    def clear_notes(self, team: str, tasks: list[str], until: int) -> None:
        """Drop what expired, and all of some tasks."""
        sweep = self.of(team, working.sweep, until)
        self.change(team, sweep, self.of(team, working.clear, tasks))

    @rule(
        team=teams,
        task=task_ids,
        key=keys,
        alive_at=st.just(EVER) | moments,
        after=st.just("") | keys,
        limit=limits,
    )
    def look_at_notes(
        self, team: str, task: str, key: str, alive_at: int, after: str, limit: int
    ) -> None:
        """Ask for what is still alive."""
        self.ask(
            team,
            self.of(team, working.get, task, key, alive_at),
            self.of(team, working.listed, task, alive_at, after=after, limit=limit),
            self.of(team, working.listed, task, EVER, limit=100),
        )
