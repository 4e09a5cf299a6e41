"""A store as plain dicts: the rules that every engine keeps, without SQL.

The modules are those of the tables, with the same functions, whose first parameter is a `Model`
instead of a transaction. Each looks through everything there is, so that it is easy to
see what is meant; where an engine answers otherwise, one of the two is wrong.
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
"""The modules of the model by the table module that each stands for."""


def name_of(function: Callable[..., Any]) -> str:
    """Name a function of the tables by its part of the model, as in ``tasks.by_id``."""
    return f"{PARTS[function.__module__].__name__.rpartition('.')[2]}.{function.__name__}"


def twin(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands for a function of the tables in the model."""
    found: Callable[..., Any] = getattr(PARTS[function.__module__], function.__name__)
    return found
