"""The WordPiece tokenizer of BERT (uncased): texts to token ids."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

VOCABULARY = Path(__file__).with_name("vocabulary.txt")
LONGEST_WORD = 100
"""Characters of a word; a longer one is unknown, whatever it is made of."""
REMEMBERED = 20_000
"""Runs whose ids are kept, so that memory stays bounded."""

# Cut, so that a megabyte without a space is not read whole for its beginning.
_RUN = re.compile("[^\t\n\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]{1,10000}")
_UNWRITTEN = frozenset({"Mn", "Cc", "Cf", "Co", "Cs"})
_IDEOGRAPHS = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)


class WordPiece:
    """Splits texts into the tokens that the vocabulary has. Safe to share by threads."""

    def __init__(self, vocabulary: Path = VOCABULARY) -> None:
        tokens = vocabulary.read_text("utf-8").removesuffix("\n").split("\n")
        self._ids = {token: number for number, token in enumerate(tokens)}
        self._begin, self._end = self._ids["[CLS]"], self._ids["[SEP]"]
        self._unknown = (self._ids["[UNK]"],)
        self._characters = _CharacterForms()
        self._remembered: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        """Return how many tokens there are."""
        return len(self._ids)

    def ids(self, text: str, limit: int) -> list[int]:
        """Return the ids of a text between those of [CLS] and [SEP], at most ``limit`` in all."""
        found = [self._begin]
        for run in _RUN.finditer(text):
            found += self._run(run.group())
            if len(found) >= limit:
                break
        return [*found[: limit - 1], self._end]

    def _run(self, run: str) -> tuple[int, ...]:
        """Return the ids of characters between two spaces."""
        known = self._remembered.get(run)
        if known is None:
            written = unicodedata.normalize("NFD", run).translate(self._characters)
            known = tuple(number for word in written.split() for number in self._word(word))
            if len(run) <= LONGEST_WORD:
                if len(self._remembered) >= REMEMBERED:
                    self._remembered.clear()
                self._remembered[run] = known
        return known

    def _word(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word: again and again the longest token that it goes on with."""
        if len(word) > LONGEST_WORD:
            return self._unknown
        found: list[int] = []
        start, mark = 0, ""
        while start < len(word):
            for end in range(len(word), start, -1):
                number = self._ids.get(mark + word[start:end])
                if number is not None:
                    break
            else:
                return self._unknown
            found.append(number)
            start, mark = end, "##"
        return tuple(found)


class _CharacterForms(dict[int, str]):
    """How each character of a decomposed text is written, worked out when it first occurs."""

    def __missing__(self, code: int) -> str:
        self[code] = written = _written(chr(code))
        return written


def _written(character: str) -> str:
    """Return a character in lower case, with spaces around it if it is a word by itself.

    Of an accent or a control character nothing is left.
    """
    category = unicodedata.category(character)
    if category in _UNWRITTEN or character == "\ufffd":
        return ""
    code = ord(character)
    is_symbol = code < 128 and not character.isalnum()
    is_ideograph = any(first <= code <= last for first, last in _IDEOGRAPHS)
    if is_symbol or is_ideograph or category.startswith("P"):
        return f" {character} "
    return character.lower()
