"""Search by words, names, paths, code and characters, with exact filters."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from happenings import message_event, ran
from histories import opened
from hypothesis import given, strategies as st

from memoranda import Memoranda
from memoranda.memories.memory_service import NewMemory
from memoranda.memories.model import Category, MemoryStatus
from memoranda.observations.model import ObservationType, Origin
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind
from memoranda.store.database import TextQuery
from memoranda.store.sqlite import fulltext
from tables import each

pytestmark = pytest.mark.integration

TEXTS = {
    "snake": "the function parse_price_list drops the last row",
    "camel": "loadTariffFile is called twice",
    "path": "look into src/parcel/tariff.py before anything else",
    "rust": "rustc says error[E0308]: mismatched types",
    "hash": "the fix is in commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "version": "toktok-rs 0.3.1 is pinned",
    "chinese": "数据库连接失败,请检查配置文件",
    "japanese": "エラーが発生しました。設定ファイルを確認してください",
    "korean": "데이터베이스 연결에 실패했습니다",
    "german": "Die Rundung der Beträge geschieht kaufmännisch",
    "prose": "Totals are rounded half up, once, at the very end",
}
HOSTILE = (
    '"',
    "'",
    "*",
    "AND",
    "OR NOT",
    "NEAR(a b)",
    "body:x",
    "scope : y",
    "a-b",
    "^cart",
    "cart*",
    "(cart",
    "cart)",
    '"cart',
    "cart\0total",
    "\ud800",
    "'; drop table observation; --",
    "%",
    "_",
    "\\",
    "{}[]",
    "x" * 100_000,
    "a " * 50_000,
    "👩‍👩‍👧",
    "\u202etrac",
    "--",
    "/*",
    "\n",
    "+",
    ":",
    ",",
)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memoranda]:
    """Return one message per text, and a memory, for read-only tests."""
    with opened(tmp_path_factory.mktemp("library") / "data") as memory:
        for key, text in TEXTS.items():
            memory.capture.take([message_event(key, text, origin=Origin.AGENT, cwd="/srv/shop")])
        memory.remember(NewMemory("配置文件在 etc 目录", tags=("config",)), workspace="shop")
        yield memory


@each(
    ("query", "key"),
    [
        ("parse_price_list", "snake"),
        ("price_list", "snake"),
        ("loadTariffFile", "camel"),
        ("tariffFile", "camel"),
        ("src/parcel/tariff.py", "path"),
        ("parcel/tariff.py", "path"),
        ("E0308", "rust"),
        ("error[E0308]", "rust"),
        ("9fceb02d0ae598e95dc970b74767f19372d61af8", "hash"),
        ("9fceb02", "hash"),
        ("toktok-rs", "version"),
        ("0.3.1", "version"),
        ("连接", "chinese"),
        ("失败", "chinese"),
        ("数据库连接", "chinese"),
        ("エラ", "japanese"),
        ("確認", "japanese"),
        ("연결", "korean"),
        ("Rundung", "german"),
        ("rounding", "prose"),
        ("ROUNDED totals", "prose"),
    ],
)
def test_what_is_asked_for_comes_first(library: Memoranda, query: str, key: str) -> None:
    hits = library.search(query, where=SearchFilter(kinds=(HitKind.OBSERVATION,))).hits
    assert hits, "nothing found"
    assert library.observations.show(hits[0].id).content == TEXTS[key]


@pytest.mark.parametrize("pair", ["败连", "库检", "zq", "nonesuch_name"])
def test_what_is_not_there_is_not_found(library: Memoranda, pair: str) -> None:
    assert library.search(pair).hits == ()


def test_memories_and_observations_are_found_together(library: Memoranda) -> None:
    kinds = {hit.kind for hit in library.search("配置").hits}
    assert kinds == {HitKind.MEMORY, HitKind.OBSERVATION}
    scores = [hit.score for hit in library.search("配置").hits]
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)


@each("query", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_query_only_finds_or_finds_nothing(library: Memoranda, query: str) -> None:
    assert not library.search(query).degraded
    library.observations.relevant(query, max_tokens=100)
    library.context(query=query, workspace="shop")


@given(st.text(st.one_of(st.characters(), st.sampled_from("\"'*():^-+{}\\%_\0\ud800"))))
def test_no_query_raises(library: Memoranda, query: str) -> None:
    assert library.search(query).mode in ("hybrid", "words")


@pytest.mark.parametrize("query", ["", "   ", "?!"])
def test_an_empty_query_finds_nothing(library: Memoranda, query: str) -> None:
    assert library.search(query).hits == ()


def test_filters_are_exact(memory: Memoranda) -> None:
    memory.capture.take(
        [ran("1", "cat leak.log", "a leak", occurred_at=1_000_000, cwd="/srv/shop")]
    )
    broken = {"failed": True, "occurred_at": 2_000_000, "cwd": "/srv/shop"}
    memory.capture.take([ran("2", "pytest leak", "TypeError: leak", **broken)])
    memory.capture.take([message_event("3", "a leak in the barn", cwd="/srv/barn", session="b")])
    rule = NewMemory("leak: wrap resources", category=Category.PATTERN, tags=("io", "style"))
    memory.remember(rule, workspace="shop")

    def found(**wanted: object) -> set[str]:
        hits = memory.search("leak", where=SearchFilter(**wanted)).hits  # type: ignore[arg-type]
        return {hit.title.split(" ")[0] for hit in hits}

    assert found() == {"cat", "pytest", "a", "leak:"}
    assert found(kinds=(HitKind.MEMORY,)) == {"leak:"}
    assert found(kinds=(HitKind.OBSERVATION,)) == {"cat", "pytest", "a"}
    assert found(types=(ObservationType.ERROR,)) == {"pytest"}
    assert found(types=(ObservationType.ERROR, ObservationType.MESSAGE)) == {"pytest", "a"}
    assert found(categories=(Category.PATTERN,)) == {"leak:"}
    assert found(categories=(Category.DECISION,)) == set()
    assert found(tags=("io",)) == {"leak:"}
    assert found(tags=("io", "nonesuch")) == set()
    assert found(tags=("io", "nonesuch"), any_tag=True) == {"leak:"}
    assert found(since=2_000_000, until=2_000_001) == {"pytest"}
    assert found(until=2_000_000) == {"cat"}
    assert found(statuses=(MemoryStatus.PENDING,), kinds=(HitKind.MEMORY,)) == set()
    inside = {hit.title.split(" ")[0] for hit in memory.search("leak", workspace="barn").hits}
    assert inside == {"a"}
    task = {hit.title.split(" ")[0] for hit in memory.search("leak", task="2").hits}
    assert task == {"a"}


def test_a_filter_finds_what_ranks_low_among_many(memory: Memoranda) -> None:
    memory.capture.take(
        [message_event(f"n{n}", f"timeout {n}", origin=Origin.AGENT) for n in range(900)]
    )
    long = "a long story of other things in which, in the end, the client met a timeout. " * 4
    memory.capture.take([ran("rare", "curl shop", long, failed=True)])
    errors = memory.search("timeout", where=SearchFilter(types=(ObservationType.ERROR,))).hits
    assert len(errors) == 1
    assert len(memory.search("timeout", limit=1_000, min_score=0).hits) == 901


def test_what_gets_no_vector_of_a_tool_output_is_found_by_words(memory: Memoranda) -> None:
    lines = "".join(f"{n} the queue is empty so the worker of part {n} waits\n" for n in range(80))
    end = "The ledger was rounded twice, so the sums differed.\n"
    memory.capture.take([ran("long", "cat worker.log", lines + end), ran("short", "ls", "a.txt")])
    assert memory.index.reembed().passages == 3  # two of the long output, one of the short
    (hit, *_) = memory.search("why did the sums of the ledger differ?", min_score=0).hits
    assert hit.title.startswith("cat worker.log")


def test_a_rare_name_is_found_beside_one_of_very_many(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fulltext, "COMMON", 5)
    memory.capture.take([message_event("rare", "old_tariff_rule was dropped", origin=Origin.AGENT)])
    memory.capture.take(
        [message_event(f"n{n}", f"load_prices ran {n}", origin=Origin.AGENT) for n in range(300)]
    )
    query = TextQuery("local", (), ["load_prices", "old_tariff_rule"], limit=20)
    hits = memory._database.read(lambda tx: tx.text("observation").search(query))
    titles = [memory.observations.show(hit.id).content for hit in hits]
    assert titles[0] == "old_tariff_rule was dropped"
    assert sorted(titles[1:]) == sorted(f"load_prices ran {n}" for n in range(281, 300))


def test_a_date_without_a_year_and_last_year_are_found_first(memory: Memoranda) -> None:
    today = datetime.now(UTC)
    month = (today.replace(day=1) - timedelta(days=10)).replace(day=20)
    days = {
        "Fixed the login redirect bug": today,  # yesterday may be in the other month
        "Fixed the search pagination bug": month,
        "Fixed the avatar upload bug": month.replace(year=month.year - 1),
    }
    for number, (text, day) in enumerate(days.items()):
        at = int(day.timestamp()) * 1_000_000
        place = {"session": f"s{number}", "cwd": "/srv/bugs"}
        memory.capture.take([message_event(f"d{number}", text, occurred_at=at, **place)])
    memory.capture.drain()
    found = {
        question: memory.search(question, workspace="bugs").hits[0].title
        for question in (f"bug fixed in {month:%B}", f"bug fixed in {month:%B %Y}")
    }
    assert set(found.values()) == {"Fixed the search pagination bug"}
    if month.year == today.year:
        assert memory.search("bugs fixed last year", workspace="bugs").hits[0].title == (
            "Fixed the avatar upload bug"
        )
