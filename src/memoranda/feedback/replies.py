"""Detects acceptance or refusal in replies to a proposal.

The result does not depend on the phrasings of the cues.
"""

from __future__ import annotations

import re
from enum import Enum, auto

from memoranda.feedback.turn import HEAD, proposes, turn_of
from memoranda.utterances.labels import UtteranceLabel, UtterancePart
from memoranda.utterances.sentence_checks import plain_classifier

MIN_PROBABILITY = 0.45
"""Minimum label probability that classifies a reply."""
SHORT = 25
"""Maximum number of words of a reply; a longer message is more than yes or no."""

_REFUSES = re.compile(
    r"^\W{0,3}(?:(?:oh|ok|okay|please|hm+|ugh|well|again),? ){0,2}"
    r"(?:no(?:pe)?\b|nah\b|not (?:that|this|again|now|here|a)\b"
    r"|(?:don'?t|do not|never|stop|quit)(?: (?:do(?:ing)?|suggest(?:ing)?|propos(?:e|ing)|bother"
    r"|ask(?:ing)?|start(?:ing)?|even))?(?: (?:that|this|it|so|again|please|any of that)){0,3}"
    r"(?:[,.;:!]|$)|enough\b|rather not\b|i'?d rather (?:not|you did)|let'?s not\b|absolutely not"
    r"|certainly not|no way|i (?:said|told you|already said)[^.?!]{0,20} (?:no|not)\b"
    r"|i do(?:n'?t| not) want\b|i (?:won'?t|refuse)|(?:we|i)(?:'ve| have) been over this"
    r"|skip (?:it|that)|drop (?:it|that)|leave (?:it|that|them) (?:out|alone)"
    r"|forget (?:it|that)"
    r"|nein\b|keine?[nrms]?\b|(?:bitte|lieber) (?:nicht|keine?[nrms]?)\b|auf keinen fall"
    r"|hört? (?:bitte )?auf\b|lass das\b|nada de\b|ni hablar|mejor no\b|não\b|nem pensar|melhor não"
    r"|non\b|pas (?:de|ça|question)\b|surtout pas|hors de question"
    r"|不(?:要|用|行|需要)|别|いいえ|いらない|やめて|нет\b|не (?:надо|нужно)|아니)"
)
_DENIED = re.compile(
    r"\b(?:no(?: more)?|not|without|instead of|stop (?:suggesting|proposing|offering|with)"
    r"|don'?t (?:want|need|use|like|add|do)|enough (?:of|with)|hate|drop|leave|keep) "
    r"(?:the |a |an |any |your )?"
    r"(\w[\w'-]{1,40}(?: \w[\w'-]{1,40})?)"
)
_NO_REFUSAL = re.compile(
    r"^\W{0,3}(?:no (?:problem|worries|rush|need|idea|objections?|complaints?)|not (?:bad|wrong)"
    r"|no,? (?:that'?s|it'?s|this is) (?:right|fine|good|correct|ok|perfect|great|all)"
    r"|don'?t (?:worry|change a thing|see why not)|stop (?:there|here)\b"
    r"|(?:don'?t|do not|never) (?:forget|hesitate|mind)"
    r"|keine? (?:problem|sorge)|nicht schlecht|non,? c'est (?:bon|bien)|pas de (?:problème|souci)"
    r"|no hay problema|não (?:tem|há) problema|不错|别担心)"
)
_ACCEPTS = re.compile(
    r"^\W{0,3}(?:ok(?:ay)?|fine|all ?right|sure|yes|yeah|yep|good|great|perfect|agreed|well)\b"
    r"[,.!;:]? (?:then,? |please |let'?s |you (?:can|may) |we(?:'ll| can| could) "
    r"|go ahead and ){0,3}"
    r"(?:use|take|add|go (?:with|for)|have|try|bring in|do|put in|include)\b(?P<what>[^?]{1,80})$"
)
_BUT = re.compile(r"\b(?:not|no|never|without|instead|but|except|only)\b|n't\b")


class ProposalReply(Enum):
    """A person's reaction to a proposal."""

    REFUSED = auto()
    ACCEPTED = auto()


def reply_to(turn: str, before: str | None) -> ProposalReply | None:
    """Return whether a turn refuses or accepts a proposal in ``before``.

    The result is None if ``before`` proposes nothing, or the turn neither refuses nor accepts.
    """
    if not before or not proposes(before) or len(turn.split()) > SHORT:
        return None
    person_turn = turn_of(turn, before)
    if not person_turn.text or person_turn.questions or _NO_REFUSAL.match(person_turn.text):
        return None
    if refuses(turn, before):
        return ProposalReply.REFUSED
    labels = {
        part.label for part in plain_classifier().parts(turn[:HEAD], before) if _is_certain(part)
    }
    if UtteranceLabel.REFUSAL in labels:
        return ProposalReply.REFUSED
    accepting = labels & {UtteranceLabel.APPROVAL, UtteranceLabel.LIFT}
    return ProposalReply.ACCEPTED if accepting else None


def refuses(turn: str, before: str) -> bool:
    """Return whether the text of a turn refuses a proposal.

    Such a turn begins with a refusal, or denies something that the proposal names.
    """
    person_turn = turn_of(turn, before)
    if _NO_REFUSAL.match(person_turn.text) or person_turn.answered is None or not proposes(before):
        return False
    if _REFUSES.match(person_turn.text):
        return True
    named = (turn_of(match[1], None).stems for match in _DENIED.finditer(person_turn.text))
    return any(stems & person_turn.answered.stems for stems in named)


def accepts(turn: str, before: str) -> bool:
    """Return whether a turn accepts a proposal by naming what it proposes.

    The turn must contain no restriction, such as "but".
    """
    person_turn = turn_of(turn, before)
    match = _ACCEPTS.match(person_turn.text)
    if (
        match is None
        or person_turn.answered is None
        or not proposes(before)
        or _BUT.search(person_turn.text)
    ):
        return False
    return bool(turn_of(match["what"], None).stems & person_turn.answered.stems)


def _is_certain(part: UtterancePart) -> bool:
    return part.confidence >= MIN_PROBABILITY
