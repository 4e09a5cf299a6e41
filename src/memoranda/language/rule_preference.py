"""Preferences and rejections in a rule: "spaces, not tabs"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.natural_languages import LANGUAGE_NAMES, named_in_english
from memoranda.language.permissions import permission
from memoranda.language.revocation_patterns import OPENING
from memoranda.language.revocations import restated, revocation
from memoranda.language.words import FUNCTION_WORDS, STOP_WORDS, cjk_bigrams, stems, words

PHRASE = 2
"""Minimum number of content words in a phrase that identifies what is rejected."""
READ = 2_048
"""Number of texts with cached stances."""

_REJECTS = (
    r"(?:not|never|no longer|no|do(?:n['\u2019]t| not)|stop(?= \w+ing\b)|avoid"
    r"|nicht(?: mehr)?|nie(?:mals)?(?: mehr)?|kein\w*|ya no|nunca|jam[aá]s|jamais"
    r"|pas|plus|n[ãa]o|non|mai|pi[ùu])"
)
_REASON = lazy_pattern(
    r"[,;]?\s(?:because|so that|otherwise|weil|damit|sonst|porque|parce que|sinon)\b.*",
    re.IGNORECASE | re.DOTALL,
)
_REMEMBER = lazy_pattern(
    r"[\s,;:.!(\u2014\u2013-]*(?:\b(?:please|and|so|kindly)\s+)*\b(?:(?:remember|note|memori[sz]e"
    r"|don['\u2019]?t forget) (?:that|this|it)|(?:keep|bear) (?:that|this|it) in mind"
    r"|remember\b)[\s.!)]*$"
    r"|^\W*(?:please )?(?:remember|note|keep in mind|don['\u2019]?t forget)(?: that|:)\s+",
    re.IGNORECASE,
)
"""Request to remember a rule, which is not part of it."""
_HERE = lazy_pattern(
    r"\b(?:in|for|on|across|throughout) (?:this|the|our) (?:whole |entire )?"
    r"(?:(?:mono)?repo(?:sitor(?:y|ies))?s?|project|code ?base|workspace|team)\b",
    re.IGNORECASE,
)
"""Words for the place that the statements of a workspace have in common."""
_PLACES = (
    r"(?:instead of|in place of|rather than|(?:an)?statt|en (?:vez|lugar) de|au lieu d[eu']"
    r"|em vez d[eoa]|invece d[ie]l?)"
)
_MARK = r"(?:\s*[,;:(\u2014\u2013]\s*|\s+-\s+)(?:(?:and|und|y|et|e)\s+)?"
_END = r"(?P<wrong>[^,;:.!?()\n]{1,60})"
_CJK_BEFORE = lazy_pattern(
    "^(?:请|你|以后|今后|永远|绝对|千万|一律|从现在(?:起|开始))*(?:不要|别|不得|禁止|请勿|切勿)(?!再|忘)"
    "(?P<wrong>[^,;:.!?()\n\u3001\u3002\uff0c\uff01\uff1f]{1,60})"
    "|^(?P<banned>[^,;:.!?()\n\u3001\u3002\uff0c\uff01\uff1f]{1,40}?)\u306a\u3044\u3067"
    "(?:\u304f\u3060\u3055\u3044|\u4e0b\u3055\u3044|\u306d|\u3088)*[\u3002!\uff01]?$"
)
_AFTER_VERB = tuple(
    lazy_pattern(OPENING + form + _END, re.IGNORECASE)
    for form in (
        r"(?:on |il |nous |vous |tu )?n(?:e |['\u2019])(?P<verb>\w+) (?:jamais|pas|plus)\s+",
        r"(?P<verb>\w+) (?:bitte )?(?:niemals|nie)\s+",
    )
)
"""Rejections with the verb before the negation."""
_AFTER = lazy_pattern(rf"(?:{_MARK}{_REJECTS}|\s{_PLACES})\s+{_END}", re.IGNORECASE)
"""Rejected alternative after the preferred one."""
_BEFORE = lazy_pattern(rf"{OPENING}{_REJECTS}\s+(?!(?:stop|quit)\b){_END}", re.IGNORECASE)
"""Rejection at the start, possibly followed by the preferred alternative."""
_NEGATION = lazy_pattern(rf"\b{_REJECTS}\b|n['\u2019]t\b", re.IGNORECASE)
_LINK = lazy_pattern(r"^[\s,;:.\u2014\u2013-]*(?:but|sondern|sino|mais|mas|ma)?\s*", re.IGNORECASE)
_VERDICT = lazy_pattern(
    r"^(?:sorry,? )?(?:i was wrong|my (?:mistake|bad)|(?:it|that|this|they|those)(?:['\u2019]s| is|"
    r" was|['\u2019]re| were) (?:not true|(?:all )?wrong|nonsense|a mistake|rubbish|outdated|over"
    r"|gone|no longer (?:true|valid|relevant)))(?: any ?more)?[\s.!]*$",
    re.IGNORECASE,
)
"""Reasons for the end of a rule, which state nothing else."""
_EMPTY = (STOP_WORDS | FUNCTION_WORDS).union(words(
    "always never please use used using prefer longer anymore any more now keep make must should"
    " immer nie niemals bitte nutze nutzen nimm verwende verwenden benutze ab jetzt mehr kein keine"
    " siempre nunca usa usar uses usen usando utiliza"
    " por favor ahora ya toujours jamais utilise utiliser"
    " désormais plus sempre usare use usamos agora instead stop avoid"
    " reply replying answer answering respond responding speak speaking talk talking"
    " every each jede jeden jedes jeder mir uns me nos antworte antworten rede reden sprich"
    " sprechen responde responder responda réponds répondre répondez"
    " wieder kannst könnt können darfst dürft dürfen puedes pueden nuevo otra vez tu peux pouvez"
    " nouveau ever sorry wait straight directly"
))  # fmt: skip
_LANGUAGES = frozenset(stems(LANGUAGE_NAMES))
_PERMITS = (
    r"(?:you (?:can|may|are allowed to)|you['\u2019]re allowed to|kannst du|du (?:kannst|darfst)"
    r"|sie (?:können|dürfen)|puedes?|tu peux|vous pouvez"
    r"|^(?:please )?(?:(?:go|switch|come) )?(?=back to \w+(?: please)?\W*$))"
)
_AGAIN = r"(?:again|back to|wieder|de nuevo|otra vez|(?:de|à) nouveau)"
_RESTORES = lazy_pattern(
    rf"{_PERMITS}\b.*\b{_AGAIN}\b|^(?:以后|现在)?(?:你|您)?(?:又|还是)?可以.*了|^また.*(?:ください|いい)",
    re.IGNORECASE,
)
"""Permission of former behaviour: "you can answer in English again"."""
_PERMISSION = lazy_pattern(rf"{_PERMITS}|\b{_AGAIN}\b", re.IGNORECASE)
_AGAIN_FINE = lazy_pattern(
    r"\bagain\b|\bno longer (?:forbidden|banned|prohibited|off)", re.IGNORECASE
)
_DEFINITE = lazy_pattern(r"(?:the|this|that|it|my|our)\b", re.IGNORECASE)
"""Start of a name for one thing, whose state may be fine again: "the build"."""
_CHANGES = lazy_pattern(
    r"\b(?:now|from now on|actually|correction|these days|going forward|any ?more)\b", re.IGNORECASE
)
_CJK = lazy_pattern("[\u3040-\u30ff\u3400-\u9fff]")
_KATAKANA = lazy_pattern("[\u30a0-\u30ff]+")
_CJK_EMPTY = lazy_pattern(
    "以后|以後|今后|今後|往后|现在|从现在(?:起|开始)|从今以后"
    "|请|麻烦|[你您]|一直|总是|始终|永远|必须|一律|都|使用|用|再|继续"
    "|了|吧|我|给|在|可以|回答|回复|毎回|絶対|[必常下]|応答|返答|返信"
    "|答(?=え)|[\u3041-\u309f]+"
)
"""Chinese words about how a rule applies, and Japanese endings: all hiragana."""
NAMED = 1 / 3
"""Minimum share of a rule's stems that identifies it."""
NAMED_BY_TOPIC = 1 / 5
"""Minimum share of stems that identifies the topic of a statement: "forget about the bastion"."""
MIN_COMMON = 2
"""Minimum number of common stems with another session's statement that is corrected."""
GAPS = 2
"""Maximum number of other words between the words that name a rule."""
BEGINS = 4
"""Number of letters that two forms of a verb share: "réponds", "répondre"."""

_EDITS = frozenset(stems(words("edit touch change modify alter write update")))
_NO_OBJECTS = frozenset(
    stems(words("anything everything something nothing any under inside within file files folder"
                " folders directory directories code stuff new add introduce use there"))
)  # fmt: skip
"""Words of an action that do not name its object."""
_NAMING = frozenset(
    ["old", "whole", "only", "the", "a", "an", "this", "that", "my", "our", "earlier"]
)
"""Words used in naming a rule but not in the rule: "the old before-commit-only thing"."""
_NO_WORDS = frozenset(
    [
        "no",
        "never",
        "not",
        "without",
        "kein",
        "keine",
        "keinen",
        "nie",
        "nunca",
        "sin",
        "jamais",
        "sans",
    ]
)
"""Words that reject what follows them."""
_BEFORE_VERB = lazy_pattern(r"^(?:(?:always|please|from now on|(?:you|we)(?: must| should)?) )+")
"""Words before the verb of a rule."""
_FINITE = frozenset(("is", "are", "was", "were", "has", "have", "must", "should", "can"))
"""Verbs of statements, which are no orders."""
_MANNER = lazy_pattern(r" (?:by hand|manually|yourself|(?:each|every) time|all the time)\b.*")
"""Words about the manner of an action, which do not affect whether a rule ends."""
_NOW = lazy_pattern(r"(?: (?:any ?more|any longer|now|from now on|please))+$")


@dataclass(frozen=True, slots=True)
class Stance:
    """Stems of what a rule prefers and of what it rejects."""

    preferred: frozenset[str]
    rejected: frozenset[str]
    phrase: str = ""
    """What the text rejects, verbatim, if it has several content words."""
    revokes: bool = False
    """Whether the text ends an ongoing behaviour: "stop replying in German"."""
    names_rule: bool = False
    """Whether the text ends a rule that it names briefly: "forget the tabs rule"."""
    names_topic: bool = False
    """Whether the text ends what was said about a topic: "forget about the bastion"."""
    names_thing: bool = False
    """Whether the text ends a thing that rules name: "we don't need prettier any more"."""
    repeats: bool = False
    """Whether the text ends only a rule whose words it repeats."""
    lasting: bool = False
    """Whether the words of the text exclude the moment: "you no longer need to"."""
    restates: bool = False
    """Whether the text corrects the speaker's last statement: "I meant double quotes"."""
    changes: bool = False
    """Whether it states that something has changed: "X now, not Y"."""
    wording: str = ""
    """All words of the text, or the words of the text that it revokes."""

    @property
    def only_withdraws(self) -> bool:
        """Whether the text only ends a rule that it names."""
        return self.names_rule and not self.preferred

    @property
    def verb(self) -> frozenset[str]:
        """Stem of the verb that an order starts with; empty for other statements."""
        first, *rest = _BEFORE_VERB.sub("", self.wording).split() or [""]
        is_order = first not in _EMPTY and _FINITE.isdisjoint(rest)
        return frozenset(stems([first])) if is_order else frozenset()

    @classmethod
    def of(cls, text: str) -> Self:
        """Parse the stance of a sentence; without a negation it prefers everything.

        Example:
            >>> found = Stance.of("Use spaces for indentation, not tabs.")
            >>> sorted(found.preferred), sorted(found.rejected)
            (['indent', 'space'], ['tab'])
        """
        text = _HERE.sub("", without_reminder(text)) or text
        if (again := restated(text)) is not None:
            found_again = cls.of(again)
            return replace(found_again, restates=True)
        if revoked := revocation(text):
            rest = _LINK.sub("", text[revoked.end :])
            if revoked.names_rule:
                rest = text[: revoked.start] + _VERDICT.sub("", rest)
            return cls(
                _content(rest),
                *_rejected(revoked.wrong),
                revokes=True,
                names_rule=revoked.names_rule,
                names_topic=revoked.names_topic,
                names_thing=revoked.names_thing,
                repeats=revoked.repeats,
                lasting=revoked.lasting,
                wording=" ".join(words(revoked.wrong)),
            )
        if (permitted := permission(text)) is not None:
            lasting = _AGAIN_FINE.search(text) is not None and not _DEFINITE.match(permitted)
            return cls(_content(permitted), frozenset(), revokes=True, lasting=lasting)
        return cls._of_rule(text)

    @classmethod
    def _of_rule(cls, text: str) -> Self:
        """Parse a sentence that does not end a rule, ignoring its reason."""
        text = _REASON.sub("", text) or text
        wording = " ".join(words(text))
        if match := next(filter(None, (item.search(text) for item in _AFTER_VERB)), None):
            return cls(
                frozenset(), *_rejected(f"{match['verb']} {match['wrong']}"), wording=wording
            )
        if match := _BEFORE.search(text) or _CJK_BEFORE.search(text):
            wrong = match.groupdict().get("banned") or match["wrong"]
            rest = _LINK.sub("", text[match.end() :])
            return cls(_content(rest), *_rejected(wrong), wording=wording)
        if match := _AFTER.search(text):
            rest = f"{text[: match.start()]} {text[match.end() :]}"
            changes = _CHANGES.search(text) is not None
            rejected = _rejected(match["wrong"])
            return cls(_content(rest), *rejected, changes=changes, wording=wording)
        if _RESTORES.search(text):
            return cls(_content(_PERMISSION.sub(" ", text)), frozenset(), revokes=True)
        return cls(_content(text), frozenset(), wording=wording)

    @property
    def index_stems(self) -> frozenset[str] | None:
        """Stems of which every rule that this one replaces contains at least one.

        None if such a rule may have any stems.
        """
        special = (self.repeats, self.restates, self.names_rule, self.names_thing, self.revokes)
        if any(special) or (not self.rejected and self.preferred & _LANGUAGES):
            return None
        return frozenset(min(stems) for stems in (self.rejected, self.preferred) if stems)

    def replaces(self, earlier: Stance) -> bool:
        """Return whether this later rule makes an earlier one void.

        The earlier rule prefers what this rule rejects and names nothing else that this rule does
        not name, or it rejects exactly what this rule prefers. A revocation may use other forms of
        the earlier rule's words, or name that rule by some of them. One language replaces another.
        """
        if self.repeats:
            return self._repeats(earlier)
        if self.restates and self.puts_right(earlier, MIN_COMMON):
            return True
        if self.names_rule:
            return self._names(earlier)
        if self.names_thing:
            return self._names_thing_of(earlier)
        if self._is_in_other_language(earlier):
            return True
        if self.revokes:
            return self._ends(earlier)
        if self.rejected and self.rejected <= earlier.preferred:
            rest = earlier.preferred - self.rejected
            if self.changes and len(rest & self.preferred) >= MIN_COMMON:
                rest = rest - earlier.verb
            return rest <= self.preferred and not (self.preferred and self.preferred <= rest)
        return bool(self.preferred) and not earlier.preferred and earlier.rejected == self.preferred

    def _ends(self, earlier: Stance) -> bool:
        """Return whether this ends what was preferred, or permits what was not."""
        if self.rejected:
            return _are_forms(self.rejected, earlier.preferred) or self._opens(earlier)
        if self.lasting and self._permits(earlier):
            return True
        several = len(self.preferred) >= PHRASE
        if (several or not earlier.preferred) and _are_forms(self.preferred, earlier.rejected):
            return True
        return _are_forms(*_objects(self.preferred, earlier.rejected))

    def _permits(self, earlier: Stance) -> bool:
        """Return whether this permits again what the earlier rule rejects.

        It may leave out details, but not what is done: "mocks are fine again" ends "never use mocks
        in tests".
        """
        phrase = (stems([word])[0] for word in earlier.phrase.split() if word not in _EMPTY)
        act = next((word for word in phrase if word not in _NO_OBJECTS), "")
        named = _have_forms(self.preferred, earlier.rejected, 1)
        return bool(act) and named and any(_begin_alike(act, word) for word in self.preferred)

    def _opens(self, earlier: Stance) -> bool:
        """Return whether the revoked part is the start of an earlier rule.

        "You don't have to squash anymore" ends "always squash commits before pushing".
        """
        if earlier.revokes or earlier.rejected:
            return False
        verb, ends = _NOW.subn("", self.wording)
        if not ends and not self.lasting:
            return False  # the sentence may be about the moment
        own = stems(_MANNER.sub("", verb).split())
        return bool(own) and stems(_BEFORE_VERB.sub("", earlier.wording).split())[: len(own)] == own

    def _names(self, earlier: Stance) -> bool:
        """Return whether this text names the earlier rule."""
        if earlier.revokes:
            return False
        whole = earlier.preferred | earlier.rejected
        least = NAMED_BY_TOPIC if self.names_topic else NAMED
        if any(
            _have_forms(self.rejected, some, least * len(some))
            for some in (whole, earlier.rejected)
        ):
            return True
        own = [word for word in self.wording.split() if word not in _NAMING]
        wording = earlier.wording.split()
        return _are_together(own, wording) or _is_banned(own, wording)

    def _repeats(self, earlier: Stance) -> bool:
        """Return whether what is no longer needed is the wording of the rule."""
        named = self.rejected and self.rejected <= earlier.preferred
        return bool(named) and f" {self.wording} " in f" {earlier.wording} "

    def _names_thing_of(self, earlier: Stance) -> bool:
        """Return whether the earlier rule is about the thing that ends."""
        whole = earlier.preferred
        if earlier.revokes or not self.rejected or self.rejected & earlier.rejected:
            return False
        return _have_forms(self.rejected, whole, NAMED * len(whole))

    def puts_right(self, earlier: Stance, least: int = 1) -> bool:
        """Return whether this text is the earlier statement with one correction.

        Both must have at least ``least`` stems in common.
        """
        if not self.restates or earlier.revokes or earlier.rejected:
            return False
        common = earlier.preferred & self.preferred
        return len(common) >= least and len(earlier.preferred - self.preferred) <= 1

    def _is_in_other_language(self, earlier: Stance) -> bool:
        """Return whether both name only a language, and different ones."""
        if self.rejected or earlier.rejected:
            return False
        item, other = self.preferred & _LANGUAGES, earlier.preferred & _LANGUAGES
        if not item or not other or item & other:
            return False
        rest, others = self.preferred - item, earlier.preferred - other
        return rest == others or (self.revokes and _are_forms(rest, others))

    def rejects_words_of(self, text: str) -> bool:
        """Return whether a text without a negation contains the rejected phrase.

        Example:
            >>> rule = Stance.of("Match prices by zone, never line by line.")
            >>> rule.rejects_words_of("Decision: lists are compared line by line.")
            True
        """
        if not self.phrase or _NEGATION.search(text):
            return False
        return f" {self.phrase} " in f" {' '.join(words(text))} "

    def agrees(self, other: Stance) -> bool:
        """Return whether both reject the same thing and one prefers no less."""
        if not self.rejected or self.rejected != other.rejected:
            return False
        return self.preferred <= other.preferred or other.preferred <= self.preferred


def _rejected(text: str) -> tuple[frozenset[str], str]:
    phrase = " ".join(words(text))
    meaningful = [word for word in phrase.split() if word not in _EMPTY]
    return _content(text), phrase if len(meaningful) >= PHRASE else ""


def _content(text: str) -> frozenset[str]:
    if _CJK.search(text):
        return frozenset(_cjk_content(text))
    return frozenset(stems(word for word in words(text) if word not in _EMPTY))


def _cjk_content(text: str) -> Iterator[str]:
    """Yield words in Latin letters and katakana, and other character pairs."""
    plain = _CJK_EMPTY.sub(" ", named_in_english(text))
    yield from _KATAKANA.findall(plain)
    plain = _KATAKANA.sub(" ", plain)
    yield from cjk_bigrams(plain)
    yield from stems(word for word in words(_CJK.sub(" ", plain)) if word not in _EMPTY)


def _have_forms(some: frozenset[str], others: frozenset[str], least: float) -> bool:
    """Return whether enough stems occur in others, possibly inflected."""
    return (
        bool(some)
        and len(some) >= least
        and all(
            any(item == other or _begin_alike(item, other) for other in others) for item in some
        )
    )


def _are_together(name: Sequence[str], text: Sequence[str]) -> bool:
    """Return whether a name's words are close in a text, in any order."""
    size = len(name) + GAPS
    return len(name) >= PHRASE and any(
        all(any(_begin_alike(word, one) for word in text[at : at + size]) for one in name)
        for at in range(max(1, len(text) - size + 1))
    )


def _is_banned(name: Sequence[str], text: Sequence[str]) -> bool:
    """Return whether a text rejects a thing with the given name: "no --prune"."""
    size = len(name)
    return bool(name) and any(
        text[at - 1] in _NO_WORDS and text[at : at + size] == name for at in range(1, len(text))
    )


def _begin_alike(one: str, other: str) -> bool:
    return one.startswith(other[:BEGINS]) or other.startswith(one[:BEGINS])


def _objects(some: frozenset[str], others: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the objects of two actions, or none if the actions differ.

    "Edit vendor/" and "touch anything under vendor/" are the same.
    """
    acts = some - _NO_OBJECTS, others - _NO_OBJECTS
    if any(one & _EDITS for one in acts):
        acts = acts[0] - _EDITS, acts[1] - _EDITS
    return acts


def _are_forms(some: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two sets have the same stems, possibly other verb forms."""
    left = (some - others, others - some)
    return bool(some and others) and all(
        any(_begin_alike(item, other) for other in beside)
        for own, beside in (left, left[::-1])
        for item in own
    )


def without_reminder(text: str) -> str:
    """Return a statement without the request to remember it.

    Example:
        >>> without_reminder("We deploy via Jenkins. Keep that in mind.")
        'We deploy via Jenkins'
    """
    return _REMEMBER.sub("", text) or text


@lru_cache(maxsize=READ)
def stance(text: str) -> Stance:
    """Return the stance of a sentence, cached."""
    return Stance.of(text)
