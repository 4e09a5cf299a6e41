"""Methods for stages of tasks and for compression."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoranda.exceptions import InvalidInput
from memoranda.page import Page
from memoranda.resource import Resource, member
from memoranda.text import normalise

if TYPE_CHECKING:
    from memoranda.blocks.model import CompressedBlock
    from memoranda.compression.model import CompressedText, Compression, Passage
    from memoranda.stages.model import Stage, StageName, StageView

LONGEST = 100_000_000
"""Maximum characters of a text compressed on request."""
BRIEF = 1_000
"""Default tokens of a brief."""


class CompressionResource(Resource):
    """Stages, summaries and compression.

    Nothing here deletes data: the source of a summary stays, and each line names its source.
    """

    def stages(self, task: str, *, cursor: str | None = None, limit: int = 50) -> Page[Stage]:
        """Return the stages of a task in order.

        They are planning, execution, reflection and verification.
        """
        scope = self._within(None, task)
        id = str(scope.task)
        self._rooms.chores.follow(scope, id)
        return self._rooms.staging.list(scope, id, cursor=cursor, limit=limit)

    def stage(self, task: str, number: int | None = None) -> StageView:
        """Return a stage of a task with its summary, by default the current one.

        Raises:
            NotFound: there is none.
        """
        from memoranda.stages.model import StageView

        scope = self._within(None, task)
        id = str(scope.task)
        self._rooms.chores.follow(scope, id)
        found = self._rooms.staging.stage(scope, id, number)
        return StageView(found, self._rooms.compressions.of(scope, id, found.number))

    def stage_complete(self, task: str, reason: str = "") -> Stage:
        """End the current stage of a task; its summary is made in the background.

        One that has ended stays unchanged.

        Raises:
            NotFound: the task has no stage yet.
            Conflict: nothing has happened in it.
        """
        scope = self._within(None, task)
        self._rooms.chores.follow(scope, str(scope.task))
        done = self._rooms.staging.complete(scope, str(scope.task), reason)
        self._rooms.chores.leave(scope, done)
        self._rooms.enqueue_distilling(done.task)
        return done

    def stage_set(
        self, task: str, name: StageName | str, reason: str = "", *, supervisor: bool = False
    ) -> Stage:
        """Set the stage that begins with the next observation of a task.

        Args:
            supervisor: whether it is set by a supervisor of the agent, not a person by hand.
        """
        from memoranda.stages.model import StageName, StageSource

        scope = self._within(None, task)
        source = StageSource.SUPERVISOR if supervisor else StageSource.HAND
        chosen = member(StageName, name)
        self._rooms.chores.follow(scope, str(scope.task))
        begun = self._rooms.staging.begin(scope, str(scope.task), chosen, source, reason)
        self._rooms.enqueue_distilling(begun.task)
        return begun

    def stage_compress(
        self, task: str, number: int | None = None, *, ratio: float | None = None
    ) -> Compression:
        """Rebuild the summary of a stage.

        It has one token for ``ratio`` (2 to 20), or an adaptive number.

        Raises:
            NotFound: there is no such stage, or it has no content.
        """
        scope = self._within(None, task)
        id = str(scope.task)
        self._rooms.chores.follow(scope, id)
        stage = self._rooms.staging.stage(scope, id, number)
        return self._rooms.compressions.anew(scope, stage, ratio)

    def compress(
        self, text: str, *, tokens: int | None = None, ratio: float = 10.0
    ) -> CompressedText:
        """Compress any text: a log, a diff, a chat, prose.

        Only its own words are used.

        Args:
            tokens: length limit of the result; otherwise one token for ``ratio`` of the text.

        Raises:
            InvalidInput: the text is empty or too long, or a number is out of range.
        """
        from memoranda.compression.model import Passage, PassageSpeaker

        return self._compressed(Passage("1", PassageSpeaker.TOOL, normalise(text)), tokens, ratio)

    def _compressed(
        self, passage: Passage, tokens: int | None, ratio: float, *, critical: bool = False
    ) -> CompressedText:
        text = passage.text
        if not text.strip() or len(text) > LONGEST:
            raise InvalidInput(f"a text to compress has 1 to {LONGEST:,} characters")
        if tokens is None:
            if not 1 <= ratio <= 1_000:
                raise InvalidInput(f"a ratio lies between 1 and 1,000, not {ratio:g}")
            tokens = max(1, int(self._rooms.counter.count(text) / ratio))
        if tokens < 1:
            raise InvalidInput(f"a result has at least 1 token, not {tokens}")
        return self._rooms.extract.compress([passage], tokens, critical=tokens * critical)

    def block_compress(
        self,
        label: str,
        *,
        ratio: float = 2.0,
        apply: bool = False,
        workspace: str | None = None,
        task: str | None = None,
    ) -> CompressedBlock:
        """Compress a block, using only its own words; ``apply`` writes the result.

        Sentences that state a requirement stay; decisions, errors with their fixes and values are
        dropped last. A block of which nothing can be dropped stays unchanged. The former text is a
        version of the block's history.

        Raises:
            NotFound: there is no such block.
            Conflict: somebody edited it meanwhile.
            Forbidden: it is read-only, and the caller an agent.
        """
        from memoranda.blocks.edit_kinds import rewriting
        from memoranda.blocks.edits import changed_lines
        from memoranda.blocks.model import CompressedBlock
        from memoranda.capture.analysis.constraints import constraints
        from memoranda.compression.model import Passage, PassageSpeaker

        scope = self._within(workspace, task)
        block = self._rooms.blocks.get(scope, label)
        told = Passage("1", PassageSpeaker.SYSTEM, block.value, tuple(constraints(block.value)))
        shorter = self._compressed(told, None, ratio, critical=True)
        value = "\n".join(line.text for line in shorter.lines)
        if not value or len(value) >= block.size:
            value = block.value
        diff = changed_lines(block.value, value)
        if apply and value != block.value:
            edit = rewriting(value).noted(f"compressed {ratio:g} : 1", block.version)
            block = self._rooms.blocks.edit(scope, label, edit)
        return CompressedBlock(block, value, self._rooms.counter.count(value), diff)

    def brief(self, task: str, *, tokens: int = BRIEF, query: str | None = None) -> CompressedText:
        """Return a summary of a task, within a number of tokens.

        Every line is one of the task's own, with the name that opens its source. Summaries that are
        missing are made first.

        Raises:
            InvalidInput: the number of tokens is out of range.
        """
        scope = self._within(None, task)
        id = str(scope.task)
        self._rooms.chores.follow(scope, id)
        self._rooms.compressions.catch_up(scope, id, whole=True)
        return self._rooms.briefs.brief(scope, id, tokens, query)

    def compression_report(
        self, *, workspace: str | None = None, task: str | None = None, limit: int = 50
    ) -> Sequence[Compression]:
        """Return the quality of the latest compressions, newest first.

        That is length, facts kept, tries.
        """
        from memoranda.page import checked_limit

        scope = self._within(workspace, task)
        return self._rooms.compressions.recent(scope, checked_limit(limit))
