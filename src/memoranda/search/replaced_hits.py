"""Orders hits so that one that updates another precedes it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from memoranda.observations.model import Origin
from memoranda.search.model import Contradiction, Hit
from memoranda.statements.conflict_result import ConflictKind
from memoranda.statements.value_changes import differ_in_value

PART = "replacement"
"""Name of the score contribution of replacing or being replaced."""

_NUMBER = re.compile(r"\d+")


def newest_first(
    hits: Sequence[Hit],
    contradictions: Iterable[Contradiction],
    records: Mapping[str, tuple[Origin, str]],
) -> tuple[Hit, ...]:
    """Mark each replaced hit, and place it after the hit that replaces it.

    A contradicted hit is placed so too, without a mark.

    The newest hit answers what the replaced hits answer: it gets the best score among them, and
    their scores are limited to its own. An agent's statement never replaces a person's. ``records``
    contains the origin and the text of each hit by its short name.
    """
    present = {hit.ref: hit for hit in hits}
    shown = [
        pair
        for pair in contradictions
        if {pair.older, pair.newer} <= present.keys() and _prevails(pair, records)
    ]
    newer = {pair.older: pair.newer for pair in shown}
    replaced = {pair.older for pair in shown if _replaces(pair, records)}
    if not newer:
        return tuple(hits)
    chains = {hit.ref: list(_chain(hit.ref, newer)) for hit in hits}
    best = {hit.ref: hit.score for hit in hits}
    for hit in hits:
        for ref in chains[hit.ref][-1:]:
            best[ref] = max(best[ref], hit.score)
    marked = [
        _behind(hit, chain[0] if hit.ref in replaced else "", present[chain[-1]].score)
        if chain
        else _scored(hit, best[hit.ref])
        for hit in hits
        for chain in [chains[hit.ref]]
    ]
    return tuple(sorted(marked, key=lambda hit: (-hit.score, len(chains[hit.ref]))))


def _prevails(pair: Contradiction, records: Mapping[str, tuple[Origin, str]]) -> bool:
    """Return whether the newer one comes first: not an agent's before a person's.

    Statements that differ in a number that names a thing ("pump 3") do not exclude each other.
    """
    (older, old), (newer, new) = records[pair.older], records[pair.newer]
    if older is Origin.HUMAN and newer is not Origin.HUMAN:
        return False
    return _replaces(pair, records) or set(_NUMBER.findall(old)) == set(_NUMBER.findall(new))


def _replaces(pair: Contradiction, records: Mapping[str, tuple[Origin, str]]) -> bool:
    """Return whether the newer hit replaces the older, as update or value."""
    old, new = records[pair.older][1], records[pair.newer][1]
    return pair.kind == ConflictKind.UPDATE or differ_in_value(old, new)


def _chain(ref: str, newer: Mapping[str, str]) -> Iterator[str]:
    """Yield the hits that replace one, each replacing the previous."""
    passed = {ref}
    while (ref := newer.get(ref, ref)) not in passed:
        passed.add(ref)
        yield ref


def _behind(hit: Hit, by: str, most: float) -> Hit:
    scored = _scored(hit, min(hit.score, most))
    return replace(scored, replaced_by=by) if by else scored


def _scored(hit: Hit, score: float) -> Hit:
    """Return a hit with a changed score that is still the sum of its parts."""
    change = round(score - hit.score, 4)
    return replace(hit, score=score, parts={**hit.parts, PART: change}) if change else hit
