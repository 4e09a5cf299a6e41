"""Which hits the command line lists."""

from __future__ import annotations

from memoranda.cli.search import FLOOR, above
from memoranda.search.model import Contradiction, Hit, HitKind, SearchMode, SearchResult, Validation


def hit(ref: str, score: float, **why: float) -> Hit:
    return Hit(HitKind.OBSERVATION, ref, ref, ref, "message", None, (), 0, 5, score, why)


def found(*hits: Hit, cursor: str | None = None) -> SearchResult:
    checked = Validation(
        coverage=1.0,
        left_out=(),
        precision=None,
        contradictions=(
            Contradiction("1#1", "1#2", "contradiction", "number"),
            Contradiction("1#2", "1#3", "contradiction", "number"),
        ),
    )
    return SearchResult(hits, SearchMode.HYBRID, False, "", cursor, checked)


def test_hits_below_the_floor_are_left_out_and_counted() -> None:
    among = found(hit("1#1", 1.0), hit("1#2", 0.4), hit("1#3", 0.01), hit("1#4", 0.01), cursor="c")
    kept, left = above(among, FLOOR)
    assert [one.ref for one in kept.hits] == ["1#1", "1#2"]
    assert left == 2
    assert kept.cursor is None, "what follows has lower scores still"
    assert [(one.older, one.newer) for one in kept.validation.contradictions] == [("1#1", "1#2")]


def test_everything_is_listed_without_a_floor() -> None:
    among = found(hit("1#1", 1.0), hit("1#3", 0.0), cursor="c")
    assert above(among, 0.0) == (among, 0)


def test_order_of_a_reranker_is_not_cut_by_scores() -> None:
    among = found(hit("1#3", 0.01, rerank=0.9), hit("1#1", 1.0, rerank=0.1))
    assert above(among, FLOOR) == (among, 0)
