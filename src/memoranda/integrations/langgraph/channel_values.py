"""Channel values as documents; unchanged values are stored once.

A long list, such as the messages of a conversation, grows at its end. It is stored in runs of 32
items, each under the hash of its content, so that a step adds only the last run and the list of
runs instead of the entire list.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from langgraph.checkpoint.serde.base import SerializerProtocol

from memoranda.documents.model import NewDocument
from memoranda.exceptions import CorruptData
from memoranda.integrations.document_keys import below, joined
from memoranda.integrations.document_space import DocumentSpace, fields_of
from memoranda.integrations.langgraph.msgpack_json import tree_of, typed_of
from memoranda.json_data import JsonValue, dump_json

RUN = 32
"""Number of items per run; a list of up to this many items is stored unsplit."""
DIGITS = 32
"""Number of hex digits of a run's hash; each is 4 bits."""
VALUES, RUNS = "v", "r"
"""First parts of keys."""


class Values:
    """Channel values by thread, namespace, channel and version."""

    def __init__(self, shelf: DocumentSpace, serde: SerializerProtocol) -> None:
        self._shelf = shelf
        self._serde = serde

    def documents(
        self, thread: str, namespace: str, values: Mapping[str, Any], versions: Mapping[str, Any]
    ) -> list[NewDocument]:
        """Return the documents to store for the values.

        Runs that exist already are not included.
        """
        documents, runs = list[NewDocument](), dict[str, JsonValue]()
        for channel in versions.keys() & values.keys():
            key = value_key(thread, namespace, channel, versions[channel])
            documents.append(NewDocument(key, self._stored(thread, values[channel], runs)))
        there = set(self._shelf.keys(below([RUNS, thread]))) if runs else set[str]()
        new = [NewDocument(key, run) for key, run in runs.items() if key not in there]
        return [*new, *documents]

    def of(self, thread: str, namespace: str, versions: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of channels at the given versions; omit empty ones.

        Raises:
            CorruptData: a part of a value is missing.
        """
        keys = {value_key(thread, namespace, name, one): name for name, one in versions.items()}
        found = {
            keys[document.key]: fields_of(document) for document in self._shelf.get(list(keys))
        }
        wanted = [joined(RUNS, thread, run) for stored in found.values() for run in _runs(stored)]
        runs = {item.key: item.value for item in self._shelf.get(list(dict.fromkeys(wanted)))}
        return {name: self._value(thread, stored, runs) for name, stored in found.items()}

    def runs_of(self, keys: Iterable[str]) -> set[str]:
        """Return the hashes of the runs that the given values consist of."""
        documents = self._shelf.get(list(keys))
        return {run for document in documents for run in _runs(fields_of(document))}

    def tree(self, value: Any) -> JsonValue:
        """Return a value as JSON."""
        return tree_of(*self._serde.dumps_typed(value))

    def plain(self, tree: JsonValue) -> Any:
        """Return the value that a JSON tree represents."""
        return self._serde.loads_typed(typed_of(tree))

    def _stored(self, thread: str, value: Any, runs: dict[str, JsonValue]) -> JsonValue:
        if type(value) is not list or len(value) <= RUN:
            return {"value": self.tree(value)}
        hashes: list[JsonValue] = []
        for some in _in_runs(value):
            tree = self.tree(some)
            digest = hashlib.sha256(dump_json(tree).encode("utf-8", "replace")).hexdigest()[:DIGITS]
            runs[joined(RUNS, thread, digest)] = tree
            hashes.append(digest)
        return {"runs": hashes}

    def _value(
        self, thread: str, stored: Mapping[str, JsonValue], runs: Mapping[str, JsonValue]
    ) -> Any:
        if "runs" not in stored:
            return self.plain(stored["value"])
        value: list[Any] = []
        for run in _runs(stored):
            key = joined(RUNS, thread, run)
            if key not in runs:
                raise CorruptData(f"a part of the state of thread {thread!r} is missing: {key}")
            value += self.plain(runs[key])
        return value


def value_key(thread: str, namespace: str, channel: str, version: object) -> str:
    """Return the key of a value."""
    return joined(VALUES, thread, namespace, channel, str(version))


def _in_runs(value: Sequence[Any]) -> Iterator[list[Any]]:
    return (list(value[at : at + RUN]) for at in range(0, len(value), RUN))


def _runs(stored: Mapping[str, JsonValue]) -> list[str]:
    runs = stored.get("runs")
    return [str(run) for run in runs] if isinstance(runs, list) else []
