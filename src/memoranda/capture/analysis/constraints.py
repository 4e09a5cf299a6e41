"""Constraints that a person states in a message: must, never, only.

Precise rather than complete: a sentence counts when it states a requirement explicitly. Questions,
quoted code and pasted logs never count.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from memoranda.capture.analysis.implicit_requirements import states_requirement
from memoranda.capture.analysis.line_search import window
from memoranda.language.descriptions import is_description
from memoranda.language.prose import prose_sentences
from memoranda.language.quotations import own_text
from memoranda.language.words import word_set
from memoranda.text import clip, slash_command

MAXIMUM = 8
MAX_LENGTH = 300

_MAX_SENTENCES = 800
"""Maximum sentences examined.

In longer messages, which are mostly pasted, only the beginning and the end are examined.
"""

_THEY = re.compile(r"(?:They|These|Those|Both)\b")

_START = (
    r"(?:^|[;:,(\u2013\u2014]\s*|\s-\s|\b(?:and|but|so|then|also|otherwise|instead)\s)"
    r"(?:and |but |so |also |then |please |just )?(?:please )?"
)
_FORBIDS = re.compile(_START + r"(?:do not|don't|dont|never)(?:,? ever| even| you)? ([a-z]+)")
_AVOIDS = re.compile(_START + r"(?:avoid|refrain from|stay away from|leave out) (?!it\b)\w")
_ALWAYS = re.compile(
    r"(?:^|[;:]\s*|\b(?:please|then|also),? )(?:also,? |please |and )?always ([a-z]+)"
)
_POLICY = re.compile(r"\b(?:we|you) (?:never|always) ([a-z]+)")
_MUST = re.compile(
    r"(?:^|\b([a-z0-9_]+)\W{1,3})must(n't)? (?:(not|never|always|only|also|still|all|both|each) )?"
    r"([a-z]+)(?: ([a-z']+))?"
)
_SHOULD = re.compile(
    r"\b(?:should|shall|may) (?:never|always|only)\b(?! (?:see|happen|guess|hope|matter)\b"
    r"| be (?:an?|the|possible|necessary|needed|able|happening)\b)"
    r"|\b(?:should not|shouldn't|shall not|may not|is not to|are not to)(?: be)? (?:touch|edit"
    r"|chang|modif|us(?:e|ing)|depend|rely|import|call|add|remov|delet|commit|log|print|stor|leak|expos"
    r"|block|hit|contain|includ|exceed|requir|writ|renam|introduc|mutat|access|read|round|push)"
)
_REQUIRED = re.compile(
    r"\b(?:is|are) (?:strictly |absolutely )?(?:required|mandatory|forbidden|prohibited"
    r"|off[- ]limits|not allowed|not permitted)\b"
    r"|\b(?:needs|has|have|need) to (?:stay|remain|keep|support)\b"
)
_CITES = re.compile(
    r"\bas (?:the|our) (?:contract|spec\w*|rfc|policy|licen[cs]e|agreement|standard|ticket)"
    r" (?:says|states|requires|demands|specifies)\b"
    r"|\b(?:required|demanded|prescribed) by (?:the|our) "
)
_NUMBER = r"(?:\d|one\b|two\b|three\b|four\b|five\b|six\b|ten\b|half\b)"
_LIMITS = re.compile(
    rf"\b(?:at most|no more than|not more than|no longer than|no fewer than|not exceed"
    rf"|a maximum of|max(?:imum)? of|a limit of|(?:keep|stay)\b.{{0,60}} (?:under|below)) {_NUMBER}"
    rf"|^(?:use |keep |add |write |wait )?(?:.{{0,60}} )?at least {_NUMBER}"
    rf"|\bwithin \d+ ?(?:ms|milliseconds|seconds|s|minutes)\b"
)
_DOING = (
    r"(?:use|touch|edit|change|modify|import|run|add|keep|return|allow|accept|support|write|log"
    r"|call|commit|push|read|depend|show|include|deploy|test|apply|fix|refactor|work on|rename"
    r"|store|round|put|name|prefer|make|stick|target|send|start|stop|leave|delete|remove|do|build)"
)
_ONLY = re.compile(
    _START + rf"only (?:ever )?{_DOING}\b|" + _START + rf"{_DOING} (?:\w+ ){{0,2}}only\b"
    rf"|^(?:please )?{_DOING}\b.{{0,200}}\bonly[.!)]{{0,2}}$|^only .{{1,60}} (?:may|must|should)\b"
)
_RATHER = re.compile(
    _START
    + rf"(?!make that\b){_DOING}\b.{{0,200}}?(?:, not |\binstead of\b|\brather than\b|\bunchanged\b"
    r"|\bas[- ]is\b|\bintact\b|\buntouched\b|\bbackwards?[- ]compatible\b|\balone\b)"
)
_WITHOUT = re.compile(
    r"\bwithout (?:break|chang|touch|add|us|modif|alter|introduc|renam|remov|edit|los)\w*ing\b"
    r"|\bwithout (?:breaking|using|changing|adding|touching)\b"
)
_ENSURE = re.compile(
    _START + r"(?:make sure|ensure|be sure to|remember to|don't forget to|do not forget to"
    r"|be careful not to|take care not to) \w"
)
_NONE_OF = re.compile(
    r"^(?:and )?no (?:new|external|third[- ]party|additional|extra|breaking|global|network"
    r"|hard-?coded|magic|further|mock\w*|emojis?|abbreviations|dependenc\w+|\w+ dependencies"
    r"|\w+ (?:calls|access) in)\b"
)
_CJK = re.compile(
    r"\u7981\u6b62|(?<!\u8981)\u4e0d\u8981(?!\u7d27)|\u4e0d\u5f97(?!\u4e0d|\u4e86)|\u5207\u52ff"
    r"|\u8bf7\u52ff|\u52a1\u5fc5|\u52d9\u5fc5|\u5fc5\u987b|\u5fc5\u9808|\u4e25\u7981"
    r"|\u7d76\u5bfe\u306b|\u3057\u306a\u3044\u3067|\u3066\u306f\u3044\u3051|\u5fc5\u305a"
    r"|\ud558\uc9c0 \ub9c8|\ubc18\ub4dc\uc2dc|\uc808\ub300"
)
"""Chinese, Japanese and Korean words for: forbidden, do not, must, never."""

_QUESTION = re.compile(r"(?:why|how come|does|did|is there|isn't|aren't|doesn't|what|who|whose)\b")
_STATES = re.compile(r"(?:i|we|it|this|that|they|he|she|there|you)\b(?! (?:must|should|may|need))")
_PAST = re.compile(
    r"\b(?:failed|took|happened|was|were|got|saw|had|spent|tried|waited|crashed|noticed|finished"
    r"|used to|says|said|complains?|reports?|i think|i guess|maybe|probably|might)\b"
)
_QUOTES = re.compile(r"`[^`]{0,300}`|\"[^\"]{0,300}\"|\u201c[^\u201d]{0,300}\u201d")

_NOT_ORDERS = word_set(
    "mind know think worry believe understand care see get got like want have seem hear feel recall"
    " bother panic hesitate tell say work happen been be was were had seen heard thought did knew"
    " saw understood again ever sure really even quite one the a an this that it you we they there"
    " wish expect matter look looks forget gonna ask find found come came went need too so"
)
_ED_VERBS = word_set("embed need feed seed proceed exceed shed wed bleed breed speed")
_S_VERBS = word_set("focus alias bias canvas bypass")
_NOT_DUTIES = word_set("say admit confess see wonder ask apologise apologize agree")
_NEVER_DUTIES = word_set("feel seem mean love enjoy hurt suck")
_PRAISE = word_set("so such quite really very super pretty amazing incredible exciting scary")
_PRONOUNS = word_set("it this that there he she they you something someone somebody what i")
_GUESSES = word_set(
    "kidding joking mistaken wrong because due something someone somehow somewhere why how what"
    " where a an the some missing related nice great good hard difficult annoying fun tired"
    " crazy nuts new happy right here there like possible impossible"
)
_DEDUCED = word_set("been gone done had broken missed forgotten gotten got lost taken come become")


@lru_cache(maxsize=4)
def constraints(text: str) -> tuple[str, ...]:
    """Return the sentences of a message that state a requirement, at most 8.

    The sentences are verbatim; longer ones are cut to 300 characters, between words.
    """
    found: dict[str, None] = {}
    text = own_text(window(slash_command(text)[1]))
    all_sentences = prose_sentences(text)
    if len(all_sentences) > _MAX_SENTENCES:
        all_sentences = all_sentences[: _MAX_SENTENCES // 2] + all_sentences[-_MAX_SENTENCES // 2 :]
    for before, sentence in zip(["", *all_sentences], all_sentences, strict=False):
        if is_constraint(sentence):
            found[_shortened(_with_subject(text, before, sentence))] = None
            if len(found) == MAXIMUM:
                break
    return tuple(found)


def _with_subject(text: str, before: str, sentence: str) -> str:
    """Prepend the previous sentence if the subject is only a pronoun."""
    if not before or not _THEY.match(sentence):
        return sentence
    start = text.find(before)
    end = text.find(sentence, start + len(before)) + len(sentence)
    whole = text[start:end]
    return whole if start >= 0 and len(before) < len(whole) <= MAX_LENGTH else sentence


def _shortened(sentence: str) -> str:
    """Return a sentence, cut at the maximum length between words."""
    return (
        sentence.rstrip()
        if len(sentence) <= MAX_LENGTH
        else clip(sentence, MAX_LENGTH)[:-1].rstrip()
    )


def is_constraint(sentence: str) -> bool:
    """Return whether a sentence explicitly states a requirement."""
    plain = _QUOTES.sub("``", sentence[: 2 * MAX_LENGTH].replace("\u2019", "'")).lower()
    plain = " ".join(plain.split()).lstrip("*_-\"'( ")
    if plain.endswith("?") or "\uff1f" in plain[-1:] or _QUESTION.match(plain):
        return False
    return any(rule(plain) for rule in _RULES) and not is_description(plain)


def _is_order(verb: str) -> bool:
    """Return whether a word can be an imperative, a verb in its base form."""
    if verb in _NOT_ORDERS or verb.endswith("ing"):
        return False
    if verb.endswith("ed"):
        return verb in _ED_VERBS
    return not verb.endswith("s") or verb.endswith("ss") or verb in _S_VERBS


def _forbids(plain: str) -> bool:
    matches = [*_FORBIDS.finditer(plain), *_ALWAYS.finditer(plain), *_POLICY.finditer(plain)]
    return any(_is_order(mark[1]) for mark in matches) or _AVOIDS.search(plain) is not None


def _must(plain: str) -> bool:
    return any(_is_duty(mark) for mark in _MUST.finditer(plain))


def _is_duty(mark: re.Match[str]) -> bool:
    """Return whether a "must" states a requirement.

    "it must stay" states one; "it must be a bug", "I must say" and "a must" do not.
    """
    subject, verb, following = mark[1] or "", mark[4], mark[5] or ""
    if subject in ("i", "a", "an") or (verb == "have" and _is_past(following)):
        return False
    if verb in _NEVER_DUTIES or following in _PRAISE:
        return False
    if verb in _NOT_DUTIES and subject in _PRONOUNS:
        return False
    if verb != "be" or mark[3] in ("not", "never", "always", "only"):
        return True
    guess = following in _GUESSES or following.endswith("ing") or not following
    return not guess if subject in _PRONOUNS else following not in _GUESSES - {"a", "an", "the"}


def _is_past(word: str) -> bool:
    participle = word.endswith(("ed", "en")) and word not in ("token", "seven", "ten")
    return participle or word in _DEDUCED


def _shaped(plain: str) -> bool:
    return any(rule.search(plain) for rule in _SHAPES)


def _obliged(plain: str) -> bool:
    return states_requirement(plain) and not _PAST.search(plain)


def _limited(plain: str) -> bool:
    if _PAST.search(plain):
        return False
    if _WITHOUT.search(plain) and not _STATES.match(plain):
        return True
    return _LIMITS.search(plain) is not None or _REQUIRED.search(plain) is not None


_SHAPES = (_ONLY, _RATHER, _ENSURE, _NONE_OF, _SHOULD, _CITES, _CJK)
_RULES: tuple[Callable[[str], bool], ...] = (_forbids, _must, _shaped, _limited, _obliged)
