"""File with the reason of the last failed model call, for status reports.

The file is removed after a successful call.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from memoranda.exceptions import ModelUnavailable
from memoranda.json_data import iso_time
from memoranda.model_request import ModelReply, ModelRequest, TokenUsage
from memoranda.ports import LanguageModel
from memoranda.text import clip, one_line

FILE = "language-failure"
MAX_LENGTH = 500
"""Maximum length of a stored message in characters."""


@dataclass(frozen=True, slots=True)
class LastFailure:
    """File in the data directory with the last failure of a call.

    The file does not exist while calls are answered. Access is safe across processes.

    The file contains neither the query nor its caller. Write errors are ignored.
    """

    data_dir: Path
    model: str
    """Configured provider and model.

    Failures of another model are not reported.
    """

    def keep(self, message: str) -> None:
        """Store why a call failed, replacing the previous reason."""
        draft = self._path.with_name(f"{FILE}.{os.getpid()}.{id(message)}")
        with suppress(OSError):
            draft.touch(mode=0o600)
            draft.write_text(f"{self.model}\n{clip(one_line(message), MAX_LENGTH)}\n", "utf-8")
            draft.replace(self._path)

    def clear(self) -> None:
        """Delete the reason after a successful call."""
        with suppress(OSError):
            self._path.unlink(missing_ok=True)

    def describe(self) -> str:
        """Return why and when the last call failed; empty if the call succeeded."""
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
    """Model that delegates to another one and stores why it fails.

    Thread-safe.
    """

    def __init__(self, model: LanguageModel, failure: LastFailure) -> None:
        self.name = model.name
        self._model = model
        self._failure = failure

    def bound(self, question: ModelRequest) -> TokenUsage:
        """Return an upper bound of the tokens of one answer."""
        return self._model.bound(question)

    def answer(self, question: ModelRequest) -> ModelReply:
        """Return the answer of the other model, or raise its errors."""
        try:
            reply = self._model.answer(question)
        except ModelUnavailable as error:
            self._failure.keep(str(error))
            raise
        if not reply.remembered:
            self._failure.clear()
        return reply

    def close(self) -> None:
        """Close the model. Idempotent."""
        self._model.close()
