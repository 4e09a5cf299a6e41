"""Report on folders that were joined into one workspace, and why."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.store.database import Transaction
from memoranda.workspaces import table as workspaces

MAXIMUM = 1_000
"""Maximum number of workspaces that are examined."""
_LINES = 20
"""Maximum number of workspaces listed in the report."""
_NAMED = 8
"""Maximum number of sources of each kind that are listed."""
_NUMBERED = re.compile(r"^(.+)-\d+$")
_WHY = {
    "git": ("one git directory", "git directories"),
    "remote": ("one remote", "remotes"),
    "tree": ("a work tree", "work trees"),
    "path": ("a folder", "folders"),
    "name": ("the name", "names"),
}


@dataclass(frozen=True, slots=True)
class WorkspaceReport:
    """Report on how folders were combined into workspaces."""

    count: int
    joined: tuple[str, ...]
    """A line for each workspace with several sources, with its name and sources.

    Sources are the folders, repositories and remotes that are recognised as the workspace.
    """
    alike: tuple[tuple[str, str], ...]
    """Pairs of workspace names: a name with a number appended, and the name without the number."""


def workspace_report(tx: Transaction, team: str) -> WorkspaceReport:
    """Return which workspaces combine sources, and which may be duplicates."""
    places = workspaces.listed(tx, team, "", MAXIMUM)
    leading = workspaces.joined(tx, team)
    names = {workspace.name for workspace in places}
    lines = [
        f"{place.name}: {text}"
        for place in places
        if (text := _aliases_text(place.name, leading.get(place.id, ())))
    ]
    if len(lines) > _LINES:
        more = f"{len(lines) - _LINES} more workspaces: memoranda workspace show NAME"
        lines = [*lines[:_LINES], more]
    numbered = ((name, match[1]) for name in sorted(names) if (match := _NUMBERED.match(name)))
    alike = [(name, base) for name, base in numbered if base in names]
    return WorkspaceReport(len(places), tuple(lines), tuple(alike))


def _aliases_text(name: str, aliases: Sequence[str]) -> str:
    kinds: dict[str, list[str]] = {}
    for alias in aliases:
        kind, _, value = alias.partition(":")
        if (kind, value) != ("name", name) and kind in _WHY:
            kinds.setdefault(kind, []).append(value)
    roots = {value.removesuffix("/.git") for value in kinds.get("git", ())}
    trees = [value for value in kinds.pop("tree", []) if value not in roots]
    if trees:
        kinds["tree"] = trees
    places = sum(len(found) for kind, found in kinds.items() if kind != "remote")
    if places < 2:
        return ""
    return "; ".join(_part(kind, kinds[kind]) for kind in _WHY if kind in kinds)


def _part(kind: str, values: Sequence[str]) -> str:
    more = f" and {len(values) - _NAMED} more" if len(values) > _NAMED else ""
    return f"{_WHY[kind][len(values) > 1]} {', '.join(values[:_NAMED])}{more}"
