"""Extracts names, facts, keywords and more from a text, without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import islice

from memoranda.language.prose import unfenced, without_marks
from memoranda.language.sentences import sentences
from memoranda.language.words import carries_content, stem
from memoranda.memories.extraction.action_outcomes import outcomes
from memoranda.memories.extraction.entities import entities
from memoranda.memories.extraction.entity_type_terms import NO_KEYWORDS
from memoranda.memories.extraction_model import Encoding
from memoranda.text import lowered, text_lines

MAX_READ = 20_000
"""Maximum number of characters that are read; memories are far shorter."""
MAX_SENTENCES = 200
MAX_LENGTH = 300
"""Maximum number of characters of a sentence; longer sentences are cut."""
MAXIMUM = 8

_MIN_WORDS = 4
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|uses?|used|runs? on|lives?|lived|works?|worked|belongs?"
    r"|costs?|takes|holds|contains?|requires?|supports?|expires?|starts?|ends?|opens?|closes?|returns?"
    r"|listens?|stores?|stands for|means|sits|owns?|leads|reports to|depends on|founded|located"
    r"|includes?|produces?|accepts?|points to|set to|caused|fixed|failed|passed|showed|shows)\b"
)
_SUBJECTIVE = re.compile(
    r"\b(?:(?:i|we) (?:\w+ )?(?:think|believe|feel|suspect|doubt|reckon|fear|plan|intend"
    r"|shall|will)|(?:i|we)'(?:ll|d (?:argue|say|bet|rather))"
    r"|i'm (?:going to|gonna|not sure|convinced)"
    r"|in my (?:view|opinion)|imh?o|honestly|frankly|arguably|overkill|promis(?:ed?|ing)"
    r"|prefer(?:s|red|ence)?|rather than|(?:really|do(?:es)?n't) (?:like|want)|likes|loves?|hates?"
    r"|dislikes?|enjoys?)\b"
)
"""Phrases that indicate an opinion, a promise or a preference."""
_SUPPOSES = re.compile(
    r"\b(?:might|(?<!in )(?<!since )may(?! \d)|maybe|perhaps|probably|could"
    r"|should|would|if|unless|whether|hope|hopefully|guess|suppose|seems?|apparently|wonder|wants?|likely)\b"
)


def prose(text: str) -> str:
    """Return the start of a text without fenced code and bullets.

    Typographic apostrophes are replaced by plain ones.
    """
    lines = unfenced(text_lines(text[:MAX_READ].replace("\u2019", "'")))
    return "\n".join(without_marks(line) for line in lines if line)


def prose_sentences(prose: str) -> tuple[str, ...]:
    """Return the first 200 sentences of prose, each cut to 300 characters."""
    return tuple(item[:MAX_LENGTH].rstrip() for item in sentences(prose)[:MAX_SENTENCES])


def facts(sentences: Sequence[str], named: Collection[str] = ()) -> tuple[str, ...]:
    """Return at most 8 verifiable sentences, verbatim, in order.

    ``named`` contains the names in the text. Questions, suppositions, promises and opinions are
    excluded.
    """
    return tuple(islice((one for one in sentences if _is_checkable(one, named)), MAXIMUM))


def _is_checkable(sentence: str, named: Collection[str]) -> bool:
    low = lowered(sentence)
    if low.endswith("?") or low.count(" ") < _MIN_WORDS - 1 or not _STATES.search(low):
        return False
    if _SUPPOSES.search(low) or _SUBJECTIVE.search(low):
        return False
    return any(name in sentence for name in named) or _measures(sentence)


def _measures(sentence: str) -> bool:
    """Return whether a sentence contains a number or a date."""
    from memoranda.statements.tokens import scan

    return any(token.date or token.number is not None for token in scan(sentence))


MAX_KEYWORDS = 10

_WORD = re.compile(r"[^\W\d_][\w.+#-]{2,40}")
_NAMED = 1.0
"""Bonus for a keyword that is part of a name."""


def keywords(prose: str, named: Collection[str] = ()) -> tuple[str, ...]:
    """Return a text's keywords in lower case, at most 10, best first.

    Forms of a word are counted together, and the first form is returned. Earlier words have more
    weight (the first has twice the weight of the last), as do words in ``named``, which contains
    lower-case words of names.
    """
    weights: dict[str, float] = {}
    shown: dict[str, str] = {}
    length = max(1, len(prose))
    for match in _WORD.finditer(prose):
        word = match[0].lower().rstrip(".-")
        if len(word) < 3 or word in NO_KEYWORDS or not carries_content(word):
            continue
        root = stem(word)
        if root not in shown:
            shown[root] = word
            weights[root] = 1 - match.start() / length + _NAMED * (word in named)
        weights[root] += 1
    ranked = sorted(weights, key=lambda root: -weights[root])
    return tuple(shown[root] for root in ranked[:MAX_KEYWORDS])


Constraints = Callable[[str], Sequence[str]]
"""Function that lists the sentences of a text that state a requirement."""

VERSION = 1
"""Version of the analysis; results of earlier versions are recomputed."""


def encode(
    text: str, *, names: Collection[str] = (), constraints: Constraints | None = None
) -> Encoding:
    """Return the names, facts, keywords, constraints and outcomes of a text.

    ``names`` contains names that are already known. ``constraints`` is a function that finds
    requirements; without this function none are returned. The first 20,000 characters are read, in
    linear time; everything returned is bounded in size and quoted from the text.
    """
    plain = prose(text)
    sentence_list = prose_sentences(plain)
    named = entities(plain, names)
    words = frozenset(word for entity in named for word in entity.name.lower().split())
    return Encoding(
        entities=named,
        facts=facts(sentence_list, tuple(entity.name for entity in named)),
        keywords=keywords(plain, words),
        constraints=tuple(constraints(text)) if constraints else (),
        outcomes=outcomes(sentence_list),
    )
