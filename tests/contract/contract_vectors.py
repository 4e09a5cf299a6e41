"""Contract of the store for vectors: results equal an exhaustive search."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from contract.contract_transactions import together
from contract.records import Records
from memoranda.search import table as entries
from memoranda.store.database import (
    Database,
    Transaction,
    VectorEntry,
    VectorHit,
    VectorQuery,
)

if TYPE_CHECKING:
    from memoranda.ports import Vectors

TEAM = "local"
HALF = 2e-3
"""Maximum error of a cosine with half-precision vectors."""
NEARLY = 0.95
"""Minimum recall of an approximate search."""
TOPICS = 24


def directions(count: int, size: int = 64, seed: int = 0) -> Vectors:
    """Return vectors of length 1 in clusters, like those of texts."""
    random = np.random.default_rng(seed)
    topics = np.random.default_rng(size).normal(size=(TOPICS, size))
    made = topics[random.integers(TOPICS, size=count)] + random.normal(size=(count, size))
    found: Vectors = (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)
    return found


@dataclass(frozen=True, slots=True)
class VectorCorpus:
    """Stored passages with their vectors, one per record."""

    sources: Sequence[str]
    vectors: Vectors
    """(n, dimensions)"""

    def cosines(self, wanted: Vectors) -> dict[str, float]:
        """Return the exact cosine of each."""
        exact = self.vectors.astype(np.float64) @ wanted.astype(np.float64)
        return dict(zip(self.sources, exact.tolist(), strict=True))

    def check(
        self, hits: Sequence[VectorHit], wanted: Vectors, limit: int, part: float = NEARLY
    ) -> None:
        """Check that hits are the nearest, in order, with the right cosines."""
        cosines = self.cosines(wanted)
        scores = [hit.score for hit in hits]
        best = sorted(cosines, key=lambda source: -cosines[source])[:limit]
        assert len({hit.source for hit in hits}) == len(hits) == len(best)
        assert scores == pytest.approx([cosines[hit.source] for hit in hits], abs=HALF)
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.source, hit.place))
        as_good = sum(cosines[hit.source] >= cosines[best[-1]] - HALF for hit in hits)
        assert as_good >= part * len(best)


def plant(
    tx: Transaction, records: Records, vectors: Vectors, model: str = "m", **scope: Any
) -> VectorCorpus:
    """Store a record with one passage for each vector."""
    news = [records.entry(**scope) for _ in vectors]
    sources = [new.entry.source for new in news]
    entries.insert(tx, records.team, news)
    made = [VectorEntry(source, 0, each) for source, each in zip(sources, vectors, strict=True)]
    tx.vectors().put(records.team, model, made)
    return VectorCorpus(sources, vectors)


def planted(database: Database, vectors: Vectors, **scope: Any) -> VectorCorpus:
    """Store vectors in one transaction, with records of a seed of their own."""
    seed = int(abs(float(vectors.sum())) * 1e6)
    stored: VectorCorpus = database.write(
        partial(plant, records=Records(seed=seed), vectors=vectors, **scope)
    )
    return stored


def nearest(database: Database, wanted: Vectors, model: str = "m", **scope: Any) -> list[VectorHit]:
    """Return the nearest passages."""
    query = VectorQuery(scope.pop("team", TEAM), model, wanted, **scope)
    return database.of(query.team).read(lambda tx: tx.vectors().nearest(query))


def put(database: Database, model: str, sources: Iterable[str], vectors: Vectors) -> None:
    """Store a vector for passages of records."""
    made = [VectorEntry(source, 0, each) for source, each in zip(sources, vectors, strict=True)]
    database.write(lambda tx: tx.vectors().put(TEAM, model, made))


def names(hits: Sequence[VectorHit]) -> set[str]:
    """Return the records of hits."""
    return {hit.source for hit in hits}


def check_nearest(database: Database, count: int, size: int) -> None:
    """Check what is near six directions among so many vectors."""
    corpus = planted(database, directions(count, size), workspace="shop")
    for wanted in directions(6, size, seed=1):
        corpus.check(nearest(database, wanted, limit=60), wanted, 60)


class ManyVectorsContract:
    """Of thousands of vectors the nearest are found too."""

    @pytest.mark.parametrize(("count", "size"), [(3_000, 64), (700, 384)])
    def test_the_nearest_of_many_come_first_with_their_cosine(
        self, database: Database, count: int, size: int
    ) -> None:
        check_nearest(database, count, size)

    def test_among_some_records_every_passage_is_looked_at(self, database: Database) -> None:
        corpus = planted(database, directions(5_000), workspace="shop")
        for size in (1, 30, 3_000, 4_600):
            chosen = np.random.default_rng(size).permutation(5_000)[:size]
            among = [corpus.sources[number] for number in chosen]
            part = VectorCorpus(among, corpus.vectors[chosen])
            for wanted in directions(2, seed=1):
                hits = nearest(database, wanted, among=[*among, "unknown", among[0]], limit=50)
                part.check(hits, wanted, 50, part=1.0)


class VectorContract:
    """Vectors are found by cosine, scope, model and transaction."""

    def test_an_empty_store_has_nothing_near(self, database: Database) -> None:
        wanted = directions(1)[0]

        def look(tx: Transaction) -> tuple[object, ...]:
            index = tx.vectors()
            return (
                index.nearest(VectorQuery(TEAM, "m", wanted)),
                index.nearest(VectorQuery(TEAM, "m", wanted, among=["unknown"])),
                index.nearest(VectorQuery(TEAM, "m", wanted, among=[])),
                index.similarities(TEAM, "m", wanted, ["unknown"]),
                index.known(TEAM, "m", ["unknown"]),
            )

        assert database.read(look) == ([], [], [], {}, {})
        database.write(lambda tx: tx.vectors().put(TEAM, "m", []))
        database.write(lambda tx: tx.vectors().remove(TEAM, ["unknown"]))
        database.write(lambda tx: tx.vectors().rebuild(TEAM))

    @pytest.mark.parametrize("count", [1, 300])
    def test_the_nearest_come_first_with_their_cosine(self, database: Database, count: int) -> None:
        check_nearest(database, count, 64)

    def test_vectors_of_many_transactions_are_found_as_if_they_were_of_one(
        self, database: Database
    ) -> None:
        vectors = directions(1_700)
        parts = np.split(vectors, [1, 2, 500, 700, 1_300, 1_699])
        made = [planted(database, part, workspace="shop") for part in parts]
        stored = VectorCorpus([source for part in made for source in part.sources], vectors)
        for wanted in [*directions(4, seed=1), *vectors[[0, 1, 600, 1_698]]]:
            stored.check(nearest(database, wanted), wanted, 100)

    def test_of_writers_at_once_no_vector_is_lost(self, database: Database) -> None:
        vectors = directions(4 * 3 * 130)
        parts = np.split(vectors, 12)
        made: list[VectorCorpus] = []

        def run(number: int) -> None:
            for turn in range(3):
                part = parts[number * 3 + turn]
                mine = planted(database, part, workspace="shop")
                assert nearest(database, part[0], limit=1)[0].source == mine.sources[0]
                made.append(mine)

        together(run, count=4)
        sources = {id(part.vectors): part.sources for part in made}
        stored = VectorCorpus([source for part in parts for source in sources[id(part)]], vectors)
        for wanted in directions(4, seed=1):
            stored.check(nearest(database, wanted), wanted, 100)

    def test_equal_vectors_come_in_the_order_of_source_and_place(self, database: Database) -> None:
        records, wanted = Records(), directions(1)[0]
        news = [records.entry(passages=12) for _ in range(3)]
        places = [(new.entry.source, place) for new in news for place in range(12)]
        made = [VectorEntry(*place, wanted) for place in places]
        database.write(partial(entries.insert, team=TEAM, news=news))
        database.write(lambda tx: tx.vectors().put(TEAM, "m", made[::-1]))
        for limit in (36, 17):
            hits = nearest(database, wanted, limit=limit)
            assert [(hit.source, hit.place) for hit in hits] == places[:limit]
            assert [hit.score for hit in hits] == pytest.approx([1.0] * limit, abs=HALF)
        hits = nearest(database, wanted, among=[news[2].entry.source], limit=2)
        assert [(hit.source, hit.place) for hit in hits] == places[24:26]

    def test_no_more_hits_are_returned_than_requested(self, database: Database) -> None:
        corpus = planted(database, directions(40))
        wanted = corpus.vectors[7]
        for limit in (0, 1, 39, 40, 41, 5_000):
            hits = nearest(database, wanted, limit=limit)
            assert len(hits) == min(limit, 40)
            assert len(nearest(database, wanted, limit=limit, among=corpus.sources)) == len(hits)

    def test_a_workspace_sees_its_own_passages_and_those_of_none(self, database: Database) -> None:
        vectors = np.split(directions(1_500), 3)
        shop, mill, general = (
            planted(database, part, workspace=workspace)
            for part, workspace in zip(vectors, ("shop", "mill", None), strict=True)
        )
        scopes: list[tuple[str | None, list[VectorCorpus]]] = [
            ("shop", [shop, general]),
            ("mill", [mill, general]),
            ("unknown", [general]),
            (None, [shop, mill, general]),
        ]
        for workspace, parts in scopes:
            for wanted in directions(2, seed=1):
                hits = nearest(database, wanted, workspace=workspace, limit=80)
                joined = np.concatenate([part.vectors for part in parts])
                seen = VectorCorpus([source for part in parts for source in part.sources], joined)
                seen.check(hits, wanted, 80)

    def test_a_task_sees_its_own_passages_and_those_of_none(self, database: Database) -> None:
        records, vectors = Records(), directions(700)

        def fill(tx: Transaction) -> dict[str, str | None]:
            tasks: dict[str, str | None] = {}
            for number, each in enumerate(vectors):
                task = ("rare", None)[number % 2] if number < 20 else "common"
                corpus = plant(tx, records, each[None], workspace="shop", task=task)
                tasks[corpus.sources[0]] = task
            return tasks

        tasks = database.write(fill)
        corpus = VectorCorpus(list(tasks), vectors)
        wanted = directions(1, seed=1)[0]
        for task in ("rare", "common", "unknown"):
            seen = [number for number, of in enumerate(tasks.values()) if of in (task, None)]
            visible = VectorCorpus([corpus.sources[number] for number in seen], vectors[seen])
            for workspace in ("shop", None):
                hits = nearest(database, wanted, workspace=workspace, task=task, limit=30)
                visible.check(hits, wanted, 30)
        assert len(nearest(database, wanted, workspace="mill", task="rare")) == 0

    def test_a_query_among_records_respects_the_scope(self, database: Database) -> None:
        vectors = directions(60)
        shop = planted(database, vectors[:20], workspace="shop", task="one")
        mill = planted(database, vectors[20:40], workspace="mill", task="two")
        general = planted(database, vectors[40:])
        among = [*shop.sources[:5], *mill.sources[:5], *general.sources[:5]]
        wanted = vectors[0]
        ours = {*shop.sources[:5], *general.sources[:5]}
        assert names(nearest(database, wanted, among=among, workspace="shop")) == ours
        assert names(nearest(database, wanted, among=among, task="one")) == ours
        assert names(nearest(database, wanted, among=among)) == set(among)

    def test_vectors_of_two_models_never_meet(self, database: Database) -> None:
        vectors = directions(1_400)
        one = planted(database, vectors[:700], workspace="shop", model="one")
        two = planted(database, vectors[700:], workspace="shop", model="two")
        short = planted(database, directions(30, 32), workspace="shop", model="short")
        wanted = directions(1, seed=1)[0]
        for model, records in (("one", one), ("two", two)):
            records.check(nearest(database, wanted, model, workspace="shop"), wanted, 100)
            hits = nearest(database, wanted, model, among=[*one.sources, *two.sources], limit=9999)
            assert names(hits) == set(records.sources)
        assert nearest(database, wanted, "three") == []
        wanted = directions(1, 32, seed=1)[0]
        short.check(nearest(database, wanted, "short", among=None, limit=9), wanted, 9)

    def test_similarities_are_the_cosines_of_all_passages_of_records(
        self, database: Database
    ) -> None:
        records, vectors = Records(), directions(9)
        news = [records.entry(passages=3) for _ in range(3)]
        first, second, third = (new.entry.source for new in news)
        made = [VectorEntry(first, place, vectors[place]) for place in range(3)]
        made.append(VectorEntry(second, 2, vectors[5]))
        other = [VectorEntry(second, 0, vectors[3]), VectorEntry(third, 0, vectors[6])]

        def fill(tx: Transaction) -> None:
            entries.insert(tx, TEAM, news)
            tx.vectors().put(TEAM, "m", made)
            tx.vectors().put(TEAM, "other", other)

        database.write(fill)
        wanted = directions(1, seed=1)[0]
        ids = [second, first, third, "unknown", first]
        found = database.read(lambda tx: tx.vectors().similarities(TEAM, "m", wanted, ids))
        cosines = {(each.source, each.place): float(each.vector @ wanted) for each in made}
        assert found == pytest.approx(cosines, abs=HALF)
        none = database.read(lambda tx: tx.vectors().similarities(TEAM, "m", wanted, []))
        assert none == {}

    def test_teams_with_the_same_records_have_their_own_vectors(self, database: Database) -> None:
        values = {}
        for seed, team in enumerate(("north", "south")):
            work = partial(plant, records=Records(team), vectors=directions(600, seed=seed))
            values[team] = database.of(team).write(partial(work, workspace="shop"))
        assert values["north"].sources == values["south"].sources
        wanted = directions(1, seed=9)[0]
        for team, own in values.items():
            own.check(nearest(database, wanted, team=team, limit=50), wanted, 50)
        removed = values["south"].sources[:300]
        database.of("south").write(lambda tx: tx.vectors().remove("south", removed))
        database.of("south").write(lambda tx: tx.vectors().rebuild("south"))
        values["north"].check(nearest(database, wanted, team="north", limit=50), wanted, 50)
        assert names(nearest(database, wanted, team="south")).isdisjoint(removed)
