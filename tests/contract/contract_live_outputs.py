"""Contract of the store for outputs that were shown in short form."""

from __future__ import annotations

import pytest

from contract.clock import START
from contract.records import Records
from memoranda.capture import live_output_table as live_outputs
from memoranda.capture.live_output_table import LiveOutput, LiveSavings
from memoranda.exceptions import StorageError
from memoranda.observations import table as observations
from memoranda.store.database import Database, Transaction

TEAM = Records().team


class LiveOutputContract:
    """Savings are counted once per output, and so is each full request."""

    def test_savings_are_summed_by_tool_most_first(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            task, other = records.plant_task(tx), records.plant_task(tx)
            seen = [
                records.plant(tx, task, number, tool=tool)
                for number, tool in enumerate(("Bash", "Grep", "Bash", None), 1)
            ]
            for number, one in enumerate(seen, 1):
                made = LiveOutput(one.id, 1_000 * number, 100, 300 * number, 30)
                assert live_outputs.insert(tx, TEAM, made)
            assert live_outputs.savings(tx, TEAM, None) == [
                LiveSavings("", 1, 4_000, 100, 1_200, 30, 1_170, 0, 0),
                LiveSavings("Bash", 2, 4_000, 200, 1_200, 60, 1_140, 0, 0),
                LiveSavings("Grep", 1, 2_000, 100, 600, 30, 570, 0, 0),
            ]
            assert len(live_outputs.savings(tx, TEAM, task.workspace)) == 3
            assert live_outputs.savings(tx, TEAM, "elsewhere") == []
            assert not live_outputs.expand(tx, TEAM, other.id)

        database.write(work)

    def test_the_first_mark_stays_and_expansions_are_counted(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            task = records.plant_task(tx)
            one, other = (records.plant(tx, task, n, tool="Bash") for n in (1, 2))
            assert live_outputs.insert(tx, TEAM, LiveOutput(one.id, 9_000, 900, 3_000, 300))
            assert live_outputs.insert(tx, TEAM, LiveOutput(other.id, 9_000, 900, 3_000, 300))
            for _ in range(3):
                assert live_outputs.expand(tx, TEAM, one.id)
            assert not live_outputs.insert(tx, TEAM, LiveOutput(one.id, 1, 1, 1, 1))
            (found,) = live_outputs.savings(tx, TEAM, None)
            assert (found.outputs, found.saved_tokens) == (2, 5_400)
            assert (found.expanded, found.expansions) == (1, 3)

        database.write(work)

    def test_it_goes_with_the_observation(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            seen = records.plant(tx, records.plant_task(tx), 1, tool="Bash")
            live_outputs.insert(tx, TEAM, LiveOutput(seen.id, 9_000, 900, 3_000, 300))
            observations.delete(tx, TEAM, [seen.id], START)
            assert tx.fetch("select * from live_output where team = :team", {"team": TEAM}) == []

        database.write(work)

    def test_it_needs_an_observation(self, database: Database) -> None:
        made = LiveOutput("nowhere", 9_000, 900, 3_000, 300)
        with pytest.raises(StorageError):
            database.write(lambda tx: live_outputs.insert(tx, TEAM, made))
