"""LangGraph's checkpointer on documents.

Documents of a thread: checkpoints without channel values (``c/thread/namespace/id``), channel
values by version (``v/thread/namespace/channel/version``), runs of long lists (``r/thread/hash``),
and node writes since a checkpoint (``w/thread/namespace/id/task/number``).
"""

from __future__ import annotations

import random
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any

from anyio.to_thread import run_sync
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import (
    WRITES_IDX_MAP,
    BaseCheckpointSaver,
    ChannelVersions,
    Checkpoint,
    CheckpointMetadata,
    CheckpointTuple,
    get_checkpoint_id,
    get_checkpoint_metadata,
)
from langgraph.checkpoint.serde.base import SerializerProtocol

from memoranda.capture.redaction.model import SecretPolicy
from memoranda.documents.model import NewDocument
from memoranda.exceptions import InvalidInput
from memoranda.integrations.async_twins import awaited
from memoranda.integrations.document_keys import below, joined
from memoranda.integrations.document_space import DocumentSpace
from memoranda.integrations.langgraph.channel_values import Values
from memoranda.integrations.langgraph.filters import field_at
from memoranda.integrations.langgraph.removal import CheckpointPruner
from memoranda.integrations.langgraph.threads import CHECKPOINTS, WRITES, Threads, config_of
from memoranda.memory import Memoranda

SPACE = "langgraph"


class MemorandaSaver(BaseCheckpointSaver[str]):
    """LangGraph checkpointer that keeps graph states in Memoranda.

    It works locally or on a server and is thread-safe. A state is restored exactly as it was. A
    state that contains a credential is refused, unless ``secrets`` specifies otherwise: pass
    credentials through the configuration.
    """

    def __init__(
        self,
        memory: Memoranda,
        *,
        workspace: str | None = None,
        space: str = SPACE,
        serde: SerializerProtocol | None = None,
        versions: random.Random | None = None,
        secrets: SecretPolicy | str = SecretPolicy.REFUSE,
    ) -> None:
        """Store states in a space of a workspace or team.

        Args:
            memory: an open `Memoranda`; the checkpointer does not close it.
            space: use different spaces for graphs whose threads have the same names.
            serde: the serialiser for values; LangGraph's own by default.
            versions: source of the suffixes of version numbers.
            secrets: handling of a state in which a credential is found: ``refuse`` raises an error,
                ``encrypt`` accepts the state if the store is encrypted, ``redact`` removes the
                credential.
        """
        super().__init__(serde=serde)
        self._shelf = DocumentSpace(memory, space, workspace, secrets)
        self._versions = versions or random.Random()

    @property
    def _values(self) -> Values:
        # Created at each use, since `with_allowlist` makes a copy with another serialiser.
        return Values(self._shelf, self.serde)

    @property
    def _threads(self) -> Threads:
        return Threads(self._shelf, self._values)

    def get_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """Return the checkpoint of a config, or the newest one in the namespace."""
        thread, namespace, id = _place(config)
        if id:
            document = next(
                iter(self._shelf.get([joined(CHECKPOINTS, thread, namespace, id)])), None
            )
        else:
            beginning = below([CHECKPOINTS, thread, namespace])
            document = self._shelf.first(beginning, descending=True)
        return self._threads.tuple_of(document) if document else None

    def list(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> Iterator[CheckpointTuple]:
        """Yield checkpoints of a namespace, a thread or all threads, newest first."""
        left = limit
        for document in self._threads.listed(config, before):
            if left is not None and left <= 0:
                return
            metadata = self._threads.metadata_of(document)
            if any(field_at(metadata, name) != value for name, value in (filter or {}).items()):
                continue
            yield self._threads.tuple_of(document)
            left = None if left is None else left - 1

    def put(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Store a checkpoint and its new values."""
        thread, namespace, parent = _place(config)
        values = checkpoint["channel_values"]
        new = NewDocument(
            joined(CHECKPOINTS, thread, namespace, checkpoint["id"]),
            {
                "checkpoint": self._values.tree(_bare(checkpoint)),
                "metadata": self._values.tree(get_checkpoint_metadata(config, metadata)),
                "parent": parent,
            },
        )
        documents = self._values.documents(thread, namespace, values, new_versions)
        self._shelf.put([*documents, new])
        return config_of(thread, namespace, checkpoint["id"])

    def put_writes(
        self,
        config: RunnableConfig,
        writes: Sequence[tuple[str, Any]],
        task_id: str,
        task_path: str = "",
    ) -> None:
        """Store the writes of a node.

        Existing writes of the task are kept, except that errors, interrupts and resumptions are
        replaced.
        """
        thread, namespace, id = _place(config)
        place = [WRITES, thread, namespace, id or "", task_id]
        there = set(self._shelf.keys(below(place)))
        new: dict[str, NewDocument] = {}  # if there are several resume values, the last one counts
        for at, (channel, value) in enumerate(writes):
            number = WRITES_IDX_MAP.get(channel, at)
            key = joined(*place, str(number))
            if number >= 0 and key in there:
                continue
            tree = self._values.tree(value)
            new[key] = NewDocument(key, {"channel": channel, "value": tree, "path": task_path})
        self._shelf.put(list(new.values()))

    def delete_thread(self, thread_id: str) -> None:
        """Delete everything in a thread, checkpoints first. Idempotent."""
        CheckpointPruner(self._threads).delete(thread_id)

    def delete_for_runs(self, run_ids: Sequence[str]) -> None:
        """Delete the checkpoints of the given runs, and the writes after them.

        Raises:
            TypeError: the ids are a single string instead of a list.
        """
        _require_list("run_ids", run_ids)
        CheckpointPruner(self._threads).delete_for_runs(run_ids)

    def copy_thread(self, source_thread_id: str, target_thread_id: str) -> None:
        """Copy everything in a thread to another name.

        The values are not stored a second time.
        """
        self._threads.copy(source_thread_id, target_thread_id)

    def prune(self, thread_ids: Sequence[str], *, strategy: str = "keep_latest") -> None:
        """Delete all checkpoints of threads except the newest per namespace.

        Ancestors from which the delta channels of the newest checkpoint are rebuilt are kept as
        well; with the strategy ``delete``, all checkpoints are deleted.

        Call this while no run of the threads is in progress.

        Raises:
            InvalidInput: there is no such strategy.
            TypeError: the ids are a single string instead of a list.
        """
        _require_list("thread_ids", thread_ids)
        if strategy not in ("keep_latest", "delete"):
            raise ValueError(f"unknown strategy {strategy!r}; use keep_latest or delete")
        pruning = CheckpointPruner(self._threads)
        for thread in thread_ids:
            (pruning.delete if strategy == "delete" else pruning.keep_latest)(thread)

    def get_next_version(self, current: str | None, channel: None = None) -> str:
        """Return the next version; two forks of a state get different ones."""
        number = int(str(current).partition(".")[0]) if current is not None else 0
        return f"{number + 1:032}.{self._versions.getrandbits(64):016x}"

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """Async variant of `list`."""
        found = self.list(config, filter=filter, before=before, limit=limit)
        while (item := await run_sync(next, found, None)) is not None:
            yield item

    aget_tuple, aput, aput_writes = awaited(get_tuple), awaited(put), awaited(put_writes)
    adelete_thread, adelete_for_runs = awaited(delete_thread), awaited(delete_for_runs)
    acopy_thread, aprune = awaited(copy_thread), awaited(prune)


def _bare(checkpoint: Checkpoint) -> dict[str, Any]:
    """Return a checkpoint without values that are stored by version.

    The value of a channel without a version remains in the checkpoint.
    """
    versions = checkpoint.get("channel_versions") or {}
    values = checkpoint["channel_values"]
    inside = {name: value for name, value in values.items() if name not in versions}
    bare = {name: value for name, value in checkpoint.items() if name != "channel_values"}
    return {**bare, "channel_values": inside} if inside else bare


def _require_list(name: str, ids: Sequence[str]) -> None:
    """Refuse a single string, whose characters would be treated as ids.

    Raises:
        TypeError: the argument is a single string.
    """
    if isinstance(ids, str | bytes):
        raise TypeError(f"{name} must be a list of ids, not a {type(ids).__name__}")


def _place(config: RunnableConfig) -> tuple[str, str, str | None]:
    settings: Mapping[str, Any] = config.get("configurable", {})
    if not settings.get("thread_id"):
        raise InvalidInput("specify the thread: config={'configurable': {'thread_id': '1'}}")
    return (
        str(settings["thread_id"]),
        str(settings.get("checkpoint_ns") or ""),
        get_checkpoint_id(config),
    )
