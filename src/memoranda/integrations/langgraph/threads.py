"""Loads, lists and copies checkpoints of LangGraph threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    Checkpoint,
    CheckpointTuple,
    PendingWrite,
    get_checkpoint_id,
    writes_sort_key,
)

from memoranda.documents.model import Document, NewDocument
from memoranda.integrations.document_keys import below, joined, parted
from memoranda.integrations.document_space import DocumentSpace, fields_of
from memoranda.integrations.langgraph.channel_values import RUNS, VALUES, Values

CHECKPOINTS, WRITES = "c", "w"
"""First parts of keys."""
KINDS = (RUNS, VALUES, WRITES, CHECKPOINTS)
"""All kinds of documents, ordered so that each kind follows those it refers to."""


class Threads:
    """Threads of a document space."""

    def __init__(self, shelf: DocumentSpace, values: Values) -> None:
        self.shelf = shelf
        self.values = values

    def tuple_of(self, document: Document) -> CheckpointTuple:
        """Return a checkpoint with its channel values and pending writes."""
        _, thread, namespace, id = parted(document.key)
        stored = fields_of(document)
        bare = self.values.plain(stored["checkpoint"])
        values = bare.get("channel_values", {})
        values |= self.values.of(thread, namespace, bare.get("channel_versions") or {})
        parent = stored.get("parent")
        return CheckpointTuple(
            config=config_of(thread, namespace, id),
            checkpoint=cast(Checkpoint, {**bare, "channel_values": values}),
            metadata=self.values.plain(stored["metadata"]),
            parent_config=config_of(thread, namespace, parent) if parent else None,
            pending_writes=self._writes(thread, namespace, id),
        )

    def metadata_of(self, document: Document) -> Mapping[str, Any]:
        """Return the metadata of a checkpoint."""
        result: Mapping[str, Any] = self.values.plain(fields_of(document)["metadata"])
        return result

    def versions_of(self, document: Document) -> Mapping[str, Any]:
        """Return the version of each channel at a checkpoint."""
        found: Mapping[str, Any] = self.values.plain(fields_of(document)["checkpoint"])
        return found.get("channel_versions") or {}

    def listed(
        self, config: RunnableConfig | None, before: RunnableConfig | None = None
    ) -> Iterator[Document]:
        """Yield checkpoints of a namespace, a thread or all threads, newest first."""
        settings: Mapping[str, Any] = config["configurable"] if config else {}
        end = get_checkpoint_id(before) if before else None
        if settings.get("checkpoint_ns") is not None and not settings.get("checkpoint_id"):
            place = [CHECKPOINTS, str(settings["thread_id"]), str(settings["checkpoint_ns"])]
            beyond = joined(*place, end) if end else None
            yield from self.shelf.listed(below(place), descending=True, beyond=beyond)
            return
        prefix = below([CHECKPOINTS, *([str(settings["thread_id"])] if settings else [])])
        found = [(parted(key), key) for key in self.shelf.keys(prefix)]
        chosen = [
            (id, key)
            for (_, _, namespace, id), key in found
            if settings.get("checkpoint_ns") in (None, namespace)
            and settings.get("checkpoint_id") in (None, id)
            and (end is None or id < end)
        ]
        for _, key in sorted(chosen, reverse=True):
            yield from self.shelf.get([key])

    def copy(self, source: str, target: str) -> None:
        """Copy everything in a thread to another name."""
        for kind in KINDS:
            some: list[NewDocument] = []
            for document in self.shelf.listed(below([kind, source])):
                _, _, *rest = parted(document.key)
                some.append(NewDocument(joined(kind, target, *rest), document.value))
                if len(some) == 100:
                    self.shelf.put(some)
                    some = []
            self.shelf.put(some)

    def _writes(self, thread: str, namespace: str, id: str) -> list[PendingWrite]:
        found = []
        for document in self.shelf.listed(below([WRITES, thread, namespace, id])):
            *_, task, number = parted(document.key)
            stored = fields_of(document)
            order = writes_sort_key(str(stored["path"]), task, int(number))
            found.append(
                (order, (task, str(stored["channel"]), self.values.plain(stored["value"])))
            )
        return [write for _, write in sorted(found, key=lambda one: one[0])]


def config_of(thread: str, namespace: str, id: str) -> RunnableConfig:
    """Return the config that identifies a checkpoint."""
    return {"configurable": {"thread_id": thread, "checkpoint_ns": namespace, "checkpoint_id": id}}
