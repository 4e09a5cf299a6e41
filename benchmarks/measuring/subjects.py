"""Memory systems behind one Protocol, sharing one embedding model.

Other systems are imported when they are created; none is needed otherwise.
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
"""Records per session of Memoranda; the other systems have no sessions."""
START = 1_735_689_600_000_000
MINUTE = 60_000_000


class SharedModel:
    """The embedding model of all subjects, with timing and a cache."""

    name = NAME
    dimensions = DIMENSIONS

    def __init__(self) -> None:
        self._model = LocalEmbedder()
        self._known: dict[str, Vectors] = {}
        self.remembers = False
        """Whether a text that was embedded before is taken from the cache."""
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
        """Return the vectors as lists, which other systems take."""
        numbers: list[list[float]] = self.embed(texts).tolist()
        return numbers


class Subject(Protocol):
    """A memory system with a folder of its own."""

    def add(self, texts: Sequence[str]) -> None:
        """Store texts; they are searchable on return."""
        ...

    def search(self, question: str) -> int:
        """Search for the ten best; return how many were found."""
        ...

    def close(self) -> None:
        """Close its files."""
        ...


class Ours:
    """Memoranda, with derived data computed at once, not in the background."""

    def __init__(self, folder: Path, model: SharedModel) -> None:
        # No setting takes an embedder object, so the function that builds it is replaced.
        with patch("memoranda.assembly.embedder", lambda settings: model):
            values = load_settings({"data_dir": str(folder)})
            self._memory = Memoranda.open(settings=values, workspace="peers")
        self._added = 0

    def add(self, texts: Sequence[str]) -> None:
        """Store texts as messages, a minute apart."""
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
    """mem0 with a vector store in a folder, without inference."""

    def __init__(self, folder: Path, model: SharedModel, store: str) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder.parent / "mem0-home")}
        os.environ.setdefault("OPENAI_API_KEY", "none")  # required by a client that is never called
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
        """Store each text with its own call: mem0 embeds one at a time anyway."""
        for text in texts:
            self._memory.add(text, user_id="bench", infer=False)

    def search(self, question: str) -> int:
        """Search with mem0's defaults, without a minimum score."""
        found = self._memory.search(
            question, filters={"user_id": "bench"}, top_k=HITS, threshold=0.0
        )
        return len(found["results"])

    def close(self) -> None:
        """Close everything that has a close method."""
        self._memory.close()


class Mem0Model:
    """The shared model in mem0's interface."""

    def __init__(self, model: SharedModel, config: Any) -> None:
        self._model = model
        self.config = config

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        """Embed one text."""
        return self._model.lists([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        """Embed several texts."""
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
        """Store texts with one call."""
        made = [
            self._put(("bench",), str(self._added + place), {"text": text})
            for place, text in enumerate(texts)
        ]
        self._store.batch(made)
        self._added += len(texts)

    def search(self, question: str) -> int:
        """Search by meaning, its only way."""
        return len(self._store.search(("bench",), query=question, limit=HITS))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class LangGraphInMemory(LangGraph):
    """LangGraph's in-memory store, for a sqlite3 that loads no extensions."""

    def __init__(self, folder: Path, model: SharedModel) -> None:
        self._put = import_module("langgraph.store.base").PutOp
        index = {"dims": DIMENSIONS, "embed": model.lists, "fields": ["text"]}
        self._store = import_module("langgraph.store.memory").InMemoryStore(index=index)
        self._added = 0

    def close(self) -> None:
        """Do nothing: there is nothing to close."""
