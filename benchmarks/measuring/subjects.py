"""Memories of several makers behind one Protocol, with one embedding model for all of them.

Peers are imported when they are made: none of them is needed otherwise.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from unittest.mock import patch

import numpy as np

from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.models.embedding.minilm import DIMENSIONS, NAME, LocalEmbedder
from memoranda.observations.model import Origin

if TYPE_CHECKING:
    from memoranda.ports import Vectors

HITS = 10
SESSION = 400
"""Records of one session; the other subjects know of none."""
START = 1_735_689_600_000_000
MINUTE = 60_000_000


class SharedModel:
    """The one model of all subjects. It counts its own time, and knows again what it embedded."""

    name = NAME
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._model = LocalEmbedder()
        self._known: dict[str, Vectors] = {}
        self.remembers = False
        """Whether a text that was embedded before costs nothing."""
        self.seconds = 0.0

    def embed(self, texts: Sequence[str], *, query: bool = False) -> Vectors:
        """Return one vector of length 1 for each text, in order."""
        began = time.perf_counter()
        missing = [text for text in texts if not (self.remembers and text in self._known)]
        self._known |= zip(missing, self._model.embed(missing), strict=True)
        vectors = [self._known[text] for text in texts]
        found = np.array(vectors, np.float32).reshape(-1, DIMENSIONS)
        self.seconds += time.perf_counter() - began
        return found

    def lists(self, texts: Sequence[str]) -> list[list[float]]:
        """Return the same as plain numbers, which is what peers take."""
        numbers: list[list[float]] = self.embed(texts).tolist()
        return numbers


class Subject(Protocol):
    """A memory with a folder of its own."""

    def add(self, texts: Sequence[str]) -> None:
        """Keep some texts; when it returns they are found."""
        ...

    def search(self, question: str) -> int:
        """Look for the ten best; return how many there are."""
        ...

    def close(self) -> None:
        """Let go of the folder."""
        ...


class Ours:
    """Memoranda. What is derived from records is made at once, instead of in the background."""

    def __init__(self, folder: Path, model: SharedModel) -> None:
        # No setting takes an embedder that a caller made, so the place that builds it is told.
        with patch("memoranda.assembly.embedder", lambda settings: model):
            values = load_settings({"data_dir": str(folder)})
            self._memory = Memoranda.open(settings=values, workspace="peers")
        self._added = 0

    def add(self, texts: Sequence[str]) -> None:
        """Keep some texts as messages, a minute apart."""
        events = [self._event(self._added + place, text) for place, text in enumerate(texts)]
        self._memory._services.intake.take(events, actor="bench", workspace="peers")
        self._memory.index.reembed()
        self._added += len(texts)

    def search(self, question: str) -> int:
        """Search by words and by meaning."""
        return len(self._memory.search(question, limit=HITS).hits)

    def close(self) -> None:
        """Close the store."""
        self._memory.close()

    def _event(self, number: int, text: str) -> Event:
        return Event(
            kind=EventKind.MESSAGE,
            host="bench",
            session=f"s{number // SESSION}",
            source=EventSource.API,
            key=str(number),
            origin=Origin.HUMAN,
            occurred_at=START + number * MINUTE,
            text=text,
        )


class Mem0:
    """mem0 with a vector store in a folder, never asked to infer anything."""

    def __init__(self, folder: Path, model: SharedModel, store: str) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder.parent / "mem0-home")}
        os.environ.setdefault("OPENAI_API_KEY", "none")  # wanted by a client that is never asked
        memory = import_module("mem0").Memory
        place = {
            "path": str(folder / "vectors"),
            "collection_name": "records",
            "embedding_model_dims": DIMENSIONS,
        }
        if store == "qdrant":
            place["on_disk"] = True
        self._memory = memory.from_config(
            {
                "vector_store": {"provider": store, "config": place},
                "history_db_path": str(folder / "history.db"),
            }
        )
        self._memory.embedding_model = Mem0Model(model, self._memory.embedding_model.config)

    def add(self, texts: Sequence[str]) -> None:
        """Keep each text with a call of its own: mem0 embeds one at a time in any case."""
        for text in texts:
            self._memory.add(text, user_id="bench", infer=False)

    def search(self, question: str) -> int:
        """Search as it does by itself, without a lower limit for the score."""
        found = self._memory.search(
            question, filters={"user_id": "bench"}, top_k=HITS, threshold=0.0
        )
        return len(found["results"])

    def close(self) -> None:
        """Close what has a way to be closed."""
        self._memory.close()


class Mem0Model:
    """The shared model as mem0 calls it."""

    def __init__(self, model: SharedModel, config: Any) -> None:
        self._model = model
        self.config = config

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Embed one text."""
        return self._model.lists([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        """Embed several."""
        return self._model.lists(texts)


class LangGraph:
    """LangGraph's store in SQLite with its vector index."""

    def __init__(self, folder: Path, model: SharedModel) -> None:
        self._put = import_module("langgraph.store.base").PutOp
        index = {"dims": DIMENSIONS, "embed": model.lists, "fields": ["text"]}
        self._connection = sqlite3.connect(
            folder / "store.db", check_same_thread=False, isolation_level=None
        )
        self._store = import_module("langgraph.store.sqlite").SqliteStore(
            self._connection, index=index
        )
        self._store.setup()
        self._added = 0

    def add(self, texts: Sequence[str]) -> None:
        """Keep some texts with one call."""
        made = [
            self._put(("bench",), str(self._added + place), {"text": text})
            for place, text in enumerate(texts)
        ]
        self._store.batch(made)
        self._added += len(texts)

    def search(self, question: str) -> int:
        """Search by meaning, which is all it has."""
        return len(self._store.search(("bench",), query=question, limit=HITS))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class LangGraphInMemory(LangGraph):
    """LangGraph's store in memory, for a Python whose sqlite3 loads no extensions."""

    def __init__(self, folder: Path, model: SharedModel) -> None:
        self._put = import_module("langgraph.store.base").PutOp
        index = {"dims": DIMENSIONS, "embed": model.lists, "fields": ["text"]}
        self._store = import_module("langgraph.store.memory").InMemoryStore(index=index)
        self._added = 0

    def close(self) -> None:
        """There is nothing to close."""
