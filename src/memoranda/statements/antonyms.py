"""Antonyms: listed pairs, and pairs formed with a prefix or suffix."""

from __future__ import annotations

from memoranda.language.words import stem, word_set

_PAIRS = (
    "near/far big/small large/small tall/short long/short high/low open/close open/shut fast/slow"
    " quickly/slowly quick/slow hot/cold warm/cold wet/dry happy/sad old/new old/young"
    " young/elderly light/dark light/heavy full/empty clean/dirty loud/quiet loudly/quietly"
    " noisy/quiet hard/soft early/late before/after above/below inside/outside indoors/outdoors"
    " front/back left/right up/down up/off on/off in/out first/last enabled/disabled allow/forbid"
    " pass/fail success/failure always/never public/private internal/external online/offline"
    " sync/async required/optional love/hate accept/reject approve/reject win/lose buy/sell"
    " arrive/leave sit/stand asleep/awake sleeping/awake put/remove putting/taking adding/removing"
    " filling/emptying lifting/dropping picking/dropping climbing/descending walking/running"
    " lying/standing resting/running crowded/deserted crowded/empty deep/shallow wide/narrow"
    " thick/thin beautiful/ugly strong/weak rich/poor cooked/raw frozen/thawed calm/stormy"
    " lit/dark alive/dead increase/decrease married/single married/divorced started/stopped"
    " success/fail sunny/rainy easy/difficult easy/hard cheap/expensive safe/dangerous"
    " single/double vegetarian/meat vegan/meat coming/going approaching/leaving drawing/erasing"
    " silently/loudly silent/loud attaching/detaching taking/giving coarsely/finely covered/bare"
    " like/dislike"
)
"""Pairs of opposites, with every form of a word: open, opens, opening."""

_TURNING = word_set("un dis in im ir il non non- de")
_NOT_TURNED = word_set(
    "side form come put put stead tend tent land play miss tract count ease cover der til less it"
    " vest tense pact press port age part ate pose prove cline cus closure solve tribute quire"
    " sect sure sist spire stall deed dex fer fect flame fluence for habit sult jure her pair"
)
"""Stems that "in", "dis" and the like do not negate: inside, discover."""

_MINIMUM = 4
"""Minimum number of letters of a word that a prefix can negate, which excludes "in" and "put"."""


def _listed() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for pair in _PAIRS.split():
        item, other = map(stem, pair.split("/"))
        found.setdefault(item, set()).add(other)
        found.setdefault(other, set()).add(item)
    return {word: frozenset(others) for word, others in found.items()}


_LISTED = _listed()


def exclude(one: str, other: str) -> bool:
    """Return whether two stems exclude each other.

    For example open and close, able and unable.
    """
    if other in _LISTED.get(one, ()):
        return True
    short, long = sorted((one, other), key=len)
    return _turns_prefix(short, long) or _turns_ending(one, other)


def _turns_prefix(word: str, turned: str) -> bool:
    if len(word) < _MINIMUM or word in _NOT_TURNED or not turned.endswith(word):
        return False
    return turned[: -len(word)] in _TURNING


def _turns_ending(one: str, other: str) -> bool:
    if one.endswith("less"):
        one, other = other, one
    return one.endswith("ful") and other == one[:-3] + "less"
