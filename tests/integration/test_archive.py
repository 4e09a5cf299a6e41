"""An export can be imported completely and once, into any store."""

from __future__ import annotations

import json
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from archives import (
    as_agent,
    contents_of,
    fill,
    members,
    plain,
    renamed,
    rewritten,
    take_in_session,
    undeclared,
    with_row as changed,
)
from happenings import message_event, ran

from contract.clock import START
from memoranda import Memoranda
from memoranda.archive import importer as importing, writer as writing
from memoranda.archive.format import RATIO
from memoranda.archive.kinds import KINDS
from memoranda.config import Settings, load_settings
from memoranda.exceptions import Conflict, InvalidInput, NotFound, StorageError
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import MemoryStatus, Visibility
from memoranda.memories.removal import RemovalSelection
from memoranda.observations import table as observations
from memoranda.observations.model import Origin, Salience
from memoranda.stages.model import StageName
from memoranda.store.database import Transaction
from secrets_corpus import SAMPLES

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memoranda]:
    """Return a full store in a file; read only."""
    folder = tmp_path_factory.mktemp("source")
    settings = plain(load_settings({"data_dir": folder}, {}))
    with Memoranda.open(settings=settings) as memory:
        fill(memory)
        memory.capture.drain()
        yield memory


@pytest.fixture(scope="module")
def whole(source: Memoranda, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an archive of the whole team."""
    path = tmp_path_factory.mktemp("archives") / "whole.zip"
    source.archive.export(path)
    return path


@pytest.fixture
def target(engine: Settings) -> Iterator[Memoranda]:
    """Return an empty store on each engine."""
    with Memoranda.open(settings=plain(engine)) as memory:
        yield memory


def test_an_archive_has_something_of_every_kind(whole: Path) -> None:
    assert [kind for kind, rows in members(whole).items() if not rows] == []


@pytest.mark.engines("sqlite", "postgres")
@pytest.mark.parametrize("trust", [False, True])
def test_a_round_trip_loses_nothing(
    target: Memoranda, whole: Path, tmp_path: Path, trust: bool
) -> None:
    target.archive.import_archive(whole, trust=trust)
    target.archive.export(tmp_path / "again.zip")
    first, again = members(whole), members(tmp_path / "again.zip")
    assert undeclared(again) == undeclared(first)
    assert [t["number"] for t in again["tasks"]] == [t["number"] for t in first["tasks"]]
    for kind in ("observations", "block_versions", "memories"):
        assert [r["tokens"] for r in again[kind]] == [r["tokens"] for r in first[kind]]
    if trust:
        assert again["workspaces"] == first["workspaces"]
        assert [m["status"] for m in again["memories"]] == [m["status"] for m in first["memories"]]
        assert [o["salience"] for o in again["observations"]] == [
            o["salience"] for o in first["observations"]
        ]


@pytest.mark.engines("sqlite", "postgres")
def test_a_round_trip_from_one_engine_to_the_other_and_back(
    source: Memoranda, target: Memoranda, whole: Path, tmp_path: Path
) -> None:
    target.archive.import_archive(whole, trust=True)
    there, back = tmp_path / "there.zip", tmp_path / "back.zip"
    first = target.archive.export(there, workspace="shop")
    settings = plain(load_settings({"data_dir": tmp_path / "third"}, {}))
    with Memoranda.open(settings=settings) as third:
        third.archive.import_archive(there, trust=True)
        second = third.archive.export(back)
        assert third.journal.verify().intact
    assert (members(back), second.digest) == (members(there), first.digest)
    assert first.rows["workspaces"] == 1


@pytest.mark.engines("sqlite", "postgres")
def test_ids_can_be_renewed_beside_the_original(
    target: Memoranda, whole: Path, tmp_path: Path
) -> None:
    target.archive.import_archive(whole)
    before = contents_of(target)
    report = target.archive.import_archive(whole, ids="renew")
    assert report.refusals == []
    rows = members(whole)
    assert report.added == {k: len(rows[k]) if k != "agents" else 0 for k in report.added}
    assert contents_of(target) != before
    doubled = target.archive.export(tmp_path / "doubled.zip").rows
    assert doubled["observations"] == 2 * len(rows["observations"])
    names = {row["name"] for row in members(tmp_path / "doubled.zip")["workspaces"]}
    assert {"shop", "barn", "shop-2", "barn-2"} <= names
    again = target.archive.import_archive(whole, ids="renew")
    assert sum(again.added.values()) == sum(again.refused.values()) == 0
    assert {finding.verdict for finding in target.store.doctor()} == {"ok"}


def test_renewed_rows_refer_to_each_other_as_before(
    target: Memoranda, whole: Path, tmp_path: Path
) -> None:
    target.archive.import_archive(whole, ids="renew")
    target.archive.export(tmp_path / "renewed.zip")
    first, again = members(whole), members(tmp_path / "renewed.zip")
    old = {row["id"] for kind in ("tasks", "observations", "blocks") for row in first[kind]}
    assert old.isdisjoint(row["id"] for row in again["tasks"] + again["blocks"])
    assert renamed(again) == renamed(first)


def test_what_is_not_in_the_archive_is_named_as_before(
    source: Memoranda, target: Memoranda, whole: Path, tmp_path: Path
) -> None:
    source.archive.export(tmp_path / "without.zip", observations=False)
    target.archive.import_archive(tmp_path / "without.zip", ids="renew")
    there, here = (
        {row["content"]: row["evidence"] for row in rows["memories"] if row["evidence"]}
        for rows in (members(whole), _exported(target))
    )
    assert "prices are net" in here
    assert here == there
    observed = {row["id"] for row in members(whole)["observations"]}
    assert {id for ids in here.values() for id in ids} <= observed


@pytest.mark.engines("sqlite", "postgres")
def test_doing_it_twice_adds_nothing(target: Memoranda, whole: Path, tmp_path: Path) -> None:
    first = target.archive.import_archive(whole)
    assert first.added == {kind: len(rows) for kind, rows in members(whole).items()}
    before = contents_of(target)
    again = target.archive.import_archive(whole)
    assert sum(again.added.values()) == sum(again.refused.values()) == 0
    assert again.there == first.added
    assert contents_of(target) == before


def test_importing_into_the_store_it_came_from_changes_nothing(
    source: Memoranda, whole: Path
) -> None:
    before = contents_of(source)
    report = source.archive.import_archive(whole)
    assert (sum(report.added.values()), report.refusals) == (0, [])
    assert contents_of(source) == before


def test_a_dry_run_reports_what_would_be_done(target: Memoranda, whole: Path) -> None:
    before = contents_of(target, derived=True)
    planned = target.archive.import_archive(whole, dry_run=True)
    assert contents_of(target, derived=True) == before
    done = target.archive.import_archive(whole)
    assert (planned.added, planned.there) == (done.added, done.there)
    assert planned.dry_run and not done.dry_run


def test_what_came_in_is_found(target: Memoranda, source: Memoranda, whole: Path) -> None:
    target.archive.import_archive(whole, trust=True)
    for word in ("rounding", "surcharge", "spreadsheet", "squeaks", "zzzunknown"):
        ids = [{hit.id for hit in one.search(word).hits} for one in (target, source)]
        assert ids[0] == ids[1]
    assert len(target.search("squeaks").hits) == 1
    for ref in ("1#36", "1#54"):
        assert target.observations.show(ref).content == source.observations.show(ref).content
    assert target.store.stats().redactions == source.store.stats().redactions


def test_work_goes_on_where_it_stood(target: Memoranda, source: Memoranda, whole: Path) -> None:
    target.archive.import_archive(whole)
    task = next(t for t in source.tasks.list() if t.session.startswith("prices")).id
    was, now = source.tasks.resume(task), target.tasks.resume(task)
    assert (now.checkpoint, now.state) == (was.checkpoint, was.state)
    assert [b.value for b in now.blocks] == [b.value for b in was.blocks]
    assert [o.id for o in now.errors] == [o.id for o in was.errors]
    assert target.checkpoints.diff(task, "1", "2") == source.checkpoints.diff(task, "1", "2")
    target.checkpoints.rollback(task, "2")
    assert target.observe("goes on", task=task).sequence == 2


def test_nothing_is_trusted_unless_a_person_requests_it(target: Memoranda, whole: Path) -> None:
    target.archive.import_archive(whole)
    mine = [*target.memories.list(), *as_agent(target, "ada").memories.list()]
    assert {m.origin for m in mine} == {Origin.IMPORT}
    assert {m.status for m in mine} == {MemoryStatus.PENDING}
    assert not any(m.critical or m.protected or m.critical_reason for m in mine)
    assert max(m.confidence for m in mine) <= 0.5
    seen = target._database.read(lambda tx: observations.recent(tx, "local", None, limit=500))
    assert Salience.CRITICAL not in {o.salience for o in seen}
    assert target.workspace_of("/srv/nowhere") is None
    assert all(not row["aliases"] for row in _exported(target)["workspaces"])


def test_trust_keeps_approvals_but_not_authors(target: Memoranda, whole: Path) -> None:
    target.archive.import_archive(whole, trust=True)
    (net,) = [m for m in target.memories.list() if m.content == "prices are net"]
    assert (net.status, net.critical, net.protected) == (MemoryStatus.APPROVED, True, True)
    assert (net.origin, net.confidence) == (Origin.IMPORT, 0.5)
    assert net.id in {hit.id for hit in target.search("prices net").hits}
    assert any(row["aliases"] for row in _exported(target)["workspaces"])


def test_what_a_person_approved_since_stays_approved(target: Memoranda, whole: Path) -> None:
    target.archive.import_archive(whole)
    sql = "update memory set status = 'approved' where team = 'local'"
    target._database.write(lambda tx: tx.execute(sql, {}))
    assert target.archive.import_archive(whole).refusals == []
    assert {m.status for m in target.memories.list()} == {MemoryStatus.APPROVED}


def test_a_row_that_is_here_with_another_content_is_refused_and_named(
    target: Memoranda, whole: Path, tmp_path: Path
) -> None:
    target.archive.import_archive(whole)
    before = contents_of(target)
    rows = members(whole)
    # What belongs to something refused is refused as well, so these are several archives.
    archives: tuple[dict[str, dict[str, Any]], ...] = (
        {"tasks": {"started_at": 5}},
        {
            "observations": {"content": "another content", "format": "text"},
            "memories": {"content": "another statement"},
            "blocks": {"description": "another description"},
            "checkpoints": {"state": '{"plan":"another"}'},
            "compactions": {"summary": "another summary"},
        },
        {
            "block_versions": {"value": "another value"},
            "task_states": {"state": '{"plan":"another"}'},
        },
    )
    for edits in archives:
        path = whole
        for kind, change in edits.items():
            path = rewritten(path, tmp_path / "changed.zip", changed(kind, **change))
        report = target.archive.import_archive(path)
        for kind in edits:
            named = "blocks" if kind == "block_versions" else kind
            first = rows[kind][0]
            id = first.get("id") or first.get("block") or first.get("task")
            assert any((r.kind, r.id[:36]) == (named, id) for r in report.refusals), kind
        assert sum(report.added.values()) == 0
        assert contents_of(target) == before, edits


def test_what_belongs_to_something_refused_is_refused_as_well(
    target: Memoranda, whole: Path, tmp_path: Path
) -> None:
    rows = members(whole)
    task = rows["tasks"][0]
    only = tmp_path / "only.zip"

    def keep_tasks(files: dict[str, bytes]) -> None:
        for name in files:
            if name not in ("manifest.json", "workspaces.jsonl", "tasks.jsonl", "agents.jsonl"):
                files[name] = b""

    path = rewritten(whole, only, keep_tasks)
    target.archive.import_archive(rewritten(path, path, changed("tasks", started_at=5)))
    report = target.archive.import_archive(whole)
    of_task = sum(row["task"] == task["id"] for row in rows["observations"])
    assert (report.refused["tasks"], report.refused["observations"]) == (1, of_task)
    assert report.added["observations"] == len(rows["observations"]) - of_task
    assert report.added["memories"] == len(rows["memories"])


def test_a_task_that_has_not_come_so_far_here_is_not_led_on(
    target: Memoranda, whole: Path, tmp_path: Path
) -> None:
    target.archive.import_archive(whole)
    before = contents_of(target)
    first = members(whole)["observations"][0]
    task = next(row for row in members(whole)["tasks"] if row["id"] == first["task"])
    longer = rewritten(
        whole, tmp_path / "longer.zip", changed("tasks", observations=task["observations"] + 9)
    )
    report = target.archive.import_archive(longer)
    assert ("tasks", task["id"]) in {(one.kind, one.id) for one in report.refusals}
    assert contents_of(target) == before


def test_a_session_that_another_task_has_is_not_taken_from_it(
    target: Memoranda, whole: Path
) -> None:
    take_in_session(target)
    before = {row["id"] for row in _exported(target)["observations"]}
    report = target.archive.import_archive(whole)
    assert any("has its session" in one.reason for one in report.refusals)
    after = _exported(target)
    assert before <= {row["id"] for row in after["observations"]}
    assert {row["name"] for row in after["workspaces"]} == {"shop", "shop-2", "barn"}
    assert {finding.verdict for finding in target.store.doctor()} == {"ok"}


@pytest.mark.engines("sqlite", "postgres")
def test_what_was_forgotten_here_does_not_come_back(
    target: Memoranda, whole: Path, tmp_path: Path
) -> None:
    target.archive.import_archive(whole)
    gone = members(whole)["observations"][7]["id"]
    target.forget(RemovalSelection(ids=[gone]), confirm=True)
    for ids in ("keep", "renew"):
        report = target.archive.import_archive(whole, ids=ids)
        assert [r.reason for r in report.refusals if r.kind == "observations"] == [
            "it was forgotten in this store"
        ]


@pytest.mark.engines("sqlite", "postgres")
def test_a_forgotten_memory_is_not_imported_until_it_is_stated_again(
    target: Memoranda, whole: Path
) -> None:
    target.archive.import_archive(whole, trust=True)
    gone = next(row for row in members(whole)["memories"] if not row["protected"])
    target.forget(RemovalSelection(ids=[gone["id"]]), confirm=True)
    for ids in ("keep", "renew"):
        dry = target.archive.import_archive(whole, ids=ids, trust=True, dry_run=True)
        report = target.archive.import_archive(whole, ids=ids, trust=True)
        for summary in (dry, report):
            refused = [r.reason for r in summary.refusals if r.kind == "memories"]
            assert refused == ["it was forgotten in this store"]
    assert gone["content"] not in {
        one.content for one in target.memories.list(limit=500, ever=True)
    }
    assert target.remember(gone["content"]).content == gone["content"]


class Stopped(Exception):
    """Interrupts an import."""


@pytest.mark.engines("sqlite", "postgres")
def test_an_import_that_was_interrupted_is_completed_by_another(
    target: Memoranda, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importing, "BATCH_ROWS", 3)
    reached: list[int] = []
    for fatal in (1, 2, 6, 20, 30, 40):
        steps = iter(range(1_000))

        def stop(kind: str, rows: int, steps: Any = steps, fatal: int = fatal) -> None:
            if not kind.startswith("checking") and next(steps) == fatal:
                raise Stopped

        with pytest.raises(Stopped):
            target.archive.import_archive(whole, progress=stop)
        begun = target.journal.list(operation=importing.OPERATION).items
        reached.append(len(begun))
        assert {f.verdict for f in target.store.doctor() if f.check == "integrity"} == {"ok"}
    assert reached[0] >= 1
    report = target.archive.import_archive(whole)
    assert report.refusals == []
    assert undeclared(_exported(target)) == undeclared(members(whole))


@pytest.mark.engines("sqlite", "postgres")
def test_a_batch_that_fails_leaves_nothing_of_itself(
    target: Memoranda, whole: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(tx: Transaction, *_: Any) -> None:
        raise StorageError("no")

    with monkeypatch.context() as patch:
        patch.setattr(observations, "insert", fail)
        with pytest.raises(StorageError):
            target.archive.import_archive(whole)
    assert _exported(target)["observations"] == []
    assert target.archive.import_archive(whole).added["observations"] > 0


def test_the_journal_records_what_was_imported(target: Memoranda, whole: Path) -> None:
    report = target.archive.import_archive(whole)
    end, begin = target.journal.list(operation="import archive").items
    assert begin.detail["begun"] is True
    assert end.subject == begin.subject == report.digest
    assert end.detail["added"] == report.added
    target.archive.import_archive(whole)
    assert len(target.journal.list(operation="import archive").items) == 3
    target.archive.import_archive(whole, dry_run=True)
    assert len(target.journal.list(operation="import archive").items) == 3
    assert target.journal.verify().intact


@pytest.mark.engines("sqlite", "postgres")
def test_another_team_is_not_touched(engine: Settings, whole: Path) -> None:
    with Memoranda.open(settings=plain(engine)) as mine:
        mine.observe("mine", task="one")
        while mine._services.worker.run():
            pass
        mine._services.background.stop()
        before = contents_of(mine, derived=True)
        with Memoranda.open(settings=plain(engine, team="other")) as other:
            assert other.archive.import_archive(whole).refusals == []
            assert undeclared(_exported(other)) == undeclared(members(whole))
            assert other.search("rounding").hits
        assert contents_of(mine, derived=True) == before
        assert mine.search("rounding").hits == ()


def test_secrets_are_taken_out_on_the_way_in(
    target: Memoranda, whole: Path, tmp_path: Path
) -> None:
    sample = next(one for one in SAMPLES if one.vendor)
    message = f"use {sample.text} <private>and this</private>"
    path = whole
    for kind, field in (
        ("tasks", "goal"), ("memories", "content"), ("memories", "title"),
        ("block_versions", "value"), ("block_versions", "reason"), ("blocks", "description"),
        ("memory_versions", "reason"),
        ("compactions", "summary"), ("checkpoints", "description"), ("observations", "summary"),
    ):  # fmt: skip
        path = rewritten(path, tmp_path / "next.zip", changed(kind, **{field: message}))
    state = '{"note":"' + sample.secret + '"}'
    path = rewritten(path, tmp_path / "next.zip", changed("task_states", state=state))
    was = json.loads(members(path)["memory_versions"][0]["state"])
    was |= {"title": message, "content": message, "tags": [message]}
    edit = changed("memory_versions", state=json.dumps(was))
    path = rewritten(path, tmp_path / "next.zip", edit)
    call = (
        '{"input":{"password":"hunter2hunter2"},"output":"<private>and this</private>'
        + sample.secret
    )
    call += '","tool":"Bash"}'
    edit = changed("observations", content=call, format="tool", tags=[sample.text])
    target.archive.import_archive(rewritten(path, tmp_path / "next.zip", edit))
    text = repr(_exported(target))
    assert sample.secret not in text
    assert "hunter2hunter2" not in text
    assert "and this" not in text
    assert "[redacted:" in text


def test_an_agents_archive_has_nothing_private_of_others(
    source: Memoranda, target: Memoranda, tmp_path: Path
) -> None:
    source.archive.export(tmp_path / "ada.zip", agent="ada")
    rows = members(tmp_path / "ada.zip")
    text = repr(rows)
    assert "of ada alone" in text and "ada whispers" in text and "nothing yet" in text
    for other in ("of bob alone", "bob whispers", "we are four", "prices are net", "bob paints"):
        assert other not in text
    assert {row["id"] for row in rows["agents"]} == {"ada"}
    assert {row["agent"] for row in rows["holders"]} == {"ada"}
    assert {row["name"] for row in rows["workspaces"]} == {"shop"}
    assert target.archive.import_archive(tmp_path / "ada.zip").refusals == []
    target.archive.export(tmp_path / "back.zip", agent="ada")
    assert undeclared(members(tmp_path / "back.zip")) == undeclared(rows)


def test_a_workspaces_archive_has_nothing_of_others(
    source: Memoranda, target: Memoranda, tmp_path: Path
) -> None:
    source.archive.export(tmp_path / "barn.zip", workspace="barn")
    rows = members(tmp_path / "barn.zip")
    assert len(rows["workspaces"]) == 1
    assert len(rows["tasks"]) == 2
    assert "shop" not in repr(rows) and "prices" not in repr(rows)
    source.archive.export(tmp_path / "shop.zip", workspace="shop", observations=False)
    shop = members(tmp_path / "shop.zip")
    assert "observations" not in shop
    assert "barn" not in repr(shop)
    assert "we are four" not in repr(shop)
    for name in ("shop.zip", "barn.zip"):
        assert target.archive.import_archive(tmp_path / name).refusals == []
    target.archive.export(tmp_path / "again.zip", workspace="shop", observations=False)
    assert undeclared(members(tmp_path / "again.zip")) == undeclared(shop)


def test_observations_can_follow_later(
    source: Memoranda, target: Memoranda, whole: Path, tmp_path: Path
) -> None:
    source.archive.export(tmp_path / "without.zip", observations=False)
    target.archive.import_archive(tmp_path / "without.zip")
    assert target.archive.import_archive(whole).refusals == []
    assert undeclared(_exported(target)) == undeclared(members(whole))
    assert target.search("tariff").hits


def test_numbers_and_labels_that_are_taken_are_left_to_their_owners(
    target: Memoranda, whole: Path
) -> None:
    from memoranda.blocks.block_writer import NewBlock

    mine = target.observe("mine", task="one", workspace="shop")
    target.blocks.create(NewBlock("house rules", "mine"))
    report = target.archive.import_archive(whole)
    assert report.refusals == []
    assert target.tasks.show("1").id == mine.task
    numbers = [row["number"] for row in _exported(target)["tasks"]]
    assert len(set(numbers)) == len(numbers)
    assert target.blocks.show("house rules").value == "mine"
    assert target.blocks.show("house rules-2").value.startswith("knock")
    for row in _exported(target)["observations"]:
        number = target.tasks.show(row["task"]).number
        assert target.observations.show(f"{number}#{row['sequence']}").observation.id == row["id"]


def test_equal_stores_give_equal_files(
    source: Memoranda, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memoranda.archive.format import ArchiveSelection as Selected

    one, two = tmp_path / "one.zip", tmp_path / "two.zip"
    for path in (one, two):
        writing.export_archive(source._database, "local", Selected(), path, now=START)
    assert one.read_bytes() == two.read_bytes()
    assert stat.S_IMODE(one.stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir() if "part" in path.name] == []


def test_a_file_that_is_there_is_replaced_only_on_request(
    source: Memoranda, tmp_path: Path
) -> None:
    path = tmp_path / "here.zip"
    path.write_text("mine")
    with pytest.raises(Conflict, match="--force"):
        source.archive.export(path)
    assert path.read_text() == "mine"
    source.archive.export(path, force=True)
    assert members(path)["workspaces"]
    for wrong, error in ((tmp_path / "none" / "x.zip", NotFound), (tmp_path, Conflict)):
        with pytest.raises(error):
            source.archive.export(wrong)
    for values in ({"workspace": "none"}, {"agent": "none"}):
        with pytest.raises(NotFound):
            source.archive.export(tmp_path / "x.zip", **values)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        source.archive.export(tmp_path / "x.zip", workspace="shop", agent="ada")
    assert sorted(one.name for one in tmp_path.iterdir()) == ["here.zip"]


def test_what_shrinks_beyond_measure_is_written_so_that_it_can_be_read(
    target: Memoranda, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("memoranda.archive.format.RATIO_FROM", 1 << 16)
    monkeypatch.setattr("memoranda.archive.zip_archive.RATIO_FROM", 1 << 16)
    content = "0" * (RATIO << 13)
    target.observe(content, task="zeros")
    target.archive.export(tmp_path / "zeros.zip")
    assert (tmp_path / "zeros.zip").stat().st_size > len(content)
    assert target.archive.import_archive(tmp_path / "zeros.zip").there["observations"] == 1


def _exported(memory: Memoranda) -> dict[str, list[dict[str, Any]]]:
    path = memory.settings.data_dir / f"{memory.settings.team}-{memory._services.ids.new()}.zip"
    memory.archive.export(path)
    return members(path)


def test_every_table_is_in_the_archive_or_left_out_on_purpose() -> None:
    from archives import DERIVED

    from memoranda.store.table_catalogue import TABLES

    inside = {kind.table.name for kind in KINDS}
    inline = {"workspace_alias", "redaction", "open_error", "memory_evidence", "blob",
              "observation_ref", "checkpoint_block"}  # fmt: skip
    left_out = DERIVED | {"tombstone", "rating", "retrieval_count", "speaker", "working"}
    left_out |= {"compression", "live_output"}
    left_out |= {"proposal", "notification", "delivery"}
    left_out |= {"memory_reference"}
    left_out |= {"memory_version", "proposal", "notification", "delivery"}
    left_out |= {"profile_change", "profile_step"}
    left_out |= {"task_archive", "lesson", "lesson_task", "approval_rule"}
    left_out |= {"feedback", "feedback_effect", "suggestion", "suggestion_answer", "hearing"}
    left_out |= {"mirror", "mirror_file"}
    left_out |= {"document"}  # of programs, which stored them
    left_out |= {"kept_answer"}
    left_out |= {"model_call", "model_budget", "model_answer"}
    left_out |= {"credential", "token_revocation"}  # access rules are not part of an archive
    left_out |= {"quarantine"}  # judged again on import
    left_out |= {"error_note", "task_watch"}
    left_out |= {"intervention", "intervention_memory", "intervention_told"}
    assert {table.name for table in TABLES} == inside | inline | left_out


def test_a_stage_that_a_person_set_comes_along_and_stays(memory: Memoranda, tmp_path: Path) -> None:
    looked = [ran(f"look{n}", f"cat src/part{n}.py") for n in range(4)]
    memory.capture.take(looked[:2])
    (task,) = [one.id for one in memory.tasks.list()]
    memory.stages.set(task, StageName.REFLECTION, reason="the premise was wrong")
    memory.capture.take(looked[2:])
    stages = memory.stages.list(task).items
    memory.archive.export(tmp_path / "stages.zip")
    settings = load_settings({"data_dir": tmp_path / "other", "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as other:
        other.archive.import_archive(tmp_path / "stages.zip")
        other.capture.drain()
        there = other.stages.list(task).items
    assert StageName.REFLECTION in {stage.name for stage in stages}
    assert [replace(stage, team="") for stage in there] == [
        replace(stage, team="") for stage in stages
    ]


def test_what_came_in_can_be_approved(memory: Memoranda, tmp_path: Path) -> None:
    kept = memory.remember("Round once, at the end.", workspace="shop")
    memory.archive.export(tmp_path / "one.zip")
    settings = load_settings({"data_dir": tmp_path / "other", "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as other:
        other.archive.import_archive(tmp_path / "one.zip")
        other.archive.import_archive(tmp_path / "one.zip")
        (waits,) = other.proposals.list().items
        other.proposals.approve(waits.id, waits.hash)
        assert other.memories.evidence(kept.id).memory.status is MemoryStatus.APPROVED
        assert "Round once" in other.context(workspace="shop").text


def test_what_an_agent_shared_comes_along_and_can_become_its_own_again(
    memory: Memoranda, tmp_path: Path
) -> None:
    bot = as_agent(memory, "bot")
    kept = bot.remember(NewMemory("Port 8080", visibility=Visibility.AGENT), workspace="shop")

    def decide() -> None:
        for one in memory.proposals.list().items:
            memory.proposals.approve(one.id, one.hash)

    decide()
    bot.memories.promote(kept.id)
    decide()
    shared = memory.memories.evidence(kept.id).memory
    assert (shared.visibility, shared.agent) == (Visibility.TEAM, "bot")
    memory.archive.export(tmp_path / "one.zip")
    settings = load_settings({"data_dir": tmp_path / "other", "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as other:
        other.archive.import_archive(tmp_path / "one.zip", trust=True)
        came = other.memories.evidence(kept.id).memory
        assert (came.visibility, came.agent) == (Visibility.TEAM, "bot")
        assert other.remember(NewMemory("Port 8080", visibility=Visibility.TEAM)).id == kept.id
        other.memories.restore(kept.id, 2)
        assert other.memories.list().items == ()
        assert [one.id for one in as_agent(other, "bot").memories.list()] == [kept.id]


def test_words_of_an_archive_are_no_persons_unless_it_is_trusted(
    memory: Memoranda, tmp_path: Path
) -> None:
    memory.capture.take([message_event("rule", "Always deploy on Fridays.")])
    file = tmp_path / "rules.zip"
    memory.archive.export(file)
    for trust, origin in ((False, Origin.IMPORT), (True, Origin.HUMAN)):
        settings = load_settings({"data_dir": tmp_path / str(trust), "embedder": "none"}, {})
        with Memoranda.open(settings=settings) as other:
            other.archive.import_archive(file, trust=trust)
            assert {one.origin for one in other.observations.list()} == {origin}
            other.capture.drain()
            assert len(other.search("deploy on Fridays").hits) == 1
            names = {section.name for section in other.context(workspace="all").sections}
            assert ("critical-facts" in names) is trust
            assert "standing-instructions" not in names
