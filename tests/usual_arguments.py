"""Arguments of every operation that are right where one of everything was planted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

USUAL: Mapping[str, Any] = {
    "task": "1", "label": "board", "workspace": "shop", "query": "prices", "content": "text",
    "text": "text", "type": "test", "statement": "Trains are blue.", "description": "it broke",
    "useful": True, "old": 1, "version": 1, "checkpoint": "1", "phase": "coding", "key": "step",
    "value": 1, "channel": "here", "reason": "", "edit": {"title": "new"}, "agent": "scribe",
    "outcome": "helped", "holder": "scribe",
    "state": {"a": 1}, "name": "planning", "recovery": "a restart", "shown": "nonesuch",
    "block": {"label": "fresh"}, "chosen": {"ids": []}, "until": 1, "ids": [],
    "patch": "--- a\n+++ a\n", "id": "nonesuch", "new": "2", "arguments": {}, "path": "/tmp/x",
    "target": "/tmp/x", "source": "/tmp/x", "role": "reader", "tasks": ["1"], "space": "graph",
    "changes": [], "goal": "text", "dollars": 7,
    "documents": [{"key": "k", "value": 1}], "keys": ["k"], "into": "nonesuch", "to": "mill",
}  # fmt: skip
OWN: Mapping[str, Mapping[str, Any]] = {
    "checkpoints.diff": {"old": "1", "new": "2"},
    "memories.supersede": {"old": "@memory", "new": "@other"},
    "proposals.approve-all": {"shown": []},
    "forget": {"chosen": {"ids": ["@observation"]}, "dry_run": True},
    "tools.call": {"name": "archival_memory_search", "arguments": {"query": "prices"}},
    "observations.backlinks": {"ids": ["@observation"]},
    "tasks.show": {"id": "1"},
    "tasks.create": {"name": "another"},
    "blocks.compress": {"label": "board"},
    "blocks.replace": {"label": "board", "old": "second", "new": "third"},
    "feedback.correct": {"id": "@feedback", "type": "approval"},
    "profile.merge": {"ids": ["@profile", "@memory"]},
    "workspaces.merge": {"workspace": "shop", "into": "nonesuch"},
    "workspaces.rename": {"workspace": "shop", "name": "mill", "dry_run": True},
    "workspaces.split": {"workspace": "shop", "to": "mill", "tasks": ["1"], "dry_run": True},
    "say": {"text": "Remember that lamps are green."},
}


def filled(value: Any, known: Mapping[str, str]) -> Any:
    """Put ids in the place of names that begin with @."""
    if isinstance(value, str) and value.startswith("@"):
        return known[value[1:]]
    if isinstance(value, list):
        return [filled(one, known) for one in value]
    if isinstance(value, dict):
        return {key: filled(one, known) for key, one in value.items()}
    return value
