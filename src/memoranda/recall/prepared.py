"""Contexts rendered beforehand, so that the start of a session costs the hook one file read."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path

from memoranda.errors import BudgetTooSmall
from memoranda.folders import private_folder
from memoranda.recall.context import ContextBuilder
from memoranda.values.recall import ContextBrief
from memoranda.values.scope import Scope


class PreparedContexts:
    """Writes what `hook.py context` prints, one file for each folder a workspace is known by, and
    beside it what the hook notes of it: counts and short names, never text."""

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
        text, note = self._told(scope) if folders else ("", {})
        if not text:
            for alias in folders:
                self.file(alias).unlink(missing_ok=True)
                self.note(alias).unlink(missing_ok=True)
            return
        answer = {
            "hookSpecificOutput": {
                "hookEventName": "SessionStart",
                "additionalContext": text,
            }
        }
        data = json.dumps(answer, ensure_ascii=False).encode() + b"\n"
        private_folder(self._directory)
        for alias in folders:
            self._replace(self.file(alias), data)
            self._replace(self.note(alias), json.dumps(note).encode())

    def file(self, alias: str) -> Path:
        """Return the file that the hook looks for."""
        return self._directory / (hashlib.sha256(alias.encode()).hexdigest() + ".json")

    def note(self, alias: str) -> Path:
        """Return the file with what the hook notes when it has printed the other."""
        return self.file(alias).with_suffix(".note")

    def clear(self) -> None:
        """Remove every rendered context; they are made again when something happens."""
        for pattern in ("*.json", "*.note"):
            for path in self._directory.glob(pattern):
                path.unlink()

    def _told(self, scope: Scope) -> tuple[str, dict[str, object]]:
        """The context within the budget and the host's limit, critical facts at any price; and
        what is noted of it."""
        try:
            brief = self._builder.at_start(scope, budget=self._budget)
        except BudgetTooSmall as error:
            text = too_small(error)
            return text, {"workspace": scope.workspace, "characters": len(text)}
        return (brief.text, _note(scope, brief)) if brief.sections else ("", {})

    def _replace(self, path: Path, data: bytes) -> None:
        draft = path.with_suffix(f".{os.getpid()}.draft")
        file = os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(file, "wb") as out:
            out.write(data)
        draft.replace(path)


def too_small(error: BudgetTooSmall) -> str:
    """Return what a session is told in place of critical facts that have no room."""
    return (
        f"Memoranda holds critical facts of {error.needed} tokens for this workspace; "
        f"read them with: memoranda context --budget {error.needed}"
    )


def _note(scope: Scope, brief: ContextBrief) -> dict[str, object]:
    return {
        "workspace": scope.workspace,
        "context": brief.id,
        "tokens": brief.tokens,
        "characters": len(brief.text),
        "sections": {one.name: [item.ref for item in one.items] for one in brief.sections},
    }
