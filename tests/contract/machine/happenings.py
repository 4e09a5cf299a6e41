"""Rules about observations and their contents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import strategies as st
from hypothesis.stateful import rule

from contract.clock import START
from contract.machine.beginning import SEEN
from contract.machine.drafts import CONTENTS, Happening, happenings
from contract.machine.rules import StoreRules
from contract.machine.stores import Call, call
from contract.machine.texts import task_ids, teams
from memoranda.journal import table as journal
from memoranda.journal.table import NewJournalEntry
from memoranda.observations import (
    blob_table as blobs,
    table as observations,
    total_table as observation_totals,
)
from memoranda.observations.blob_table import Blob
from memoranda.observations.table import NewObservation
from memoranda.store.database import TextEntry
from memoranda.tasks import table as tasks

TARGETS = ("pytest", "it's", "")

targets = st.sampled_from(TARGETS)
redactions = st.dictionaries(st.sampled_from(("aws", "jwt", "it's")), st.integers(0, 2**40))
batches = st.lists(happenings, min_size=1, max_size=4)


class HappeningRules(StoreRules):
    """Store, resolve, count and delete observations."""

    numbered = len(SEEN)
    """Number of ids assigned so far."""

    @rule(team=teams, task=task_ids, batch=batches)
    def observe(self, team: str, task: str, batch: list[Happening]) -> None:
        """Store observations of a task."""
        self.change(team, *self._observed(team, task, batch))

    @rule(team=teams, task=task_ids, batch=batches, taken=redactions)
    def capture(self, team: str, task: str, batch: list[Happening], taken: dict[str, int]) -> None:
        """Store observations of a task with the other writes of a capture."""
        changes = self._observed(team, task, batch)
        changes.append(self.of(team, observation_totals.count_redactions, task, taken))
        stored = self.stores.model.of(self.teams[team]).tasks.get(task)
        if stored:
            grown = replace(stored, observations=stored.observations + len(batch))
            changes.append(call(tasks.update, grown))
        note = NewJournalEntry(self.now, "human", "observe", task, {"count": len(batch)})
        self.change(team, *changes, self.of(team, journal.append, note))

    @rule(team=teams, numbers=st.lists(st.integers(0, 30), max_size=6), blob=st.booleans())
    def forget(self, team: str, numbers: list[int], blob: bool) -> None:
        """Delete observations, then unused contents."""
        ids = [self._some_id(team, number) for number in numbers]
        hashes = [Blob.of(content).hash for content in CONTENTS] if blob else []
        delete = self.of(team, observations.delete, ids, self.now)
        self.change(team, delete, self.of(team, blobs.delete_unused, hashes))

    @rule(team=teams, task=task_ids, where=targets, number=st.integers(0, 60))
    def turn_error(self, team: str, task: str, where: str, number: int) -> None:
        """Open or close the error of a target."""
        opens = self.of(team, observations.open_error, task, where, self._some_id(team, number))
        closes = self.of(team, observations.close_error, task, where)
        self.change(team, opens if number < 40 else closes)

    @rule(team=teams, content=st.sampled_from(CONTENTS))
    def read_content(self, team: str, content: str) -> None:
        """Read a content, which may be missing, and compare it."""
        self.ask(team, self.of(team, blobs.totals))
        answer = self.ask(team, self.of(team, blobs.content, Blob.of(content).hash))
        assert not isinstance(answer, list) or answer == [content]

    def _observed(self, team: str, task: str, batch: list[Happening]) -> list[Call]:
        contents = [Blob.of(each.content) for each in batch]
        news = self._numbered(team, task, batch)
        return [self.of(team, blobs.insert, contents), call(observations.insert, news)]

    def _numbered(self, team: str, task: str, batch: list[Happening]) -> list[NewObservation]:
        """Return the drafts with a task's next numbers; the task may be missing."""
        content = self.stores.model.of(self.teams[team])
        mine = [new.observation for new in content.observations.values()]
        last = max((one.sequence for one in mine if one.task == task), default=0)
        news: list[NewObservation] = []
        for sequence, happening in enumerate(batch, last + 1):
            earlier = [one.id for one in mine if one.task == task]
            new = self._made(team, task, sequence, happening, earlier)
            if happening.clash == "forgotten":
                new = replace(new, event_key=next(iter(content.tombstones), new.event_key))
            elif happening.clash and content.observations:
                new = _clashing(new, happening.clash, next(iter(content.observations.values())))
            news.append(new)
        return news

    def _made(
        self, team: str, task: str, sequence: int, happening: Happening, earlier: Sequence[str]
    ) -> NewObservation:
        self.numbered += 1
        stored = self.stores.model.of(self.teams[team]).tasks.get(task)
        repeats = earlier[-1] if happening.repeats and earlier else None
        one = replace(
            happening.draft(),
            team=self.teams[team],
            id=f"01A{self.numbered:03}",
            ref=f"{stored.number if stored else 0}#{sequence}",
            workspace=stored.workspace if stored else "w1",
            task=task,
            sequence=sequence,
            content_hash=Blob.of(happening.content).hash,
            repeats=repeats,
            recorded_at=START + self.numbered,
        )
        text = TextEntry(one.team, one.id, one.workspace, task, happening.text,
                         happening.identifiers)  # fmt: skip
        key, target = f"key-{one.id}", TARGETS[sequence % len(TARGETS)]
        return NewObservation(one, happening.format, "hook", key, target,
                              None if repeats else text)  # fmt: skip

    def _some_id(self, team: str, number: int) -> str:
        """Return the id of an observation, or an unknown one."""
        ids = sorted(self.stores.model.of(self.teams[team]).observations)
        return ids[number % len(ids)] if ids and number % 16 else "nobody's"


def _clashing(new: NewObservation, clash: str, other: NewObservation) -> NewObservation:
    """Return the observation with a unique value of another one."""
    if clash == "event_key":
        return replace(new, event_key=other.event_key)
    if clash == "sequence":
        same = replace(new.observation, task=other.observation.task,
                       sequence=other.observation.sequence)  # fmt: skip
    else:
        same = replace(new.observation, **{clash: getattr(other.observation, clash)})
    text = replace(new.text, id=same.id) if new.text else None
    return replace(new, observation=same, text=text)
