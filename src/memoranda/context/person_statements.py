"""People's statements as entries of a context, best first."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from memoranda.context.record_lines import concise, item_of
from memoranda.context.user_sentences import Remark
from memoranda.search.model import ContextItem
from memoranda.text import clip

SENTENCE = 500
"""Maximum number of characters of a person's sentence."""
AFTER = 1_000_000
"""Distance of further statements from those that a section already shows."""
_WORD = re.compile(r"\w+")
_BEFORE = " (before, "
"""Start of the earlier statement that an entry quotes after the later one."""


@dataclass(frozen=True, slots=True)
class PersonStatements:
    """People's statements, best first, with the share of lasting ones."""

    lasting: Sequence[ContextItem]
    other: Sequence[ContextItem]
    withdrawing: Sequence[ContextItem]
    """Statements that only retracted others, which are not shown."""
    share: float
    texts: Sequence[str]

    @classmethod
    def of(cls, found: Sequence[Remark], room: float) -> PersonStatements:
        """Split sentences into lasting and other ones; ``room`` is in characters.

        Positions follow the reading order: the newest message first.
        """
        ordered = sorted(
            found, key=lambda o: (-o.observation.counted_at, o.observation.ref, o.sentence.start)
        )
        places = {id(remark): place for place, remark in enumerate(ordered, 1)}
        items = [replace(_sentence(one), place=places[id(one)]) for one in found]
        pairs = list(zip(found, items, strict=True))
        return cls(
            lasting=[item for one, item in pairs if one.lasts and not one.withdraws],
            other=[item for one, item in pairs if not one.lasts and not one.withdraws],
            withdrawing=[item for one, item in pairs if one.withdraws],
            share=_lasting_share(found, room),
            texts=[one.sentence.text for one in found],
        )


def _sentence(one: Remark) -> ContextItem:
    return item_of(one.observation, clip(concise(one.sentence.text), SENTENCE))


def _lasting_share(found: Sequence[Remark], room: float) -> float:
    """Return the share of lasting statements in the best ``room`` characters."""
    lasting = whole = 0
    for remark in found:
        if whole >= room:
            break
        whole += len(remark.sentence.text)
        lasting += len(remark.sentence.text) * remark.lasts
    return lasting / whole if whole else 0.0


@dataclass(frozen=True, slots=True)
class FurtherStatements:
    """Statements that a context with space left may add, best first."""

    standing: Sequence[ContextItem]
    other: Sequence[ContextItem]


class ShownTexts:
    """Texts that are shown in a context, by source."""

    def __init__(self, items: Iterable[ContextItem]) -> None:
        self._texts: dict[str, list[str]] = defaultdict(list)
        for item in items:
            self._texts[item.ref].append(_words(item.text))

    def missing(self, items: Iterable[ContextItem]) -> list[ContextItem]:
        """Return the entries that no shown text of their source contains.

        The positions of these entries follow those of the shown entries.
        """
        return [
            replace(item, place=AFTER + item.place)
            for item in items
            if not any(
                _words(item.text.partition(_BEFORE)[0]) in text
                for text in self._texts.get(item.ref, ())
            )
        ]


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text))} "
