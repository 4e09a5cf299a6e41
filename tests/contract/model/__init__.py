"""A store as plain dicts: the rules that every engine keeps, without SQL.

The modules are those of `memoranda.store.tables`, with the same functions, whose first parameter is
a `Model` instead of a transaction. Each looks through everything there is, so that it is easy to
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
    module.__name__.rpartition(".")[2]: module
    for module in (
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
}
"""The modules of the model by the name of the table module that each stands for."""


def name_of(function: Callable[..., Any]) -> str:
    """Name a function of the tables by its module and itself, as in ``tasks.by_id``."""
    return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"


def twin(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return what stands for a function of the tables in the model."""
    module, name = name_of(function).split(".")
    found: Callable[..., Any] = getattr(PARTS[module], name)
    return found
