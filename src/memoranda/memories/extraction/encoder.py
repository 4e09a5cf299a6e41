"""Encodes a text into names, facts, keywords and more, without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from memoranda.memories.encoding_model import ActionOutcome, Encoding, MemoryType, TypedSentence
from memoranda.memories.extraction.entities import entities
from memoranda.memories.extraction.facts import facts
from memoranda.memories.extraction.keywords import keywords
from memoranda.memories.extraction.outcomes import outcomes
from memoranda.memories.extraction.sentences import prose, sentences
from memoranda.memories.extraction.types import sentence_type, typed_sentences
from memoranda.memories.model import Category
from memoranda.text import clip

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

    ``names``: names met before. ``constraints``: how requirements are found; without it none are.
    The first 20,000 characters are read, in linear time; everything that is returned is bounded,
    and nothing in it was not in the text.
    """
    plain = prose(text)
    sentence_list = sentences(plain)
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
    low: str,
    kind: MemoryType | None,
    constraints: Sequence[str],
    outcomes: Sequence[ActionOutcome],
) -> Category:
    """Suggest a category.

    What a text forbids or fixes decides first, then its type.
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
