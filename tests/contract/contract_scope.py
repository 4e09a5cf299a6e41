"""Contract of the store for teams: equal ids never mix, in any function."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import partial
from types import ModuleType

from contract.clock import START
from contract.records import Records
from contract.scope_calls import (
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
from memoranda.agents import table as agents
from memoranda.banks import table as banks
from memoranda.blocks import table as blocks
from memoranda.capture import (
    live_output_table as live_outputs,
    transcript_table as transcripts,
)
from memoranda.checkpoints import table as checkpoints
from memoranda.compression import table as compressions
from memoranda.conversations import table as compactions
from memoranda.costs import answer_table as model_answers, table as model_calls
from memoranda.documents import table as documents
from memoranda.errors import (
    note_table as error_notes,
    recovery_step_table as recoveries,
    table as failures,
)
from memoranda.feedback import suggestion_table as suggestions, table as feedback
from memoranda.idempotency import table as kept_answers
from memoranda.identity import table as credentials
from memoranda.jobs import table as jobs
from memoranda.journal import table as journal
from memoranda.lessons import table as lessons
from memoranda.memories import (
    count_table as memory_totals,
    extraction_table as memory_encodings,
    link_table as memory_links,
    table as memories,
    tombstone_table as tombstones,
    version_table as memory_versions,
)
from memoranda.mirror import table as mirrors
from memoranda.observations import (
    backlink_table as backlinks,
    blob_table as blobs,
    content as contents,
    table as observations,
    total_table as observation_totals,
)
from memoranda.profile import table as profiles
from memoranda.proposals import (
    approval_table as approval_rules,
    table as proposals,
)
from memoranda.quarantine import table as quarantine
from memoranda.search import (
    filter_table as filtering,
    rating_table as ratings,
    retrieval_table as retrievals,
    table as entries,
)
from memoranda.stages import table as stages
from memoranda.store.database import Database, Transaction
from memoranda.supervision import table as interventions
from memoranda.tasks import table as tasks
from memoranda.tools import call_table as calls
from memoranda.working import table as working
from memoranda.workspaces import (
    content_table as workspace_contents,
    row_transfer_table as relocation,
    table as workspaces,
)

MODULES: Mapping[str, ModuleType] = {
    "backlinks": backlinks,
    "agents": agents,
    "banks": banks,
    "approval_rules": approval_rules,
    "blobs": blobs,
    "blocks": blocks,
    "calls": calls,
    "checkpoints": checkpoints,
    "compactions": compactions,
    "compressions": compressions,
    "contents": contents,
    "credentials": credentials,
    "documents": documents,
    "entries": entries,
    "feedback": feedback,
    "error_notes": error_notes,
    "failures": failures,
    "filtering": filtering,
    "interventions": interventions,
    "jobs": jobs,
    "journal": journal,
    "kept_answers": kept_answers,
    "lessons": lessons,
    "live_outputs": live_outputs,
    "memories": memories,
    "memory_totals": memory_totals,
    "memory_encodings": memory_encodings,
    "memory_links": memory_links,
    "memory_versions": memory_versions,
    "mirrors": mirrors,
    "model_answers": model_answers,
    "model_calls": model_calls,
    "observations": observations,
    "observation_totals": observation_totals,
    "profiles": profiles,
    "proposals": proposals,
    "quarantine": quarantine,
    "ratings": ratings,
    "retrievals": retrievals,
    "recoveries": recoveries,
    "relocation": relocation,
    "stages": stages,
    "suggestions": suggestions,
    "tasks": tasks,
    "tombstones": tombstones,
    "transcripts": transcripts,
    "working": working,
    "workspaces": workspaces,
    "workspace_contents": workspace_contents,
}


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
    """Return the names of public functions that take a transaction."""
    return [
        f"{table}.{name}"
        for table, module in MODULES.items()
        for name, function in inspect.getmembers(module, inspect.isfunction)
        if function.__module__ == module.__name__
        and not name.startswith("_")
        and "tx" in inspect.signature(function).parameters
    ]
