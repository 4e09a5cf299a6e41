"""Contract of the store for idempotency keys and their stored answers."""

from __future__ import annotations

from dataclasses import replace
from threading import Barrier, Thread

from contract.clock import START
from contract.records import Records
from contract.scope_kept_answers import CALLER, KEY, begun
from memoranda.idempotency import table as kept_answers
from memoranda.store.database import Database, Transaction

TEAM = Records().team


class KeptAnswerContract:
    """A key belongs to one caller, and its answer can be read again."""

    def test_a_key_is_taken_once_and_its_answer_kept(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            first = begun(TEAM)
            assert kept_answers.of(tx, TEAM, CALLER, KEY) is None
            assert kept_answers.reserve(tx, first)
            assert not kept_answers.reserve(tx, replace(first, request_hash="other"))
            assert kept_answers.of(tx, TEAM, CALLER, KEY) == first
            assert kept_answers.finish(tx, TEAM, CALLER, KEY, 201, "{\u00bb\u2603}")
            result = replace(first, status=201, body="{\u00bb\u2603}")
            assert kept_answers.of(tx, TEAM, CALLER, KEY) == result
            assert not kept_answers.finish(tx, TEAM, CALLER, KEY, 200, "later")
            assert kept_answers.of(tx, TEAM, CALLER, KEY) == result

        database.write(work)

    def test_a_key_of_another_caller_is_another_key(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            assert kept_answers.reserve(tx, begun(TEAM))
            assert kept_answers.of(tx, TEAM, "eve", KEY) is None
            assert kept_answers.reserve(tx, replace(begun(TEAM), caller="eve"))
            assert not kept_answers.finish(tx, TEAM, "zoe", KEY, 200, "x")

        database.write(work)

    def test_a_failed_call_releases_its_key_and_a_completed_one_does_not(
        self, database: Database
    ) -> None:
        def work(tx: Transaction) -> None:
            for key in ("did nothing", "done"):
                kept_answers.reserve(tx, begun(TEAM, key))
            kept_answers.finish(tx, TEAM, CALLER, "done", 200, None)
            assert kept_answers.release(tx, TEAM, CALLER, "did nothing")
            assert not kept_answers.release(tx, TEAM, CALLER, "done")
            assert kept_answers.reserve(tx, begun(TEAM, "did nothing"))

        database.write(work)

    def test_answers_are_dropped_by_age_and_their_texts_cleared(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            for number in range(4):
                one = replace(begun(TEAM, str(number)), created_at=START + number)
                kept_answers.reserve(tx, one)
                kept_answers.finish(tx, TEAM, CALLER, str(number), 200, "text")
            assert kept_answers.drop_before(tx, TEAM, START + 2) == 2
            assert kept_answers.of(tx, TEAM, CALLER, "1") is None
            assert kept_answers.clear(tx, TEAM) == 2
            cleared = kept_answers.of(tx, TEAM, CALLER, "2")
            assert cleared
            assert (cleared.status, cleared.body) == (200, None)

        database.write(work)

    def test_of_many_who_reserve_a_key_at_once_one_has_it(self, database: Database) -> None:
        ready, won = Barrier(4), list[bool]()

        def knock() -> None:
            ready.wait(10)
            won.append(database.write(lambda tx: kept_answers.reserve(tx, begun(TEAM))))

        threads = [Thread(target=knock) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(won) == [False, False, False, True]
