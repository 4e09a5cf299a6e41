"""Completion of copies that were stored before the event that they are copies of.

A fork of a fork that comes first is stored in the session that its records begin with. The session
that said them comes later, and then sets the time and the key of what is stored elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from memoranda.capture import completion_table as completions
from memoranda.capture.event_preparation import PreparedEvent
from memoranda.capture.transcript_completion import Completion
from memoranda.ids import IdSource
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task


def complete_copies(
    tx: Transaction, team: str, prepared: Sequence[PreparedEvent], ids: IdSource, now: int
) -> Iterator[tuple[Task, Completion]]:
    """Complete what other sessions stored of these events; yield the tasks changed.

    The tasks are written; the caller records what was completed.
    """
    copied = [one for one in prepared if one.event.lineage or one.event.is_late]
    keys = [key for one in copied for key in one.keys]
    stored = completions.by_event_keys(tx, team, keys) if keys else {}
    own = {(one.event.host, one.event.session) for one in prepared}
    for id in dict.fromkeys(found.observation.task for found in stored.values()):
        task = tasks.by_id(tx, team, id)
        if task is None or (task.host, task.session) in own:
            continue
        completion = Completion(tx, task, ids, now)
        changed = completion.complete(copied)
        if completion.completed:
            tasks.update(tx, changed)
            yield changed, completion
