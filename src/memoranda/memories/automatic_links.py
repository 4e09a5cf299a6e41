"""Automatic links between memories: related, superseding, contradicting."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial

from memoranda.clock import Clock
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.journal import table as journal
from memoranda.memories import (
    extraction_table as memory_encodings,
    link_table as memory_links,
    table as memories,
)
from memoranda.memories.extraction_table import WORDS, StoredEncoding
from memoranda.memories.link_model import LinkKind, MemoryLink
from memoranda.memories.memory_writer import MemoryChanges
from memoranda.memories.model import Memory, MemoryStatus, Visibility
from memoranda.memories.statement_assessment import OFTEN
from memoranda.memories.supersession_rules import (
    AUTOMATIC,
    authority,
    is_automatic,
    ordered_by_time,
    overlap_in_time,
    refuse_circle,
    superseded,
)
from memoranda.proposals.model import MemoryState
from memoranda.search import table as entries
from memoranda.store.database import Database, TextQuery, Transaction, VectorQuery
from memoranda.trust import Trust
from memoranda.workspaces import table as workspaces

PLACE = 2_000
"""Number of newest memories in the same scope with which a new memory is compared by vector."""
NEAREST, ALIKE = 30, 10
"""Maximum number of memories to compare by vector, and by common words."""
ENOUGH = 3_000
"""Maximum total number of memories that contain the words used for the search."""
MAX_COUNTED = 1_000_000
"""Maximum number of pending comparisons that are counted."""
MAXIMUM = 5
"""Maximum number of automatic links of one kind per memory."""
IN_USE = (MemoryStatus.APPROVED, MemoryStatus.PENDING)


@dataclass(frozen=True, slots=True)
class _ComparedMemory:
    """Two compared memories, with the result of the comparison."""

    older: Memory
    newer: Memory
    verdict: str
    reason: str
    cosine: float


@dataclass(frozen=True, slots=True)
class _Candidates:
    """Memories that will be compared with a given memory."""

    stored: StoredEncoding
    """Analysis of the given memory at the time of the search."""
    compared_by: str
    cosines: Mapping[str, float | None]


class MemoryComparer:
    """Compares memories with others in the same scope.

    Each memory is compared once, in a separate transaction.
    """

    def __init__(
        self,
        database: Database,
        team: str,
        changes: MemoryChanges,
        clock: Clock,
        ids: IdSource,
        model: str | None,
    ) -> None:
        """Create the service; ``model`` is the current embedding model, if any."""
        self._database = database
        self._team = team
        self._changes = changes
        self._clock = clock
        self._ids = ids
        self._model = model
        self._comparing = threading.Lock()
        """Lock that prevents concurrent callers from making the same comparisons."""

    def waits(self) -> bool:
        """Return whether a memory was not compared yet, or not by its vector."""
        return bool(self._uncompared(1, self._model))

    def relate(
        self,
        limit: int,
        patience: float = -1,
        *,
        again: bool = True,
        is_over: Callable[[], bool] = lambda: False,
    ) -> int:
        """Compare at most ``limit`` pending memories; return their number.

        With ``again``, memories that were compared by words before they had a vector are included.

        If another thread is already comparing, the method waits at most ``patience`` seconds for
        that thread; a negative value waits without limit. ``is_over`` ends the comparison after a
        memory.
        """
        done = 0
        model = self._model if again else None
        if not self._uncompared(1, model) or not self._comparing.acquire(timeout=patience):
            return 0
        try:
            for id in self._uncompared(limit, model):
                if is_over():
                    break
                candidates = self._database.read(partial(self._candidates, id=id))
                if candidates is not None:
                    self._database.write(partial(self._relate, id=id, found=candidates))
                done += 1
        finally:
            self._comparing.release()
        return done

    def pending(self) -> int:
        """Return the number of memories that still have to be compared."""
        return len(self._uncompared(MAX_COUNTED, self._model))

    def note_success(self, task: str) -> int:
        """Mark memories as critical that several completed tasks used.

        ``task`` is one of these tasks. Return the number of marked memories. A person's manual
        setting is kept.
        """

        def work(tx: Transaction) -> int:
            found = memories.of_any_agent(
                tx, self._team, memory_links.served(tx, self._team, task, OFTEN)
            )
            for memory in found.values():
                state = replace(MemoryState.of(memory), critical=True)
                why = f"used in {OFTEN} tasks that succeeded"
                self._changes.change(tx, memory, state, AUTOMATIC, why, self._clock.now())
            return len(found)

        return self._database.write(work)

    def _uncompared(self, limit: int, model: str | None) -> list[str]:
        return self._database.read(
            lambda tx: memory_encodings.uncompared(tx, self._team, model or "", limit)
        )

    def _candidates(self, tx: Transaction, id: str) -> _Candidates | None:
        """Find the memories with which a memory is to be compared.

        This only reads, since the search may take long in a large store: no writers are blocked,
        and a memory added during the search will later be compared with this one.
        """
        stored = memory_encodings.by_memory(tx, self._team, id)
        memory = memories.of_any_agent(tx, self._team, [id]).get(id)
        if stored is None or memory is None:
            return None
        near = self._nearest(tx, memory)
        by = WORDS if near is None else self._model or WORDS
        words: list[str] = []
        if memory.status in IN_USE:
            words = self._with_keywords(tx, memory, stored.encoding.keywords)
        return _Candidates(stored, by, dict.fromkeys(words) | (near or {}))

    def _relate(self, tx: Transaction, id: str, found: _Candidates) -> None:
        memory = memories.of_any_agent(tx, self._team, [id]).get(id)
        if memory is None or memory_encodings.by_memory(tx, self._team, id) != found.stored:
            return  # changed in the meantime, or compared by another process
        memory_encodings.mark(tx, self._team, id, found.compared_by)
        if memory.status in IN_USE:
            self._compare(tx, memory, found.cosines)

    # ------------------------------------------------------------------------------- candidates

    def _place(self, tx: Transaction, memory: Memory) -> list[str]:
        private = memory.agent if memory.visibility is Visibility.AGENT else None
        found = memories.in_place(tx, self._team, memory.workspace, private, PLACE)
        return [id for id in found if id != memory.id]

    def _nearest(self, tx: Transaction, memory: Memory) -> dict[str, float | None] | None:
        """Return the nearest memories with their cosines.

        Return None if the memory has no vector.
        """
        hashes = entries.text_hashes(tx, self._team, [memory.id]).get(memory.id, ())
        stored = tx.vectors().known(self._team, self._model, hashes[:1]) if self._model else {}
        if not hashes or hashes[0] not in stored or self._model is None:
            return None
        query = VectorQuery(
            self._team, self._model, stored[hashes[0]], among=self._place(tx, memory), limit=NEAREST
        )
        result: dict[str, float | None] = {}
        for hit in tx.vectors().nearest(query) if query.among else ():
            result.setdefault(hit.source, hit.score)
        return result

    def _with_keywords(
        self, tx: Transaction, memory: Memory, keywords: tuple[str, ...]
    ) -> list[str]:
        words = self._rarest(tx, keywords)
        query = TextQuery(self._team, words, workspace=memory.workspace, limit=ALIKE + 1)
        found = [hit.id for hit in tx.text("memory").search(query)] if words else []
        private = memory.agent if memory.visibility is Visibility.AGENT else None
        stored = memories.of_any_agent(tx, self._team, found)
        return [
            id
            for id, item in stored.items()
            if id != memory.id
            and item.status in IN_USE
            and (item.agent if item.visibility is Visibility.AGENT else None) == private
        ]

    def _rarest(self, tx: Transaction, keywords: tuple[str, ...]) -> list[str]:
        """Return the rarest keywords, found in up to `ENOUGH` memories in total.

        Ranking all memories that contain a common word takes long, and rare words discriminate
        better.
        """
        if not keywords:
            return []
        frequencies = tx.text("memory").frequencies(self._team, keywords).of
        words: list[str] = []
        together = 0
        for word in sorted(keywords, key=lambda word: frequencies.get(word, 0)):
            together += frequencies.get(word, 0)
            if words and together > ENOUGH:
                break
            words.append(word)
        return words

    # ---------------------------------------------------------------------------------- effects

    def _compare(
        self, tx: Transaction, memory: Memory, cosines: Mapping[str, float | None]
    ) -> None:
        compared_memories = [
            item
            for id, other in memories.of_any_agent(tx, self._team, list(cosines)).items()
            if (item := _found(memory, other, cosines[id]))
        ]
        compared_memories.sort(key=lambda one: (-one.cosine, one.older.id))
        vectors: dict[str, int] = {}
        for compared_memory in compared_memories:
            vectors[compared_memory.verdict] = vectors.get(compared_memory.verdict, 0) + 1
            if vectors[compared_memory.verdict] <= MAXIMUM:
                self._apply_verdict(tx, compared_memory)

    def _apply_verdict(self, tx: Transaction, one: _ComparedMemory) -> None:
        from memoranda.memories.comparison import ComparisonVerdict

        if one.verdict in (ComparisonVerdict.SUPERSEDES, ComparisonVerdict.REPLACES):
            self._supersede(tx, one, outright=one.verdict == ComparisonVerdict.REPLACES)
        elif one.verdict == ComparisonVerdict.CONTRADICTS:
            self._link(tx, one, LinkKind.CONTRADICTS)
        elif self._link(tx, one, LinkKind.RELATED) and one.verdict == ComparisonVerdict.REPEATS:
            self._reinforce(tx, one)

    def _supersede(self, tx: Transaction, one: _ComparedMemory, *, outright: bool) -> None:
        """Let the newer memory supersede the older one.

        If superseding needs a person's decision, a contradiction is recorded instead. Nothing is
        done if the memories were linked as superseding before.
        """
        current = memories.of_any_agent(tx, self._team, [one.older.id, one.newer.id])
        older, newer = current[one.older.id], current[one.newer.id]
        both = [older.id, newer.id]
        if any(
            link.memory == newer.id
            for link in memory_links.among(tx, self._team, both, LinkKind.SUPERSEDES)
        ):
            return
        if not is_automatic(older, newer, outright=outright):
            self._link(tx, one, LinkKind.CONTRADICTS)
            return
        refuse_circle(tx, older, newer.id)
        state, now = superseded(older, newer), self._clock.now()
        why = f"superseded by {newer.id}: {one.reason}"
        self._changes.change(tx, older, state, AUTOMATIC, why, now)
        for place in [older.workspace] if older.workspace else workspaces.ids(tx, self._team):
            kind, id = JobKind.RENDER_CONTEXT, self._ids.new()
            jobs.enqueue(tx, Job.waiting(self._team, id, kind, place, now), now)

    def _link(self, tx: Transaction, one: _ComparedMemory, kind: LinkKind) -> bool:
        now = self._clock.now()
        link = MemoryLink(self._team, one.newer.id, kind, one.older.id, one.reason, AUTOMATIC, now)
        if not memory_links.put(tx, link):
            return False
        detail = {"other": one.older.id, "reason": one.reason}
        note = journal.NewJournalEntry(now, AUTOMATIC, f"memory {kind}", one.newer.id, detail)
        journal.append(tx, self._team, note)
        return True

    def _reinforce(self, tx: Transaction, one: _ComparedMemory) -> None:
        """Count the repetition of a memory as one more use.

        Both memories must be approved, and the newer one must be sufficiently trusted.
        """
        approved = one.older.status is one.newer.status is MemoryStatus.APPROVED
        if approved and authority(one.newer) >= min(authority(one.older), Trust.AGENT):
            memories.reinforce(tx, self._team, one.older.id, self._clock.now())


def _found(memory: Memory, other: Memory, cosine: float | None) -> _ComparedMemory | None:
    """Compare two memories; None if unrelated or never valid together."""
    from memoranda.memories.comparison import compared  # loading its patterns takes long

    if not overlap_in_time(memory, other):
        return None
    older, newer = ordered_by_time(memory, other)
    result = compared(older, newer, cosine)
    if result is None:
        return None
    return _ComparedMemory(older, newer, result.verdict, result.reason, cosine or 0.0)
