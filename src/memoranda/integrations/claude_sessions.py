"""`SessionStore` of the Claude Agent SDK: transcripts in Memoranda.

    options = ClaudeAgentOptions(session_store=MemorandaSessionStore(memory))

The SDK requires methods and no base class, so this module does not import it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from anyio.to_thread import run_sync

from memoranda.capture.redaction.model import SecretPolicy
from memoranda.exceptions import InvalidInput
from memoranda.integrations.claude_transcript_documents import (
    SESSIONS,
    SUBAGENTS,
    Fold,
    Transcript,
    TranscriptState,
)
from memoranda.integrations.document_keys import below, parted
from memoranda.integrations.document_space import DocumentSpace
from memoranda.memory import Memoranda

SPACE = "claude.sessions"
Key = Mapping[str, Any]
"""Key: ``project_key``, ``session_id``, and ``subpath`` for a subagent."""


class MemorandaSessionStore:
    """Store of transcripts in Memoranda, local or on a server. Thread-safe.

    The entries of one call stay together and in order despite concurrent appends. Text that looks
    like a secret is redacted before an entry is stored.
    """

    def __init__(
        self,
        memory: Memoranda,
        *,
        workspace: str | None = None,
        space: str = SPACE,
        fold: Fold | None = None,
    ) -> None:
        """Store transcripts in a space of a workspace or team.

        Creating the store reads and writes nothing.

        Args:
            memory: an open `Memoranda`; the store does not close it.
            fold: function that summarises entries; by default the SDK's own, if the SDK is loaded.
        """
        self._place = memory, space, workspace
        self._fold_argument = fold

    async def append(self, key: Key, entries: Sequence[Mapping[str, Any]]) -> None:
        """Append entries to a transcript; skip those with an existing uuid.

        Either all entries are stored or none, unless there are more than 499 entries or more than 8
        MB.

        Raises:
            InvalidInput: an entry is not JSON or is larger than 64 MB, or the key is not valid.
        """
        await run_sync(lambda: self._transcript(key).append(entries, self._fold))

    async def load(self, key: Key) -> list[Any] | None:
        """Return the entries of a transcript in order; None if there are none.

        Raises:
            CorruptData: some entries are missing.
        """
        return await run_sync(lambda: self._transcript(key).load())

    async def list_sessions(self, project_key: str) -> list[Any]:
        """Return the sessions of a project.

        Each session has its ``session_id`` and, as ``mtime``, the time of its last append in
        milliseconds since the epoch.
        """
        return await run_sync(lambda: [_listed(*item) for item in self._sessions(project_key)])

    async def list_session_summaries(self, project_key: str) -> list[Any]:
        """Return the SDK's session summaries, without reading the sessions.

        A session is left out if entries were appended without the SDK's fold; the SDK then reads
        that session.
        """

        def work() -> list[Any]:
            found = self._sessions(project_key)
            return [_listed(*item) | {"data": item[1].summary} for item in found if item[1].summed]

        return await run_sync(work)

    async def delete(self, key: Key) -> None:
        """Delete a transcript. Idempotent.

        The transcripts of a session's subagents are deleted with the session's own transcript.
        """

        def work() -> None:
            transcript = self._transcript(key)
            transcript.delete()
            if not transcript.subpath:
                for subpath in self._subpaths(key):
                    self._transcript({**key, "subpath": subpath}).delete()

        await run_sync(work)

    async def list_subkeys(self, key: Key) -> list[str]:
        """Return the subpaths of a session's subagents."""
        return await run_sync(lambda: list(self._subpaths(key)))

    @cached_property
    def _shelf(self) -> DocumentSpace:
        # Created in a thread, since creating the workspace is a blocking call.
        return DocumentSpace(*self._place, SecretPolicy.REDACT)

    @property
    def _fold(self) -> Fold | None:
        # The SDK is not imported here, since importing takes half a second; callers have already
        # loaded it.
        return self._fold_argument or getattr(
            sys.modules.get("claude_agent_sdk"), "fold_session_summary", None
        )

    def _transcript(self, key: Key) -> Transcript:
        project, session = key["project_key"], key["session_id"]
        if not (project and session and key.get("subpath") != ""):
            raise InvalidInput(
                f"a key must have a project, a session and optionally a subpath, not {key}"
            )
        return Transcript(self._shelf, project, session, key.get("subpath") or "")

    def _sessions(self, project: str) -> Iterator[tuple[str, TranscriptState]]:
        return self._found(below([SESSIONS, project]))

    def _subpaths(self, key: Key) -> Iterator[str]:
        found = self._found(below([SUBAGENTS, key["project_key"], key["session_id"]]))
        return (name for name, _ in found)

    def _found(self, beginning: str) -> Iterator[tuple[str, TranscriptState]]:
        """Yield transcripts that have entries, each with the last part of its key."""
        for document in self._shelf.listed(beginning):
            state = TranscriptState.of(document)
            if state.entries:
                yield parted(document.key)[-1], state


def _listed(session: str, state: TranscriptState) -> dict[str, Any]:
    return {"session_id": session, "mtime": state.modified}
