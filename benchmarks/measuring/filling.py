"""Stores with many memories, as a team has after years.

The memories are stored, indexed, encoded and embedded.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from latency import DIMENSIONS, TOPICS, Talk
from measuring.report import progress
from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.memories import extraction_table as memory_encodings
from memoranda.memories.memory_service import NewMemory
from memoranda.observations.model import Origin
from memoranda.scope import Scope
from memoranda.search import table as entries
from memoranda.store.database import Transaction, VectorEntry

BATCH = 1_000
WORKSPACES = 20
CRITICAL = 3
"""Critical memories of each workspace."""
SAMPLE = 2_000
"""Texts and ids that are kept for questions."""


@dataclass(frozen=True, slots=True)
class FilledStore:
    """Metadata of a filled store."""

    records: int
    seed: int
    rate: float
    """Memories written per second."""
    workspaces: list[str]
    texts: list[str]
    """Some of the contents, from which questions are made."""
    ids: list[str]


class Filling:
    """Fills an empty store by the calls of a server, many per transaction.

    Two steps are shortened: vectors are generated around topics, because the model would take
    hours, and memories are marked as compared, because random words contradict nothing.
    """

    def __init__(self, memory: Memoranda, seed: int) -> None:
        self._memory = memory
        self._services = memory._services
        self._talk = Talk(seed)
        self._random = np.random.default_rng(seed)
        around = self._random.standard_normal((TOPICS, DIMENSIONS))
        self._around = around.astype(np.float32)
        self._team = memory.settings.team
        self._places = [memory._named_or_new(f"project-{n}").id for n in range(WORKSPACES)]

    def fill(self, records: int, seed: int) -> FilledStore:
        """Write ``records`` memories and everything derived from them."""
        began = time.perf_counter()
        texts: list[str] = []
        ids: list[str] = []
        for at in range(0, records, BATCH):
            progress(f"{at:,} of {records:,} memories")
            made = [self._talk.record() for _ in range(min(BATCH, records - at))]
            written = self._remember(at, [text for text, _ in made])
            self._derive([topic for _, topic in made])
            share = max(1, records // SAMPLE)
            texts += [text for text, _ in made][::share]
            ids += written[::share]
        while self._services.worker.run():
            pass
        rate = records / (time.perf_counter() - began)
        names = [f"project-{n}" for n in range(WORKSPACES)]
        return FilledStore(records, seed, rate, names, texts, ids)

    def _remember(self, at: int, texts: Sequence[str]) -> list[str]:
        def work(tx: Transaction) -> list[str]:
            return [self._add(tx, at + n, text) for n, text in enumerate(texts)]

        return self._services.database.write(work)

    def _add(self, tx: Transaction, number: int, text: str) -> str:
        scope = Scope(self._team, workspace=self._places[number % WORKSPACES])
        critical = number // WORKSPACES < CRITICAL
        memory = NewMemory(text, critical=critical)
        return self._services.memories.add(tx, memory, scope, Origin.HUMAN, "bench").id

    def _derive(self, topics: Sequence[int]) -> None:
        services, team = self._services, self._team
        services.indexing.index_memories()
        services.encodings.encode()
        model = services.embedder.name if services.embedder else ""

        def work(tx: Transaction) -> None:
            waiting = entries.waiting(tx, team, model, len(topics))
            noise = self._random.standard_normal((len(waiting), DIMENSIONS))
            vectors = self._around[list(topics)[: len(waiting)]] + 0.7 * noise
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            made = [
                VectorEntry(passage.source, passage.place, vector.astype(np.float32))
                for passage, vector in zip(waiting, vectors, strict=True)
            ]
            tx.vectors().put(team, model, made)
            for id in memory_encodings.uncompared(tx, team, model, len(topics)):
                memory_encodings.mark(tx, team, id, model)

        services.database.write(work)


def kept(folder: Path, records: int, seed: int) -> FilledStore:
    """Return the store of a folder, filled if it is not yet.

    Raises:
        SystemExit: the folder holds something else.
    """
    note = folder.with_name(f"{folder.name}.json")
    if note.exists():
        description = FilledStore(**json.loads(note.read_text()))
        if (description.records, description.seed) != (records, seed):
            text = f"{description.records} memories by --seed {description.seed}"
            raise SystemExit(f"{folder} holds {text}; choose another --folder")
        return description
    if folder.exists():
        raise SystemExit(f"{folder} was never filled to its end; delete it")
    with Memoranda.open(settings=load_settings({"data_dir": folder}, {})) as memory:
        description = Filling(memory, seed).fill(records, seed)
    # Last, so that the note exists only for a store that was filled completely.
    note.write_text(json.dumps(asdict(description)))
    return description
