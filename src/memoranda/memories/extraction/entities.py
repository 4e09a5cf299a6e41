"""Names in a text, with their types: person, organization, project, place.

English only. The type is determined from the name itself and from the context of all its mentions.
Acronyms are not treated as names unless they denote a technology.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from memoranda.language.words import word_set
from memoranda.memories.extraction.entity_type_evidence import evidence, is_deed, is_ordinary
from memoranda.memories.extraction.entity_type_terms import (
    CAPITAL_TECHNOLOGIES,
    FIRST_NAMES,
    PEOPLES,
    TECHNOLOGIES,
    THINGS,
)
from memoranda.memories.extraction.mentions import Mention, TextToken, mentions, scan
from memoranda.memories.extraction_model import Entity, EntityType

MAXIMUM = 32
MAX_LENGTH = 80
"""Maximum number of characters of a name; a longer run of capitalised words is a heading."""

_MIN_LETTERS = 3
_ACRONYM = re.compile(r"(?:[A-Z0-9]+s?|[A-Z][a-z]?[A-Z]+)$")
_CAMEL = re.compile(r"(?!(?:Mc|Mac|De|Di|La|Le|Van|Fitz)[A-Z])[A-Z][a-z]+[A-Z][A-Za-z]*$")
_MAKERS = word_set("apache google amazon microsoft aws azure oracle github")
_ADDRESSED = word_set("the i you we who a can could please let our your")


def entities(prose: str, known_names: Collection[str] = ()) -> tuple[Entity, ...]:
    """Return the names in prose with their types; at most 32.

    Technologies come last; the others are in the order of their first mention.

    ``known_names`` contains names seen before, which are recognised even at the start of a
    sentence. A later first name or family name is merged with that of its person. Takes linear
    time.
    """
    words = scan(prose)
    met = frozenset(word for name in known_names for word in name.lower().split())
    made, found = _parted(mentions(prose, words, met))
    kinds = _typed(found, words, met) | dict.fromkeys(made, EntityType.TECHNOLOGY)
    in_order = dict.fromkeys([*(mention.name for mention in found if mention.name in kinds), *made])
    return tuple(Entity(name, kinds[name]) for name in in_order)[:MAXIMUM]


def _parted(found: list[Mention]) -> tuple[list[str], list[Mention]]:
    """Separate the names of technologies from other names."""
    short = [mention for mention in found if len(mention.name) <= MAX_LENGTH]
    made = dict.fromkeys(mention.name for mention in short if _technology(mention))
    others = [mention for mention in short if mention.name not in made and _is_name(mention)]
    return list(made), others


def _is_name(mention: Mention) -> bool:
    if len(mention.name) < _MIN_LETTERS:
        return False
    if all(_ACRONYM.match(part) for part in mention.name.split()):
        return False
    return len(mention.words) > 1 or not _is_adjective(mention)


def _is_adjective(mention: Mention) -> bool:
    """Return whether a mention of a name is an adjective.

    Examples are "Danish", "Japanese", and "Bayesian" in "a Bayesian test".
    """
    called = mention.after[:1] and mention.after[0] in PEOPLES
    return bool(called) or mention.words[0].endswith(("ish", "ese"))


def _technology(mention: Mention) -> bool:
    *makers, last = mention.words
    if makers and not all(word in _MAKERS for word in makers):
        return all(word in TECHNOLOGIES for word in mention.words)
    sure = last in TECHNOLOGIES or _CAMEL.match(mention.name) is not None
    return sure or (last in CAPITAL_TECHNOLOGIES and not mention.begins)


def _typed(
    found: list[Mention], words: list[TextToken], met: Collection[str]
) -> dict[str, EntityType]:
    """Determine the type of each name.

    Names of several words are processed first, then short names.
    """
    long = [mention for mention in found if len(mention.words) > 1]
    kinds = _decided(long)
    short = _short_forms(kinds)
    recurring = Counter(
        mention.words[0] for mention in found if len(mention.words) == 1 and not mention.begins
    )
    lower = {word.text for word in words if word.text.islower()}
    alone = [
        mention
        for mention in found
        if len(mention.words) == 1
        and mention.words[0] not in short
        and (_is_entity(mention, met) or recurring[mention.words[0]])
        and (mention.words[0] not in lower or mention.words[0] in met)
    ]
    return kinds | _decided(alone)


def _short_forms(kinds: dict[str, EntityType]) -> set[str]:
    """Return the first and last words of the names of persons."""
    persons = (name.lower().split() for name, kind in kinds.items() if kind is EntityType.PERSON)
    return {word for name in persons for word in (name[0], name[-1])}


def _is_entity(mention: Mention, met: Collection[str]) -> bool:
    """Return whether a single word at the start of a sentence is a name.

    At the start of a sentence, the word's capital letter alone is no evidence.
    """
    word = mention.words[0]
    if not mention.begins or word in met or word in FIRST_NAMES or mention.title:
        return True
    if is_ordinary(word) or word in THINGS or word.endswith(("ed", "ly")):
        return False
    after = mention.after
    addressed = len(after) > 1 and after[0] == "," and after[1] in _ADDRESSED
    joined = len(after) > 1 and after[0] == "and" and is_deed(after[3:])
    past = after[:1] and after[0].endswith("ed") and len(after[0]) > 3
    return bool(mention.owns or addressed or joined or past or is_deed(after))


def _decided(found: list[Mention]) -> dict[str, EntityType]:
    together: dict[str, list[Mention]] = {}
    for mention in found:
        together.setdefault(mention.name, []).append(mention)
    kinds: dict[str, EntityType] = {}
    for name, group in together.items():
        kind = evidence(group).type()
        if kind is not None:
            kinds[name] = kind
    return kinds
