"""Text indexed by an earlier version is reindexed automatically."""

from __future__ import annotations

import re
from pathlib import Path

import apsw
import pytest

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.search import text_index_rebuild
from memoranda.store.sqlite.migrations import known_migrations

pytestmark = pytest.mark.integration

TEXTS = (
    "йогурт и ёлка",
    "ระบบจัดเก็บข้อมูลภาษาไทย",
    "हिन्दी में संदेश",
    "plain total of a shop",
    "see splitTicketFee",
)


def opened(place: Path) -> Memoranda:
    return Memoranda.open(settings=load_settings({"data_dir": str(place), "embedder": "none"}))


def found(memory: Memoranda, word: str) -> list[str]:
    hits = memory.search(word, mode="words", limit=5).hits
    return [memory.observations.show(hit.id).content for hit in hits]


def age(place: Path, texts: list[str]) -> None:
    """Restore the state of schema 23: full text by SQLite's tokeniser."""
    store = apsw.Connection(str(place / "memoranda.db"))
    with store:
        rows = store.execute("select docid, team from observation order by docid").fetchall()
        for (docid, _), text in zip(rows, texts, strict=True):
            store.execute("delete from observation_words where rowid = ?", (docid,))
            store.execute(
                "insert into observation_words (rowid, scope, body) values (?, 'x', ?)",
                (docid, text),
            )
        for version, upgrade in reversed(known_migrations()):
            if version > 23:
                take_back(store, upgrade.read_text("utf-8"))
        store.execute("delete from migration")
        store.execute("insert into migration values (23, 'schema', 0)")
    store.close()


def take_back(store: apsw.Connection, upgrade: str) -> None:
    """Remove the indexes, columns and tables that an upgrade made."""
    for index in re.findall(r"create (?:unique )?index (\w+)", upgrade):
        store.execute(f"drop index {index}")
    for table, column in re.findall(r"alter table (\w+) add column (\w+)", upgrade):
        store.execute(f"alter table {table} drop column {column}")
    for table in re.findall(r"create table (\w+)", upgrade):
        store.execute(f"drop table {table}")


def test_text_of_an_earlier_version_is_found_after_opening(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        for text in TEXTS:
            memory.observe(text)
    age(tmp_path, list(TEXTS))
    with opened(tmp_path) as memory:
        assert found(memory, "ёлка") == [TEXTS[0]]
        assert found(memory, "ข้อมูล") == [TEXTS[1]]
        assert found(memory, "हिन्दी") == [TEXTS[2]]
        assert found(memory, "ticket") == [TEXTS[4]]
        assert memory.index.rebuild().waiting == 0
        assert found(memory, "संदेश") == [TEXTS[2]]
    store = apsw.Connection(str(tmp_path / "memoranda.db"))
    states = store.execute("select state from job where kind = 'index_text'").fetchall()
    store.close()
    assert set(states) == {("done",)}


def test_a_large_store_is_brought_up_to_date_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_index_rebuild, "PAGE", 10)
    monkeypatch.setattr(text_index_rebuild, "AT_ONCE", 20)
    texts = [f"ёлка {number}" for number in range(30)]
    with opened(tmp_path) as memory:
        for text in texts:
            memory.observe(text)
    age(tmp_path, texts)
    with opened(tmp_path) as memory:
        assert found(memory, "ёлка 25")[:1] == [texts[25]]
    store = apsw.Connection(str(tmp_path / "memoranda.db"))
    assert store.execute("select rowid from observation_words('scope: x')").fetchall() == []
    store.close()
