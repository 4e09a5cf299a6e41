"""Turns of a Gemini CLI chat, each with the text that a hook reports.

After a turn the hook ``AfterAgent`` reports one text: all answers of the model since the prompt. A
person may type during a turn, while the model waits for its calls; a chat file does not record
whether the turn then continued or was cancelled, so both texts are possible.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from memoranda.capture.event import HookReport
from memoranda.capture.hosts.gemini.chat import ChatHistory, calls_of, message_text, parts_of
from memoranda.capture.hosts.json_fields import Payload

Turn = list[tuple[str, Payload]]
"""Messages with their ids, from a typed message up to the next one."""


def reported_turns(chat: ChatHistory) -> Iterator[tuple[Turn, HookReport | None]]:
    """Yield a chat's turns in order, with the hook's report if it joins texts."""
    for exchange in _exchanges(chat):
        whole = _joined(chain.from_iterable(exchange))
        for turn in exchange:
            texts = tuple(dict.fromkeys(filter(None, (_joined(turn), whole))))
            yield turn, HookReport(texts=texts) if texts else None


def _exchanges(chat: ChatHistory) -> Iterator[list[Turn]]:
    """Yield groups of turns that the host may report as one.

    A group continues if a person typed while calls were running.
    """
    exchange: list[Turn] = [[]]
    at_work = False
    for id, message in chat.messages.items():
        if message.get("type") == "user" and message_text(parts_of(message.get("content"))):
            if not at_work:
                yield exchange
                exchange = []
            exchange.append([])
        exchange[-1].append((id, message))
        at_work = _is_at_work(message)
    yield exchange


def _is_at_work(message: Payload) -> bool:
    """Return whether a message has calls or responses: the model continues."""
    parts = parts_of(message.get("content"))
    called = any("functionCall" in part or "functionResponse" in part for part in parts)
    return called or any(calls_of(message))


def _joined(messages: Iterable[tuple[str, Payload]]) -> str:
    """Join the responses as the hook does; return '' for fewer than two."""
    models = (item for _, item in messages if item.get("type") == "gemini")
    answers = [text for model in models if (text := message_text(parts_of(model.get("content"))))]
    return "\n".join(answers) if len(answers) > 1 else ""
