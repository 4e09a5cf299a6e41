"""Search index: entries of records, and vectors of their passages.

It is derived data, updated asynchronously after a record is acknowledged.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from memoranda.jobs.model import JobKind
from memoranda.memories import table as memories
from memoranda.observations import content as contents, table as observations
from memoranda.search import table as entries
from memoranda.search.record_analysis import AnalysedRecord, analyse_memory, analyse_observations
from memoranda.search.record_feature_format import VERSION
from memoranda.search.table import WaitingPassage
from memoranda.store.database import Database, Transaction, VectorEntry

if TYPE_CHECKING:
    from memoranda.ports import Embedder
    from memoranda.utterances.classifier import UtteranceClassifier

PAGE = 256
"""Number of records per transaction."""
EMBEDDED = 64
"""Number of passages that are embedded between two transactions, which takes up to a second."""

Progress = Callable[[int, int], None]
"""Callback with the number of completed passages and their total."""


@dataclass(frozen=True, slots=True)
class IndexReport:
    """Progress of the search index."""

    passages: int
    waiting: int
    """Number of passages without a vector of the current model."""
    model: str | None


class SearchIndexer:
    """Keeps the search index up to date with the records.

    Safe to run in several processes: concurrent runs have the same result.
    """

    def __init__(self, database: Database, team: str, embedder: Embedder | None) -> None:
        self._database = database
        self._team = team
        self._embedder = embedder

    def index_task(self, task: str) -> int:
        """Create the missing entries of a task's observations; return how many."""

        def work(tx: Transaction) -> int:
            ids = entries.observations_without(tx, self._team, task, PAGE)
            return self._insert(tx, _observed(tx, self._team, ids))

        return self._until_nothing(work)

    def index_memories(self) -> int:
        """Create the missing entries of memories; return how many."""

        def work(tx: Transaction) -> int:
            ids = entries.memories_without(tx, self._team, PAGE)
            return self._insert(tx, _stated(tx, self._team, ids))

        total = self._until_nothing(work)
        if total:
            self._database.write(lambda tx: memories.mark_processed(tx, self._team))
        return total

    def index_all(self) -> None:
        """Create all missing entries, and recreate those of earlier versions."""
        self._until_nothing(self._drop_outdated)
        for task in self._database.read(lambda tx: entries.unfinished_tasks(tx, self._team)):
            self.index_task(task)
        self.index_memories()

    def renew(self, tx: Transaction, ids: Sequence[str]) -> None:
        """Recreate the existing entries of the given records."""
        records = _observed(tx, self._team, ids) + _stated(tx, self._team, ids)
        entries.replace(tx, self._team, ids, [record.entry for record in records])

    def rebuild(self) -> None:
        """Recreate all entries and data derived from vectors; keep the vectors."""

        def work(tx: Transaction) -> None:
            entries.make_outdated(tx, self._team)
            tx.vectors().rebuild(self._team)

        self._database.write(work)

    def embed(
        self,
        limit: int | None = None,
        progress: Progress | None = None,
        *,
        is_over: Callable[[], bool] = lambda: False,
    ) -> int:
        """Create missing vectors of the current model; return how many passages.

        Equal texts are embedded once. Finished batches are kept if the method is interrupted;
        ``is_over`` ends it after a batch.

        Raises:
            EmbedderUnavailable: the model cannot be used.
        """
        if self._embedder is None:
            return 0
        done = total = 0
        while limit is None or done < limit:
            page = min(EMBEDDED, (limit or EMBEDDED + done) - done)
            waiting = self._waiting(page)
            if not waiting:
                break
            if progress and not total:  # counting scans all passages
                total = self.report().waiting if len(waiting) == page else len(waiting)
            self._embed(waiting)
            done += len(waiting)
            if progress:
                progress(done, max(total, done))
            if is_over():
                break
        return done

    def report(self) -> IndexReport:
        """Return the progress of the search index."""
        name = self._embedder.name if self._embedder else None
        waiting, total = self._database.read(lambda tx: entries.counts(tx, self._team, name or ""))
        return IndexReport(total, waiting if name else 0, name)

    def waits(self) -> bool:
        """Return whether a passage lacks a vector of the current model."""
        name = self._embedder.name if self._embedder else ""
        return self._database.read(
            lambda tx: bool(name) and entries.any_waiting(tx, self._team, name)
        )

    def is_behind(self) -> bool:
        """Return whether records must be indexed, or passages embedded."""
        name, team = self._embedder.name if self._embedder else "", self._team
        kinds = (JobKind.INDEX_TASK, JobKind.INDEX_MEMORIES)
        return bool(name) and self._database.read(
            lambda tx: entries.unsearched(tx, team, name, kinds)
        )

    def _drop_outdated(self, tx: Transaction) -> int:
        """Replace entries that an earlier version of the analysis created."""
        old = entries.outdated(tx, self._team, VERSION, PAGE)
        records = _observed(tx, self._team, old) + _stated(tx, self._team, old)
        entries.replace(tx, self._team, old, [record.entry for record in records])
        return len(old)

    def _until_nothing(self, work: Callable[[Transaction], int]) -> int:
        total = 0
        while count := self._database.write(work):
            total += count
        return total

    def _insert(self, tx: Transaction, analysed: Sequence[AnalysedRecord]) -> int:
        entries.insert(tx, self._team, [record.entry for record in analysed])
        return len(analysed)

    def _waiting(self, limit: int) -> list[WaitingPassage]:
        name = self._embedder.name if self._embedder else ""
        return self._database.read(lambda tx: entries.waiting(tx, self._team, name, limit))

    def _embed(self, waiting: Sequence[WaitingPassage]) -> None:
        """Embed outside any transaction; skip passages that have changed since.

        Entries whose passages differ from those of the current analysis are recreated; otherwise
        they would remain pending forever.
        """
        embedder = self._embedder
        if embedder is None:
            return
        hashes = list(dict.fromkeys(passage.text_hash for passage in waiting))
        vectors_by_hash = self._database.read(
            lambda tx: tx.vectors().known(self._team, embedder.name, hashes)
        )
        texts = self._database.read(lambda tx: self._texts(tx, waiting))
        missing = {
            item: texts[item] for item in hashes if item in texts and item not in vectors_by_hash
        }
        made = embedder.embed(list(missing.values())) if missing else ()
        vectors_by_hash |= dict(zip(missing, made, strict=True))
        vector_entries = [
            VectorEntry(passage.source, passage.place, vector, passage.text_hash)
            for passage in waiting
            if (vector := vectors_by_hash.get(passage.text_hash)) is not None
        ]
        changed = [
            waiting_passage.source
            for waiting_passage in waiting
            if waiting_passage.text_hash not in vectors_by_hash
        ]

        labels = self._labels([passage.source for passage in waiting])

        def work(tx: Transaction) -> None:
            tx.vectors().put(self._team, embedder.name, vector_entries)
            entries.put_labels(tx, self._team, labels)
            if changed:
                self.renew(tx, list(dict.fromkeys(changed)))

        self._database.write(work)

    def _labels(self, sources: Sequence[str]) -> dict[str, str]:
        """Return the stored labels of useful messages by people in some records.

        Without the classifier's neural network there are no labels; a context then classifies such
        messages itself.
        """

        def read(tx: Transaction) -> dict[str, str]:
            found = entries.people(tx, self._team, list(dict.fromkeys(sources)))
            return contents.texts(tx, self._team, found) if found else {}

        messages = self._database.read(read)
        if not messages or not self._classifier.has_network:
            return {}
        from memoranda.utterances.message_labels import labels_of

        labels = {id: labels_of(text, self._classifier) for id, text in messages.items()}
        lost = not self._classifier.has_network  # the model could not be loaded
        return {} if lost else {id: one.stored() for id, one in labels.items()}

    @cached_property
    def _classifier(self) -> UtteranceClassifier:
        from memoranda.utterances.classifier import UtteranceClassifier

        return UtteranceClassifier(self._embedder)

    def _texts(self, tx: Transaction, waiting: Sequence[WaitingPassage]) -> dict[str, str]:
        """Return the current texts of passages by passage hash."""
        sources = list({passage.source for passage in waiting})
        analysed = _observed(tx, self._team, sources) + _stated(tx, self._team, sources)
        return {
            digest: text
            for record in analysed
            for digest, text in zip(record.entry.passages, record.texts, strict=True)
            if digest is not None and text is not None
        }


def _observed(tx: Transaction, team: str, ids: Sequence[str]) -> list[AnalysedRecord]:
    analysed = analyse_observations(tx, team, observations.by_ids(tx, team, ids))
    return [analysed[id] for id in ids if id in analysed]


def _stated(tx: Transaction, team: str, ids: Sequence[str]) -> list[AnalysedRecord]:
    found = memories.of_any_agent(tx, team, ids)
    return [analyse_memory(found[id]) for id in ids if id in found]
