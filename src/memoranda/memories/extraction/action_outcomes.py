"""Extracts actions and their outcomes from sentences that state both."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memoranda.memories.extraction_model import ActionOutcome
from memoranda.text import lowered

MAXIMUM = 8
MAX_LENGTH = 160
"""Maximum number of characters of an action, and of a result."""

_MINIMUM = 3
_GOOD = (
    r"(?:fix(?:ed|es)|resolv(?:ed|es)|solv(?:ed|es)|cur(?:ed|es)|unblock(?:ed|s)|repair(?:ed|s)"
    r"|eliminat(?:ed|es)|got rid of|mend(?:ed|s)|improv(?:ed|es)|speed(?:s)? up|sped up|cut(?:s)?"
    r"|reduc(?:ed|es)|prevent(?:ed|s)|stopped|restor(?:ed|es)|cleared|worked"
    r"|did the trick|helped|succeed(?:ed|s)|passed|brought back|halv(?:ed|es)|doubl(?:ed|es)"
    r"|made \w+(?: \w+){0,4} (?:pass|work|faster|stable|green))"
)
_BAD = (
    r"(?:broke|breaks|caus(?:ed|es)|crash(?:ed|es)|fail(?:ed|s)|led to|leads to|corrupt(?:ed|s)"
    r"|timed out|times out|made (?:it|things|\w+) worse|slow(?:ed|s)(?: \w+){0,3} down|raised an"
    r"|did not (?:help|work)|didn't (?:help|work)|had no effect|hangs|hung|block(?:ed|s)"
    r"|trigger(?:ed|s)|produced an error|exit(?:ed|s) with)"
)
_RESULT = re.compile(
    r"\b(?:(?:has|have|had|finally|also|immediately) )?"
    rf"(?:(?P<good>{_GOOD})|(?P<bad>{_BAD}))\b"
)
_DID = re.compile(
    r"(?:after|once|by|since|when|upon|as soon as) (?:(?:i|we|you|they|he|she) )?"
    r"(?P<verb>\w+(?:ing|ed)|set|put|ran|cut|made|took|rebuilt)\b"
)
_MEANS = re.compile(r" (?:by|after|with|through|once (?:i|we)) (?=\w+(?:ing|ed)\b|(?:an?|the)\b)")
_TRIED = re.compile(
    r"\b(?:i |we |she |he |they )?tried (?:to )?(?P<action>[^,;]{3,160}?),? (?:but|and|yet)"
    r" (?P<result>.{3,160})"
)
_DENIED = re.compile(
    r"\b(?:not|never|didn't|did not|doesn't|does not|won't|hasn't|no longer|nothing"
    r"|no effect|still)\b"
)
_POINTER = re.compile(
    r"(?:and |so |but )?(?:this|that|it|which|doing so|doing this|doing that)(?: change| fix)?"
)
_PERSON = re.compile(r"(?:i|we|you|they|he|she|who|somebody|someone)(?:'ve| have)?")
_AUXILIARY = re.compile(r"\b(?:is|was|are|were|be|been|being|to|will|would|can|should|must|may)$")


def outcomes(sentences: Sequence[str]) -> tuple[ActionOutcome, ...]:
    """Return at most 8 actions with their results, in order.

    Recognised forms: "X fixed Y", "fixed Y by doing X", "after doing X, Y", "tried X, but Y", "X
    failed with Y". If the action is only a reference ("That fixed it"), the preceding sentence is
    used as the action.
    """
    action_outcomes: list[ActionOutcome] = []
    for before, sentence in zip(["", *sentences], sentences, strict=False):
        outcome = _of_sentence(before, sentence)
        if outcome is not None:
            action_outcomes.append(outcome)
            if len(action_outcomes) == MAXIMUM:
                break
    return tuple(action_outcomes)


def _of_sentence(before: str, sentence: str) -> ActionOutcome | None:
    if sentence.endswith("?"):
        return None
    rules: tuple[Callable[[str, str], ActionOutcome | None], ...] = (
        _tried,
        _after_doing,
        _brought_about,
    )
    return next((outcome for rule in rules if (outcome := rule(before, sentence))), None)


def _tried(_before: str, sentence: str) -> ActionOutcome | None:
    tried = _TRIED.search(lowered(sentence))
    if tried is None:
        return None
    action, result = (sentence[slice(*tried.span(part))] for part in ("action", "result"))
    return _outcome(action, result, _worked(result, otherwise=False))


def _after_doing(_before: str, sentence: str) -> ActionOutcome | None:
    """Parse "After doing A, B"."""
    did = _DID.match(lowered(sentence))
    action, comma, result = sentence.partition(", ")
    if did is None or not comma or not result:
        return None
    return _outcome(action[did.start("verb") :], result, _worked(result, otherwise=True))


def _brought_about(before: str, sentence: str) -> ActionOutcome | None:
    """Parse "A fixed B", and "Fixed B by doing A"."""
    low = lowered(sentence)
    verb = _RESULT.search(low)
    if verb is None or _AUXILIARY.search(low[: verb.start()].rstrip()[-8:]):
        return None
    action, result = sentence[: verb.start()].strip(" ,:-"), sentence[verb.start() :]
    worked = verb["good"] is not None and not _DENIED.search(low[: verb.start()][-20:])
    if not action or _PERSON.fullmatch(action.lower()):
        means = _MEANS.search(result)
        if means is None:
            return None
        action, result = result[means.end() :], result[: means.start()]
    elif _POINTER.fullmatch(action.lower()):
        action = before
    return _outcome(action, result, worked)


def _worked(result: str, *, otherwise: bool) -> bool:
    low = lowered(result)
    verb = _RESULT.search(low)
    if verb is None:
        return otherwise and not _DENIED.search(low)
    return verb["good"] is not None and not _DENIED.search(low[: verb.start()])


def _outcome(action: str, result: str, worked: bool) -> ActionOutcome | None:
    """Return an outcome from an action and a result; None if one is empty."""
    done, came = (half.strip(" ,;:.!-")[:MAX_LENGTH].rstrip() for half in (action, result))
    return (
        ActionOutcome(done, came, worked)
        if len(done) >= _MINIMUM and len(came) >= _MINIMUM
        else None
    )
