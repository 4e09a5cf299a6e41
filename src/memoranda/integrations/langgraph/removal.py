"""Deletes LangGraph threads: completely, by run, or all but the newest."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from memoranda.documents.model import Document, NewDocument
from memoranda.integrations.document_keys import below, joined, parted
from memoranda.integrations.document_space import fields_of
from memoranda.integrations.langgraph.channel_values import RUNS, VALUES, value_key
from memoranda.integrations.langgraph.threads import CHECKPOINTS, KINDS, WRITES, Threads

DELTAS = "counters_since_delta_snapshot"
"""Metadata key that lists channels rebuilt from ancestors."""


class CheckpointPruner:
    """Deletes checkpoints first, then the documents that they refer to.

    If the process is killed in between, no reference to a deleted document remains.
    """

    def __init__(self, threads: Threads) -> None:
        self._threads = threads
        self._shelf = threads.shelf

    def delete(self, thread: str) -> None:
        """Delete everything in a thread."""
        for kind in reversed(KINDS):
            self._shelf.clear(below([kind, thread]))

    def delete_for_runs(self, runs: Sequence[str]) -> None:
        """Delete the checkpoints of the given runs in every thread."""
        gone, touched = list[str](), set[str]()
        for document in self._shelf.listed(below([CHECKPOINTS])):
            if self._threads.metadata_of(document).get("run_id") in runs:
                gone.append(document.key)
                touched.add(parted(document.key)[1])
        self._shelf.delete(gone)
        for thread in sorted(touched):
            self._sweep(thread)

    def keep_latest(self, thread: str) -> None:
        """Delete everything except what the newest checkpoints need.

        The newest checkpoint of each namespace is kept. A subgraph call is deleted with the
        checkpoint at which it began.
        """
        newest: dict[str, str] = {}
        there: dict[str, Document] = {}
        for document in self._shelf.listed(below([CHECKPOINTS, thread])):
            _, _, namespace, id = parted(document.key)
            newest[namespace] = max(newest.get(namespace, ""), id)
            there[document.key] = document
        needed = set[str]()
        for namespace, id in sorted(newest.items()):  # the graph itself before its subgraphs
            key = joined(CHECKPOINTS, thread, namespace, id)
            if not (":" in namespace and self._is_over(there, key, needed)):
                needed.update(self._needed(there, key))
        self._shelf.put(
            [_root(there[key]) for key in sorted(needed) if _is_cut(there[key], needed)]
        )
        self._shelf.delete([key for key in there if key not in needed])
        self._sweep(thread)

    def _is_over(self, there: dict[str, Document], call: str, needed: Collection[str]) -> bool:
        """Return whether a subgraph call started at a checkpoint being deleted."""
        begun = self._threads.metadata_of(there[call]).get("parents", {}).get("")
        key = joined(CHECKPOINTS, parted(call)[1], "", str(begun))
        return key in there and key not in needed

    def _needed(self, there: dict[str, Document], newest: str) -> list[str]:
        """Return the newest checkpoint and those that its delta channels need."""
        head = there[newest]
        open_channels = set(self._threads.metadata_of(head).get(DELTAS) or ())
        needed = [newest]
        while open_channels:
            _, thread, namespace, _ = parted(needed[-1])
            parent = fields_of(there[needed[-1]]).get("parent")
            key = joined(CHECKPOINTS, thread, namespace, str(parent))
            if not parent or key not in there:
                break
            needed.append(key)
            open_channels -= self._stored(there[key], open_channels)
        return needed

    def _stored(self, document: Document, channels: Collection[str]) -> set[str]:
        """Return the channels whose value is stored at a checkpoint itself."""
        _, thread, namespace, _ = parted(document.key)
        versions = self._threads.versions_of(document)
        keys = {
            value_key(thread, namespace, name, versions[name]): name
            for name in channels
            if name in versions
        }
        return {keys[item.key] for item in self._shelf.get(list(keys))}

    def _sweep(self, thread: str) -> None:
        """Delete all documents of a thread that no checkpoint refers to."""
        values, places, newest = set[str](), set[tuple[str, str]](), dict[str, str]()
        for document in self._shelf.listed(below([CHECKPOINTS, thread])):
            _, _, namespace, id = parted(document.key)
            places.add((namespace, id))
            newest[namespace] = max(newest.get(namespace, ""), id)
            versions = self._threads.versions_of(document)
            values |= {value_key(thread, namespace, *item) for item in versions.items()}
        writes = self._shelf.keys(below([WRITES, thread]))
        # A write may be stored before its checkpoint, so writes newer than the newest one are kept.
        gone = [
            key
            for key in writes
            if (place := _place_of(key)) not in places and place[1] < newest.get(place[0], "~")
        ]
        self._shelf.delete(gone)
        there = set(self._shelf.keys(below([VALUES, thread])))
        self._shelf.delete(sorted(there - values))
        runs = {joined(RUNS, thread, run) for run in self._threads.values.runs_of(there & values)}
        keys = set(self._shelf.keys(below([RUNS, thread])))
        self._shelf.delete(sorted(keys - runs))


def _is_cut(document: Document, retained: Collection[str]) -> bool:
    """Return whether the parent of a checkpoint will be deleted."""
    _, thread, namespace, _ = parted(document.key)
    parent = fields_of(document).get("parent")
    return bool(parent) and joined(CHECKPOINTS, thread, namespace, str(parent)) not in retained


def _root(document: Document) -> NewDocument:
    """Return a checkpoint without its reference to a parent."""
    return NewDocument(document.key, {**fields_of(document), "parent": None})


def _place_of(key: str) -> tuple[str, str]:
    _, _, namespace, id, *_ = parted(key)
    return namespace, id
