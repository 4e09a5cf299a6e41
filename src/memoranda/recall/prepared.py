"""Contexts rendered beforehand, so that the start of a session costs the hook one file read."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from memoranda.errors import BudgetTooSmall
from memoranda.recall.context import ContextBuilder
from memoranda.values.scope import Scope

HOST_LIMIT = 9_500
"""Characters a host takes from a hook before it puts the text into a file instead (10,000)."""


class PreparedContexts:
    """Writes what `hook.py context` prints, one file for each folder a workspace is known by."""

    def __init__(self, builder: ContextBuilder, directory: Path, budget: int) -> None:
        self._builder = builder
        self._directory = directory
        self._budget = budget

    def render(self, scope: Scope, aliases: Sequence[str]) -> None:
        """Render the context of a workspace and put it in place atomically.

        A workspace that no folder belongs to has no session that could start in it, and one about
        which there is nothing to say is left in peace.
        """
        folders = [alias for alias in aliases if alias.startswith(("git:", "path:"))]
        text = self._text(scope) if folders else ""
        if not text:
            for alias in folders:
                self.file(alias).unlink(missing_ok=True)
            return
        answer = {
            "hookSpecificOutput": {
                "hookEventName": "SessionStart",
                "additionalContext": text,
            }
        }
        data = json.dumps(answer, ensure_ascii=False).encode() + b"\n"
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        for alias in folders:
            self._replace(self.file(alias), data)

    def file(self, alias: str) -> Path:
        """Return the file that the hook looks for."""
        return self._directory / (hashlib.sha256(alias.encode()).hexdigest() + ".json")

    def clear(self) -> None:
        """Remove every rendered context; they are made again when something happens."""
        for path in self._directory.glob("*.json"):
            path.unlink()

    def _text(self, scope: Scope) -> str:
        """The context within the budget and the host's limit; critical facts at any price."""
        budget = self._budget
        while True:
            try:
                brief = self._builder.build(scope, budget=budget)
            except BudgetTooSmall as error:
                return (
                    f"Memoranda holds critical facts of {error.needed} tokens for this workspace; "
                    f"read them with: memoranda context --budget {error.needed}"
                )
            if len(brief.text) <= HOST_LIMIT:
                return brief.text if brief.sections else ""
            budget = min(budget - 1, budget * HOST_LIMIT // len(brief.text))

    def _replace(self, path: Path, data: bytes) -> None:
        draft = path.with_suffix(f".{os.getpid()}.draft")
        file = os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(file, "wb") as out:
            out.write(data)
        draft.replace(path)
