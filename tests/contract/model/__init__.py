"""A store as plain dicts: the reference for the rules of every engine.

The modules are those of the tables, with the same functions, whose first parameter is a `Model`
instead of a transaction. Each scans everything, so that its meaning is easy to see; where an engine
answers otherwise, one of the two is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from contract.model import (
    blobs,
    jobs,
    journal,
    memories,
    observations,
    searches,
    tasks,
    transcripts,
    working,
    workspaces,
)

PARTS = {
    "memoranda.observations.blob_table": blobs,
    "memoranda.jobs.table": jobs,
    "memoranda.journal.table": journal,
    "memoranda.memories.table": memories,
    "memoranda.observations.table": observations,
    "memoranda.observations.total_table": observations,
    "contract.machine.searches": searches,
    "memoranda.tasks.table": tasks,
    "memoranda.capture.transcript_table": transcripts,
    "memoranda.working.table": working,
    "memoranda.workspaces.table": workspaces,
}
"""The modules of the model by the table module that each mirrors."""


def name_of(function: Callable[..., Any]) -> str:
    """Return the name of a table function, as in ``tasks.by_id``."""
    return f"{PARTS[function.__module__].__name__.rpartition('.')[2]}.{function.__name__}"


def twin(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the counterpart of a table function in the model."""
    found: Callable[..., Any] = getattr(PARTS[function.__module__], function.__name__)
    return found
