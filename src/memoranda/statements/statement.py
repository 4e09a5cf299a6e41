"""A parsed statement, with the properties that comparisons need."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memoranda.language.words import DENIALS, EMPTY, NUMBERS, carries_content, stem, word_set
from memoranda.statements.amounts import Amount, amounts_of
from memoranda.statements.claim import Claim, ClaimedMove, claim_of, move_of
from memoranda.statements.statement_mood import Tone
from memoranda.statements.tokens import Token, scan
from memoranda.text import one_line

MAX_LENGTH = 400
"""Maximum number of characters of a statement that are read."""

_OBJECT = re.compile(
    r"(?<!\w)/\w[\w/-]*|\b[a-z]{1,12}-?\d+\b"
    r"|\b(?:version|v|step|chapter|floor|level|part|phase|sprint|day|week|error) ?\d[\d.]*",
    re.IGNORECASE,
)
_SIDES = tuple(
    frozenset(map(stem, words.split()))
    for words in (
        "first second third fourth last next",
        "staging production dev",
        "frontend backend",
        "basic free pro premium enterprise",
        "north south east west",
        "work home",
        "user order",
        "client server",
        "primary secondary replica",
    )
)
"""Words that distinguish a thing from others of its kind."""

_SELVES = word_set("i we you he she they it")
_DETERMINERS = word_set("the a an this that these those my our your his her their its some")
_BEFORE_NOUNS = _DETERMINERS | word_set("in on at for with without from of under over by about")
_NO_NAMES = EMPTY | DENIALS | NUMBERS.keys()
_BEFORE_VERBS = word_set("no longer not never now just also still already recently really always")
_NEVER_DONE = re.compile(r"\bnever (?:actually |really |ever |once )?(\w{2,30})", re.IGNORECASE)
_FIRST_PERSON = word_set("i my we our")


@dataclass(frozen=True, slots=True)
class Statement:
    """One parsed sentence, cut at 400 characters. Compare with ``conflict``."""

    text: str
    stems: frozenset[str]
    """Stems of the content words except numbers and dates."""
    words: frozenset[str]
    """Stems of all words."""
    names: frozenset[str]
    """Names of people, products and places, in lower case."""
    doer: str
    """Name or pronoun at the start of the statement, in lower case, else empty."""
    amounts: tuple[Amount, ...]
    """Amounts in the statement; none if there are more than four."""
    dates: frozenset[str]
    subject: frozenset[str]
    """Stems of the subject; empty if the subject is unclear."""
    objects: frozenset[str]
    """Identifiers that distinguish the subject from others of the kind.

    For example /users, version 1.2, E12.
    """
    leading_objects: frozenset[str]
    """Identifiers that are part of the subject."""
    sides: tuple[frozenset[str], ...]
    """Words such as "staging" and "first", by the kind of difference."""
    modifiers: Mapping[str, str]
    """Stems of nouns with the preceding word: "tests" and "unit" in "in unit tests"."""
    claim: Claim | None
    move: ClaimedMove | None
    tone: Tone
    never: str
    """Stem of the verb after "never" in the first person."""
    first_person: bool

    @classmethod
    def of(cls, text: str) -> Statement:
        """Parse a statement.

        Any text is accepted; only the first 400 characters are read.
        """
        plain = one_line(text[: 2 * MAX_LENGTH].replace("\u2019", "'"))[:MAX_LENGTH]
        tokens = scan(plain)
        token_words = frozenset(token.word for token in tokens if token.word)
        words = frozenset(token.stem for token in tokens if token.stem)
        claim, move = claim_of(tokens), move_of(tokens)
        objects = _objects(plain)
        first_person = not token_words.isdisjoint(_FIRST_PERSON)
        return cls(
            text=plain,
            stems=frozenset(t.stem for t in tokens if t.word and carries_content(t.word)),
            words=words,
            names=_names(tokens),
            doer=_doer(tokens),
            amounts=amounts_of(tokens),
            dates=frozenset(token.date for token in tokens if token.date),
            subject=claim.subject if claim else move.subject if move else frozenset(),
            objects=objects,
            leading_objects=_objects(plain[: claim.start]) if claim else objects,
            sides=tuple(words & side for side in _SIDES),
            modifiers=_modifiers(tokens),
            claim=claim,
            move=move,
            tone=Tone.of(plain, token_words, tokens[0].word if tokens else ""),
            never=_never(plain) if first_person and "never" in token_words else "",
            first_person=first_person,
        )


def _objects(text: str) -> frozenset[str]:
    return frozenset(found.lower() for found in _OBJECT.findall(text))


def _modifiers(tokens: Sequence[Token]) -> dict[str, str]:
    """Return the last two words of each noun phrase, noun first.

    A phrase starts the statement, or follows a determiner or a preposition.
    """
    result = dict[str, str]()
    for place in range(len(tokens) - 1):
        word, noun = tokens[place : place + 2]
        begins = not place or tokens[place - 1].word in _BEFORE_NOUNS
        adjacent = noun.start == word.start + len(word.text) + 1
        if (
            begins
            and adjacent
            and all(token.word and carries_content(token.word) for token in (word, noun))
        ):
            result.setdefault(noun.stem, word.stem)
    return result


def _names(tokens: Sequence[Token]) -> frozenset[str]:
    """Return the capitalised words.

    The first word is included only if it is certainly a name.
    """
    found = {t.word for t in tokens[1:] if t.word and t.text[:1].isupper() and t.word not in EMPTY}
    if _begins_with_name(tokens):
        found.add(tokens[0].word)
    return frozenset(found)


def _begins_with_name(tokens: Sequence[Token]) -> bool:
    """Return whether the first word is a name.

    "Ana" of "Ana works" is one; "Tests" of "Tests run" is not.
    """
    if not tokens or not tokens[0].text[:1].isupper():
        return False
    word = tokens[0].word
    if word in _NO_NAMES or word.endswith("s"):
        return False
    verb = next((token.word for token in tokens[1:] if token.word not in _BEFORE_VERBS), "")
    return verb.endswith(("s", "ed"))


def _doer(tokens: Sequence[Token]) -> str:
    first = next((token for token in tokens if token.word not in _DETERMINERS), None)
    if first is None:
        return ""
    if first.word in _SELVES:
        return first.word
    return first.word if first is tokens[0] and _begins_with_name(tokens) else ""


def _never(text: str) -> str:
    match = _NEVER_DONE.search(text)
    return stem(match[1].lower()) if match else ""
