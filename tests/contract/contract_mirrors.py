"""Contract of the store for the mirror: written files, requested runs."""

from __future__ import annotations

from dataclasses import replace

from contract.clock import START
from contract.records import Records
from contract.scope_mirrored import mirror
from memoranda.jobs import table as jobs
from memoranda.jobs.model import JobKind
from memoranda.memories import table as memories, version_table as memory_versions
from memoranda.memories.model import MemoryStatus, Visibility
from memoranda.mirror import table as mirrors
from memoranda.mirror.model import FileKind, MirrorFile, MirrorNote
from memoranda.proposals.model import MemoryState, MemoryVersion
from memoranda.store.database import Database, Transaction

TEAM = Records().team


def mirror_file(path: str) -> MirrorFile:
    """Make the record of a page."""
    return MirrorFile(TEAM, path, FileKind.PAGE, "", f"hash of {path}", {"m": "text"}, START)


class MirrorContract:
    """A mirror belongs to one team; its files are deleted with it."""

    def test_a_mirror_is_written_over_and_dropped(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            assert mirrors.of(tx, TEAM) is None
            made = replace(mirror(TEAM), synced_at=None, notes=())
            mirrors.put(tx, made)
            assert mirrors.of(tx, TEAM) == made
            later = replace(
                made, synced_at=START + 9, notes=(MirrorNote("a \u00bb\u2603", "b", START),)
            )
            mirrors.put(tx, later)
            assert mirrors.of(tx, TEAM) == later
            mirrors.put_files(tx, [mirror_file("a")])
            assert mirrors.drop(tx, TEAM)
            assert not mirrors.drop(tx, TEAM)
            assert mirrors.files(tx, TEAM) == {}

        database.write(work)

    def test_files_are_known_by_their_paths(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            mirrors.put(tx, mirror(TEAM))
            made = [mirror_file(path) for path in ("b", "A", "a/\u00e9", "a")]
            mirrors.put_files(tx, made)
            assert mirrors.files(tx, TEAM) == {one.path: one for one in made}
            planned = replace(made[0], next_hash="next", next_entries={"n": "other"})
            kept = replace(made[1], kind=FileKind.KEPT, entries={}, hash="")
            mirrors.put_files(tx, [planned, kept])
            assert mirrors.files(tx, TEAM)["b"] == planned
            assert planned.hashes == {"hash of b", "next"}
            assert mirrors.files(tx, TEAM)["A"].hashes == frozenset()
            assert mirrors.drop_files(tx, TEAM, ["a", "b", "nonesuch"]) == 2
            assert set(mirrors.files(tx, TEAM)) == {"A", "a/\u00e9"}

        database.write(work)

    def test_more_files_than_a_page_are_all_known(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            mirrors.put(tx, mirror(TEAM))
            made = [mirror_file(f"{number:05}") for number in range(mirrors.PAGE * 2 + 1)]
            mirrors.put_files(tx, made)
            assert mirrors.files(tx, TEAM) == {one.path: one for one in made}

        database.write(work)

    def test_sync_jobs_are_queued_once_and_only_with_a_mirror(self, database: Database) -> None:
        ids = Records().ids

        def work(tx: Transaction) -> None:
            assert not mirrors.touch(tx, TEAM, ids.new(), START)
            mirrors.put(tx, mirror(TEAM))
            assert mirrors.touch(tx, TEAM, ids.new(), START)
            assert not mirrors.touch(tx, TEAM, ids.new(), START)
            assert jobs.waiting(tx, TEAM, JobKind.MIRROR) == 1
            leased = jobs.lease(tx, TEAM, "one", START)
            assert leased
            assert (leased.kind, leased.subject) == (JobKind.MIRROR, "")
            assert mirrors.touch(tx, TEAM, ids.new(), START)  # what runs may have looked before

        database.write(work)

    def test_task_learnings_are_valid_and_not_private(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            task = records.plant_task(tx)
            other = records.plant_task(tx)
            seen = [records.plant(tx, task, number) for number in (1, 2)]
            elsewhere = records.plant(tx, other, 1)
            evidence = tuple(one.id for one in seen)
            kept = [records.plant_memory(tx, records.memory(None, f"m{n}"), evidence) for n in "ab"]
            own = records.memory(None, "own", visibility=Visibility.AGENT, agent="critic")
            waits = records.memory(None, "waits", status=MemoryStatus.PENDING)
            for one in (own, waits):
                records.plant_memory(tx, one, evidence)
            records.plant_memory(tx, records.memory(None, "far"), (elsewhere.id,))
            assert mirrors.memories_of_task(tx, TEAM, task.id, 9) == [one.id for one in kept]
            assert mirrors.memories_of_task(tx, TEAM, task.id, 1) == [kept[0].id]

        database.write(work)

    def test_versions_of_memories_are_counted(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            first, second = (records.plant_memory(tx, records.memory(None, n)) for n in "ab")
            for number in (1, 2):
                state = MemoryState.of(first)
                version = MemoryVersion(TEAM, first.id, number, state, "human", "", START)
                memory_versions.put(tx, version)
            assert mirrors.versions(tx, TEAM, [first.id, second.id]) == {first.id: 2}
            memories.delete(tx, TEAM, [first.id])
            assert mirrors.versions(tx, TEAM, [first.id]) == {}

        database.write(work)
