"""Queries: their search terms, names and identifiers, and their vectors."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memoranda.language.foreign_stop_words import stop_words
from memoranda.language.lexemes import CJK, WORD, split_name
from memoranda.language.words import words
from memoranda.search.candidates import QueryEmbedding
from memoranda.text import normalise

if TYPE_CHECKING:
    from concurrent.futures import Future

    from memoranda.ports import Embedder, Vectors

REMEMBERED = 256
"""Number of queries whose vectors are cached."""
MAX_QUERY = 4_000
"""Maximum number of characters of a query that are read."""

_NAME = re.compile(r"[\w@]+(?:[./:\\-][\w@]+)*")
_UNLIKE_PROSE = re.compile(r"[./:\\-]|_\w|[a-z][A-Z]|[A-Za-z]\d|^[0-9a-f]{7,}$")
_CJK = re.compile(f"[{CJK}]{{2,}}")


@dataclass(frozen=True, slots=True)
class ParsedQuery:
    """The words of a query, with identifiers listed separately."""

    text: str
    words: tuple[str, ...]
    identifiers: tuple[str, ...]
    """Names, paths, codes and CJK runs, which are matched as substrings."""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to search for."""
        return not self.words and not self.identifiers


def parse_query(text: str) -> ParsedQuery:
    """Split a query into words, in order.

    Stop words are omitted unless the query contains nothing else.
    """
    text = normalise(text)[:MAX_QUERY]
    listed = list(dict.fromkeys([*words(text), *_parts_of_code(text)]))
    empty = stop_words(frozenset(listed))
    telling = [w for w in listed if w not in empty and (len(w) > 1 or _is_word(w))]
    named = [name for name in _NAME.findall(text) if _UNLIKE_PROSE.search(name)]
    identifiers = dict.fromkeys([*named, *_CJK.findall(text)])
    return ParsedQuery(
        text,
        tuple(telling or listed),
        tuple(
            identifier
            for identifier in identifiers
            if len(identifier) >= 3 or _CJK.fullmatch(identifier)
        ),
    )


def _parts_of_code(text: str) -> Iterator[str]:
    """Yield the parts of code identifiers in a query.

    Two capitalised parts, as in "GitHub", are the name of a product, whose parts have other
    meanings.
    """
    for word in WORD.findall(text):
        parts = split_name(word)
        if len(parts) > 2 or (len(parts) == 2 and len(parts[0]) > 1 and word[0].islower()):
            yield from parts


def _is_word(character: str) -> bool:
    """Return whether a single character counts as a word.

    This is true of digits, pictographs and Chinese characters.
    """
    return character.isdigit() or not (character.isascii() or character.islower())


class QueryEmbedder:
    """Vectors of queries, computed in parallel with the rest of a search."""

    def __init__(self, embedder: Embedder) -> None:
        from concurrent.futures import ThreadPoolExecutor

        self._embedder = embedder
        self._threads = ThreadPoolExecutor(2, "memoranda-embedding")
        self._known: OrderedDict[str, Vectors] = OrderedDict()

    def reads(self, text: str) -> bool:
        """Return whether the model supports a text's script; True if unknown."""
        reads: Callable[[str], bool] | None = getattr(self._embedder, "reads", None)
        return reads is None or reads(text)

    def awaited(self, text: str) -> Callable[[], QueryEmbedding]:
        """Start embedding a text; return a function that waits for the vector.

        The function raises EmbedderUnavailable if the embedder fails.
        """
        cached = self._known.get(text)
        name = self._embedder.name
        if cached is not None:
            return lambda: QueryEmbedding(name, cached)
        future: Future[Vectors] = self._threads.submit(self._embed, text)
        return lambda: QueryEmbedding(self._embedder.name, future.result())

    def close(self) -> None:
        """Wait for pending work."""
        self._threads.shutdown()

    def _embed(self, text: str) -> Vectors:
        vector: Vectors = self._embedder.embed([text], query=True)[0]
        self._known[text] = vector
        while len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return vector
