"""Evidence for the type of a name: the name's words and their context."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memoranda.language.words import stem, word_set
from memoranda.memories.extraction.entity_type_terms import (
    ADVERBS,
    COMPANY_OF,
    DEEDS,
    FIELDS,
    FIRST_NAMES,
    GROUPS,
    ORGANIZATION_NOUNS,
    ORGANIZATIONS,
    PASTS,
    PLACE_NOUNS,
    PLACES,
    PROJECT_NOUNS,
    PROJECTS,
    ROLES,
    SURNAMES,
    THINGS,
)
from memoranda.memories.extraction.mentions import Mention
from memoranda.memories.extraction_model import EntityType

MINIMUM = 0.9
"""Minimum weight of evidence for a type."""

_IN = word_set("in near around outside across through toward towards inside throughout beyond")
_ARTICLES = word_set("the a an our their his her my your its this that")
_MOVES = word_set(
    "moved moving back came flew arrived drove went travel trip relocated heading shipped"
)
_MEMBER = word_set("at joined joining left leaving founded runs")
_NAMING = word_set("called named dubbed titled codenamed")
_ASIDES = word_set(", \u2014 \u2013 - (")
_ADDRESSED = word_set("i you we can could please let")
_RELATIVE = word_set("who whose whom")
_WEAK = word_set("is was has had will would can could should isn't wasn't won't hasn't")
_ENDINGS = (
    "ing", "tion", "sion", "ment", "ness", "ity", "ful", "ive", "ous", "ics", "ance", "ence",
    "able", "ible", "ology", "ism", "ship", "ware", "ical", "ional",
)  # fmt: skip


@dataclass(slots=True)
class EntityEvidence:
    """Evidence for each possible type of a name."""

    person: float = 0.0
    organization: float = 0.0
    project: float = 0.0
    place: float = 0.0

    def type(self) -> EntityType | None:
        """Return the type with the most evidence; None if that is weak."""
        weights = (
            (self.person, EntityType.PERSON),
            (self.organization, EntityType.ORGANIZATION),
            (self.project, EntityType.PROJECT),
            (self.place, EntityType.PLACE),
        )
        weight, kind = max(weights, key=lambda one: one[0])
        return kind if weight >= MINIMUM else None


def evidence(mentions: Sequence[Mention]) -> EntityEvidence:
    """Weigh the evidence in the mentions of one name."""
    entity_evidence = EntityEvidence()
    for mention in mentions:
        _of_words(mention, entity_evidence)
        _of_before(mention, entity_evidence)
        _of_after(mention, entity_evidence)
    return entity_evidence


def is_deed(words: tuple[str, ...]) -> bool:
    """Return whether words start with a verb whose subject is a person."""
    for word in words[:4]:
        if word not in ADVERBS:
            return word in PASTS or _is_verb_of_person(word)
    return False


def is_ordinary(word: str) -> bool:
    """Return whether a lower-case word has the shape of an English noun."""
    if word in SURNAMES or word in FIRST_NAMES:
        return False
    plural = len(word) > 4 and word[-1] == "s" and word[-2] not in "suiao'"
    return word in THINGS or plural or (len(word) > 5 and word.endswith(_ENDINGS))


def _is_verb_of_person(word: str) -> bool:
    if not word.endswith(("ed", "s")):
        return False
    root = stem(word)
    return root in DEEDS or root + "e" in DEEDS or (root[-1:] == "i" and root[:-1] + "y" in DEEDS)


def _of_words(mention: Mention, found: EntityEvidence) -> None:
    words = mention.words
    if len(words) == 1:
        found.person += 1.5 * (words[0] in FIRST_NAMES) - is_ordinary(words[0])
        found.project += 1.2 * (is_ordinary(words[0]) and mention.before[:1] != ("the",))
        return
    if "of" in words:
        found.organization += 3
    elif words[-1] in GROUPS:
        found.organization += 1.1
    elif any(word in ORGANIZATIONS for word in words[1:]):
        found.organization += 4
    elif words[-1] in FIELDS and not is_ordinary(words[0]):
        found.organization += 3
    elif words[-1].endswith("ers") and not is_ordinary(words[0]):
        found.organization += 2
    elif words[-1] in SURNAMES or any(len(word) == 1 for word in words[1:]):
        found.person += 1.5
    elif words[-1] in PLACES or words[0] in ("lake", "mount", "port", "cape", "san", "santa"):
        found.place += 2.4
    elif words[-1] in PROJECTS or is_ordinary(words[-1]):
        found.project += 2
    elif is_ordinary(words[0]):
        found.project += 1
    else:
        found.person += 1.3 if len(words) == 2 else 0.5
    found.person += 1.5 * (words[0] in FIRST_NAMES)


def _of_before(mention: Mention, found: EntityEvidence) -> None:
    before = mention.before
    article = before[:1] == ("the",)
    near = before[article] if len(before) > article else ""
    few = len(mention.words) <= 2
    if mention.title or _is_role(before):
        found.person += 2.6
    if near in _NAMING or before[:2] == ("it", "call"):
        found.project += 4 * any(word in PROJECT_NOUNS for word in before)
        found.person += 2.6 * any(word in ROLES for word in before)
    elif near in PROJECT_NOUNS:
        found.project += 2.2
    if near in _IN and few:
        found.place += 1.6 if len(mention.words) == 1 else 1
    if near == "at" and few:
        found.place += 1.6 if len(mention.words) == 1 else 0.4
    if near in ("to", "from", "of") and few:
        found.place += 2 if _MOVES & set(before[1:2]) else 0.7
    if near in _MEMBER or (near == "for" and before[1:2] and before[1].startswith("work")):
        found.organization += 2.2 * (len(mention.words) > 1)
    if article:
        found.person -= 2
        found.project += 1.2 * (len(mention.words) > 1)
    elif near in COMPANY_OF and few:
        found.person += 1.1


def _is_role(before: tuple[str, ...]) -> bool:
    at = 1 if before[:1] == (",",) else 0
    return len(before) > at and before[at] in ROLES


def _of_after(mention: Mention, found: EntityEvidence) -> None:
    after = mention.after
    weight = 1.0
    for word in () if mention.owns else after[:2]:
        if not word[:1].isalpha() or word in _ARTICLES:
            break
        found.project += 2.5 * weight * (word in PROJECT_NOUNS)
        found.place += 2.4 * weight * (word in PLACE_NOUNS and len(mention.words) <= 2)
        found.organization += 1.8 * weight * (word in ORGANIZATION_NOUNS)
        weight = 0.7
    if len(mention.words) <= 3:
        found.person += _acts(after)
    if mention.owns and len(mention.words) <= 2:
        found.person += 1


def _acts(after: tuple[str, ...]) -> float:
    """Weigh evidence that a person's action or role follows the name."""
    if not after:
        return 0
    if after[0] == "," and after[1:2] and after[1] in _ADDRESSED:
        return 1
    if after[0] in _ASIDES:
        is_relative = after[1:2] and after[1] in _RELATIVE
        return 2 if is_relative or any(word in ROLES for word in after[1:5]) else 0
    if after[0] in _RELATIVE:
        return 2
    if after[0] == "and":
        skipped = 3 if after[1:2] and after[1] in _ARTICLES else 2
        return 1 if is_deed(after[skipped:]) else 0
    if after[0] in _WEAK:
        return 1
    return 1.6 if is_deed(after) else 0.9 if after[0].endswith("ed") else 0
