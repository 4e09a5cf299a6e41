"""Compares two memories: equivalence, new value, or contradiction."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from memoranda.context.changed_statements import changes_statement
from memoranda.language.rule_preference import Stance, stance
from memoranda.language.sentences import sentence_spans
from memoranda.language.text_overlap import containment
from memoranda.memories.model import Memory
from memoranda.statements.clauses import stated
from memoranda.statements.conflict_result import ConflictReason, StatementConflict
from memoranda.statements.conflicts import conflict, of_different_things
from memoranda.statements.paraphrase import same_claim_key
from memoranda.statements.statement import Statement
from memoranda.utterances.sentence_checks import is_momentary

STATEMENTS = 6
"""Maximum number of statements of one memory."""
SHORT = 600
"""Maximum number of characters of a memory in which every sentence is treated as a statement."""
NEAR, SAME = 0.6, 0.9
"""Minimum cosine of related memories, and minimum cosine of memories that may be equivalent."""
COMPARABLE = 0.35
"""Minimum cosine of memories that are compared, if the cosine is known."""
_HINT = ConflictReason.ANNOUNCED_CHANGE
"""Reason that is more often wrong than right; if it is the only reason, the result is only
`RELATED`.
"""
CORRECTED = 0.75
"""Minimum cosine at which a phrase of replacement is taken to refer to the older memory."""
_FROM_NOW_ON = re.compile(
    r"\b(?:from now on|as of (?:now|today)|going forward|actually|correction|changed to)\b",
    re.IGNORECASE,
)
_MOVED = re.compile(
    r"\b(?:moved|switched|renamed|postponed|rescheduled) (?:to|from)\b", re.IGNORECASE
)
"""Phrase that states a changed value instead of requesting an end to something."""
_IN_PLACE_OF = re.compile(
    r"\b(?P<how>instead of|in place of|rather than|no longer|drop(?:ped)?|replac(?:es|ed)"
    r"|stop using) (?:the |a |an |in |on |at |by |with |use |using )?(?P<what>[\w.+#/-]{2,40})",
    re.IGNORECASE,
)
"""Phrase that states what something replaces."""
_LABEL = re.compile(
    r"^(?:[^\W\d]+ ){1,4}#?(\d+)(?::| (?:is|are|was|were|has|have|had|took|takes|reports?|runs?"
    r"|listens?|uses?|prefers?|shows?|costs?|returns?|needs?|contains?|passed|failed)\b)",
    re.IGNORECASE,
)
"""Number that distinguishes a subject from others of the same kind.

An example is "build 12 took …".
"""
_VERSION = re.compile(r"\b(?:version|release|python|node|java|go|php|ruby)\b", re.IGNORECASE)
_CODE_NAME = re.compile(r"\b\w{1,40}(?:[_./]\w{1,40}){1,8}\b")
_LIFTS = re.compile(
    r"\b(?:(?:fine|ok(?:ay)?|allowed|permitted|possible|welcome) (?:again|now)|lifted"
    r"|(?:may|can) [^.]{1,60}\bagain|no longer (?:banned|forbidden|needed|required|applies|holds)"
    r"|(?:ban|rule|freeze) is over)\b",
    re.IGNORECASE,
)
_LAYS_DOWN = re.compile(
    r"\b(?:no|not|never|ban(?:ned)?|forbidden|avoid|stop|only|must|without|freeze|off limits)"
    r"\b|n't\b",
    re.IGNORECASE,
)
_ORDER = re.compile(r"\b(over|than|before|after|from|to) (?:the |a |an )?(\w+)", re.IGNORECASE)
"""Words that fix the order of the two things around them: "composition over inheritance"."""
MOST = 2 / 3
_COMMON = 2
"""Minimum number of content words that a rule and its repeal share."""


class ComparisonVerdict(StrEnum):
    """Relation of a newer memory to an older one."""

    SUPERSEDES = "supersedes"
    REPLACES = "replaces"
    """The newer memory explicitly replaces the older one: "from now on …", "… is fine again"."""
    CONTRADICTS = "contradicts"
    REPEATS = "repeats"
    RELATED = "related"


@dataclass(frozen=True, slots=True)
class MemoryComparison:
    """Verdict, with the reason for it."""

    verdict: ComparisonVerdict
    reason: str


def compared(older: Memory, newer: Memory, cosine: float | None) -> MemoryComparison | None:
    """Compare two memories; return None if they are unrelated.

    ``cosine`` is the cosine of the memories' vectors; None if unknown. A memory is superseded only
    if all of its statements are superseded.
    """
    if cosine is not None and cosine < COMPARABLE:
        return None
    old, new = _statements(older.content), _statements(newer.content)
    near = cosine or 0.0
    statement_conflicts = (
        [[_conflicts(statement, new, near) for statement in old]] if old and new else []
    )
    conflicts = [each for group in statement_conflicts for each in group if each]
    best = max(
        conflicts,
        key=lambda statement_conflict: (
            statement_conflict.reason != _HINT,
            statement_conflict.confidence,
        ),
        default=None,
    )
    if _changes_whole(older.content, newer.content) or _replaces(old, new, cosine, best):
        return MemoryComparison(ComparisonVerdict.REPLACES, str(best.reason) if best else "lifted")
    if best is None:
        key = same_claim_key(older.content)
        if key is not None and key == same_claim_key(newer.content):
            return MemoryComparison(ComparisonVerdict.REPEATS, "states the same thing")
        return _by_cosine(old, new, cosine)
    moved = near >= CORRECTED and len(old) == len(new) == 1 and _MOVED.search(new[0].text)
    if moved or (len(conflicts) == len(old) and all(item.certain for item in conflicts)):
        return MemoryComparison(ComparisonVerdict.SUPERSEDES, str(best.reason))
    verdict = ComparisonVerdict.RELATED if best.reason == _HINT else ComparisonVerdict.CONTRADICTS
    return MemoryComparison(verdict, str(best.reason))


def _changes_whole(old: str, new: str) -> bool:
    """Return whether a newer text is a correction of an older one of one sentence: "X now, not Y".

    Reports of changes ("we moved from X to Y") may be about something else, see `_replaces`.
    """
    single = len(list(sentence_spans(old))) == 1
    return single and stance(new).changes and changes_statement(old, new)


def _replaces(
    old: tuple[Statement, ...],
    new: tuple[Statement, ...],
    cosine: float | None,
    found: StatementConflict | None,
) -> bool:
    """Return whether the newer memory says explicitly that the older ended."""
    if len(old) != 1 or len(new) != 1 or not old[0].stems or not new[0].stems:
        return False
    if of_different_things(old[0], new[0]) or is_momentary(new[0].text):
        return False
    mine, theirs = old[0].stems | old[0].dates, new[0].stems | new[0].dates
    common = len(mine & theirs)
    covered = common >= _COMMON and 2 * common >= min(len(mine), len(theirs))
    if not (covered if cosine is None else cosine >= CORRECTED):
        return False
    earlier, later = Stance.of(old[0].text), Stance.of(new[0].text)
    if later.agrees(earlier):
        return False
    ends = _ends(old[0], new[0]) or later.replaces(earlier)
    if found is not None and found.reason != _HINT:
        text = new[0].text
        return (
            _FROM_NOW_ON.search(text) is not None
            or _LIFTS.search(text) is not None
            or (ends and not found.certain)
        )
    if ends:
        return True
    if _FROM_NOW_ON.search(new[0].text) and _code_names(old[0].text) != _code_names(new[0].text):
        rest, other = (
            Statement.of(_CODE_NAME.sub(" ", statement.text)) for statement in (old[0], new[0])
        )
        return bool(rest.stems) and rest.stems <= other.stems
    lifts = _LIFTS.search(new[0].text) and not _LIFTS.search(old[0].text)
    named = later.preferred <= earlier.preferred | earlier.rejected
    return bool(lifts and named and common >= _COMMON and _LAYS_DOWN.search(old[0].text))


def _conflicts(
    old: Statement, new: tuple[Statement, ...], cosine: float
) -> StatementConflict | None:
    others = [each for each in new if not _other_subject(old.text, each.text)]
    conflicts = [item for each in others if (item := conflict(old, each, cosine))]
    return max(
        conflicts,
        key=lambda statement_conflict: (statement_conflict.certain, statement_conflict.confidence),
        default=None,
    )


def _other_subject(one: str, other: str) -> bool:
    """Return whether the subjects of two sentences differ in a number."""
    mine, theirs = _LABEL.match(one), _LABEL.match(other)
    if mine is None or theirs is None or _VERSION.search(mine[0]):
        return False
    return mine[1] != theirs[1] and mine[0].split()[0].lower() == theirs[0].split()[0].lower()


def _ends(old: Statement, new: Statement) -> bool:
    """Return whether the newer statement says that the older rule ended.

    The newer statement must contain at least two thirds of the words of the older one.
    """
    match = _IN_PLACE_OF.search(new.text)
    if match is None:
        return False
    preferred = match["how"].lower() in ("instead of", "in place of", "rather than")
    if preferred and not _FROM_NOW_ON.search(new.text):
        return False  # a choice within a rule, which may apply in another place
    ended = match["what"].lower().rstrip(".")
    if ended in {item["what"].lower().rstrip(".") for item in _IN_PLACE_OF.finditer(old.text)}:
        return False  # two statements that something ended, which are about two things
    if ended not in {word.rstrip(".,;:!?") for word in old.text.lower().split()}:
        return False
    rest = {stem for stem in old.stems if not ended.startswith(stem)}
    return not rest or containment(rest, new.stems) >= MOST


def _code_names(text: str) -> set[str]:
    return {found.lower() for found in _CODE_NAME.findall(text)}


def _by_cosine(
    old: tuple[Statement, ...], new: tuple[Statement, ...], cosine: float | None
) -> MemoryComparison | None:
    if cosine is None:
        return None
    if cosine >= SAME and _values(old) == _values(new) and not _changes(old, new):
        return MemoryComparison(ComparisonVerdict.REPEATS, "states the same thing")
    return (
        MemoryComparison(ComparisonVerdict.RELATED, "near in meaning") if cosine >= NEAR else None
    )


def _changes(old: tuple[Statement, ...], new: tuple[Statement, ...]) -> bool:
    """Return whether a newer statement says "now" or "instead" and lacks words of an older one."""
    return any(
        later.tone.changes and later.tone.replaces and not earlier.stems <= later.stems
        for earlier in old
        for later in new
    )


def _values(statements: tuple[Statement, ...]) -> frozenset[object]:
    """Return the values that must be equal in two equivalent texts."""
    return frozenset(_content_parts(statements))


def _content_parts(statements: tuple[Statement, ...]) -> Iterator[object]:
    for statement in statements:
        yield from ((amount.number, amount.dimension) for amount in statement.amounts)
        yield from statement.dates
        yield from statement.names
        yield from statement.objects
        yield from (("side", word) for side in statement.sides for word in side)
        yield ("denied", statement.tone.denied)
        yield ("doer", statement.doer)
        yield from (("code", name) for name in _code_names(statement.text))
        yield from ((term.lower(), other.lower()) for term, other in _ORDER.findall(statement.text))


@lru_cache(maxsize=4096)
def _statements(text: str) -> tuple[Statement, ...]:
    return tuple(Statement.of(item) for item in stated(text, SHORT)[:STATEMENTS])
