"""A task brought up to date: its stages followed, and those that fell behind compressed."""

from __future__ import annotations

from memoranda.distil.compressions import Compressions
from memoranda.distil.staging import Staging
from memoranda.errors import NotFound
from memoranda.values.compression import Compression
from memoranda.values.scope import Scope
from memoranda.values.stage import Stage


class Progress:
    """Does what follows from new observations of a task. Doing it again changes nothing."""

    def __init__(self, staging: Staging, compressions: Compressions) -> None:
        self._staging = staging
        self._compressions = compressions

    def catch_up(self, scope: Scope, task: str) -> list[Stage]:
        """Follow a task and compress what fell behind; return the stages that ended since."""
        ended = self._staging.follow(scope, task)
        made = [self._compressions.stage(scope, one) for one in self._compressions.due(scope, task)]
        if any(made):
            self._compressions.task(scope, task)
        return ended

    def anew(self, scope: Scope, stage: Stage, ratio: float | None) -> Compression:
        """Compress a stage again, in the way somebody asks for.

        Raises:
            NotFound: it has nothing to say.
        """
        made = self._compressions.stage(scope, stage, ratio=ratio)
        if made is None:
            raise NotFound(f"stage {stage.number} has nothing that could be compressed")
        self._compressions.task(scope, stage.task)
        return made
