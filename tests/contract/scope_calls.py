"""Calls of every table function as one team with ids of another."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from contract import (
    scope_distilled,
    scope_documents,
    scope_held,
    scope_identity,
    scope_kept_answers,
    scope_lessons,
    scope_mirrored,
    scope_profiles,
    scope_proposed,
    scope_quarantine,
    scope_related,
    scope_relocation,
    scope_sources,
    scope_spending,
    scope_steered,
    scope_supervised,
)
from contract.clock import START
from contract.contract_compactions import compaction
from contract.contract_vectors import directions
from contract.records import Records
from memoranda.blocks.model import Block
from memoranda.capture import (
    live_output_table as live_outputs,
    transcript_table as transcripts,
)
from memoranda.capture.live_output_table import LiveOutput
from memoranda.checkpoints.model import Checkpoint
from memoranda.conversations import table as compactions
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Backlog, Job
from memoranda.journal import table as journal
from memoranda.journal.filter import JournalFilter
from memoranda.journal.table import NewJournalEntry
from memoranda.memories import table as memories, tombstone_table as tombstones
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.memories.table import MemoryFilter
from memoranda.observations import (
    blob_table as blobs,
    content as contents,
    table as observations,
    total_table as observation_totals,
)
from memoranda.observations.blob_table import Blob
from memoranda.observations.model import Observation, ObservationType
from memoranda.scope import Scope
from memoranda.search import (
    filter_table as filtering,
    rating_table as ratings,
    retrieval_table as retrievals,
    table as entries,
)
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind
from memoranda.search.table import INSTRUCTION, NewSearchEntry
from memoranda.store import table_catalogue
from memoranda.store.database import (
    Database,
    Row,
    TextQuery,
    Transaction,
    VectorEntry,
    VectorQuery,
)
from memoranda.tasks import table as tasks
from memoranda.tasks.model import NAMED_BY_CALLER, Task, Workspace
from memoranda.working import table as working
from memoranda.working.model import WorkingEntry
from memoranda.workspaces import table as workspaces

TABLES = tuple(table.name for table in table_catalogue.TABLES)
"""Every table with rows of a team."""

NORTH = directions(1)[0]
"""A vector of any direction."""

NO_JOBS = Backlog({}, {}, {})
NOTHING: tuple[Any, ...] = (None, False, 0, "", [], (), {}, set(), (0, 0), (0, 0, 0), NO_JOBS)


@dataclass(frozen=True, slots=True)
class Holding:
    """Ids of one record of every kind that a team can have."""

    records: Records
    workspace: Workspace
    task: Task
    seen: Observation
    gone: Observation
    memory: Memory
    entry: NewSearchEntry
    job: Job
    digest: str
    block: Block
    checkpoint: Checkpoint


Call: TypeAlias = Callable[[Transaction, str, Holding], Any]
"""Calls a table function for a team, with the ids of a holding."""

READS: Mapping[str, Call] = {
    **scope_held.READS,
    **scope_documents.READS,
    **scope_kept_answers.READS,
    **scope_mirrored.READS,
    **scope_identity.READS,
    **scope_distilled.READS,
    **scope_profiles.READS,
    **scope_proposed.READS,
    **scope_quarantine.READS,
    **scope_lessons.READS,
    **scope_related.READS,
    **scope_relocation.READS,
    **scope_sources.READS,
    **scope_spending.READS,
    **scope_steered.READS,
    **scope_supervised.READS,
    "blobs.totals": lambda tx, team, h: blobs.totals(tx, team),
    "entries.at_positions": lambda tx, team, h: entries.at_positions(tx, team, {h.task.id: [0]}),
    "compactions.listed": lambda tx, team, h: compactions.listed(
        tx, team, h.task.id, None, limit=9
    ),
    "compactions.newest": lambda tx, team, h: compactions.newest(tx, team, h.task.id, None),
    "contents.texts": lambda tx, team, h: contents.texts(tx, team, [h.seen.id]),
    "filtering.all_matching": lambda tx, team, h: filtering.all_matching(
        tx, Scope(team), SearchFilter(), HitKind.OBSERVATION
    ),
    "filtering.matching": lambda tx, team, h: filtering.matching(
        tx, Scope(team), SearchFilter(), HitKind.OBSERVATION, [h.seen.id]
    ),
    "filtering.memories": lambda tx, team, h: filtering.memories(
        tx, Scope(team, agent="main"), SearchFilter(statuses=[*MemoryStatus]), limit=9
    ),
    "filtering.observations": lambda tx, team, h: filtering.observations(
        tx, Scope(team), SearchFilter(), limit=9
    ),
    "filtering.memories_among": lambda tx, team, h: filtering.memories_among(
        tx, Scope(team, agent="main"), SearchFilter(), [h.memory.id]
    ),
    "entries.any_waiting": lambda tx, team, h: entries.any_waiting(tx, team, "m"),
    "entries.unsearched": lambda tx, team, h: entries.unsearched(tx, team, "m", ["index_task"]),
    "entries.by_sources": lambda tx, team, h: entries.by_sources(tx, team, [h.seen.id]),
    "entries.counts": lambda tx, team, h: entries.counts(tx, team, "m"),
    "entries.memories_without": lambda tx, team, h: entries.memories_without(tx, team, 9),
    "entries.observations_without": lambda tx, team, h: entries.observations_without(
        tx, team, h.task.id, 9
    ),
    "entries.outdated": lambda tx, team, h: entries.outdated(tx, team, 2, 9),
    "entries.extent": lambda tx, team, h: sorted(entries.extent(tx, team, None).speakers),
    "entries.labels": lambda tx, team, h: entries.labels(tx, team, [h.seen.id]),
    "entries.people": lambda tx, team, h: entries.people(tx, team, [h.seen.id]),
    "entries.lasting_records": lambda tx, team, h: entries.lasting_records(
        tx, team, h.workspace.id, INSTRUCTION, 9
    ),
    "entries.unfinished_tasks": lambda tx, team, h: entries.unfinished_tasks(tx, team),
    "entries.waiting": lambda tx, team, h: entries.waiting(tx, team, "m", 9),
    "jobs.counts": lambda tx, team, h: jobs.counts(tx, team),
    "jobs.failed": lambda tx, team, h: jobs.failed(tx, team),
    "jobs.any_waiting": lambda tx, team, h: jobs.any_waiting(tx, team, [h.job.kind]),
    "jobs.backlog": lambda tx, team, h: jobs.backlog(tx, team, START + 99),
    "jobs.waiting": lambda tx, team, h: jobs.waiting(tx, team, h.job.kind),
    "journal.following": lambda tx, team, h: journal.following(tx, team, 0, 9),
    "journal.listed": lambda tx, team, h: journal.listed(tx, team),
    "journal.matching": lambda tx, team, h: journal.matching(tx, team, JournalFilter()),
    "journal.verify": lambda tx, team, h: journal.verify(tx, team).entries,
    "journal.version": lambda tx, team, h: journal.version(tx, team),
    "memories.by_ids": lambda tx, team, h: memories.by_ids(tx, team, [h.memory.id], "main"),
    "memories.by_prefix": lambda tx, team, h: memories.by_prefix(tx, team, h.memory.id[:9], None),
    "memories.counts": lambda tx, team, h: memories.counts(tx, team, None, "main"),
    "entries.text_hashes": lambda tx, team, h: entries.text_hashes(tx, team, [h.seen.id]),
    "memories.reworded": lambda tx, team, h: memories.reworded(
        tx, team, h.workspace.id, "main", MemoryStatus.APPROVED, limit=9
    ),
    "memories.critical_ids": lambda tx, team, h: memories.critical_ids(tx, team, None, "main"),
    "memories.critical": lambda tx, team, h: memories.critical(tx, team, h.workspace.id, "main"),
    "memories.evidence": lambda tx, team, h: memories.evidence(tx, team, h.memory.id),
    "memories.listed": lambda tx, team, h: memories.listed(
        tx, team, MemoryFilter(agent="main"), limit=9
    ),
    "memories.of_any_agent": lambda tx, team, h: memories.of_any_agent(tx, team, [h.memory.id]),
    "memories.same_content": lambda tx, team, h: memories.same_content(
        tx, Records(team).memory(h.workspace.id, h.memory.content)
    ),
    "observations.by_event": lambda tx, team, h: observations.by_event(
        tx, team, f"key-{h.seen.id}"
    ),
    "live_outputs.savings": lambda tx, team, h: [
        (one, team) for one in live_outputs.savings(tx, team, None)
    ],
    "observations.by_event_prefix": lambda tx, team, h: observations.by_event_prefix(
        tx, team, f"key-{h.seen.id}"
    ),
    "observations.by_ids": lambda tx, team, h: observations.by_ids(tx, team, [h.seen.id]),
    "observation_totals.by_type": lambda tx, team, h: observation_totals.by_type(tx, team, None),
    "observations.critical": lambda tx, team, h: observations.critical(tx, team, h.task.id),
    "observations.in_task": lambda tx, team, h: observations.in_task(tx, team, h.task.id, limit=9),
    "observations.known_keys": lambda tx, team, h: observations.known_keys(
        tx, team, [f"key-{h.seen.id}", f"key-{h.gone.id}"]
    ),
    "observations.matching": lambda tx, team, h: observations.matching(
        tx, team, observations.ObservationSpan(), limit=9
    ),
    "observations.matching_name": lambda tx, team, h: (
        observations.matching_name(tx, team, h.seen.id[:9])
        + observations.matching_name(tx, team, h.seen.ref)
    ),
    "observation_totals.captured": lambda tx, team, h: (
        observation_totals.captured(tx, team, None, 0).observations
    ),
    "observation_totals.captured_days": lambda tx, team, h: observation_totals.captured_days(
        tx, team, None, 0
    ),
    "observation_totals.measures": lambda tx, team, h: (
        observation_totals.measures(tx, team, None).observations
    ),
    "observations.has_open_errors_elsewhere": lambda tx, team, h: (
        observations.has_open_errors_elsewhere(tx, team, h.task.workspace, "another")
    ),
    "observations.open_errors": lambda tx, team, h: observations.open_errors(
        tx, team, h.task.id, 9
    ),
    "observations.recent": lambda tx, team, h: observations.recent(tx, team, None, limit=9),
    "observation_totals.redactions": lambda tx, team, h: observation_totals.redactions(
        tx, team, None
    ),
    "observations.has_observations": lambda tx, team, h: observations.has_observations(
        tx, team, h.task.id
    ),
    "observations.same_content": lambda tx, team, h: observations.same_content(
        tx, team, h.task.id, [h.digest]
    )[h.digest],
    "observations.errors_left": lambda tx, team, h: observations.errors_left(
        tx, replace(h.task, team=team, id="another", started_at=1 << 60), 9
    ),
    "observations.standing_errors": lambda tx, team, h: observations.standing_errors(
        tx, team, h.task.id
    ),
    "observations.summaries": lambda tx, team, h: observations.summaries(tx, team, None),
    "ratings.of_sources": lambda tx, team, h: ratings.of_sources(tx, team, [h.seen.id]),
    "retrievals.of_sources": lambda tx, team, h: retrievals.of_sources(tx, team, [h.seen.id]),
    "tasks.kinds_of_steps": lambda tx, team, h: tasks.kinds_of_steps(tx, team, [h.task.id]),
    "tasks.by_id": lambda tx, team, h: tasks.by_id(tx, team, h.task.id),
    "tasks.by_number": lambda tx, team, h: tasks.by_number(tx, team, h.task.number),
    "tasks.by_prefix": lambda tx, team, h: tasks.by_prefix(tx, team, h.task.id[:9]),
    "tasks.by_session": lambda tx, team, h: tasks.by_session(tx, team, h.task.host, h.task.session),
    "tasks.count": lambda tx, team, h: tasks.count(tx, team, None),
    "tasks.named": lambda tx, team, h: tasks.named(tx, team, "letters"),
    "tasks.of_session": lambda tx, team, h: tasks.of_session(tx, team, h.task.session),
    "tasks.sessions": lambda tx, team, h: tasks.sessions(
        tx, team, h.task.host, [h.task.session, "other"]
    ),
    "tasks.first_start": lambda tx, team, h: tasks.first_start(tx, team, h.task.host),
    "tasks.listed": lambda tx, team, h: tasks.listed(tx, team),
    "text.memory": lambda tx, team, h: tx.text("memory").search(TextQuery(team, ["zebra"])),
    "text.observation": lambda tx, team, h: tx.text("observation").search(
        TextQuery(team, ["zebra"], ["zebra"], h.workspace.id, h.task.id)
    ),
    "tombstones.with_tombstone": lambda tx, team, h: tombstones.with_tombstone(
        tx, team, ["forgotten"]
    ),
    "transcripts.imported": lambda tx, team, h: transcripts.imported(tx, team, ["/log", "/no"]),
    "transcripts.position": lambda tx, team, h: transcripts.position(tx, team, "/log", "head"),
    "vectors.known": lambda tx, team, h: tx.vectors().known(team, "m", h.entry.passages),
    "vectors.nearest": lambda tx, team, h: tx.vectors().nearest(VectorQuery(team, "m", NORTH)),
    "vectors.nearest_among": lambda tx, team, h: tx.vectors().nearest(
        VectorQuery(team, "m", NORTH, among=[h.seen.id])
    ),
    "vectors.page": lambda tx, team, h: tx.vectors().page(team, None, 9),
    "vectors.similarities": lambda tx, team, h: tx.vectors().similarities(
        team, "m", NORTH, [h.seen.id]
    ),
    "working.get": lambda tx, team, h: working.get(tx, team, h.task.id, "step", START),
    "working.listed": lambda tx, team, h: working.listed(tx, team, h.task.id, START, limit=9),
    "workspaces.aliases": lambda tx, team, h: workspaces.aliases(tx, team, h.workspace.id),
    "workspaces.by_alias": lambda tx, team, h: workspaces.by_alias(tx, team, ["path:/srv/shop"]),
    "workspaces.by_id": lambda tx, team, h: workspaces.by_id(tx, team, h.workspace.id),
    "workspaces.by_name": lambda tx, team, h: workspaces.by_name(tx, team, "shop"),
    "workspaces.ids": lambda tx, team, h: workspaces.ids(tx, team),
    "workspaces.listed": lambda tx, team, h: workspaces.listed(tx, team, "", 9),
}

WRITES: Mapping[str, Call] = {
    **scope_held.WRITES,
    **scope_documents.WRITES,
    **scope_kept_answers.WRITES,
    **scope_mirrored.WRITES,
    **scope_identity.WRITES,
    **scope_distilled.WRITES,
    **scope_profiles.WRITES,
    **scope_proposed.WRITES,
    **scope_quarantine.WRITES,
    **scope_lessons.WRITES,
    **scope_related.WRITES,
    **scope_relocation.WRITES,
    **scope_spending.WRITES,
    **scope_steered.WRITES,
    **scope_supervised.WRITES,
    "jobs.lease": lambda tx, team, h: jobs.lease(tx, team, "worker", h.job.run_at),
    "blobs.delete_unused": lambda tx, team, h: blobs.delete_unused(
        tx, team, [h.digest, Blob.of("unused").hash]
    ),
    "compactions.drop_outdated": lambda tx, team, h: compactions.drop_outdated(
        tx, team, [h.task.id]
    ),
    "entries.delete": lambda tx, team, h: entries.delete(tx, team, [h.seen.id]),
    "entries.drop_speakers": lambda tx, team, h: entries.drop_speakers(tx, team),
    "entries.put_labels": lambda tx, team, h: entries.put_labels(tx, team, {h.seen.id: "[]"}),
    "entries.make_outdated": lambda tx, team, h: entries.make_outdated(tx, team),
    "entries.replace": lambda tx, team, h: entries.replace(tx, team, [h.seen.id], []),
    "jobs.complete": lambda tx, team, h: jobs.complete(tx, _of(team, h.job), "one", START),
    "jobs.fail": lambda tx, team, h: jobs.fail(tx, _of(team, h.job), "one", START, "no"),
    "jobs.sweep": lambda tx, team, h: jobs.sweep(tx, team, START + 99),
    "live_outputs.expand": lambda tx, team, h: live_outputs.expand(tx, team, h.seen.id),
    "memories.delete": lambda tx, team, h: memories.delete(tx, team, [h.memory.id]),
    "observations.close_error": lambda tx, team, h: observations.close_error(
        tx, team, h.task.id, "pytest"
    ),
    "observations.close_observed": lambda tx, team, h: observations.close_observed(
        tx, team, h.seen.id
    ),
    "observations.delete": lambda tx, team, h: (
        observations.delete(tx, team, [h.seen.id], START).observations
    ),
    "observation_totals.recount": lambda tx, team, h: observation_totals.recount(tx, team),
    "ratings.delete": lambda tx, team, h: ratings.delete(tx, team, [h.seen.id]),
    "retrievals.delete": lambda tx, team, h: retrievals.delete(tx, team, [h.seen.id]),
    "tasks.delete": lambda tx, team, h: tasks.delete(tx, team, h.task.id),
    "tasks.captured": lambda tx, team, h: tasks.captured(tx, team, None, None),
    "tasks.goals": lambda tx, team, h: tasks.goals(tx, team, [h.seen.id]),
    "tasks.restate": lambda tx, team, h: tasks.restate(tx, team, h.task.id),
    "tasks.update": lambda tx, team, h: tasks.update(tx, _of(team, h.task)),
    "text.remove": lambda tx, team, h: tx.text("observation").remove(team, [h.seen.id]),
    "vectors.put": lambda tx, team, h: tx.vectors().put(
        team, "other", [VectorEntry(h.seen.id, 0, NORTH)]
    ),
    "vectors.rebuild": lambda tx, team, h: tx.vectors().rebuild(team),
    "vectors.remove": lambda tx, team, h: tx.vectors().remove(team, [h.seen.id]),
    "working.clear": lambda tx, team, h: working.clear(tx, team, [h.task.id]),
    "working.delete": lambda tx, team, h: working.delete(tx, team, h.task.id, "step"),
    "working.sweep": lambda tx, team, h: working.sweep(tx, team, START + 99),
}
"""Changes that find nothing to change in a team without records."""

ADDS = (
    scope_held.ADDS
    | scope_documents.ADDS
    | scope_kept_answers.ADDS
    | scope_mirrored.ADDS
    | scope_identity.ADDS
    | scope_distilled.ADDS
    | scope_profiles.ADDS
    | scope_proposed.ADDS
    | scope_quarantine.ADDS
    | scope_lessons.ADDS
    | scope_related.ADDS
    | scope_spending.ADDS
    | scope_steered.ADDS
    | scope_supervised.ADDS
    | frozenset(
        {
            "blobs.insert",
            "compactions.add",
            "entries.insert",
            "jobs.enqueue",
            "journal.append",
            "live_outputs.insert",
            "memories.insert",
            "observation_totals.count_redactions",
            "observations.insert",
            "observations.open_error",
            "ratings.rate",
            "retrievals.add",
            "tasks.insert",
            "tombstones.add_tombstones",
            "transcripts.advance",
            "working.put",
            "workspaces.add_aliases",
            "workspaces.insert",
        }
    )
)
"""The functions that `hold` calls."""
ELSEWHERE = (
    scope_held.ELSEWHERE
    | scope_distilled.ELSEWHERE
    | scope_documents.ELSEWHERE
    | scope_profiles.ELSEWHERE
    | scope_proposed.ELSEWHERE
    | scope_quarantine.ELSEWHERE
    | scope_lessons.ELSEWHERE
    | scope_related.ELSEWHERE
    | scope_relocation.ELSEWHERE
    | scope_spending.ELSEWHERE
    | scope_steered.ELSEWHERE
    | scope_supervised.ELSEWHERE
    | frozenset(
        {
            "blobs.content",
            "compactions.extent",
            "memories.of_shared_prefix",
            "observations.content_format",
        }
    )
)
"""Functions with an error or default for no data; tested separately."""


def called(database: Database, name: str, team: str, holding: Holding) -> Any:
    """Call one of `READS` for a team."""
    return database.of(team).read(lambda tx: READS[name](tx, team, holding))


def attempted(database: Database, name: str, team: str, holding: Holding) -> Any:
    """Call one of `WRITES` for a team."""
    return database.of(team).write(lambda tx: WRITES[name](tx, team, holding))


def hold(tx: Transaction, team: str) -> Holding:
    """Store one record of every kind; two teams get the same ids."""
    records = Records(team)
    workspace = records.workspace()
    workspaces.insert(tx, workspace, ["path:/srv/shop"])
    workspaces.add_aliases(tx, team, workspace.id, ["remote:example.com/shop"])
    task = tasks.insert(tx, records.task(workspace.id, goal=f"goal of {team}", observations=3))
    seen = records.plant(
        tx,
        task,
        1,
        f"zebra of {team}",
        type=ObservationType.ERROR,
        salience="critical",
        tags=("t",),
        files=("f",),
        content_hash=Blob.of("same").hash,
    )
    blobs.insert(tx, team, [Blob.of("same"), Blob.of("unused")])
    observations.open_error(tx, team, task.id, "pytest", seen.id)
    observation_totals.count_redactions(tx, team, task.id, {"aws": 1})
    gone = records.plant(tx, task, 2, "gone")
    observations.delete(tx, team, [gone.id], START)
    tombstones.add_tombstones(tx, team, ["forgotten"], START)
    memory = records.memory(workspace.id, "zebra", critical=True, title=f"of {team}")
    records.plant_memory(tx, memory, (seen.id,))
    new = records.entry(
        workspace.id, task.id, passages=2, source=seen.id, standing=INSTRUCTION,
        kind="observation", features=team.encode(),
    )  # fmt: skip
    entries.insert(tx, team, [replace(new, speaker=f"speaker of {team}")])
    entries.put_labels(tx, team, {seen.id: f"labels of {team}"})
    tx.vectors().put(team, "m", [VectorEntry(seen.id, 0, NORTH)])
    ratings.rate(tx, team, seen.id, useful=True, now=START)
    retrievals.add(tx, team, {seen.id: 3}, START)
    called_so = records.task(workspace.id, goal=f"letters of {team}")
    tasks.insert(tx, replace(called_so, host=NAMED_BY_CALLER, session="letters@shop"))
    live_outputs.insert(tx, team, LiveOutput(seen.id, 9_000, 900, 3_000, 300))
    journal.append(tx, team, NewJournalEntry(START, "human", "observe", task.id, {"of": team}))
    transcripts.advance(tx, team, "/log", "head", (7, START))
    working.put(tx, WorkingEntry(team, task.id, "step", f"of {team}", START, START + 9))
    compactions.add(tx, team, compaction(task, 2, summary=f"said by {team}"))
    job = _ended_and_running(tx, records)
    block, taken = scope_held.hold_blocks(tx, records, task)
    scope_distilled.hold_stages(tx, task)
    scope_spending.hold_calls(tx, records, task)
    scope_proposed.hold_proposals(tx, records, memory)
    scope_profiles.hold_profile(tx, records, workspace.id, memory)
    scope_quarantine.hold_quarantine(tx, team, seen.id)
    scope_lessons.hold_lessons(tx, records, task, memory)
    scope_steered.hold_feedback(tx, records, task, seen)
    scope_related.hold_relations(tx, records, memory, task)
    scope_supervised.hold_supervised(tx, records, task, seen, memory)
    scope_kept_answers.hold_answer(tx, team)
    scope_documents.hold_documents(tx, team)
    scope_mirrored.hold_mirror(tx, records, memory)
    scope_identity.hold_credentials(tx, records)
    scope_sources.hold_message(tx, records, task)
    digest = Blob.of("same").hash
    return Holding(records, workspace, task, seen, gone, memory, new, job, digest, block, taken)


def _ended_and_running(tx: Transaction, records: Records) -> Job:
    """Store a failed job, a completed one and a running one."""
    for number, state in enumerate(("failed", "done", "running")):
        job = records.job(subject=f"{state} of {records.team}", run_at=START + number)
        jobs.enqueue(tx, job, START)
        sql = (
            "update job set state = :state, lease_owner = :owner, ended_at = :at "
            "where team = :team and id = :id"
        )
        ended = None if state == "running" else START
        changes = {"state": state, "owner": "one", "at": ended, "team": job.team, "id": job.id}
        tx.execute(sql, changes)
    return job


def everything(tx: Transaction, team: str) -> dict[str, list[Row]]:
    """Return all rows of a team."""
    found = {}
    for table in TABLES:
        rows = tx.fetch(f"select * from {table} where team = :team", {"team": team})
        found[table] = sorted(rows, key=repr)
        assert rows, f"{table} holds nothing, so it proves nothing"
    return found


def _of(team: str, value: Any) -> Any:
    return replace(value, team=team)
