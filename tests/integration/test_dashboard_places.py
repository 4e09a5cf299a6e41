"""The dashboard on PostgreSQL, and on a terminal of 80 by 24.

The other files of the dashboard have it on SQLite.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.cells import cell_len
from screens import NOW, SMALL, Screen, ended_example, fill, opened_at, play

from contract.clock import FixedClock
from made_stores import copied
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.config import Settings
from memoranda.scope import Scope

pytestmark = pytest.mark.integration
QUESTION = "how are totals rounded"


@pytest.fixture
def served(engine: Settings) -> Iterator[Memoranda]:
    """Return the example on a server."""
    plain = replace(engine, embedder="none")
    with Memoranda(Services(plain, FixedClock(NOW, step=1)), Scope()) as memory:
        fill(memory)
        yield memory


@pytest.mark.engines("postgres")
def test_every_tab_works_on_postgresql(served: Memoranda) -> None:
    waits = len(served.proposals.list().items)

    async def story(screen: Screen) -> None:
        await screen.until("155 kept")
        await screen.until("resolved by: ")
        await screen.press("c")
        await screen.until_gone("c checks everything")
        await screen.press("G")
        await screen.until("chain intact")
        await screen.press("2")
        await screen.until("Pending approval")
        await screen.press("j", "a")
        await screen.until(f"2 Memory ({waits - 1})")
        await screen.press("u")
        await screen.until("undone; the memory is archived")
        await screen.press("slash")
        await screen.until(lambda: getattr(screen.app.focused, "id", "") == "question")
        await screen.write(QUESTION)
        await screen.press("enter")
        await screen.until("the tokens to open a hit are on the right")
        await screen.press("enter")
        await screen.until("Enter: full content")
        await screen.press("4")
        await screen.until("completed · 155 observations")
        await screen.press("enter")
        await screen.until(" planning  1-5")
        await screen.press("5", "v")
        await screen.until("chain intact, head")

    play(served, story)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return ended_example(tmp_path_factory)


@pytest.fixture
def small(store: Path, data_dir: Path) -> Iterator[Memoranda]:
    with opened_at(copied(store, data_dir)) as memory:
        yield memory


def fits(screen: Screen, name: str, *texts: str) -> None:
    """Check a screen's size and required texts; write it to a file."""
    lines = screen.text.split("\n")
    assert len(lines) <= SMALL[1]
    assert all(cell_len(line) <= SMALL[0] for line in lines)
    for one in (" Memoranda", "1 Now", "5 Journal", "q Quit", *texts):
        assert one in screen.text, f"{one}\n{screen.text}"
    screen.capture(f"{name}-80")


def test_each_tab_can_be_read_on_a_small_terminal(small: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        await screen.until("resolved by: ")
        fits(screen, "now", "last capture", "tokens saved", "open errors", "2 opens them")
        await screen.press("2")
        await screen.until("Approve (a)")
        fits(screen, "memory", "Pending approval", "Approve (a)", "Reject (r)", "+ ")
        await screen.press("slash")
        await screen.until(lambda: getattr(screen.app.focused, "id", "") == "question")
        await screen.write(QUESTION)
        await screen.press("enter")
        await screen.until("the tokens to open a hit are on the right")
        fits(screen, "search", QUESTION)
        await screen.press("enter")
        await screen.until("Enter: full content")
        fits(screen, "search-opened", "Enter: full content")
        await screen.press("4")
        await screen.until("completed · 155 observations")
        fits(screen, "tasks")
        await screen.press("enter")
        await screen.until(" planning  1-5")
        fits(screen, "timeline", "1#1 ")
        await screen.press("5")
        await screen.until("v verifies the chain")
        fits(screen, "journal", "block insert")

    play(small, story, size=SMALL)
