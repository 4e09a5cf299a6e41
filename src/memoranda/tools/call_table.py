"""Queries for tool calls that read only the columns needed for counting."""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.json_data import texts_of
from memoranda.observations.model import ObservationType
from memoranda.store.database import Transaction, load_statements

SQL = load_statements(__file__)


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A tool call; the fields are those of the observation."""

    id: str
    tool: str
    type: ObservationType
    stage: str | None
    resolves: str | None
    tags: tuple[str, ...]
    summary: str


def newest(tx: Transaction, team: str, workspace: str | None, *, limit: int) -> list[ToolCall]:
    """Return the tool calls among the newest ``limit`` steps, newest first.

    A step is an observation of the workspace, or of the team if the workspace is None.
    """
    bindings = {"team": team, "workspace": workspace, "limit": limit}
    rows = tx.fetch(SQL["newest_of" if workspace else "newest"], bindings)
    return [
        ToolCall(id, tool, ObservationType(type), stage, resolves, texts_of(tags), summary)
        for id, tool, type, stage, resolves, tags, summary in rows
    ]
