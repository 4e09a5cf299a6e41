"""A person's turn and the assistant turn before it, parsed for analysis."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memoranda.language.prose import without_fenced
from memoranda.language.words import EMPTY, stem
from memoranda.text import one_line

HEAD, TAIL = 500, 200
"""Number of characters read at the start and at the end of a turn."""
RAW = 4 * (HEAD + TAIL)
"""Maximum number of characters of a turn kept before code and quotations are removed."""

_QUOTED_LINE = re.compile(r"^>.*$", re.MULTILINE)
_SPAN = re.compile(r"`[^`\n]{1,200}`")
_WORD = re.compile(r"[\w']+")

_PROPOSES = re.compile(
    r"\b(?:(?:shall|should|may|can|could) (?:i|we)\b|would you like\b|do you want me\b"
    r"|(?:i|we) (?:can|could|would|will)\b|(?:i|we)'(?:d|ll)\b|i (?:suggest|propose|recommend)"
    r"|how about\b|what about\b|let me (?!know)|let'?s\b|would (?:a|an|the|it)\b|ok to\b"
    r"|is available\b|my (?:plan|proposal|suggestion|recommendation)\b|plan(?:ning)? to\b"
    r"|going to\b|want me to\b|ready to\b|we might\b|i might\b|it might be\b)"
)
_RECOMMENDS = re.compile(
    r"\bwould (?:make|be|do|work|help|fit|save|speed|solve|simplify|suit)\b|\bmight help\b"
    r"|\bdo you want (?!to know)\w"
    r"|\b(?:ich|wir) (?:schlagen?|könnten?|würden?)\b|\b(?:sollen wir|soll ich|lass uns)\b"
    r"|\bwären?\b|\b(?:podría(?:mos)?|propongo|sugiero|debería(?:mos)?|quieres que|vamos a)\b"
    r"|\b(?:podemos|poderia|poderíamos|sugiro|proponho|quer que|devo)\b"
    r"|\b(?:je (?:propose|peux|pourrais|suggère)|on pourrait|(?:veux-tu|voulez-vous) que|puis-je)\b"
    r"|建议|要不要|我可以|我们可以|ましょうか|提案"
    r"|しますか|どうでしょう"
)
"""Further phrases of a proposal that the fitted model does not recognise."""
_ASKS_INFORMATION = re.compile(
    r"\b(?:any|some)thing (?:else|to add)\b"
    r"|\b(?:do|did|have) you (?!want|like|agree|approve)\w|\bare you (?:using|on|based|sure)\b"
    r"|(?:^|[.!?] )(?:did|was|were|has|have)\b[^.!?]{0,200}\?"
    r"|^(?:which|what|where|when|who|how(?! about))\b|\bis there\b|\blet me know\b"
    r"|\bwhy do you ask\b|\bwhich (?:one|of|\w{1,20} (?:do|should|would))\b"
)
_QUESTION_WORD = re.compile(
    r"(?:what|why|how|who|where|which|is|are|was|were|does|did|do|have|has|should|am|what's|who's"
    r"|when (?:is|are|was|did|do|does|will|can)|would it|could (?:it|this|that))\b[^.!]{0,400}$"
)


@dataclass(frozen=True, slots=True)
class AnsweredTurn:
    """The assistant's turn that a person answers."""

    proposes: bool
    """Whether the turn offers or announces to do something."""
    asks: bool
    """Whether the turn asks for information."""
    questions: bool
    """Whether the turn ends with a question mark."""
    stems: frozenset[str]

    @property
    def reports(self) -> bool:
        """Whether the turn reports on work and asks nothing."""
        return not (self.proposes or self.asks or self.questions)


@dataclass(frozen=True, slots=True)
class PersonTurn:
    """A person's turn, prepared for classification."""

    text: str
    """One line in lower case, without code and quoted lines.

    The middle of a long text is omitted.
    """
    words: int
    questions: bool
    stems: frozenset[str]
    """Stems of the content words."""
    answered: AnsweredTurn | None


def turn_of(turn: str, before: str | None) -> PersonTurn:
    """Prepare a turn and the previous one, at bounded cost."""
    text = _plain(turn)
    return PersonTurn(
        text=text,
        words=len(text.split()),
        questions=text.endswith("?") or _QUESTION_WORD.match(text.lstrip("\"'( ")) is not None,
        stems=_stems(text),
        answered=_answered(before) if before and before.strip() else None,
    )


def _answered(before: str) -> AnsweredTurn:
    text = _plain(before)
    return AnsweredTurn(
        proposes=_PROPOSES.search(text) is not None,
        asks=_ASKS_INFORMATION.search(text) is not None,
        questions=text.endswith("?"),
        stems=_stems(text),
    )


def proposes(sentence: str) -> bool:
    """Return whether an assistant's sentence offers or announces an action."""
    text = _plain(sentence)
    return any(form.search(text) for form in (_PROPOSES, _RECOMMENDS))


def _plain(text: str) -> str:
    if len(text) > RAW:
        text = f"{text[: RAW // 2]}\n{text[-RAW // 2 :]}"
    text = _SPAN.sub(" ", without_fenced(text))
    if ">" in text:
        text = _QUOTED_LINE.sub(" ", text)
    line = one_line(text)
    if len(line) > HEAD + TAIL:
        line = f"{line[:HEAD]} {line[-TAIL:]}"
    return line.lower().replace("\u2019", "'").replace("\u201c", '"').replace("\u201d", '"')


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in _WORD.findall(text) if word not in EMPTY)
