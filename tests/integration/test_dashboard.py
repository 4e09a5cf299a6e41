"""The dashboard's five tabs on a real store."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from screens import SMALL, WIDE, Screen, ended_example, opened_at, play

from made_stores import copied
from memoranda import Memoranda
from memoranda.search.model import HitKind
from memoranda.tui.theme import INK, PAPER

pytestmark = pytest.mark.integration

GOAL = "Customers report that quotes for multi-parcel orders are"


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ended_example(tmp_path_factory)


@pytest.fixture
def memory(store: Path, data_dir: Path) -> Iterator[Memoranda]:
    with opened_at(copied(store, data_dir)) as opened:
        yield opened


@pytest.mark.parametrize("size", [WIDE, SMALL], ids=["wide", "small"])
def test_now_shows_whether_the_memory_works(memory: Memoranda, size: tuple[int, int]) -> None:
    async def story(screen: Screen) -> None:
        await screen.until("155 kept")
        figures = ("last capture", "about 9", "of 106k captured", "$0.00", "of $1,000")
        for expected in (*figures, "open errors", "pending proposals", "2 Memory (4)"):
            assert expected in screen.text
        await screen.until("resolved by: ")
        assert screen.text.index("Latest errors") < screen.text.index("resolved by: ")
        screen.capture(f"now-{size[0]}")
        await screen.press("G")
        await screen.until("c checks everything")
        assert "0 files, 0 bytes spooled" in screen.text
        await screen.press("c")
        await screen.until_gone("c checks everything")
        await screen.press("G")
        await screen.until("chain intact")
        assert "examined now" in screen.text
        screen.capture(f"now-examined-{size[0]}")

    play(memory, story, size=size)


def test_warnings_are_on_top(memory: Memoranda) -> None:
    spool = memory.settings.data_dir / "spool"
    spool.mkdir(exist_ok=True)
    (spool / "rejected.txt").write_text("no event\n")
    memory.quarantine.hold("1#29")

    async def story(screen: Screen) -> None:
        await screen.until("1 output")
        await screen.press("c")
        await screen.until("rejected lines")
        top = screen.text.partition("Latest errors")[0]
        for expected in ("read the file, then delete it", "1 output", "memoranda quarantine list"):
            assert expected in top

    play(memory, story)


def test_cheap_data_is_polled_and_checks_run_on_request(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    examined: list[str] = []
    whole = Memoranda.store.doctor
    monkeypatch.setattr(
        Memoranda.store, "doctor", lambda self: examined.append("all") or whole(self)
    )

    async def story(screen: Screen) -> None:
        await screen.until("155 kept")
        memory.observe("One more", task="later", workspace="parcel")
        screen.app.tick()
        await screen.until("156 kept")
        assert examined == []
        await screen.press("c")
        await screen.until(lambda: examined == ["all"])
        await screen.press("G")
        await screen.until("chain intact")

    play(memory, story)


def test_tabs_open_by_keys_and_by_mouse(memory: Memoranda) -> None:
    seen = {"now": "Latest errors", "memory": "Known", "search": "Search (/)"}
    seen |= {"tasks": GOAL, "journal": "v verifies the chain"}

    async def story(screen: Screen) -> None:
        for key, text in reversed([*zip("12345", seen.values(), strict=True)]):
            await screen.press(key)
            await screen.until(text)
        for name, text in seen.items():
            await screen.click(f"#--content-tab-{name}")
            await screen.until(text)
        await screen.press("slash")
        await screen.until(lambda: getattr(screen.app.focused, "id", "") == "question")

    play(memory, story)


def test_pending_proposals_precede_memories_with_their_evidence(memory: Memoranda) -> None:
    newest = memory.proposals.list().items[0]

    async def story(screen: Screen) -> None:
        await screen.press("2")
        await screen.until("Based on 2 observations")
        assert screen.text.index("Pending approval") < screen.text.index("Known")
        verified = "+ `python -m pytest -q` verifies the work"
        for expected in ("Add: pattern", "trust tool", newest.hash[:12], verified, "1#86"):
            assert expected in screen.text
        screen.capture("memory-120")
        await screen.choose("#memories", memory.memories.list().items[0].id)
        await screen.until("trust person")
        assert "Archive (x)" in screen.text
        assert "Approve (a)" not in screen.text
        await screen.press("enter")
        await screen.until("Constraints")

    play(memory, story)


def test_a_search_opens_layer_by_layer(memory: Memoranda) -> None:
    query = "how are totals rounded"

    async def story(screen: Screen) -> None:
        await screen.press("slash")
        await screen.until(lambda: getattr(screen.app.focused, "id", "") == "question")
        await screen.write(query)
        await screen.press("enter")
        await screen.until("the tokens to open a hit are on the right")
        hits = memory.search(query).hits
        place = next(at for at, one in enumerate(hits) if one.kind is HitKind.OBSERVATION)
        best = hits[place]
        row = next(one for one in screen.text.split("\n") if best.title[:20] in one)
        assert f" {best.tokens} " in row.replace("│", " ")
        await screen.press(*["down"] * place, "enter")
        await screen.until("Enter: full content")
        assert "unmodified" not in screen.text
        screen.capture("search-120")
        await screen.press("enter")
        await screen.until("unmodified")
        whole = memory.observations.show(best.id).content
        assert whole[:40].split("\n")[0] in screen.text
        await screen.press("escape")
        await screen.until("Enter: full content")
        await screen.press("escape")
        await screen.until("Enter opens it")
        await screen.press("escape")
        await screen.until(lambda: getattr(screen.app.focused, "id", "") == "question")

    play(memory, story)


def test_a_search_loads_further_pages(memory: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        await screen.press("slash", *"tariff", "enter")
        await screen.until("20 found")
        await screen.press("G")
        await screen.until("more …")
        await screen.press("enter")
        await screen.until("40 found")
        rows = screen.app.query_one("#search-rows")
        assert rows.option_count == 41
        assert rows.chosen != "more"

    play(memory, story)


def test_a_search_without_hits_shows_a_message(memory: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        await screen.press("slash", *"xyzzy", "enter")
        await screen.until("nothing found; try a different query")

    play(memory, story)


def test_a_task_opens_as_a_timeline(memory: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        await screen.press("4")
        await screen.until("completed · 155 observations")
        await screen.press("enter")
        await screen.until("1#1 ")
        assert " planning  1-5" in screen.text
        assert "execution" in screen.text.split("\n")[5]
        rows = screen.app.query_one("#tasks-rows")
        await screen.choose("#tasks-rows", memory.observations.show("1#29").observation.id)
        await screen.press("enter")
        await screen.until("Enter: full content")
        screen.capture("timeline-120")
        await screen.press("enter")
        await screen.until("unmodified")
        await screen.press("escape", "escape")
        await screen.until("Enter opens it")
        assert "more …" not in screen.text
        await screen.press("G")
        await screen.until("more …")
        await screen.press("enter")
        await screen.until(lambda: rows.option_count > 155)
        fixes = [line for line in _lines(rows) if "fix" in line and "ends 1#" in line]
        assert fixes
        assert "checkpoint tariffs understood" in _lines(rows)[-1]
        await screen.press("escape")
        await screen.until("completed · 155 observations")
        assert rows.chosen == memory.tasks.show("1").id

    play(memory, story)


def _lines(rows: object) -> list[str]:
    return [option.prompt.left.plain + option.prompt.right.plain for option in rows.options]


def test_what_happens_meanwhile_is_seen(memory: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        await screen.press("4")
        await screen.until(GOAL)
        memory.observe("A new beginning", task="later", workspace="parcel")
        screen.app.tick()
        await screen.until("1 observation")
        rows = screen.app.query_one("#tasks-rows")
        assert rows.chosen == memory.tasks.show("1").id  # the previous selection
        await screen.press("k", "enter")
        await screen.until("A new beginning")
        memory.observe("And on it goes", task="later", workspace="parcel")
        screen.app.tick()
        await screen.until("And on it goes")

    play(memory, story)


def test_the_journal_is_paged_filtered_and_verified(memory: Memoranda) -> None:
    for number in range(60):
        memory.observe(f"step {number}", task="long", workspace="parcel")
    subject = memory.proposals.list().items[0].id

    async def story(screen: Screen) -> None:
        rows = screen.app.query_one("#entries")
        await screen.press("5")
        await screen.until(lambda: rows.option_count == 51)
        await screen.press("G", "enter")
        await screen.until(lambda: rows.option_count > 51)
        await screen.press("g", "enter")
        await screen.until("previous")
        shown = next(
            one for one in memory.journal.list(limit=200) if str(one.sequence) == rows.chosen
        )
        assert shown.hash[:20] in screen.text
        screen.capture("journal-120")
        await screen.press("v")
        await screen.until("chain intact, head")
        await screen.press("f")
        await screen.write("task end")
        await screen.press("enter")
        await screen.until(lambda: rows.option_count == 1)
        screen.app.query_one("#only").value = subject
        await screen.press("f", "enter")
        await screen.until("propose")
        assert rows.option_count == 1
        screen.app.query_one("#only").value = "nothing of the kind"
        await screen.press("f", "enter")
        await screen.until("No entry.")

    play(memory, story)


def test_one_workspace_alone_is_shown(memory: Memoranda) -> None:
    memory.remember("Lamps are dimmed at night", workspace="lamps")
    memory.observe("Dim the lamp", task="dimming", workspace="lamps")

    async def story(screen: Screen) -> None:
        await screen.until("1 kept")
        assert "lamps" in screen.text.split("\n")[0]
        assert "2 Memory (" not in screen.text
        await screen.press("2")
        await screen.until("Lamps are dimmed at night")
        assert "whole cents" not in screen.text
        await screen.press("4")
        await screen.until("1 observation")
        assert GOAL not in screen.text
        await screen.press("slash", *"total", "enter")
        await screen.until("nothing found")

    play(memory, story, workspace="lamps")


def test_help_lists_the_keys_and_colours_change(memory: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        assert screen.app.theme == PAPER.name
        await screen.press("t")
        assert screen.app.theme == INK.name
        await screen.press("question_mark")
        await screen.until("approve, edit, reject a proposal")
        screen.capture("help-120")
        await screen.press("2")  # the dialog receives the keys
        await screen.press("escape")
        await screen.until_gone("approve, edit, reject a proposal")
        assert "Known" not in screen.text
        await screen.press("q")

    play(memory, story, light=True)
