"""Converts ranked records to search hits."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from memoranda.ids import short
from memoranda.memories import table as memories
from memoranda.memories.model import Memory
from memoranda.observations import content as contents
from memoranda.observations.model import Observation, title
from memoranda.scope import Scope
from memoranda.search.model import Excerpt, Hit, HitKind
from memoranda.store.database import Transaction

if TYPE_CHECKING:
    from memoranda.search.ranker import Ranked


def texts_of(
    tx: Transaction, scope: Scope, ranked: Sequence[Ranked], also: Container[str] = ()
) -> dict[str, str]:
    """Return the texts of memories and observations by id.

    Observations are included only if they are long or their ids are in ``also``.
    """
    records = {one.record.id: one.record for one in ranked}
    wanted = [
        item.record.id
        for item in ranked
        if (item.passage or item.record.id in also) and isinstance(item.record, Observation)
    ]
    texts = contents.texts(tx, scope.team, wanted) if wanted else {}
    return texts | {m.id: m.content for m in records.values() if isinstance(m, Memory)}


def hits(
    ranked: Sequence[Ranked],
    texts: Mapping[str, str],
    refs: Mapping[str, str],
    terms: Sequence[str] | None = None,
    *,
    explain: bool,
) -> tuple[Hit, ...]:
    """Convert ranked records to hits.

    The excerpt of a long record is the passage that answers the query. With ``terms``, the excerpt
    of a short record is the sentence with the most terms if the title lacks it; JSON is shown in
    readable form.
    """
    return tuple(
        hit(
            item.record,
            item.score,
            item.factors,
            ref=refs[item.record.id],
            parts=item.parts,
            excerpt=_excerpt(item, texts.get(item.record.id), terms),
            evidence=item.evidence() if explain else None,
        )
        for item in ranked
    )


def hit(
    record: Observation | Memory,
    score: float,
    why: Mapping[str, float],
    *,
    ref: str,
    parts: Mapping[str, float],
    excerpt: Excerpt | None = None,
    evidence: Mapping[str, float] | None = None,
) -> Hit:
    """Convert one record to a hit."""
    seen = isinstance(record, Observation)
    return Hit(
        kind=HitKind.OBSERVATION if seen else HitKind.MEMORY,
        id=record.id,
        ref=ref,
        title=title_of(record),
        type=record.type if isinstance(record, Observation) else record.category,
        task=record.task if isinstance(record, Observation) else None,
        tags=record.tags,
        created_at=record.created_at,
        tokens=record.tokens,
        score=score,
        why={name: round(value, 4) for name, value in why.items()},
        parts=parts,
        excerpt=excerpt,
        evidence=evidence,
    )


def refs_of(tx: Transaction, team: str, records: Iterable[Observation | Memory]) -> dict[str, str]:
    """Return each record's short name, which every command accepts, by id.

    The name of a memory is its full id if another memory, such as a copy, has an id with the same
    beginning.
    """
    refs = {
        record.id: record.ref if isinstance(record, Observation) else short(record.id)
        for record in records
    }
    ids = [id for id, ref in refs.items() if id.startswith(ref)]
    return refs | {id: id for id in memories.of_shared_prefix(tx, team, ids)}


def title_of(record: Observation | Memory) -> str:
    """Return the line that represents a record in a list."""
    return title(record.summary) if isinstance(record, Observation) else record.title


def _excerpt(one: Ranked, text: str | None, terms: Sequence[str] | None) -> Excerpt | None:
    if text is None or (one.passage is None and not terms):
        return None
    from memoranda.search.readable_json import ReadableText, read_excerpt
    from memoranda.search.sentence_matches import matched_sentence

    if one.passage is None:
        readable_text = ReadableText(text)
        sentence = matched_sentence(readable_text.text, terms or ())
        excerpt = readable_text.excerpt(sentence) if sentence else None
        return None if excerpt is None or excerpt.text in title_of(one.record) else excerpt
    if terms is not None:
        shown = read_excerpt(text, one.passage)
        return _better_excerpt(text, terms, shown) or shown
    start, end = one.passage.start, one.passage.start + one.passage.length
    return Excerpt(start, one.passage.length, text[start:end])


def _better_excerpt(text: str, terms: Sequence[str], shown: Excerpt) -> Excerpt | None:
    """Return the line of a long text that matches better than its passage."""
    from memoranda.search.readable_json import ReadableText
    from memoranda.search.sentence_matches import better_line

    if better_line(text, terms, shown.text) is None:
        return None
    readable_text = ReadableText(text)
    line = better_line(readable_text.text, terms, shown.text)
    return readable_text.excerpt(line) if line else None
