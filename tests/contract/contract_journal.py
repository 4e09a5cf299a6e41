"""Contract of the store for the journal."""

from __future__ import annotations

from functools import partial

import pytest

from contract.clock import START
from contract.contract_transactions import THREADS, together
from memoranda.exceptions import InvalidInput
from memoranda.journal import table as journal
from memoranda.journal.model import GENESIS, JournalEntry
from memoranda.journal.table import NewJournalEntry
from memoranda.json_data import JsonValue
from memoranda.store.database import Database, Transaction


def note(number: int, operation: str = "observe", subject: str = "task") -> NewJournalEntry:
    """Make a note with a number."""
    detail: dict[str, JsonValue] = {"count": number, "name": '日本 "x"'}
    return NewJournalEntry(START + number, "human", operation, subject, detail)


class JournalContract:
    """Entries are numbered without gaps, each sealed with the one before."""

    def test_an_empty_journal_is_intact(self, database: Database) -> None:
        check = database.read(lambda tx: journal.verify(tx, "local"))
        assert (check.intact, check.entries, check.head) == (True, 0, GENESIS)

    def test_entries_form_a_chain_that_is_intact(self, database: Database) -> None:
        def fill(tx: Transaction) -> list[JournalEntry]:
            return [journal.append(tx, "local", note(number)) for number in range(1, 6)]

        entries = database.write(fill)
        assert [entry.sequence for entry in entries] == [1, 2, 3, 4, 5]
        assert [entry.previous for entry in entries] == [
            GENESIS,
            *(entry.hash for entry in entries[:-1]),
        ]
        check = database.read(lambda tx: journal.verify(tx, "local"))
        assert (check.intact, check.entries, check.head) == (True, 5, entries[-1].hash)
        assert database.read(lambda tx: journal.listed(tx, "local")) == entries[::-1]

    def test_a_chain_longer_than_a_page_is_walked_to_its_end(self, database: Database) -> None:
        def fill(tx: Transaction) -> None:
            for number in range(1, 1_052):
                journal.append(tx, "local", note(number))

        database.write(fill)
        check = database.read(lambda tx: journal.verify(tx, "local"))
        assert (check.intact, check.entries) == (True, 1_051)

    def test_the_entry_of_a_change_that_failed_is_not_there(self, database: Database) -> None:
        database.write(lambda tx: journal.append(tx, "local", note(1)))

        def work(tx: Transaction) -> None:
            journal.append(tx, "local", note(2))
            raise InvalidInput("no")

        with pytest.raises(InvalidInput):
            database.write(work)
        check = database.read(lambda tx: journal.verify(tx, "local"))
        assert (check.intact, check.entries) == (True, 1)

    def test_threads_append_without_gap_or_fork(self, database: Database) -> None:
        def run(number: int) -> None:
            for turn in range(5):
                made = note(number * 10 + turn)
                database.write(partial(journal.append, team="local", note=made))

        together(run)
        check = database.read(lambda tx: journal.verify(tx, "local"))
        assert (check.intact, check.entries) == (True, 5 * THREADS)

    def test_teams_have_chains_of_their_own(self, database: Database) -> None:
        def append(team: str) -> JournalEntry:
            return database.of(team).write(partial(journal.append, team=team, note=note(1)))

        north, south, _ = (append(team) for team in ("north", "south", "north"))
        assert (north.sequence, south.sequence) == (1, 1)
        assert north.hash != south.hash
        for team, entries in (("north", 2), ("south", 1)):
            check = database.of(team).read(partial(journal.verify, team=team))
            assert (check.intact, check.entries) == (True, entries)

    def test_a_listing_is_filtered_and_read_page_by_page(self, database: Database) -> None:
        def fill(tx: Transaction) -> None:
            for number in range(1, 11):
                operation = "forget" if number % 2 else "observe"
                journal.append(tx, "local", note(number, operation, f"task-{number % 3}"))

        database.write(fill)

        def look(tx: Transaction) -> None:
            forgotten = journal.listed(tx, "local", operation="forget")
            assert [entry.sequence for entry in forgotten] == [9, 7, 5, 3, 1]
            about = journal.listed(tx, "local", operation="forget", subject="task-0")
            assert [entry.sequence for entry in about] == [9, 3]
            page = journal.listed(tx, "local", before=8, limit=3)
            assert [entry.sequence for entry in page] == [7, 6, 5]

        database.read(look)
