"""The claim of a statement: subject, relation and value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.language.words import EMPTY, carries_content, word_set
from memoranda.statements.tokens import Token

_RELATIONS = {
    "is": "be", "are": "be", "was": "be", "were": "be",
    "live": "live", "lives": "live", "lived": "live",
    "work": "work", "works": "work", "worked": "work",
    "use": "use", "uses": "use", "used": "use",
    "prefer": "prefer", "prefers": "prefer", "preferred": "prefer",
    "like": "prefer", "likes": "prefer", "liked": "prefer",
    "run": "run", "runs": "run", "ran": "run", "cost": "cost", "costs": "cost",
    "take": "take", "takes": "take", "took": "take", "drive": "drive", "drives": "drive",
    "drove": "drive", "have": "have", "has": "have", "had": "have",
    "return": "return", "returns": "return", "returned": "return", "start": "start",
    "starts": "start", "started": "start", "end": "end", "ends": "end", "ended": "end",
    "expire": "expire", "expires": "expire", "belong": "belong", "belongs": "belong",
    "report": "report", "reports": "report", "speak": "speak", "speaks": "speak",
    "study": "study", "studies": "study", "studied": "study",
}  # fmt: skip
"""Relations by verb forms; equivalent verbs share a relation."""

_PREPOSITIONS = word_set(
    "on in at to for with without from of under over between by along across near next behind"
    " outside inside up down away as like after before since about into than through"
)
_ADVERBS = word_set("now still not also just been currently recently")
_NO_SUBJECT = _ADVERBS | word_set("do does did never")
_POINTING = word_set("it this that these those there he she they who which what")
"""Subjects that cannot be identified from the statement alone."""

_OWNERS = {"my": "i", "our": "i", "your": "you", "his": "he", "her": "she", "their": "they"}
_MOVES = word_set(
    "switched moved changed migrated renamed relocated transferred upgraded downgraded converted"
    " postponed rescheduled pushed delayed shifted brought"
)
_HELPING = word_set("has have had was were been just recently finally also is being ve now then")
_OPENINGS = word_set("well ok so actually btw fyi update correction also and but")
_MAX_SUBJECT = 10
_MAX_VALUE = 14
"""Maximum number of words of a value; with more, the verb is probably not the main verb."""


@dataclass(frozen=True, slots=True)
class Claim:
    """Claim of a statement, such as "the standup", "be", "on Monday"."""

    subject: frozenset[str]
    """Stems of the subject, or "i", "we", "you"; empty for "it", "this", "she"."""
    opening: str
    """First word of the subject: "my", "the", "ana"."""
    relation: str
    value: frozenset[str]
    """Stems of the content words of the value."""
    introduced: str
    """Word after the verb and its adverbs."""
    named: bool
    """Whether the value is a name: all its content words are capitalised."""
    head: str
    """Stem of the value's first word if a preposition or nothing follows."""
    start: int
    """Position of the verb in the text; the subject is before it."""

    @property
    def way(self) -> str:
        """Preposition before the value; empty if there is none."""
        return self.introduced if self.introduced in _PREPOSITIONS else ""

    def same(self, other: Claim) -> bool:
        """Return whether two claims have the same subject and relation."""
        if self.relation != other.relation or not self.subject or self._other_owner(other):
            return False
        if self.subject == other.subject:
            return True
        common, every = self.subject & other.subject, self.subject | other.subject
        return self.opening == other.opening and len(common) >= 0.6 * len(every)

    def _other_owner(self, other: Claim) -> bool:
        item, another = _OWNERS.get(self.opening), _OWNERS.get(other.opening)
        return bool(item and another and item != another)


@dataclass(frozen=True, slots=True)
class ClaimedMove:
    """Announced move: its subject, verb and kind of target."""

    subject: frozenset[str]
    """Stems of the subject, or "i", "we", "you"; empty for "it", "this", "she"."""
    verb: str
    named: bool
    """Whether the first content word after "to" is capitalised."""
    target: str
    """Stem of the first content word after "to"; empty for an amount or a date."""


def relation_of(word: str) -> str:
    """Return the relation that a verb form states; empty if there is none."""
    return _RELATIONS.get(word, "")


def claim_of(tokens: Sequence[Token]) -> Claim | None:
    """Return the claim of a statement, from its first verb with a relation."""
    start = _after_openings(tokens)
    for place in range(start + 1, min(len(tokens), start + 1 + _MAX_SUBJECT)):
        relation = _RELATIONS.get(tokens[place].word)
        if relation is not None:
            break
    else:
        return None
    rest = tokens[place + 1 :]
    if not rest or len(rest) > _MAX_VALUE:
        return None
    if relation == "have" and rest[0].word == "been":
        relation = "be"
    return _claim(tokens[start:place], relation, rest, tokens[place].start)


def _claim(subject: Sequence[Token], relation: str, rest: Sequence[Token], start: int) -> Claim:
    value = [token for token in rest if token.word and token.word not in EMPTY]
    return Claim(
        subject=_subject([token for token in subject if token.word not in _NO_SUBJECT]),
        opening=subject[0].word,
        relation=relation,
        value=frozenset(token.stem for token in value),
        introduced=next((t.word for t in rest if not _is_adverb(t.word)), ""),
        named=bool(value) and all(token.text[0].isupper() for token in value),
        head=_head(rest),
        start=start,
    )


def _head(rest: Sequence[Token]) -> str:
    """Return the head of a value.

    The head is "storage" for "storage on disk", and empty for "storage nodes on disk".
    """
    words = [token for token in rest if token.word and not _is_adverb(token.word)]
    alone = len(words) == 1 or (len(words) > 1 and words[1].word in _PREPOSITIONS)
    return words[0].stem if alone and words[0].word not in EMPTY else ""


def _subject(tokens: Sequence[Token]) -> frozenset[str]:
    stems = frozenset(token.stem for token in tokens if token.word and carries_content(token.word))
    return stems or frozenset(
        token.word for token in tokens[-1:] if token.word and token.word not in _POINTING
    )


def move_of(tokens: Sequence[Token]) -> ClaimedMove | None:
    """Return an announced move: a subject, a verb of moving, then "to".

    Only intransitive verbs count: "We moved the tests to another folder" is not such a move.
    """
    start = _after_openings(tokens)
    for place in range(start + 1, min(len(tokens), start + 1 + _MAX_SUBJECT)):
        if tokens[place].word in _MOVES:
            break
    else:
        return None
    target = _target(tokens[place + 1 :])
    if target is None:
        return None
    subject = [token for token in tokens[start:place] if token.word not in _HELPING]
    named = target.text[0].isupper()
    return ClaimedMove(_subject(subject), tokens[place].word, named, target.stem)


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or word.endswith("ly")


def _target(tokens: Sequence[Token]) -> Token | None:
    """Return the first content word after "to".

    Only "over", "back" or "from A" may precede "to".
    """
    if tokens and tokens[0].word in ("over", "away", "back", "forward"):
        tokens = tokens[1:]
    if not tokens or tokens[0].word not in ("to", "into", "from"):
        return None
    goal = next((place for place, token in enumerate(tokens) if token.word in ("to", "into")), None)
    if goal is None:
        return None
    return next((token for token in tokens[goal + 1 :] if carries_content(token.word)), None)


def _after_openings(tokens: Sequence[Token]) -> int:
    """Return the index of the first word after openings such as "well", "so"."""
    place = 0
    while place < len(tokens) - 1 and tokens[place].word in _OPENINGS:
        place += 1
    return place
