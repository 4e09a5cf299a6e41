"""Turns of a Gemini CLI chat, with the message in which a hook reports their answers.

After a turn the hook ``AfterAgent`` has one text: all answers of the model since the prompt. A
person may type during a turn, while the model waits for its calls; a chat file does not record
whether the turn went on or was cancelled there, so both texts are possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from memoranda.capture.event import HookReport
from memoranda.capture.hosts.fields import Payload
from memoranda.capture.hosts.gemini.chat import ChatHistory, calls_of, parts_of, spoken

Turn = list[tuple[str, Payload]]
"""Messages with their ids, from what a person typed to what is typed next."""


def reported_turns(chat: ChatHistory) -> Iterator[tuple[Turn, HookReport | None]]:
    """Yield the turns of a chat in order, each with its report if that joins messages."""
    for exchange in _exchanges(chat):
        whole = _joined(chain.from_iterable(exchange))
        for turn in exchange:
            texts = tuple(dict.fromkeys(filter(None, (_joined(turn), whole))))
            yield turn, HookReport(texts=texts) if texts else None


def _exchanges(chat: ChatHistory) -> Iterator[list[Turn]]:
    """Yield the turns that may be one to the host: a person typed while calls ran."""
    exchange: list[Turn] = [[]]
    at_work = False
    for id, message in chat.messages.items():
        if message.get("type") == "user" and spoken(parts_of(message.get("content"))):
            if not at_work:
                yield exchange
                exchange = []
            exchange.append([])
        exchange[-1].append((id, message))
        at_work = _is_at_work(message)
    yield exchange


def _is_at_work(message: Payload) -> bool:
    """Return whether the model goes on after a message: one with calls or their responses."""
    parts = parts_of(message.get("content"))
    called = any("functionCall" in one or "functionResponse" in one for one in parts)
    return called or any(calls_of(message))


def _joined(messages: Iterable[tuple[str, Payload]]) -> str:
    """Return the answers among messages as a hook has them; empty if at most one."""
    models = (one for _, one in messages if one.get("type") == "gemini")
    answers = [text for one in models if (text := spoken(parts_of(one.get("content"))))]
    return "\n".join(answers) if len(answers) > 1 else ""
