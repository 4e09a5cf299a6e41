"""Splits prose into clauses that state something.

Requests around a clause are removed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memoranda.language.prose import unfenced, without_list_mark
from memoranda.language.sentences import sentences
from memoranda.statements.claim import claim_of
from memoranda.statements.tokens import Token, scan
from memoranda.text import one_line, text_lines

MAX_CLAUSE_LENGTH = 300
MAX_MESSAGE_LENGTH = 100_000
MAX_CLAIMS = 60
"""Maximum number of characters of a message that are read."""

_MIN_WORDS = 3
_CODE = re.compile(
    r"[{};=<>`|\\]|\w\(|\) ?:|^[#/*$@-]{1,3}[^ ]|^\*\*|https?://"
    r"|^(?:def|class|import|from|const|let|var|return|SELECT|INSERT|CREATE)\b"
)
_INLINE_CODE = re.compile(r"`([^`\n]{1,60})`")
_NEXT = re.compile(
    r"(?:, ?| - | )(?=(?:so (?:i'?m|can|what|how|could|should|i|now|my|we)|can you|could you"
    r"|would you|what "
    r"|how (?:can|do|should|would)|is (?:that|it|this)|are there|should i|do you"
    r"|but (?:i'?m|i|how|what|can)|and (?:i|i'?m|i'?ve|can|how|it|we|my)"
    r"|which (?!(?:i|we|has|have|had|is|are|was|were|now)\b)"
    r"|because |since |while |you know|especially|though|although|if )\b)"
    r"|,? (?=(?:considering|given) (?:that|the|my|i|i'?m|i'?ve|we|our)\b)"
    r"|, ?(?=(?:i|i'?m|i'?ve|it seems|here's)\b)",
    re.IGNORECASE,
)
"""End of a clause before another clause or a request.

A relative clause is kept with its noun: "the quota, which is now 5 GB".
"""

_FEELING = (
    r"(?:worried|wondering|curious|concerned|anxious|thinking|glad|proud|excited|stuck"
    r"|(?:trying|having (?:some )?trouble) (?:to understand|understanding)|feeling \w{1,20})"
)
_NOT_GRASPED = r"(?:do not|don't|want to|need to|would like to) (?:understand|know|see)"
_LEAD_IN = re.compile(
    r"^(?:so|well|ok|okay|hi|hey|yeah|sure|also|and|but|thanks[^,.]{0,40}|by the way|actually"
    r"|especially|because|although|though|while|since"
    r"|(?:considering|given)(?: (?:that|the fact that))?),? "
    rf"|^i'?m (?:kinda |really |just |a bit |currently )?{_FEELING}"
    r"(?: about| that| if| on| how| why)?"
    r",? (?=(?:i|my|we|our|the)\b)"
    rf"|^i {_NOT_GRASPED} (?:about|if|that|how|why) (?=(?:i|my|we|our)\b)",
    re.IGNORECASE,
)
_HELP = re.compile(
    r"^(?:please |(?:can|could|would|will) you (?:please |also )?|(?:so |and )?how (?:can|could"
    r"|do|should|would) (?:i|we) )"
    r"(?:help (?:me|us) (?:to |with )?)?",
    re.IGNORECASE,
)
"""Start of a request for help, after which a person states what they have or want."""

_STATES_NOTHING = re.compile(
    r"(?:can|could|would|what|how|is|are|should|do|does|which|please|if|whether|unless|why|when"
    r"|where|who)\b",
    re.IGNORECASE,
)
_DESCRIBES_THING = re.compile(r", which (?:has|have|is|are|was|were)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|i'?ve|i'?m|my|we|we'?ve|our)\b", re.IGNORECASE)


def claims(text: str) -> list[str]:
    """Return the first asserting clauses of a message, in order.

    Such clauses are in the first person or state something about a thing ("The timeout is 30
    seconds"). Code and questions are omitted; requests are reduced to a stated personal value:
    "move my call to May 4" from "Could you move my call to May 4?". White space is folded, clauses
    are cut at 300 characters, and the first 100,000 characters are read.
    """
    result: list[str] = []
    for clause in _clauses(text[:MAX_MESSAGE_LENGTH]):
        if len(result) >= MAX_CLAIMS:
            break
        if _states(clause):
            result.append(clause[:MAX_CLAUSE_LENGTH].rstrip())
        elif value := _value_in_request(clause[:MAX_CLAUSE_LENGTH]):
            result.append(value)
    return result


def stated(text: str, short: int) -> list[str]:
    """Return all sentences of a text of ``short`` characters, or its claims."""
    return sentences(text) if len(text) <= short else claims(text)


def _clauses(text: str) -> Iterator[str]:
    for line in _prose(text):
        for sentence in sentences(line):
            if not _CODE.search(sentence):
                for clause in _NEXT.split(sentence):
                    yield _without_lead_in(clause.strip(" ,.-"))


def _without_lead_in(clause: str) -> str:
    """Remove up to two lead-ins, as in "so I'm glad that we moved"."""
    once = _LEAD_IN.sub("", clause)
    return _LEAD_IN.sub("", once).strip() if once != clause else clause


def _prose(text: str) -> Iterator[str]:
    """Yield lines in a person's own words, without code marks."""
    for line in map(one_line, unfenced(text_lines(text))):
        if line:
            yield _INLINE_CODE.sub(r"\1", without_list_mark(line))


def _states(clause: str) -> bool:
    if clause.endswith("?") or _STATES_NOTHING.match(clause) or clause.count(" ") < _MIN_WORDS - 1:
        return False
    return (
        _FIRST_PERSON.search(clause) is not None
        or _DESCRIBES_THING.search(clause) is not None
        or _claims_something(clause)
    )


def _value_in_request(clause: str) -> str:
    """Return a request without its opening if it contains a personal value.

    The value is a date or an amount.
    """
    beginning = _HELP.match(clause)
    if beginning is None:
        return ""
    rest = clause[beginning.end() :].rstrip("? ")
    if rest.count(" ") < _MIN_WORDS - 1 or not _FIRST_PERSON.search(rest):
        return ""
    return rest if any(map(_is_value, scan(rest))) else ""


def _is_value(token: Token) -> bool:
    return bool(token.date) or token.number is not None


def _claims_something(clause: str) -> bool:
    claim = claim_of(scan(clause[:MAX_CLAUSE_LENGTH]))
    return claim is not None and bool(claim.subject)
