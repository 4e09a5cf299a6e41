"""The statements in a message: prose only, one clause each, without the request around them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoranda.statements.claim import claim_of
from memoranda.statements.tokens import scan
from memoranda.text import one_line

LONGEST_CLAUSE = 300
LONGEST_MESSAGE = 100_000
"""Characters that are read of a message."""

_LEAST_WORDS = 3
_FENCES = ("```", "~~~")
_CODE = re.compile(
    r"[{};=<>`|\\]|\w\(|\) ?:|^[#/*$@-]{1,3}[^ ]|^\*\*|https?://"
    r"|^(?:def|class|import|from|const|let|var|return|SELECT|INSERT|CREATE)\b"
)
_BULLET = re.compile(r"^(?:[-*\u2022]|\d{1,2}[.)]) ")
_SENTENCE_END = re.compile(r"(?<=[.!?]) ")
_REQUEST = re.compile(
    r"(?:, ?| - | )(?=(?:so (?:i'?m|can|what|how|could|should|i)|can you|could you|would you|what "
    r"|how (?:can|do|should|would)|is (?:that|it|this)|are there|should i|do you"
    r"|but (?:i'?m|i|how|what|can)|and (?:i'?m|i was|i want|can|how|i'?ve|i have|it|we)|which "
    r"|because |since |while |you know|especially|though|although|if )\b)",
    re.IGNORECASE,
)
"""Where a clause ends and another begins, or the request that the statement leads to."""

_FEELING = (
    r"(?:worried|wondering|curious|concerned|anxious|thinking|glad|proud|excited|stuck"
    r"|trying to understand|feeling \w{1,20})"
)
_LEAD_IN = re.compile(
    r"^(?:so|well|ok|okay|hi|hey|yeah|sure|also|and|but|thanks[^,.]{0,40}|by the way|actually"
    r"|because|although|though|while),? "
    rf"|^i'?m (?:kinda |really |just |a bit |currently )?{_FEELING}(?: about| that| if| on| how)?"
    r",? (?=(?:i|my|we|our|the)\b)",
    re.IGNORECASE,
)
_STATES_NOTHING = re.compile(
    r"(?:can|could|would|what|how|is|are|should|do|does|which|please|if|whether|unless|why|when|where|who)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(r"\b(?:i|i'?ve|i'?m|my|we|we'?ve|our)\b", re.IGNORECASE)


def claims(text: str, limit: int = 60) -> list[str]:
    """List the clauses of a message that state something, in order; at most ``limit``.

    They speak in the first person or claim something of a thing ("The timeout is 30 seconds").
    Code, questions and requests are left out. White space is folded, a clause is cut at 300
    characters, and of a message the first 100,000 characters are read.
    """
    found: list[str] = []
    for clause in _clauses(text[:LONGEST_MESSAGE]):
        if len(found) >= limit:
            break
        if _states(clause):
            found.append(clause[:LONGEST_CLAUSE].rstrip())
    return found


def _clauses(text: str) -> Iterator[str]:
    for line in _prose(text):
        for sentence in _SENTENCE_END.split(line):
            for clause in _REQUEST.split(sentence):
                yield _LEAD_IN.sub("", clause.strip(" ,.-")).strip()


def _prose(text: str) -> Iterator[str]:
    """Yield the lines that are a person's own words."""
    fenced = False
    for line in text.splitlines():
        plain = one_line(line)
        if plain.startswith(_FENCES):
            fenced = not fenced
        elif plain and not fenced:
            prose = _BULLET.sub("", plain)
            if not _CODE.search(prose):
                yield prose


def _states(clause: str) -> bool:
    if (
        clause.endswith("?")
        or _STATES_NOTHING.match(clause)
        or clause.count(" ") < _LEAST_WORDS - 1
    ):
        return False
    return _FIRST_PERSON.search(clause) is not None or _claims_something(clause)


def _claims_something(clause: str) -> bool:
    claim = claim_of(scan(clause[:LONGEST_CLAUSE]))
    return claim is not None and bool(claim.subject)
