"""Extracts names, facts, keywords and more from a text, without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from memoranda.language.prose import unfenced, without_marks
from memoranda.language.sentences import sentences
from memoranda.language.words import carries_content, stem
from memoranda.memories.extraction.entities import entities
from memoranda.memories.extraction.entity_terms import NO_KEYWORDS
from memoranda.memories.extraction.memory_types import SentenceType, sentence_type, typed_sentences
from memoranda.memories.extraction.outcomes import outcomes
from memoranda.memories.extraction_model import ActionOutcome, Encoding, MemoryType, TypedSentence
from memoranda.memories.model import Category
from memoranda.text import clip, text_lines

MAX_READ = 20_000
"""Maximum number of characters that are read; memories are far shorter."""
MAX_SENTENCES = 200
MAX_LENGTH = 300
"""Maximum characters of a sentence; longer ones are cut."""
MAXIMUM = 8

_MIN_WORDS = 4
_STATES = re.compile(
    r"\b(?:is|are|was|were|has|have|had|uses?|used|runs? on|lives?|lived|works?|worked|belongs?"
    r"|costs?|takes|holds|contains?|requires?|supports?|expires?|starts?|ends?|opens?|closes?|returns?"
    r"|listens?|stores?|stands for|means|sits|owns?|leads|reports to|depends on|founded|located"
    r"|includes?|produces?|accepts?|points to|set to|caused|fixed|failed|passed|showed|shows)\b"
)
_SUBJECTIVE = frozenset((MemoryType.OPINION, MemoryType.COMMITMENT, MemoryType.PREFERENCE))
_SUPPOSES = re.compile(
    r"\b(?:might|(?<!in )(?<!since )may(?! \d)|maybe|perhaps|probably|could"
    r"|should|would|if|unless|whether|hope|hopefully|guess|suppose|seems?|apparently|wonder|wants?|likely)\b"
)


def prose(text: str) -> str:
    """Return the start of a text without fenced code and bullets.

    Its apostrophes become plain ones.
    """
    lines = unfenced(text_lines(text[:MAX_READ].replace("\u2019", "'")))
    return "\n".join(without_marks(line) for line in lines if line)


def prose_sentences(prose: str) -> tuple[str, ...]:
    """Return the first 200 sentences of prose, each cut to 300 characters."""
    return tuple(item[:MAX_LENGTH].rstrip() for item in sentences(prose)[:MAX_SENTENCES])


def facts(readings: Sequence[SentenceType], named: Collection[str] = ()) -> tuple[str, ...]:
    """Return at most 8 verifiable sentences, verbatim, in order.

    ``named``: the names in the text. Questions, suppositions, promises and opinions are excluded.
    """
    found: list[str] = []
    for reading in readings:
        if len(found) == MAXIMUM:
            break
        if _is_checkable(reading, named):
            found.append(reading.sentence)
    return tuple(found)


def _is_checkable(one: SentenceType, named: Collection[str]) -> bool:
    if one.low.endswith("?") or one.low.count(" ") < _MIN_WORDS - 1 or one.type in _SUBJECTIVE:
        return False
    if _SUPPOSES.search(one.low) or not _STATES.search(one.low):
        return False
    return any(name in one.sentence for name in named) or _measures(one.sentence)


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

    Forms of a word are counted together, and the first one is returned. Earlier words have more
    weight (the first has twice that of the last), as do those of ``named``, lower-case words of
    names.
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
"""Lists the sentences of a text that state a requirement."""

VERSION = 1
"""Version of the analysis; results of earlier versions are recomputed."""
SUMMARY = 240
"""Maximum length of a summary in characters."""

_OF_TYPE = {
    MemoryType.FACT: Category.DOMAIN_KNOWLEDGE,
    MemoryType.DECISION: Category.DECISION,
    MemoryType.COMMITMENT: Category.INSIGHT,
    MemoryType.PREFERENCE: Category.USER_PREFERENCE,
    MemoryType.OPINION: Category.INSIGHT,
}
_FAULT = re.compile(
    r"\b(?:error|exception|bug|crash\w*|fail\w*|leak|timeout|timed out|deadlock|regression|flaky"
    r"|traceback|segfault|broken|fix(?:ed|es)?|stack ?trace|hang(?:s|ing)?)\b"
)
_AVOID = re.compile(
    r"\b(?:anti-?pattern|pitfall|gotcha|avoid|beware|don't ever"
    r"|never (?:use|do|call|rely|put|run))\b"
)
_MANNER = re.compile(
    r"\b(?:answers?|repl(?:y|ies)|respon(?:d|ses?)|explanations?|emojis?|tone|concise|verbose|terse"
    r"|bullet points?|summar(?:y|ies)|wording|formal(?:ly)?|jargon|language|preamble|greetings?"
    r"|emails?|messages?|phone calls?|updates?)\b"
)
_CUSTOM = re.compile(
    r"\b(?:(?:we|this (?:project|repo(?:sitory)?|code ?base|team)) (?:always |usually )?(?:uses?"
    r"|names?|keeps?|puts?|writes?|follows?|formats?|runs?|deploys?|tests?)|convention|code ?base"
    r"|every (?:module|endpoint|handler|test|commit|migration|service))\b"
)


def encode(
    text: str, *, names: Collection[str] = (), constraints: Constraints | None = None
) -> Encoding:
    """Analyse a text.

    The result has names, facts, keywords, constraints, outcomes, type and category.

    ``names``: names known before. ``constraints``: function that finds requirements; without it
    none are returned. The first 20,000 characters are read, in linear time; everything returned is
    bounded in size and quoted from the text.
    """
    plain = prose(text)
    sentence_list = prose_sentences(plain)
    named = entities(plain, names)
    words = frozenset(word for entity in named for word in entity.name.lower().split())
    readings = [sentence_type(sentence) for sentence in sentence_list]
    memories = typed_sentences(readings)
    required = tuple(constraints(text)) if constraints else ()
    results = outcomes(sentence_list)
    kind = memories[0].type if memories else None
    return Encoding(
        entities=named,
        facts=facts(readings, tuple(entity.name for entity in named)),
        keywords=keywords(plain, words),
        constraints=required,
        outcomes=results,
        type=kind,
        category=_category(plain.lower(), kind, required, results),
        summary=_summary(memories, sentence_list),
    )


def _summary(memories: Sequence[TypedSentence], sentence_list: Sequence[str]) -> str:
    """Return the most significant sentence, quoted from the text."""
    first = memories[0].sentence if memories else next(iter(sentence_list), "")
    return clip(first, SUMMARY)


def _category(
    low: str, kind: MemoryType | None, constraints: Sequence[str], outcomes: Sequence[ActionOutcome]
) -> Category:
    """Suggest a category.

    Constraints and outcomes of the text take precedence over its type.
    """
    if kind is MemoryType.PREFERENCE:
        manner = _MANNER.search(low) is not None
        return Category.COMMUNICATION_STYLE if manner else Category.USER_PREFERENCE
    if _AVOID.search(low):
        return Category.ANTI_PATTERN
    if any(outcome.worked for outcome in outcomes):
        return Category.TROUBLESHOOTING if _FAULT.search(low) else Category.PATTERN
    if outcomes:
        return Category.ANTI_PATTERN
    if kind is None or kind is MemoryType.FACT:
        if constraints:
            return Category.LEARNED_RULE
        if _CUSTOM.search(low):
            return Category.PROJECT_PATTERN
    return _OF_TYPE[kind] if kind else Category.INSIGHT
