"""Wrapper that adds memory to any function that responds to messages.

Both the message and the response are stored.
"""

from __future__ import annotations

import inspect
import logging
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from memoranda.conversations.model import Conversation, MessageRole
from memoranda.exceptions import Forbidden

if TYPE_CHECKING:
    from memoranda.memory import Memoranda

logger = logging.getLogger(__name__)

SPOKEN_BY = ("response_text", "text", "content")
"""Attributes that may contain the text of a response; the first that does is used."""


def response_text(content: object) -> str:
    """Return a response's text: itself, an attribute's text, or its str().

    None and streaming responses have no text.
    """
    if isinstance(content, str):
        return content
    if content is None or isinstance(content, Iterator) or hasattr(content, "__anext__"):
        return ""
    texts = (getattr(content, name, None) for name in SPOKEN_BY)
    return next((text for text in texts if isinstance(text, str)), None) or str(content)


class MemoryAware:
    """Wrapper of a function that responds to messages; stores both sides.

        answer = MemoryAware(memory, process_turn, agent="helper", session="chat-7")
        print(answer("Which port is it?"))

    The wrapper has the parameters, result and errors of the function, and is awaitable if the
    function is. If storing a message or compacting fails, the error is logged, and the turn
    continues.
    """

    def __init__(
        self,
        memory: Memoranda,
        process_turn: Callable[..., Any],
        *,
        agent: str,
        session: str | None = None,
        text_of: Callable[[Any], str] = response_text,
    ) -> None:
        """Wrap a function.

        Without a session, a new one is created. ``text_of`` returns the text of a response; a
        response without text is not stored.

        Raises:
            Forbidden: the memory was opened with an agent, which may not store a person's messages.
        """
        if memory.acting is not None:
            raise Forbidden(
                f"a store opened for the agent {memory.acting!r} does not accept a person's"
                f" messages; open it without agent="
            )
        self.session = session or f"{agent}-{uuid4().hex[:12]}"
        self._memory = memory
        self._process_turn = process_turn
        self._agent = agent
        self._text_of = text_of
        self._awaited = _is_awaited(process_turn)

    def __call__(self, user_message: Any, *args: Any, **kwargs: Any) -> Any:
        """Respond to a message; store both, or only the message after a failure."""
        if self._awaited:
            return self._awaited_turn(user_message, *args, **kwargs)
        self._hear(user_message)
        response = self._process_turn(user_message, *args, **kwargs)
        if inspect.isawaitable(response):
            return self._answered(response)
        self._add_answer(response)
        return response

    def conversation(self) -> Conversation:
        """Return this conversation: a summary and all later messages.

        Raises:
            NotFound: the conversation has no messages yet.
        """
        return self._memory.conversations.show(self.session, agent=self._agent)

    async def _awaited_turn(self, user_message: Any, *args: Any, **kwargs: Any) -> Any:
        from asyncio import to_thread

        await to_thread(self._hear, user_message)
        return await self._answered(self._process_turn(user_message, *args, **kwargs))

    async def _answered(self, response: Awaitable[Any]) -> Any:
        from asyncio import to_thread

        reply = await response
        await to_thread(self._add_answer, reply)
        return reply

    def _hear(self, user_message: Any) -> None:
        self._add_message(MessageRole.USER, user_message, response_text)

    def _add_answer(self, response: Any) -> None:
        self._add_message(MessageRole.ASSISTANT, response, self._text_of)
        self._guarded("compact", self._compact)

    def _add_message(self, role: MessageRole, reply: Any, text_of: Callable[[Any], str]) -> None:
        def keep() -> None:
            text = text_of(reply)
            if text.strip():
                self._memory.conversations.add(
                    text, role=role, agent=self._agent, session=self.session
                )

        self._guarded(f"keep the {role}'s message", keep)

    def _compact(self) -> None:
        self._memory.conversations.compact(self.session, agent=self._agent)

    def _guarded(self, what: str, work: Callable[[], None]) -> None:
        """Run an optional step of the turn; log its errors."""
        try:
            work()
        except Exception as error:
            logger.warning(
                "could not %s: %s", what, error, extra={"agent": self._agent}, exc_info=error
            )


def _is_awaited(function: Callable[..., Any]) -> bool:
    call = getattr(function, "__call__", None)  # noqa: B004 - an object may be called
    return inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(call)
