"""A copied store equals its source, on either engine, after interruptions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from contract.contract_vectors import HALF, VectorCorpus, directions, nearest, plant, put
from contract.records import Records
from contract.scope_calls import everything, hold
from memoranda import Memoranda
from memoranda.archive.store_copy import copy
from memoranda.cli import cli
from memoranda.exceptions import Conflict, CorruptData, NotFound
from memoranda.journal import table as journal
from memoranda.search import table as entries
from memoranda.store.database import Database, TextQuery, Transaction
from memoranda.store.engine_selection import open_address
from memoranda.store.sqlite.engine import SqliteDatabase
from memoranda.store.table_catalogue import TABLES
from memoranda.workspaces import table as workspaces
from postgres_stores import EmptyStores

pytestmark = pytest.mark.integration

EXAMPLE = Path(__file__).parents[2] / "examples" / "session" / "parcel-quotes.jsonl"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data directory of a store with a whole session."""
    folder = tmp_path_factory.mktemp("source")
    with Memoranda.open(folder) as memory:
        memory.capture.import_transcript(EXAMPLE, workspace="parcel")
        memory.remember("surcharges stay exact", workspace="parcel")
        memory.observe("chose largest remainder", type="decision", workspace="parcel")
    return folder


@pytest.fixture
def source(filled: Path) -> Iterator[SqliteDatabase]:
    database = SqliteDatabase(filled / "memoranda.db")
    yield database
    database.close()


@pytest.fixture(params=["sqlite", "postgres"])
def target(
    request: pytest.FixtureRequest, tmp_path: Path, postgres_stores: EmptyStores
) -> Iterator[Database]:
    if request.param == "postgres":
        with postgres_stores.opened() as database:
            yield database
        return
    made = SqliteDatabase(tmp_path / "target.db")
    yield made
    made.close()


def found(database: Database, word: str) -> list[str]:
    hits = database.read(lambda tx: tx.text("observation").search(TextQuery("local", [word])))
    return sorted(hit.id for hit in hits)


def test_a_copy_finds_the_same_as_its_source(
    source: SqliteDatabase, target: Database, tmp_path: Path
) -> None:
    copied = copy(source, target, "local")
    assert {each.table: each.rows for each in copied}["observation"] == 156
    assert all(each.rows == each.written for each in copied)
    for word in ("rounding", "surcharge", "spreadsheet", "zzzunknown"):
        assert found(target, word) == found(source, word)
    check = target.read(partial(journal.verify, team="local"))
    assert check == source.read(partial(journal.verify, team="local"))
    assert check.intact
    again = copy(source, target, "local")
    assert [each.written for each in again] == [0] * len(TABLES)
    back = SqliteDatabase(tmp_path / "back.db")
    assert [each.digest for each in copy(target, back, "local")] == [each.digest for each in copied]
    assert found(back, "rounding") == found(source, "rounding")
    back.close()


def test_every_table_is_copied(target: Database, tmp_path: Path) -> None:
    source = SqliteDatabase(tmp_path / "one.db")
    source.write(partial(hold, team="local"))
    copied = copy(source, target, "local")
    assert [each.table for each in copied if not each.rows] == []
    look = partial(everything, team="local")
    assert len(target.read(look)) == len(source.read(look)) == len(TABLES)
    source.close()


def test_vectors_are_taken_along_and_found_as_before(target: Database, tmp_path: Path) -> None:
    source = SqliteDatabase(tmp_path / "vectors.db")
    records, made, older = Records(), directions(1_300), directions(30, 32)

    def fill(tx: Transaction) -> VectorCorpus:
        plant(tx, records, older, model="older", task="one")
        entries.insert(tx, "local", [records.entry(passages=3)])
        return plant(tx, records, made, workspace="shop")

    stored = source.write(fill)
    copied = {each.table: each for each in copy(source, target, "local")}
    assert (copied["entry"].rows, copied["passage"].rows) == (1_331, 1_333)
    for wanted in directions(3, seed=1):
        stored.check(nearest(target, wanted), wanted, 100)
        among = [nearest(each, wanted, among=stored.sources, limit=9) for each in (source, target)]
        assert [hit.source for hit in among[0]] == [hit.source for hit in among[1]]
    assert nearest(target, older[0], "older", task="two") == []
    assert nearest(target, older[0], "older", limit=1)[0].score == pytest.approx(1.0, abs=HALF)
    left = target.read(partial(entries.waiting, team="local", model="m", limit=99))
    assert len(left) == 33
    assert copy(source, target, "local")[-1].written == 0
    source.close()


def test_a_vector_that_differs_in_the_target_ends_the_copy(
    target: Database, tmp_path: Path
) -> None:
    source = SqliteDatabase(tmp_path / "differing.db")
    corpus = source.write(partial(plant, records=Records(), vectors=directions(20)))
    copy(source, target, "local")
    put(target, "m", corpus.sources[3:4], corpus.vectors[4:5])
    with pytest.raises(Conflict, match=f"another passage {corpus.sources[3]}/0"):
        copy(source, target, "local")
    source.close()


def test_a_copy_that_was_interrupted_is_continued(source: SqliteDatabase, target: Database) -> None:
    class Stopped(Exception):
        pass

    for fatal in (1, 4, 6, 9):
        steps = iter(range(100))

        def stop(table: str, rows: int, steps: Iterator[int] = steps, fatal: int = fatal) -> None:
            if next(steps) == fatal:
                raise Stopped

        with pytest.raises(Stopped):
            copy(source, target, "local", stop)
    copied = {each.table: each for each in copy(source, target, "local")}
    assert copied["workspace"].written == 0
    assert found(target, "rounding") == found(source, "rounding")


def test_a_target_with_other_data_is_left_alone(source: SqliteDatabase, target: Database) -> None:
    place = Records().workspace("mine")
    target.write(partial(workspaces.insert, workspace=place, aliases=[]))
    with pytest.raises(Conflict, match="another workspace"):
        copy(source, target, "local")
    assert target.read(partial(workspaces.ids, team="local")) == [place.id]


def test_only_the_team_that_is_named_is_copied(target: Database, tmp_path: Path) -> None:
    source = SqliteDatabase(tmp_path / "two.db")
    for team in ("local", "other"):
        source.of(team).write(partial(hold, team=team))
    copy(source, target, "local")
    assert target.of("other").read(partial(workspaces.ids, team="other")) == []
    source.close()


def test_a_damaged_content_ends_the_copy(target: Database, tmp_path: Path) -> None:
    source = SqliteDatabase(tmp_path / "three.db")
    source.write(partial(hold, team="local"))
    source.write(lambda tx: tx.execute("update blob set codec = 'plain', data = :d", {"d": b"x"}))
    with pytest.raises(CorruptData, match="damaged"):
        copy(source, target, "local")
    source.close()


def test_an_address_is_a_folder_a_file_or_a_server(
    filled: Path, postgres_stores: EmptyStores
) -> None:
    with Memoranda.open(filled) as memory:
        for address in (str(filled), str(filled / "memoranda.db"), postgres_stores.url):
            open_address(address, memory.settings).close()
        with pytest.raises(NotFound):
            open_address(str(filled / "nothing.db"), memory.settings)


def test_a_target_directory_that_does_not_exist_is_created(filled: Path, tmp_path: Path) -> None:
    target = tmp_path / "new"
    assert CliRunner().invoke(cli, ["copy", str(tmp_path / "none"), str(target)]).exit_code != 0
    assert not target.exists()
    made = CliRunner().invoke(cli, ["copy", str(filled), str(target)])
    assert made.exit_code == 0, made.output
    with Memoranda.open(filled) as memory, Memoranda.open(target) as copied:
        assert copied.tasks.list().items == memory.tasks.list().items
    refused = CliRunner().invoke(cli, ["copy", str(filled), str(tmp_path / "no" / "such")])
    assert refused.exit_code != 0
    assert "its folder must exist" in refused.stderr
