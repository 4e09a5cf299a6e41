"""Renders contexts in advance, so that a starting session reads one file."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from memoranda.clock import MICROSECONDS
from memoranda.context.builder import ContextBuilder
from memoranda.context.candidates import current_task
from memoranda.exceptions import BudgetTooSmall
from memoranda.private_folders import private_folder
from memoranda.scope import Scope
from memoranda.search.model import ContextBrief
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.tasks.model import Task, TaskStatus

COMPACTED = frozenset({"claude-code", "codex"})
"""Hosts that request the context again after compacting a session."""
LATELY = 24 * 3_600 * MICROSECONDS
"""Age in microseconds after which a task that was not ended counts as inactive."""
MAX_CONCURRENT = 8
"""Maximum number of concurrent sessions of a workspace with their own context.

The most recently active ones are chosen.
"""

NEW_ALIAS = "new"
"""Alias for folders that belong to no workspace yet."""

PreparedText = tuple[str, Mapping[str, object]]
"""Text of a context, and the hook's record that the context was printed."""


class PreparedContexts:
    """Writes the contexts that `hook.py context` prints.

    Each folder alias of a workspace has one file, and another with the hook's record, which
    contains counts and short names but no text.

    A compacted session continues its own task, which may no longer be the newest of the workspace.
    Such sessions have files of their own.
    """

    def __init__(self, builder: ContextBuilder, directory: Path, budget: int) -> None:
        self._builder = builder
        self._directory = directory
        self._budget = budget

    def render(self, scope: Scope, aliases: Sequence[str], concurrent: Sequence[Task] = ()) -> None:
        """Render and atomically store the contexts of a workspace.

        There is one context for the workspace, and one for each session with a task in
        ``concurrent``.

        The files of a remote are for new clones. A workspace without folders is skipped, and one
        without content is left unchanged.
        """
        folders = [alias for alias in aliases if alias.startswith(("git:", "path:", "remote:"))]
        if not folders:
            return
        # Sessions come first: until a session's own context exists, it reads the workspace's.
        rendered = {context_name(task): self._prepared(scope, task.id) for task in concurrent}
        rendered[""] = self._prepared(scope)
        for alias in folders:
            self._put(alias, {own: prepared for own, prepared in rendered.items() if prepared[0]})

    def render_new(self, scope: Scope) -> None:
        """Render and store the context for folders without captures."""
        rendered = self._prepared(scope)
        self._put(NEW_ALIAS, {"": rendered} if rendered[0] else {})

    def file(self, alias: str, own: str = "") -> Path:
        """Return the file of a context that the hook reads.

        The hook looks first for the file with the session's own name.
        """
        name = hashlib.sha256(alias.encode()).hexdigest()
        return self._directory / (f"{name}.{own}.json" if own else f"{name}.json")

    def note(self, alias: str, own: str = "") -> Path:
        """Return the file with the hook's record of a context."""
        return self.file(alias, own).with_suffix(".note")

    def clear(self) -> None:
        """Remove all rendered contexts; the next event rebuilds them."""
        for path in self._rendered(""):
            path.unlink()

    def _prepared(self, scope: Scope, current: str | None = None) -> PreparedText:
        """Return a context and the hook's record for it.

        The context is within the budget and the host's limit, and includes critical facts.
        """
        try:
            brief = self._builder.at_start(scope, budget=self._budget, current=current)
        except BudgetTooSmall as error:
            text = too_small(error)
            return text, {"workspace": scope.workspace, "characters": len(text)}
        return (brief.text, _note(scope, brief)) if brief.sections or brief.left_out else ("", {})

    def _put(self, alias: str, rendered: Mapping[str, PreparedText]) -> None:
        """Store a folder's contexts by session name; remove outdated ones."""
        for own, (text, note) in rendered.items():
            private_folder(self._directory)
            self._replace(self.file(alias, own), _printed(text))
            self._replace(self.note(alias, own), json.dumps(note).encode())
        stems = {self.file(alias, own).stem for own in rendered}
        for path in self._rendered(self.file(alias).stem):
            if path.stem not in stems:
                path.unlink(missing_ok=True)

    def _rendered(self, name: str) -> Iterator[Path]:
        for suffix in ("json", "note"):
            yield from self._directory.glob(f"{name}*.{suffix}")

    def _replace(self, path: Path, data: bytes) -> None:
        draft = path.with_suffix(f".{os.getpid()}.draft")
        file = os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
        with os.fdopen(file, "wb") as out:
            out.write(data)
        draft.replace(path)


def concurrent_tasks(tx: Transaction, scope: Scope, now: int) -> list[Task]:
    """Return the tasks of a workspace's concurrent sessions, newest first.

    Only tasks of sessions that a host may compact are returned.
    """
    current = current_task(tx, scope)
    since, active = now - LATELY, TaskStatus.ACTIVE
    found = [
        task
        for task in tasks.listed(tx, scope.team, workspace=scope.workspace, status=active)
        if task.host in COMPACTED and task.observations and task.last_event_at >= since
    ]
    return [task for task in found if current and task.id != current.id][:MAX_CONCURRENT]


def context_name(task: Task) -> str:
    """Return the context name for a task's session, as the hook computes it."""
    parts = f"{task.host}\0{task.session}"
    return hashlib.sha256(parts.encode("utf-8", "replace")).hexdigest()


def too_small(error: BudgetTooSmall) -> str:
    """Return the text shown if the critical facts exceed the budget."""
    return f"Memoranda has a context for this workspace: memoranda context --budget {error.needed}"


def _printed(text: str) -> bytes:
    answer = {"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": text}}
    return json.dumps(answer, ensure_ascii=False).encode() + b"\n"


def _note(scope: Scope, brief: ContextBrief) -> dict[str, object]:
    return {
        "workspace": scope.workspace,
        "context": brief.id,
        "tokens": brief.tokens,
        "characters": len(brief.text),
        "sections": {
            section.name: [item.ref for item in section.items] for section in brief.sections
        },
    }
