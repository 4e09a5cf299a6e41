"""Methods that compress a text, and report past compression quality."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoranda.exceptions import InvalidInput
from memoranda.operation_declaration import read
from memoranda.resource import Resource
from memoranda.tasks.reference import TaskReference
from memoranda.text import normalise

if TYPE_CHECKING:
    from memoranda.compression.model import CompressedText, Compression, Passage

MAX_LENGTH = 100_000_000
"""Maximum number of characters of a text compressed on request."""


class CompressionResource(Resource):
    """``memory.compression``: extractive compression of texts."""

    @read("compression.compress", alias=("compress",))
    def compress(
        self, text: str, *, tokens: int | None = None, ratio: float = 10.0
    ) -> CompressedText:
        """Compress a log, diff, chat or prose by extraction; no text is added.

        Only words from the text itself are used.

        Args:
            tokens: maximum length of the result; by default the tokens of the text divided by
            ``ratio``.

        Raises:
            InvalidInput: the text is empty or too long, or a number is out of range.
        """
        from memoranda.compression.model import Passage, PassageSpeaker

        return self._compressed(Passage("1", PassageSpeaker.TOOL, normalise(text)), tokens, ratio)

    @read("compression.report")
    def report(
        self, *, workspace: str | None = None, task: TaskReference | None = None, limit: int = 50
    ) -> Sequence[Compression]:
        """List the quality of recent compressions, newest first.

        Each entry contains its length, the critical facts kept, and the attempts.
        """
        from memoranda.page import checked_limit

        scope = self._within(workspace, task)
        return self._services.compressions.recent(scope, checked_limit(limit))

    def _compressed(
        self, passage: Passage, tokens: int | None, ratio: float, *, critical: bool = False
    ) -> CompressedText:
        text = passage.text
        if not text.strip() or len(text) > MAX_LENGTH:
            raise InvalidInput(f"a text to compress must have 1 to {MAX_LENGTH:,} characters")
        if tokens is None:
            if not 1 <= ratio <= 1_000:
                raise InvalidInput(f"ratio must be between 1 and 1,000, not {ratio:g}")
            tokens = max(1, int(self._services.counter.count(text) / ratio))
        if tokens < 1:
            raise InvalidInput(f"tokens must be at least 1, not {tokens}")
        return self._services.extract.compress([passage], tokens, critical=tokens * critical)
