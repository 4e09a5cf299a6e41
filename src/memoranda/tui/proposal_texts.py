"""Rendering of memories and of proposed changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import unified_diff

from textual.content import Content

from memoranda.local_time import minute
from memoranda.memories.link_model import MemoryDetail
from memoranda.memories.model import Memory, NamedEvidence
from memoranda.observations.model import Observation
from memoranda.proposals.model import MemoryState, Proposal, ProposalKind
from memoranda.proposals.suspicion import is_suspicious
from memoranda.text import counted
from memoranda.trust import Trust, trust_of
from memoranda.tui.list_widgets import NOTHING, Row, joined, lists, muted, title
from memoranda.tui.terminal_text import ago, line, words, written_out

HASH = 12
"""Number of characters of a hash that are shown."""
_COLOURS = {"+": "on $added", "-": "on $taken"}


def proposal_row(one: Proposal, now: int) -> Row:
    """Return a proposal as a row of the list."""
    left = Content.assemble((f"{one.kind}  ", "bold $warning"), line(one.after.title))
    doubt = "suspicious" if is_suspicious(one) else ""
    doubt = doubt or ("superseded" if one.superseded else "")
    by = f"from {line(one.author)}"
    below = muted(f"#{one.number}", words(one.after.category), by, ago(one.created_at, now))
    mark = Content.styled(f"{doubt}  ", "bold $error") if doubt else NOTHING
    return Row(f"p{one.id}", left, below=Content("  ") + mark + below)


def memory_row(one: Memory, now: int) -> Row:
    """Return a memory as a row of the list."""
    used = f"used {counted(one.uses, 'time')}" if one.uses else "never used"
    marks = [name for name in ("critical", "protected") if getattr(one, name)]
    label = muted(words(one.category), f"trust {trust_of(one)}", used, *marks, _span(one, now))
    tokens = Content.styled(str(one.tokens), "$soft")
    return Row(f"m{one.id}", Content(line(one.title)), tokens, Content("  ") + label)


def _span(one: Memory, now: int) -> str:
    return "" if one.holds_at(now) else "no longer valid"


def proposal_text(
    one: Proposal, evidence: NamedEvidence | None, seen: Sequence[Observation]
) -> Content:
    """Return everything about a decision: change, reason and evidence."""
    what = f"{one.kind.capitalize()}: {words(one.after.category)}"
    trust = f"trust {evidence.trust}" if evidence and one.kind is ProposalKind.ADD else ""
    by = f"from {line(one.agent or 'a person')}"
    parts = [
        Content.styled(what, "bold"),
        muted(by, trust or _trust_in(one.agent), f"hash {one.hash[:HASH]}"),
        NOTHING,
        *difference(one),
        NOTHING,
        *_reason(one),
    ]
    if evidence is not None:
        parts += _rests_on(evidence, seen)
    return joined(parts)


def _trust_in(agent: str | None) -> str:
    return f"trust {Trust.AGENT if agent else Trust.PERSON}"


def difference(one: Proposal) -> Iterator[Content]:
    """Yield the current and the proposed memory, line by line.

    Nothing is cut or hidden.
    """
    if one.kind is ProposalKind.ADD:
        lines = [f"+{text}" for text in _lines(one.after)]
    else:
        both = (_lines(one.before), _lines(one.after))
        lines = list(unified_diff(*both, lineterm="", n=99))[3:]
    for text in lines:
        yield Content.styled(f"{text[0]} {text[1:]}", _COLOURS.get(text[0], ""))
    if not lines:
        yield muted("No text changes.")


def _lines(state: MemoryState) -> list[str]:
    marks = [name for name in ("critical", "protected") if getattr(state, name)]
    about = [state.category, f"for the {state.visibility}", state.status, *state.tags, *marks]
    about += [f"since {minute(state.valid_from)}"] if state.valid_from is not None else []
    about += [f"until {minute(state.valid_until)}"] if state.valid_until is not None else []
    about += [f"superseded by {state.superseded_by}"] if state.superseded_by else []
    content, last = written_out(state.content).split("\n"), written_out(", ".join(about))
    first = written_out(state.title).replace("\n", " ")
    return [*([] if first == content[0] else [first]), *content, f"({last})"]


def _reason(one: Proposal) -> Iterator[Content]:
    if one.reason:
        doubtful = is_suspicious(one)
        yield Content.styled(f"Because: {line(one.reason)}", "bold $error" if doubtful else "")


def _rests_on(evidence: NamedEvidence, seen: Sequence[Observation]) -> list[Content]:
    if not evidence.observations:
        return [muted("Entered manually; no observation is linked.")]
    lines = [title(f"Based on {counted(len(evidence.observations), 'observation')}")]
    lines += [
        Content.assemble(
            (f"{observation.ref:<8}", "bold"),
            line(observation.summary),
            "  ",
            muted(observation.origin),
        )
        for observation in seen
    ]
    return lines


def memory_text(one: Memory, now: int) -> Content:
    """Return a memory as shown in the list."""
    approved = f"approved by {line(one.approved_by)}" if one.approved_by else ""
    head = [] if one.content.startswith(one.title) else [Content.styled(line(one.title), "bold")]
    return joined(
        [
            *head,
            muted(words(one.category), one.kind, f"trust {trust_of(one)}", approved),
            muted(ago(one.created_at, now), f"confidence {one.confidence:.2f}", _used(one, now)),
            NOTHING,
            Content(written_out(one.content)),
        ]
    )


def _used(one: Memory, now: int) -> str:
    if not one.uses:
        return "never used"
    return f"used {counted(one.uses, 'time')}, last {ago(one.last_used, now)}"


def detail_text(found: MemoryDetail, now: int) -> Content:
    """Return everything that is known about a memory."""
    encoding = found.encoding
    critical = (line(found.memory.critical_reason or "yes"),) if found.memory.critical else ()
    sections: dict[str, Sequence[str]] = {
        "Critical": critical,
        "Constraints": encoding.constraints,
        "Facts": encoding.facts,
        "Names": [entity.name for entity in encoding.entities],
        "Refers to": [f"{reference.kind}: {reference.value}" for reference in found.references],
        "Related to": [f"{link.kind}: {link.memory.title}" for link in found.links],
        "Based on": found.evidence,
    }
    return joined([memory_text(found.memory, now), *lists(sections)])
