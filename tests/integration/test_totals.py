"""Stored totals equal the observations after any write; doctor checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from happenings import message_event, ran
from hypothesis import given, settings as profile, strategies as st

from memoranda import Memoranda
from memoranda.config import Settings, load_settings
from memoranda.memories.removal import RemovalSelection
from memoranda.observations import table as observations, total_table as observation_totals
from memoranda.store.database import Transaction
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.upkeep.doctor import CheckStatus, Finding

pytestmark = pytest.mark.integration

COUNTED = """select workspace, task, count(*), count(repeats), sum(tokens), sum(redactions),
  sum(length(summary)) from observation where team = :team group by workspace, task order by 1, 2"""
KEPT = """select workspace, task, observations, folded, tokens, redactions, summary_characters
  from task_total where team = :team order by 1, 2"""
SECRET = "export AWS_ACCESS_KEY_ID=" + "AKIA" + "IOSFODNN7EXAMPLE"


@pytest.fixture
def memory(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine) as memory:
        yield memory


def agree(memory: Memoranda) -> None:
    """Check that totals and reports equal the observations."""

    def work(tx: Transaction) -> None:
        team = {"team": memory.settings.team}
        counted = [tuple(map(_whole, row)) for row in tx.fetch(COUNTED, team)]
        assert [tuple(map(_whole, row)) for row in tx.fetch(KEPT, team)] == counted
        latest = tx.first("select max(recorded_at) from observation where team = :team", team)
        observation = observation_totals.captured(tx, team["team"], None, 0)
        assert observation.observations == observation.lately == sum(row[2] for row in counted)
        assert observation.tokens == sum(row[4] for row in counted)
        assert observation.summary_characters == sum(row[6] for row in counted)
        assert (observation.last_recorded_at,) == latest

    memory._database.read(work)


def _whole(value: object) -> object:
    return value if isinstance(value, str) else int(value)  # type: ignore[call-overload]


def take(memory: Memoranda, number: int) -> None:
    """Capture steps: new, the same again, repeats, and a secret."""
    session, place = f"session-{number % 3}", f"shop-{number % 2}"
    events = [
        message_event(f"said-{number}", f"Look at lamp {number}", session=session),
        ran(f"ran-{number}", "make lamp", "the lamp runs", session=session),
        ran(f"leak-{number}", "env", f"{SECRET}\nlamp {number}", session=session),
    ]
    memory.capture.take(events, workspace=place)


def forget(memory: Memoranda, number: int) -> None:
    """Delete one observation; others may repeat it."""
    found = memory.observations.index(limit=200).items
    if found:
        memory.forget(
            RemovalSelection(ids=[found[number % len(found)].id]), workspace="all", confirm=True
        )


def forget_task(memory: Memoranda, number: int) -> None:
    """Delete a whole task."""
    found = memory.tasks.list().items
    if found:
        memory.forget(
            RemovalSelection(task=found[number % len(found)].id), workspace="all", confirm=True
        )


def fail(memory: Memoranda, number: int) -> None:
    """Write, and roll back."""

    def work(tx: Transaction) -> None:
        found = memory.observations.index(limit=200).items
        observations.delete(tx, memory.settings.team, [one.id for one in found], 1)
        raise LookupError("let go of it")

    with pytest.raises(LookupError):
        memory._database.write(work)


def expire(memory: Memoranda, number: int) -> None:
    """Delete all routine observations."""
    memory.store.retention(memory._services.clock.now(), routine_only=True, dry_run=False)


DONE: Mapping[str, Callable[[Memoranda, int], None]] = {
    "take": take,
    "forget": forget,
    "forget task": forget_task,
    "fail": fail,
    "expire": expire,
}


@profile(max_examples=20)
@given(done=st.lists(st.tuples(st.sampled_from([*DONE]), st.integers(0, 40)), max_size=12))
def test_totals_agree_after_whatever_was_done(
    tmp_path_factory: pytest.TempPathFactory, done: list[tuple[str, int]]
) -> None:
    folder = tmp_path_factory.mktemp("totals")
    with Memoranda.open(folder) as memory:
        for what, number in done:
            DONE[what](memory, number)
        agree(memory)


def test_totals_agree_on_either_engine(memory: Memoranda) -> None:
    agree(memory)
    for number in range(7):
        take(memory, number)
    agree(memory)
    for what in ("forget", "fail", "forget task", "forget", "expire"):
        DONE[what](memory, 4)
        agree(memory)


def test_what_a_backup_brings_back_is_counted(memory: Memoranda, tmp_path: Path) -> None:
    if not isinstance(memory._services.engine, SqliteDatabase):
        pytest.skip("a server is backed up by its own tools")
    take(memory, 1)
    memory.store.backup(tmp_path / "backup.db")
    forget_task(memory, 0)
    take(memory, 5)
    memory.store.restore(tmp_path / "backup.db")
    agree(memory)
    assert memory.store.status().observations == 3


def test_an_archive_that_comes_in_is_counted(memory: Memoranda, tmp_path: Path) -> None:
    with Memoranda.open(settings=load_settings({"data_dir": tmp_path / "other"}, {})) as other:
        for number in range(4):
            take(other, number)
        other.archive.export(tmp_path / "archive")
        observation = other.store.status().observations
    memory.archive.import_archive(tmp_path / "archive")
    agree(memory)
    assert memory.store.status().observations == observation


def test_wrong_totals_are_found_and_made_anew(memory: Memoranda) -> None:
    take(memory, 1)
    assert _totals(memory).verdict is CheckStatus.OK
    spoil = "update task_total set observations = observations + 1, tokens = 0"
    memory._database.write(lambda tx: tx.execute(spoil, {}))
    assert _totals(memory).verdict is CheckStatus.FAILURE
    assert _totals(memory).fix == "memoranda rebuild-index"
    memory.index.rebuild()
    assert _totals(memory).verdict is CheckStatus.OK
    agree(memory)


def test_missing_totals_are_found(memory: Memoranda) -> None:
    take(memory, 1)
    memory._database.write(lambda tx: tx.execute("delete from task_total", {}))
    assert "1 tasks" in _totals(memory).detail


def test_quick_checks_leave_out_what_reads_the_whole_store(memory: Memoranda) -> None:
    take(memory, 1)
    quick = {one.check for one in memory.store.doctor(quick=True)}
    whole = {one.check for one in memory.store.doctor()}
    assert quick < whole
    assert {"integrity", "full text", "journal", "totals", "search"} <= whole - quick
    assert {"database", "spool", "jobs", "permissions"} <= quick


def test_tokens_of_summaries_are_counted_only_when_wanted(memory: Memoranda) -> None:
    take(memory, 1)
    whole, some = memory.store.stats(), memory.store.stats(summaries=False)
    assert whole.summary_tokens
    assert some.summary_tokens is None
    assert (some.observations, some.raw_tokens) == (whole.observations, whole.raw_tokens)


def test_errors_are_counted_by_day_with_the_open_ones(memory: Memoranda) -> None:
    day = 86_400_000_000
    start = 20_000 * day
    failed = [
        ran(f"{at}", f"make lamp-{at}", "cc: error: no such file", failed=True,
            occurred_at=start + at * day // 2)
        for at in range(4)
    ]  # fmt: skip
    memory.capture.take(
        [*failed, ran("9", "make lamp-0", "the lamp runs", occurred_at=start + 9 * day)]
    )
    found = memory.errors.days()
    assert [(one.day, one.errors, one.open) for one in found] == [
        ("2024-10-04", 2, 1),
        ("2024-10-05", 2, 2),
    ]
    memory.errors.resolve(memory.errors.list().items[0].id, "the file was moved")
    assert [one.open for one in memory.errors.days()] == [1, 1]
    assert memory.errors.days(task=memory.tasks.list().items[0].id) == memory.errors.days()


def _totals(memory: Memoranda) -> Finding:
    return next(one for one in memory.store.doctor() if one.check == "totals")
