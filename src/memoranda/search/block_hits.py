"""Full-text search over the lines of the blocks visible to a caller.

A scope has only a few short blocks, so they are scanned without an index. A line that answers a
query usually contains most of the query's rare words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from memoranda.blocks import table as blocks
from memoranda.blocks.model import Block
from memoranda.blocks.places import unshadowing, visible_to
from memoranda.language.words import indexed_words, stems
from memoranda.observations.model import title
from memoranda.scope import Scope
from memoranda.search.filters import SearchFilter
from memoranda.search.model import Excerpt, Hit, HitKind, SearchMode
from memoranda.search.passage_splitter import passages
from memoranda.search.query import ParsedQuery
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks
from memoranda.text import one_line
from memoranda.workspaces import table as workspaces

MAXIMUM = 500
"""Maximum number of blocks that are read."""
LIKELY = 0.6
"""Fraction of the query's words, weighted by rarity, above which a line is likely to answer the
query.
"""
CERTAIN = 0.9
"""Score of a line that contains every word of the query."""
_LINE = re.compile(r"[^\n]*\S[^\n]*")
COMPARED = 60
"""Number of characters of a line that are compared with the other hits."""


def find_blocks(
    tx: Transaction, scope: Scope, where: SearchFilter, parsed: ParsedQuery
) -> tuple[Hit, ...]:
    """Return a hit for each block that contains a query word, best first.

    Only blocks that are visible in the scope are searched: private blocks of other agents are
    excluded, and shared blocks are visible only to those with whom they are shared.
    """
    if not where.blocks or not parsed.words:
        return ()
    seen = unshadowing(blocks.visible(tx, scope.team, visible_to(scope), limit=MAXIMUM))
    weights = _weights(parsed.words)
    found = [_best_line(item, weights) for item in seen if _matches(item, where)]
    ranked = sorted((one for one in found if one[0]), key=lambda one: (-one[0], one[2].id))
    return tuple(_hit(tx, block, line, share) for share, line, block in ranked)


def with_blocks(hits: tuple[Hit, ...], found: Sequence[Hit], mode: SearchMode) -> tuple[Hit, ...]:
    """Merge hits from records and blocks, best first.

    A block that only repeats a record among the hits is omitted. No block ranks above the best
    record, since a block's score is based on words alone.
    """
    others = " ".join(one_line(f"{hit.title} {_excerpt(hit)}") for hit in hits)
    new = [one for one in found if _excerpt(one)[-COMPARED:] not in others]
    if mode is SearchMode.EXACT:
        return (*hits, *new)
    if hits:
        best = max(one.score for one in hits)
        new = [replace(item, score=best, parts={"similarity": best}) if item.score > best else item
               for item in new]  # fmt: skip
    return tuple(sorted((*hits, *new), key=lambda one: -one.score))


def is_likely(hit: Hit) -> bool:
    """Return whether a block's line is likely to answer the query."""
    return hit.why["similarity"] >= LIKELY


def _weights(query_words: Sequence[str]) -> dict[str, float]:
    """Return the weight of each stem of a query."""
    from memoranda.search.general_word_rarity import rarity  # loads numpy

    return {stem: rarity(item) for item, stem in zip(query_words, stems(query_words), strict=True)}


def _matches(block: Block, where: SearchFilter) -> bool:
    block_place, at = block.place, block.updated_at
    if where.team_wide and (block_place.workspace or block_place.task):
        return False
    return (where.since is None or at >= where.since) and all(
        until is None or at < until for until in (where.until, where.as_of, where.known_by)
    )


def _best_line(block: Block, weights: dict[str, float]) -> tuple[float, Excerpt, Block]:
    """Return the score and position of a block's best matching line."""
    total, label = sum(weights.values()), set(stems(indexed_words(block.label)))
    best, chosen = 0.0, Excerpt(0, 0, "")
    for line in _lines(block.value):
        own = weights.keys() & set(stems(indexed_words(line.text)))
        share = (
            sum(weights[item] for item in own | (weights.keys() & label)) / total if own else 0.0
        )
        if share > best:
            best, chosen = share, line
    return best, chosen, block


def _lines(text: str) -> Iterator[Excerpt]:
    for line in _LINE.finditer(text):
        for part in passages(line[0]):
            begun = line.start() + part.start
            yield Excerpt(begun, part.length, text[begun : begun + part.length].strip())


def _hit(tx: Transaction, block: Block, line: Excerpt, share: float) -> Hit:
    score = round(CERTAIN * share**2, 4)
    return Hit(
        kind=HitKind.BLOCK,
        id=block.id,
        ref=block.label,
        title=title(f"{block.label} ({owner_of(tx, block)}): {one_line(line.text)}"),
        type=HitKind.BLOCK,
        task=block.place.task,
        tags=(),
        created_at=block.updated_at,
        tokens=block.tokens,
        score=score,
        why={"similarity": round(share, 4)},
        parts={"similarity": score},
        excerpt=replace(line, length=len(line.text)),
    )


def owner_of(tx: Transaction, block: Block) -> str:
    """Return a readable description of a block's owner."""
    block_place, team = block.place, block.team
    parts = [f"agent {block_place.agent}"] if block_place.agent else []
    parts += ["shared"] if block_place.shared else []
    if block_place.task:
        task = tasks.by_id(tx, team, block_place.task)
        parts.append(f"task {task.number}" if task else "a task")
    elif block_place.workspace:
        workspace = workspaces.by_id(tx, team, block_place.workspace)
        parts.append(f"workspace {workspace.name}" if workspace else "a workspace")
    return ", ".join(parts) or "whole team"


def _excerpt(hit: Hit) -> str:
    return one_line(hit.excerpt.text) if hit.excerpt else ""
