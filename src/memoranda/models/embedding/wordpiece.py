"""The WordPiece tokenizer of BERT (uncased): texts to token ids."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

VOCABULARY = Path(__file__).with_name("vocabulary.txt")
MAX_WORD_LENGTH = 100
"""Maximum length of a word in characters; a longer word is unknown.

The parts of such a word do not matter.
"""
REMEMBERED = 20_000
"""Number of character runs whose ids are cached, to limit memory use."""

# Truncated, so that a megabyte without spaces is not processed just for its start.
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
    """Tokenizer that splits texts into tokens of the vocabulary.

    Thread-safe.
    """

    def __init__(self, vocabulary: Path = VOCABULARY) -> None:
        tokens = vocabulary.read_text("utf-8").removesuffix("\n").split("\n")
        self._ids = {token: number for number, token in enumerate(tokens)}
        self._begin, self._end = self._ids["[CLS]"], self._ids["[SEP]"]
        self._unknown = (self._ids["[UNK]"],)
        self._characters = _CharacterForms()
        self._remembered: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        """Return the number of tokens in the vocabulary."""
        return len(self._ids)

    def ids(self, text: str, limit: int) -> list[int]:
        """Return the token ids of a text between [CLS] and [SEP].

        At most ``limit`` ids are returned in total.
        """
        found = [self._begin]
        for run in _RUN.finditer(text):
            found += self._run(run.group())
            if len(found) >= limit:
                break
        return [*found[: limit - 1], self._end]

    def _run(self, run: str) -> tuple[int, ...]:
        """Return the token ids of a run of characters without spaces."""
        numbers = self._remembered.get(run)
        if numbers is None:
            written = unicodedata.normalize("NFD", run).translate(self._characters)
            numbers = tuple(number for word in written.split() for number in self._word(word))
            if len(run) <= MAX_WORD_LENGTH:
                if len(self._remembered) >= REMEMBERED:
                    self._remembered.clear()
                self._remembered[run] = numbers
        return numbers

    def _word(self, word: str) -> tuple[int, ...]:
        """Return the ids of a word by repeated longest match.

        Each token is the longest one that is a prefix of the remaining word.
        """
        if len(word) > MAX_WORD_LENGTH:
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
    """Table of the written form of each character in a decomposed text.

    Entries are computed when a character first occurs.
    """

    def __missing__(self, code: int) -> str:
        self[code] = written = _written(chr(code))
        return written


def _written(character: str) -> str:
    """Return a character in lower case, with spaces if it is a separate word.

    Accents and control characters are removed.
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
