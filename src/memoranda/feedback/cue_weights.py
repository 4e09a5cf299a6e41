"""Weights of a turn's cues, adjusted for its form and the previous turn."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from memoranda.feedback.model import FeedbackType
from memoranda.feedback.turn import PersonTurn
from memoranda.language.words import table_rows


@dataclass(frozen=True, slots=True)
class FeedbackCue:
    """Pattern, with the type that it indicates and its weight."""

    type: FeedbackType
    weight: float
    name: str
    pattern: re.Pattern[str]


@cache
def cues() -> tuple[FeedbackCue, ...]:
    """Load the cues, once."""
    return tuple(
        FeedbackCue(FeedbackType(kind), float(weight), name, re.compile("|".join(wordings)))
        for kind, weight, name, wordings in _gathered()
    )


def _gathered() -> Iterator[tuple[str, str, str, list[str]]]:
    """Group the patterns of each cue."""
    found: list[tuple[str, str, str, list[str]]] = []
    for kind, weight, name, wording in table_rows("memoranda.feedback", "cues.tsv")[1:]:
        if name:
            found.append((kind, weight, name, []))
        found[-1][3].append(wording)
    yield from found


CORRECTION, REJECTION, APPROVAL, INSTRUCTION, PATTERN = FeedbackType
NOTHING = 1.3
"""Initial score for the absence of feedback."""
HANDS_OFF = "hands off, to begin with"
"""Cue of a prohibition that names what must not be changed."""
BLAME = "it is wrong"
"""Cue of an objection that may not state what is right."""

_SOFT = re.compile(
    r"^\W{0,3}(?:never ?mind|no (?:problem|worries|rush|need to (?:apologi[sz]e|worry))"
    r"|don'?t worry(?: about it)?|(?:it|that)'?s ok(?:ay)?|not a problem|it happens|will do"
    r"|all right|one (?:moment|sec(?:ond)?)|(?:please )?(?:hold on|wait)(?: (?:a"
    r"|one))?(?: \w{1,12})?"
    r"|ok(?:ay)?|interesting|i see|hm{1,6}(?: let me think)?|not sure(?: yet)?|just curious"
    r"|thanks anyway|no,? that'?s all|nothing(?: right now| else)?|no|nope|ok(?:ay)?,? got it"
    r"|got it|hi(?: there)?|hello|hey|bye|good (?:morning|evening|night)|forget it|brb|see you"
    r"(?: \w{1,12})?|let me (?:think|check)(?: about it)?|i'?ll (?:think about it|let you know"
    r"|get back to you)|maybe(?: later)?|who knows|no idea|i don'?t know)\W{0,3}$"
)
_BARE_NO = re.compile(r"^\W{0,3}no(?:pe)?\W{0,3}$")
_NO = re.compile(r"^\W{0,3}nope?\b")
_CONSENT = re.compile(r"^\W{0,3}(?:yes|sure|ok|please do|go)")
_REQUEST = re.compile(r"^\W{0,3}(?:can|could|would|will) you\b")
_NO_REAL_QUESTION = re.compile(
    r"\b(?:did ?n'?t (?:i|we) (?:say|tell|ask|agree)|remember\?|why a\b|who asked"
    r"|are you (?:kidding"
    r"|serious|joking)|what were you thinking)|: "
)
_WHY_NOT = re.compile(r"\bwhy not\W{0,3}$")
_DAMAGE = re.compile(
    r"\b(?:broke|broken|breaking|crash\w{0,4}|down|fail\w{0,4}|slow(?:er)?|worse|bug|error|useless"
    r"|wrong|gone|lost|deleted)\b"
)
_PRAISE = re.compile(
    r"\b(?:great|wonderful|brilliant|fantastic|perfect|nice|awesome|lovely|thanks|sure|good job"
    r"|great job|fixed|amazing|well done)\b"
)
_REAL_PRAISE = re.compile(r"\b(?:no|not|without|fixed (?:it|the)|that fixed|is fixed|no longer)\b")
_NO_THAT_IS_RIGHT = re.compile(
    r"^\W{0,3}no,? (?:that'?s|it'?s|this is) (?:right|fine|good|correct|ok|perfect|great|all)"
)
_ACTUALLY_GOOD = re.compile(r"^\W{0,3}actually,? [^.]{0,80}\b(?:works|fine|good|great|perfect)\b")
_DENIED_BLAME = re.compile(
    r"\bdon'?t change a thing|\bno (?:complaints|objections)|can'?t (?:complain|fault)"
    r"|\bi don'?t see why not|\bnot (?:bad|wrong)\b|\bwouldn'?t change"
)
_OF_OTHERS = re.compile(
    r"^\W{0,3}(?:my|his|her|their|the|she|he|they|our (?:customer|client|user)s?)\b"
)
_TELLING = re.compile(
    r"^\W{0,3}(?:i(?! (?:need|want|would like|'d like))|it'?s|she|he|they|my|here'?s|no idea"
    r"|nothing)\b"
)
_POINTING = re.compile(r"^\W{0,3}(?:it|that|this|he|she|they|the|\d)")


@dataclass(slots=True)
class CueScores:
    """Scores for each type, and for the absence of feedback."""

    scores: dict[FeedbackType, float] = field(
        default_factory=lambda: dict.fromkeys(FeedbackType, 0.0)
    )
    nothing: float = NOTHING
    said: dict[FeedbackType, tuple[float, str]] = field(default_factory=dict)
    """Strongest cue of each type in the text itself."""

    def hear(self, turn: PersonTurn) -> None:
        """Add the weights of all cues in the text of a turn."""
        for cue in cues():
            if cue.pattern.search(turn.text) is not None:
                self.scores[cue.type] += cue.weight
                if cue.weight > self.said.get(cue.type, (0.0, ""))[0]:
                    self.said[cue.type] = cue.weight, cue.name

    def scale(self, factor: float, *types: FeedbackType) -> None:
        """Multiply the scores of the given types."""
        for kind in types:
            self.scores[kind] *= factor


def score_turn(turn: PersonTurn) -> CueScores:
    """Add the scores of a turn's cues, adjusted for its form and context."""
    tally = CueScores()
    tally.hear(turn)
    _soft(tally, turn)
    _question(tally, turn)
    _sarcasm(tally, turn)
    _turned_round(tally, turn)
    if turn.answered is None:
        _unprompted(tally, turn)
    else:
        _reply(tally, turn)
        _other_value(tally, turn)
    _between(tally, turn)
    return tally


def is_soft(turn: PersonTurn) -> bool:
    """Return whether a turn is only a set phrase: "never mind", "ok", "no"."""
    return _SOFT.match(turn.text) is not None


def is_consent(words: str) -> bool:
    """Return whether a text agrees to a proposal."""
    return _CONSENT.match(words.lower()) is not None


def _soft(tally: CueScores, turn: PersonTurn) -> None:
    """Score set phrases: polite ones are neutral, "no" rejects a proposal."""
    if not is_soft(turn):
        return
    tally.nothing += 4
    proposed = turn.answered is not None and turn.answered.proposes and not turn.answered.asks
    if proposed and _BARE_NO.match(turn.text):
        tally.scores[REJECTION] += 6


def _question(tally: CueScores, turn: PersonTurn) -> None:
    if not turn.questions or _WHY_NOT.search(turn.text):
        return
    if _NO_REAL_QUESTION.search(turn.text):
        return
    if _REQUEST.match(turn.text):
        tally.scale(0.45, PATTERN)  # a request, or a question whether something can be a rule
        return
    tally.nothing += 3.2
    tally.scale(0.45, APPROVAL, PATTERN, INSTRUCTION, REJECTION)
    tally.scale(0.6, CORRECTION)


def _sarcasm(tally: CueScores, turn: PersonTurn) -> None:
    """Score sarcasm, which praises damage: "Lovely, the roof is down"."""
    if turn.answered is None or _REAL_PRAISE.search(turn.text):
        return
    if _DAMAGE.search(turn.text) and _PRAISE.search(turn.text):
        tally.scores[REJECTION] += 2.6
        tally.scale(0.3, APPROVAL)


def _turned_round(tally: CueScores, turn: PersonTurn) -> None:
    """Score denied blame, and an opening that the rest retracts."""
    if _NO_THAT_IS_RIGHT.match(turn.text):
        tally.scores[REJECTION] -= 3
        tally.scores[CORRECTION] -= 2
    if _ACTUALLY_GOOD.match(turn.text):
        tally.scores[CORRECTION] -= 2
    if _DENIED_BLAME.search(turn.text):
        for kind, less in ((REJECTION, 3.0), (INSTRUCTION, 2.0), (CORRECTION, 2.0), (PATTERN, 1.0)):
            tally.scores[kind] -= less


def _unprompted(tally: CueScores, turn: PersonTurn) -> None:
    """Reduce scores if there is no previous turn to correct or praise."""
    tally.scale(0.75, CORRECTION, REJECTION)
    tally.scale(0.8, APPROVAL)
    if _OF_OTHERS.match(turn.text) and tally.scores[PATTERN] < 2.5:
        tally.nothing += 1.2
    if _TELLING.match(turn.text) and tally.scores[PATTERN] < 1.9 and tally.scores[INSTRUCTION] < 2:
        tally.nothing += 1.0


def _reply(tally: CueScores, turn: PersonTurn) -> None:
    answered = turn.answered
    if answered is None:
        return
    scores = tally.scores
    if (
        answered.asks
        and not answered.proposes
        and scores[CORRECTION] < 2.4
        and scores[REJECTION] < 2.4
    ):
        tally.nothing += 1.8
        tally.scale(0.4, REJECTION, APPROVAL)
    if answered.proposes and _bans_it(tally, turn):
        scores[REJECTION] += scores[PATTERN]
        scores[PATTERN] = 0.0
    if answered.proposes and _CONSENT.match(turn.text):
        scores[APPROVAL] += 1
    if answered.reports and _NO.match(turn.text) and turn.words > 3:
        scores[CORRECTION] += 0.8
    if scores[CORRECTION] >= 1.5 and not turn.questions:
        scores[CORRECTION] += 0.5


def _bans_it(tally: CueScores, turn: PersonTurn) -> bool:
    """Return whether a prohibition covers only the proposal."""
    answered = turn.answered
    if answered is None or tally.said.get(PATTERN, (0.0, ""))[1] != HANDS_OFF:
        return False
    return len(turn.stems & answered.stems) > 1


def _other_value(tally: CueScores, turn: PersonTurn) -> None:
    """Score a statement that differs from a report on the same subject.

    For example "It holds seven litres.".
    """
    answered = turn.answered
    if answered is None or turn.questions or answered.proposes or answered.asks:
        return
    scores = tally.scores
    silent = (
        scores[APPROVAL] < 1
        and scores[INSTRUCTION] < 2
        and scores[PATTERN] < 1.5
        and scores[REJECTION] < 1.4
    )
    if not silent or not 2 <= turn.words <= 16:
        return
    if turn.stems & answered.stems or _POINTING.match(turn.text):
        scores[CORRECTION] += 1.6


def _between(tally: CueScores, turn: PersonTurn) -> None:
    """Reduce the score of the less specific of two types with common cues."""
    scores = tally.scores
    if scores[PATTERN] >= 2:
        tally.scale(0.6, INSTRUCTION)
    if scores[PATTERN] >= 2.4:
        tally.scale(0.7, CORRECTION)
        tally.scale(0.6, REJECTION)
    if scores[CORRECTION] >= 2:
        if turn.words > 5:
            tally.scale(0.6, REJECTION)
        if turn.answered is not None:
            tally.scale(0.7, INSTRUCTION)
