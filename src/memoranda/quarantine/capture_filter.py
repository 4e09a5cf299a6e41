"""Decides at capture which events are quarantined.

Quarantined is text from outside that reads like an instruction to the agent.
"""

from __future__ import annotations

from memoranda.capture.analysis.lines import telling_lines
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.hosts.envelopes import ENVELOPE
from memoranda.observations.content import output_text
from memoranda.observations.model import Origin
from memoranda.quarantine.judgement import suspicion
from memoranda.trust import OUTSIDE

COMPACTION = "compaction"
"""Tag of a host's compaction summary of a conversation."""
_SUMMARIES = (
    "This session is being continued from a previous conversation",
    "Another language model started to solve this problem",
    "<state_snapshot>",
)
"""Beginnings of texts that continue a compacted conversation.

They are those of Claude Code, Codex and Gemini CLI, where nothing else identifies them.
"""

HEAD, MIDDLE, TAIL = 192_000, 64_000, 64_000
"""Characters that are read of a long output: its beginning, lines between that differ in more than
numbers, of which search covers no more, and its end."""


def quarantine_reason(event: Event) -> str | None:
    """Return why an event is to be withheld, None where it is not.

    What a person or the agent said never is, so that no summary of a compaction is, which is the
    agent's; nor what the host itself puts into a conversation, or the program that stores its
    messages here. Of a tool call the output decides.
    """
    own = event.origin is Origin.GENERATED and (
        event.source is EventSource.API or _is_summary(event)
    )
    if event.origin not in OUTSIDE or own or ENVELOPE in event.tags:
        return None
    text = output_text(event.output) if event.kind is EventKind.TOOL_RESULT else event.text
    return text_quarantine_reason(text)


def _is_summary(event: Event) -> bool:
    return COMPACTION in event.tags or event.text.lstrip().startswith(_SUMMARIES)


def text_quarantine_reason(text: str) -> str | None:
    """Return why an external text is to be withheld, None where it is not."""
    if len(text) > HEAD + TAIL:
        middle = telling_lines(text[HEAD:-TAIL], MIDDLE)
        text = "\n".join((text[:HEAD], *middle, text[-TAIL:]))
    found = suspicion(text) if text else None
    return found.reason.value if found else None
