"""What a store promises about teams: two with the same ids never meet, in any function."""

from __future__ import annotations

import inspect
from functools import partial
from types import ModuleType

from memoranda.store.database import Database, Transaction
from memoranda.store.tables import (
    agents,
    approval_rules,
    banks,
    blobs,
    blocks,
    calls,
    checkpoints,
    compactions,
    compressions,
    contents,
    credentials,
    documents,
    entries,
    error_notes,
    failures,
    feedback,
    filtering,
    interventions,
    jobs,
    journal,
    kept_answers,
    lessons,
    live_outputs,
    memories,
    memory_encodings,
    memory_links,
    memory_references,
    memory_totals,
    memory_versions,
    mirrors,
    model_answers,
    model_calls,
    notifications,
    observations,
    profiles,
    proposals,
    quarantine,
    ratings,
    recoveries,
    relocation,
    stages,
    suggestions,
    tasks,
    ties,
    tombstones,
    transcripts,
    working,
    workspaces,
)
from memoranda.testing.clock import START
from memoranda.testing.records import Records
from memoranda.testing.scope_calls import (
    ADDS,
    ELSEWHERE,
    NOTHING,
    READS,
    WRITES,
    attempted,
    called,
    everything,
    hold,
)

MODULES: tuple[ModuleType, ...] = (
    agents,
    banks,
    approval_rules,
    blobs,
    blocks,
    calls,
    checkpoints,
    compactions,
    compressions,
    contents,
    credentials,
    documents,
    entries,
    feedback,
    error_notes,
    failures,
    filtering,
    interventions,
    jobs,
    journal,
    kept_answers,
    lessons,
    live_outputs,
    memories,
    memory_totals,
    memory_encodings,
    memory_links,
    memory_references,
    memory_versions,
    mirrors,
    model_answers,
    model_calls,
    notifications,
    observations,
    profiles,
    proposals,
    quarantine,
    ratings,
    recoveries,
    relocation,
    stages,
    suggestions,
    tasks,
    ties,
    tombstones,
    transcripts,
    working,
    workspaces,
)


class ScopeContract:
    """Every key begins with the team."""

    def test_every_table_function_is_covered_here(self) -> None:
        known = {*READS, *WRITES, *ADDS, *ELSEWHERE}
        written = {name for name in known if not name.startswith(("text.", "vectors."))}
        assert written == set(_table_functions())

    def test_teams_with_the_same_ids_hold_their_own(self, database: Database) -> None:
        north, south = (
            database.of(team).write(partial(hold, team=team)) for team in ("north", "south")
        )
        assert north.seen.id == south.seen.id
        for name in READS:
            ours, theirs = (called(database, name, team, north) for team in ("north", "south"))
            assert ours not in NOTHING, name
            assert theirs not in NOTHING, name
            assert "south" not in repr(ours), name
            assert "north" not in repr(theirs), name

    def test_no_read_reaches_another_team(self, database: Database) -> None:
        north = database.of("north").write(partial(hold, team="north"))
        for name in sorted(READS):
            for stranger in ("south", "nort", "north ", "NORTH", "%"):
                assert called(database, name, stranger, north) in NOTHING, name

    def test_no_change_reaches_another_team(self, database: Database) -> None:
        north = database.of("north").write(partial(hold, team="north"))
        before = database.of("north").read(partial(everything, team="north"))
        for name in sorted(WRITES):
            assert attempted(database, name, "south", north) in NOTHING, name
            assert database.of("north").read(partial(everything, team="north")) == before, name

    def test_forgetting_in_one_team_leaves_the_other_whole(self, database: Database) -> None:
        north = database.of("north").write(partial(hold, team="north"))
        database.of("south").write(partial(hold, team="south"))
        before = database.of("north").read(partial(everything, team="north"))

        def forget(tx: Transaction) -> None:
            removed = observations.delete(tx, "south", [north.seen.id], START)
            blobs.delete_unused(tx, "south", removed.hashes)
            memories.delete(tx, "south", [north.memory.id])
            tx.text("observation").purge()

        database.of("south").write(forget)
        assert database.of("north").read(partial(everything, team="north")) == before
        for name in ("text.observation", "text.memory"):
            assert len(called(database, name, "north", north)) == 1
            assert called(database, name, "south", north) == []

    def test_a_worker_takes_the_jobs_of_its_own_team(self, database: Database) -> None:
        for team in ("north", "south"):
            job = Records(team).job()
            database.of(team).write(partial(jobs.enqueue, job=job, now=START))
        for team in ("north", "south"):
            lease = partial(jobs.lease, team=team, owner="one", now=START)
            leased = [database.of(team).write(lease) for _ in range(2)]
            assert [job and job.team for job in leased] == [team, None]


def _table_functions() -> list[str]:
    """Name every public function that takes a transaction."""
    return [
        f"{module.__name__.rpartition('.')[2]}.{name}"
        for module in MODULES
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and "tx" in inspect.signature(function).parameters
    ]
