"""Statements of a single-valued attribute: "my new address is 88 Harbour Road"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.words import STOP_WORDS, stems, words

READ = 2_048
"""Number of sentences whose attributes are cached."""
MIN_ENDING = 5
"""Minimum number of characters of a German noun at the end of a compound: "Lieferadresse"."""

_NEW = (
    r"new|current|correct|actual|latest|right|neue[nrms]?|aktuelle[nrms]?|richtige[nrms]?|nuev[oa]s?"
    r"|actual|correct[oa]|nouv(?:eau|el|elle)|actuel(?:le)?|nov[oa]"
)
_NOW = (
    r"now|currently|actually|meanwhile|these days|from now on|jetzt|nun|inzwischen|mittlerweile"
    r"|ab (?:jetzt|sofort)|seit \w+|ahora|actualmente|maintenant|désormais|agora|nowadays|since \w+"
)
_OWNER = (
    r"(?P<owner>my|our|the|(?-i:[A-Z])[\w-]+['\u2019]s|mein\w{0,2}|unser\w{0,2}|mi|nuestr[oa]|mon|ma"
    r"|notre|meu|minha)"
)
_SPELLINGS = {"favorite": "favourite", "color": "colour"}
_NAME = r"(?P<name>(?!own\b)[^\W\d_][\w'\u2019-]*(?: [^\W\d_][\w'\u2019-]*){0,3}?)"
_VALUE = r"(?P<value>\S[^;!?\n]{0,120})"
_FORMS = tuple(
    lazy_pattern(form, re.IGNORECASE)
    for form in (
        rf"(?:^|[,:;.!] |\b(?:and|und|y|et|that|dass|que) ){_OWNER} (?:(?P<new>{_NEW}) )?{_NAME}"
        rf"(?: (?P<after>{_NEW}))? (?:is|are|was|lautet|ist|sind|es|son|est|sont|é)"
        rf"(?: called| named)? (?:(?P<now>{_NOW}) )?(?:called |named )?{_VALUE}",
        rf"(?:^|[,:;.!] ){_OWNER} {_NAME} (?:has |have |hat sich |ha )?(?P<now>changed|geändert"
        rf"|cambiado|cambió)(?: to| auf| zu|,? it(?:['\u2019]s| is)(?: now)?|:| a) ?{_VALUE}",
        rf"^(?P<new>{_NEW}) {_NAME}: ?{_VALUE}",
        rf"\b(?P<owner>i|we|ich|wir) (?:(?P<new>{_NOW}) )?(?:['\u2019]?m |am |are )?"
        r"(?P<name>(?:live|living|based|work|working|study|studying|stay|staying|wohne[n]?"
        rf"|arbeite[n]?|lebe[n]?) (?:(?P<now>{_NOW}) )?(?:in|at|for|with|bei|für)) {_VALUE}",
        rf"\b(?:yo )?(?:(?P<new>{_NOW}) )?(?P<name>(?:vivo|trabajo|estudio)"
        rf" (?:(?P<now>{_NOW}) )?en) {_VALUE}",
        rf"\b(?P<owner>j['\u2019]|je )(?P<name>(?:habite|travaille) (?:(?P<now>{_NOW}) )?"
        rf"(?:à|en|chez)) {_VALUE}",
    )
)
_CHANGED = lazy_pattern(rf"\b(?:{_NOW}|any ?more|instead)\b", re.IGNORECASE)
_SINGLE = frozenset(
    stems(words("address email mail e-mail phone birthday age timezone postcode zip surname"
                " adresse anschrift telefonnummer geburtstag direcci\u00f3n correo tel\u00e9fono"
                " cumplea\u00f1os anniversaire t\u00e9l\u00e9phone"))
)  # fmt: skip
"""Attributes with a single value, so that a different one is newer without saying so."""
_MAIL = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w")
_CHANGES = lazy_pattern(
    r"\b(?:new|from now on|instead|changed?|old|no longer|any ?more|neue?|ab (?:jetzt|sofort)"
    r"|geändert|alte|nuev[oa]|ahora|cambi\w+|nouvelle?|désormais)\b",
    re.IGNORECASE,
)
_OTHERS = lazy_pattern(
    r"\b(?:his|her|their|\w+['\u2019]s) (?:\w+ )?(?:e-?mail|mail|address)\b", re.IGNORECASE
)
"""Addresses of other people."""
_EMPTY = STOP_WORDS.union(words("in at for with bei für en à chez is now"))


@dataclass(frozen=True, slots=True)
class StatedAttribute:
    """Attribute of a person or thing, with its value."""

    owner: str
    """Owner of the attribute: "i" for the first person, "the" for a thing."""
    head: str
    """Stem of the attribute's name, such as the stem of "address" for "delivery address"."""
    kinds: frozenset[str]
    """Stems that distinguish the attribute from others, such as the stem of "delivery"."""
    value: frozenset[str]
    is_new: bool
    """Whether the sentence states that the value changed."""

    def replaces(self, earlier: StatedAttribute) -> bool:
        """Return whether this is another, newer value of the same attribute."""
        if self.owner != earlier.owner or not _same(self.head, earlier.head):
            return False
        if self.kinds and not self.kinds <= earlier.kinds | {earlier.head}:
            return False
        if not (self.is_new or self.head in _SINGLE):
            return False
        return bool(self.value and earlier.value) and not self.value <= earlier.value


def replaces_attribute(old: str, new: str) -> bool:
    """Return whether a later sentence contains a newer value of an attribute.

    Example:
        >>> old = "My delivery address is 14 Elm Street."
        >>> replaces_attribute(old, "My new address is 9 Bay Road.")
        True
        >>> replaces_attribute(old, "My billing address is 9 Bay Road.")
        False
    """
    before, after = (_mails(text) if "@" in text else frozenset() for text in (old, new))
    if before and after and before.isdisjoint(after) and _CHANGES.search(new):
        return not (_OTHERS.search(old) or _OTHERS.search(new))
    earlier, later = stated_attribute(old), stated_attribute(new)
    return earlier is not None and later is not None and later.replaces(earlier)


def attribute_names(text: str) -> list[str]:
    """Return a key for each kind of attribute in a sentence, for lookups."""
    attribute = stated_attribute(text)
    names = [f"={attribute.head}"] if attribute else []
    return [*names, "=@"] if "@" in text and _mails(text) else names


@lru_cache(maxsize=READ)
def stated_attribute(text: str) -> StatedAttribute | None:
    """Return the attribute that a sentence states, or None."""
    for form in _FORMS:
        if match := form.search(text):
            parts = match.groupdict()
            possessor, _, name = parts["name"].replace("\u2019", "'").rpartition("'s ")
            owner = (parts.get("owner") or "i").strip().lower()
            if owner.endswith(("'s", "\u2019s")):
                possessor = f"{owner[:-2]} {possessor}".strip()
            names = [_SPELLINGS.get(word, word) for word in words(name) if word not in _EMPTY]
            value = frozenset(stems(word for word in words(parts["value"]) if word not in _EMPTY))
            if not names or not value:
                continue
            called_new = bool(parts.get("new") or parts.get("after"))
            is_now = parts.get("now") or _CHANGED.search(parts["value"].split(",")[0])
            mine = owner != "the"
            return StatedAttribute(
                possessor.lower() or ("i" if mine else "the"),
                stems(names[-1:])[0],
                frozenset(stems(names[:-1])),
                value,
                called_new or (mine and is_now is not None),
            )
    return None


def _same(one: str, other: str) -> bool:
    """Return whether two names are equal, or one is a compound of the other."""
    short, long = sorted((one, other), key=len)
    return one == other or (len(short) >= MIN_ENDING and long.endswith(short))


def _mails(text: str) -> frozenset[str]:
    return frozenset(found.lower() for found in _MAIL.findall(text))
