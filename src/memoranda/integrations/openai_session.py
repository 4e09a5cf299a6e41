"""Sessions of the OpenAI Agents SDK, stored in Memoranda.

    await Runner.run(agent, "I like tea", session=MemorandaSession("ada", memory))

Each item is a document whose key consists of the session and a number. Numbers are used only once:
a removed item leaves a marker for an hour, so that an operation that began before the removal
cannot collide with a later item.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice, takewhile
from typing import Any, TypeVar, cast

from anyio.to_thread import run_sync

from memoranda.integrations.version_check import supported

with supported("openai-agents", "0.24", "1", "memoranda[openai-agents]", "agents"):
    from agents import TResponseInputItem
    from agents.memory import SessionSettings
    from agents.memory.session_settings import coerce_session_settings, resolve_session_limit

from memoranda.capture.redaction.model import SecretPolicy
from memoranda.documents.model import Document, NewDocument
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.integrations.document_keys import below, exact
from memoranda.integrations.document_space import AT_ONCE, DocumentSpace, foreign, portions
from memoranda.json_data import JsonValue, checked_json
from memoranda.memory import Memoranda

SPACE = "openai.sessions"
DIGITS = 12
MARK_SECONDS = 3_600
"""Seconds for which a removed number stays reserved.

This is far longer than any call takes.
"""
T = TypeVar("T")


class MemorandaSession:
    """OpenAI Agents SDK session that keeps its items in Memoranda.

    It works locally or on a server. An item is restored exactly as it was. An item that contains a
    credential is refused, unless ``secrets`` specifies otherwise. Any number of sessions of the
    same name, in any number of processes, may be used at once: nothing is lost, and the items of
    one call stay together.
    """

    session_settings: SessionSettings | None

    def __init__(
        self,
        session_id: str,
        memory: Memoranda,
        *,
        workspace: str | None = None,
        space: str = SPACE,
        session_settings: SessionSettings | dict[str, Any] | None = None,
        secrets: SecretPolicy | str = SecretPolicy.REFUSE,
    ) -> None:
        """Store items in a space of a workspace or team.

        Creating the session reads and writes nothing.

        Args:
            memory: an open `Memoranda`; the session does not close it.
            space: use different spaces for independent sessions of the same name.
            session_settings: default number of items that are read.
            secrets: handling of an item in which a credential is found: ``refuse`` raises an error,
                ``encrypt`` accepts the item if the store is encrypted, ``redact`` removes the
                credential.

        Raises:
            InvalidInput: the name is empty or not usable as a key.
        """
        if not session_id:
            raise InvalidInput("specify the session: MemorandaSession('ada', memory)")
        self.session_id = session_id
        self.session_settings = coerce_session_settings(session_settings or SessionSettings())
        self._place = memory, space, workspace, secrets
        self._beginning = below([session_id])
        exact(self._key(0))

    async def get_items(self, limit: int | None = None) -> list[TResponseInputItem]:
        """Return the newest items, oldest first.

        All items are returned if there is no limit or the limit is negative.

        Raises:
            CorruptData: another program wrote into this space.
        """
        most = resolve_session_limit(limit, self.session_settings)
        documents = await run_sync(self._newest, None if most is None or most < 0 else most)
        return [cast(TResponseInputItem, document.value) for document in reversed(documents)]

    async def add_items(self, items: list[TResponseInputItem]) -> None:
        """Append items, either all or none.

        More than 1,000 items, or more than 8 MB, are written in several steps; even then, no other
        writer's items come between them.

        Raises:
            InvalidInput: an item is not JSON, is larger than 64 MB or contains a credential, or the
                session name looks like a secret.
        """
        if items:
            await _finished(self._append, [checked_json(item) for item in items])

    async def pop_item(self) -> TResponseInputItem | None:
        """Remove the newest item and return it; None if there is none."""
        return cast(TResponseInputItem | None, await _finished(self._pop))

    async def clear_session(self) -> None:
        """Delete every item of the session. Idempotent."""
        await _finished(self._clear)

    @cached_property
    def _shelf(self) -> DocumentSpace:
        # Created in a thread, since creating the workspace is a blocking call.
        return DocumentSpace(*self._place)

    def _key(self, number: int) -> str:
        return f"{self._beginning}{number:0{DIGITS}}"

    def _newest(self, most: int | None) -> list[Document]:
        """Return items, newest first.

        More documents than items are requested, since some may be markers.
        """
        size = AT_ONCE if most is None else min(most + 8, AT_ONCE)
        documents = self._shelf.listed(self._beginning, descending=True, page_size=size)
        return list(
            islice((document for document in documents if document.value is not None), most)
        )

    def _append(self, items: Sequence[JsonValue], ttl: int | None = None) -> str:
        """Store items at the end; return the key of the first one."""
        while True:
            end = self._end()
            keys = [self._key(end + at) for at in range(len(items))]
            new = [NewDocument(*item, ttl, version=0) for item in zip(keys, items, strict=True)]
            together = len(portions(new, lambda new_document: new_document.value)) == 1
            # Several calls reserve their numbers first; concurrent writers continue after them.
            ends = [NewDocument(key, None, MARK_SECONDS, 0) for key in (keys[0], keys[-1])]
            try:
                self._shelf.put_together(new if together else ends)
            except Conflict:  # another writer has taken the numbers
                continue
            if not together:
                self._shelf.put([replace(document, version=None) for document in new])
            return keys[0]

    def _end(self) -> int:
        last = self._shelf.first(self._beginning, descending=True, values=False)
        if last is None:
            return 0
        number = last.key.removeprefix(self._beginning)
        if not number.isdecimal():
            raise foreign(last)
        return int(number) + 1

    def _pop(self) -> JsonValue:
        while documents := self._newest(1):
            last = documents[0]
            mark = NewDocument(last.key, None, MARK_SECONDS, last.version)
            try:
                self._shelf.put_together([mark])
            except Conflict:  # another process removed it
                continue
            return last.value
        return None

    def _clear(self) -> None:
        """Delete the items before a new marker, after which new items are added."""
        if self._shelf.first(self._beginning, values=False) is not None:
            mark = self._append([None], MARK_SECONDS)
            keys = self._shelf.keys(self._beginning)
            self._shelf.delete(list(takewhile(lambda key: key < mark, keys)))


async def _finished(work: Callable[..., T], *value: Any) -> T:
    """Run a function in a thread; deliver a cancellation when it is done.

    The function has finished when the cancellation is raised, however often the caller was
    cancelled.
    """
    running = asyncio.ensure_future(run_sync(work, *value))
    cancelled: asyncio.CancelledError | None = None
    while not running.done():
        try:
            await asyncio.wait([running])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is None:
        return running.result()
    if not running.cancelled() and (trouble := running.exception()):
        raise cancelled from trouble
    raise cancelled
