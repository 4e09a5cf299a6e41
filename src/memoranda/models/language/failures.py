"""Why the last call of a model brought no answer, kept for whoever wants to know how it stands."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memoranda.exceptions import ModelUnavailable
from memoranda.json_data import iso_time
from memoranda.ports import LanguageModel
from memoranda.prompt import ModelReply, ModelRequest, TokenUsage
from memoranda.text import clip, one_line

FILE = "language-failure"
LONGEST = 500
"""Characters that are kept of a message."""


@dataclass(frozen=True, slots=True)
class LastFailure:
    """A file in the data directory; not there while calls are answered. Safe across processes.

    It says nothing of what was asked, or for whom. Where it cannot be written, nothing is kept.
    """

    data_dir: Path
    model: str
    """Provider and model by the settings; what another one ran into is not told."""

    def keep(self, message: str) -> None:
        """Keep why a call brought no answer, in place of what was kept before."""
        draft = self._path.with_name(f"{FILE}.{os.getpid()}.{id(message)}")
        with suppress(OSError):
            draft.touch(mode=0o600)
            draft.write_text(f"{self.model}\n{clip(one_line(message), LONGEST)}\n", "utf-8")
            draft.replace(self._path)

    def clear(self) -> None:
        """Forget it: a call was answered."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def told(self) -> str:
        """Return why the last call brought no answer and when that was; empty where it did."""
        try:
            model, _, message = self._path.read_text("utf-8").strip().partition("\n")
            at = iso_time(self._path.stat().st_mtime_ns // 1_000)
        except (OSError, UnicodeDecodeError):
            return ""
        return f"{message} (the last call, {at[:16]}Z)" if model == self.model and message else ""

    @property
    def _path(self) -> Path:
        return self.data_dir / FILE


class FailureRecorder:
    """Asks another model, and keeps why it does not answer. Safe to share by threads."""

    def __init__(self, model: LanguageModel, failure: LastFailure) -> None:
        self.name = model.name
        self._model = model
        self._failure = failure

    def bound(self, question: ModelRequest) -> TokenUsage:
        """Return tokens that one answer surely does not exceed."""
        return self._model.bound(question)

    def answer(self, question: ModelRequest) -> ModelReply:
        """Return the answer of the other model, with its errors."""
        try:
            reply = self._model.answer(question)
        except ModelUnavailable as error:
            self._failure.keep(str(error))
            raise
        if not reply.remembered:
            self._failure.clear()
        return reply

    def close(self) -> None:
        """Let go of what the model uses. Idempotent."""
        self._model.close()
