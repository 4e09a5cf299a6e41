"""Contract of the store for passages: changes are searchable at once."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from contract.contract_transactions import together
from contract.contract_vectors import (
    TEAM,
    VectorCorpus,
    directions,
    names,
    nearest,
    plant,
    planted,
    put,
)
from contract.records import Records
from memoranda.exceptions import InvalidInput
from memoranda.search import table as entries
from memoranda.store.database import (
    Database,
    StoredPassage,
    Transaction,
    VectorEntry,
    VectorHit,
    VectorQuery,
)


def _page(tx: Transaction, after: tuple[str, int] | None, limit: int) -> list[StoredPassage]:
    return tx.vectors().page(TEAM, after, limit)


class PassageContract:
    """The next search shows every change, and no failed change."""

    @pytest.mark.parametrize("count", [20, 1_200])
    def test_a_vector_by_another_model_takes_the_place_of_the_first(
        self, database: Database, count: int
    ) -> None:
        corpus = planted(database, directions(count), workspace="shop", model="old")
        moved = directions(count // 2, 32, seed=2)
        changed, left = corpus.sources[: count // 2], corpus.sources[count // 2 :]
        put(database, "new", changed, moved)
        wanted = corpus.vectors[0]
        VectorCorpus(left, corpus.vectors[count // 2 :]).check(
            nearest(database, wanted, "old"), wanted, 100
        )
        assert names(nearest(database, wanted, "old", among=corpus.sources, limit=9999)) == set(
            left
        )
        assert changed[0] not in names(nearest(database, wanted, "old", limit=9999))
        wanted = moved[3]
        VectorCorpus(changed, moved).check(nearest(database, wanted, "new"), wanted, 100)

        def look(tx: Transaction) -> tuple[set[str], set[str]]:
            hashes = [f"hash-{source}-0" for source in corpus.sources]
            return set(tx.vectors().known(TEAM, "old", hashes)), set(
                tx.vectors().known(TEAM, "new", hashes)
            )

        old, new = database.read(look)
        assert old == {f"hash-{source}-0" for source in left}
        assert new == {f"hash-{source}-0" for source in changed}

    def test_a_vector_by_the_same_model_is_replaced_too(self, database: Database) -> None:
        corpus = planted(database, directions(700), workspace="shop")
        moved = directions(700, seed=5)
        put(database, "m", corpus.sources[:3], moved[:3])
        vectors = np.concatenate([moved[:3], corpus.vectors[3:]])
        for wanted in (moved[1], corpus.vectors[1]):
            VectorCorpus(corpus.sources, vectors).check(nearest(database, wanted), wanted, 100)

    def test_vectors_are_known_by_the_text_they_were_made_for(self, database: Database) -> None:
        corpus = planted(database, directions(600, 96), workspace="shop")
        again = planted(database, corpus.vectors[:1] * -1, model="other")
        hashes = [
            f"hash-{source}-0" for source in (*corpus.sources[::7], *again.sources, "unknown")
        ]
        found = database.read(lambda tx: tx.vectors().known(TEAM, "m", hashes))
        assert set(found) == set(hashes[:-2])
        for number, source in enumerate(corpus.sources):
            if number % 7 == 0:
                vector = found[f"hash-{source}-0"]
                assert (vector.dtype, vector.shape) == (np.dtype(np.float32), (96,))
                assert vector == pytest.approx(corpus.vectors[number], abs=5e-4)

    def test_passages_are_listed_with_vectors_that_put_again_stay_to_the_bit(
        self, database: Database
    ) -> None:
        records, vectors = Records(), directions(700)
        vectors[:5, :6] = [0.0, -0.0, 6e-8, -6.1e-5, 1.0, 0.33325]
        new = records.entry(passages=12)
        database.write(partial(entries.insert, team=TEAM, news=[new]))
        corpus = planted(database, vectors, workspace="shop", task="two")

        def pages(size: int) -> list[StoredPassage]:
            found: list[StoredPassage] = []
            after: tuple[str, int] | None = None
            while True:
                page = database.read(partial(_page, after=after, limit=size))
                found += page
                if len(page) < size:
                    return found
                after = (page[-1].source, page[-1].place)

        whole = pages(9_999)
        assert whole == sorted(whole, key=lambda passage: (passage.source, passage.place))
        assert whole == pages(100)
        bare = [passage for passage in whole if passage.vector is None]
        assert bare == [
            StoredPassage(new.entry.source, place, None, None, text_hash, "", None)
            for place, text_hash in enumerate(new.passages)
        ]
        halves = dict(zip(corpus.sources, vectors.astype("<f2"), strict=True))
        values = [passage for passage in whole if passage.vector is not None]
        assert {(each.workspace, each.task, each.model) for each in values} == {
            ("shop", "two", "m")
        }
        assert {each.source: each.vector for each in values} == {
            source: half.tobytes() for source, half in halves.items()
        }
        again = np.stack([halves[source] for source in corpus.sources]).astype(np.float32)
        put(database, "m", corpus.sources, again)
        assert pages(9_999) == whole

    def test_a_passage_that_is_not_there_gets_no_vector(self, database: Database) -> None:
        corpus = planted(database, directions(3))
        unknown = VectorEntry(corpus.sources[0], 1, corpus.vectors[0])
        database.write(lambda tx: tx.vectors().put(TEAM, "m", [unknown]))
        put(database, "m", ["unknown", *corpus.sources], directions(4, seed=3))
        assert names(nearest(database, corpus.vectors[0])) == set(corpus.sources)
        assert len(nearest(database, corpus.vectors[0])) == 3

    def test_a_passage_with_another_text_by_now_gets_no_vector(self, database: Database) -> None:
        corpus = planted(database, directions(2))
        north, east = corpus.sources
        made = [
            VectorEntry(north, 0, corpus.vectors[1], f"hash-{north}-0"),
            VectorEntry(east, 0, corpus.vectors[0], "hash of what it said before"),
        ]
        database.write(lambda tx: tx.vectors().put(TEAM, "m", made))
        found = {hit.source: hit.score for hit in nearest(database, corpus.vectors[1])}
        assert found[north] == pytest.approx(1, abs=1e-3)
        assert found[east] == pytest.approx(1, abs=1e-3)

    @pytest.mark.parametrize("count", [30, 1_300])
    def test_what_was_removed_is_found_no_more(self, database: Database, count: int) -> None:
        corpus = planted(database, directions(count), workspace="shop")
        wanted = directions(1, seed=1)[0]
        gone = names(nearest(database, wanted, limit=10))
        left = [number for number, source in enumerate(corpus.sources) if source not in gone]
        kept = VectorCorpus([corpus.sources[number] for number in left], corpus.vectors[left])

        def remove(tx: Transaction) -> list[VectorHit]:
            tx.vectors().remove(TEAM, [*gone, "unknown"])
            return tx.vectors().nearest(VectorQuery(TEAM, "m", wanted, limit=count))

        assert not names(database.write(remove)) & gone
        kept.check(nearest(database, wanted), wanted, 100)
        assert nearest(database, wanted, among=list(gone)) == []
        hashes = [f"hash-{source}-0" for source in gone]
        assert database.read(lambda tx: tx.vectors().known(TEAM, "m", hashes)) == {}
        assert database.read(partial(entries.counts, team=TEAM, model="m")) == (0, count - 10)

    def test_removing_everything_leaves_nothing_and_room_for_more(self, database: Database) -> None:
        corpus = planted(database, directions(1_100), workspace="shop")
        database.write(partial(entries.delete, team=TEAM, sources=corpus.sources))
        assert nearest(database, corpus.vectors[0]) == []
        again = planted(database, directions(1_100, seed=4), workspace="shop")
        wanted = directions(1, seed=1)[0]
        again.check(nearest(database, wanted), wanted, 100)

    def test_making_the_index_anew_changes_no_answer(self, database: Database) -> None:
        corpus = planted(database, directions(1_200), workspace="shop")
        planted(database, directions(40, 32), model="other")
        database.write(lambda tx: tx.vectors().remove(TEAM, corpus.sources[::3]))
        kept = [number for number in range(1_200) if number % 3]
        left = VectorCorpus([corpus.sources[number] for number in kept], corpus.vectors[kept])
        for _ in range(2):
            database.write(lambda tx: tx.vectors().rebuild(TEAM))
            for wanted in directions(3, seed=1):
                left.check(nearest(database, wanted), wanted, 100)
        wanted = directions(1, 32, seed=1)[0]
        assert len(nearest(database, wanted, "other")) == 40

    def test_a_transaction_sees_the_vectors_it_wrote(self, database: Database) -> None:
        wanted = directions(1, seed=1)[0]

        def work(tx: Transaction) -> tuple[VectorCorpus, list[VectorHit]]:
            corpus = plant(tx, Records(), directions(900), workspace="shop")
            return corpus, tx.vectors().nearest(VectorQuery(TEAM, "m", wanted))

        corpus, hits = database.write(work)
        corpus.check(hits, wanted, 100)

    def test_what_a_write_that_raised_had_put_is_nowhere(self, database: Database) -> None:
        wanted = directions(1, seed=1)[0]

        def work(tx: Transaction) -> None:
            plant(tx, Records(), directions(900), workspace="shop")
            tx.vectors().nearest(VectorQuery(TEAM, "m", wanted))
            raise InvalidInput("changed my mind")

        with pytest.raises(InvalidInput):
            database.write(work)
        assert nearest(database, wanted) == []
        corpus = planted(database, directions(900, seed=6), workspace="shop")
        corpus.check(nearest(database, wanted), wanted, 100)

    def test_a_read_sees_the_vectors_of_one_moment(self, database: Database) -> None:
        corpus = planted(database, directions(600), workspace="shop")
        wanted = directions(1, seed=1)[0]
        query = VectorQuery(TEAM, "m", wanted, limit=9_999)

        def change(_: int) -> None:
            database.write(partial(entries.delete, team=TEAM, sources=corpus.sources[:300]))
            planted(database, directions(700, seed=7), workspace="shop")

        def look(tx: Transaction) -> tuple[set[str], set[str]]:
            before = names(tx.vectors().nearest(query))
            together(change, count=1)
            return before, names(tx.vectors().nearest(query))

        before, after = database.read(look)
        assert before == after == set(corpus.sources)
        assert len(nearest(database, wanted, limit=9_999)) == 1_000
