"""Run the dashboard on a real store without a terminal; capture screens."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from contract.clock import FixedClock
from made_stores import TRANSCRIPT, made_once
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.config import load_settings
from memoranda.json_data import parse_iso_time
from memoranda.scope import Scope
from memoranda.tui.app import Dashboard
from memoranda.tui.pane import PaneContext

SCREENS = Path(__file__).parents[2] / "build" / "screens"
NOW = parse_iso_time("2026-11-22T09:00:00Z") or 0
WIDE, SMALL = (120, 36), (80, 24)
PATIENCE = 60.0
"""Timeout in seconds."""


def ended_example(folders: pytest.TempPathFactory) -> Path:
    """Return a store with the ended example session, to copy; it is made once in a run."""
    return made_once(folders, "ended-example", _end_example)


def _end_example(folder: Path) -> None:
    with opened_at(folder) as memory:
        fill(memory)


def fill(memory: Memoranda) -> None:
    """Import and end the example session, and add a checkpoint and a memory."""
    memory.capture.import_transcript(TRANSCRIPT, workspace="parcel")
    memory.tasks.end("1")
    memory.checkpoints.create("1", "testing", "tariffs understood")
    memory.remember("Amounts must be whole cents, never floats", workspace="parcel")


def opened_at(folder: Path, clock: FixedClock | None = None) -> Memoranda:
    """Open a store as a person, some time after the example session."""
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    return Memoranda(Services(settings, clock or FixedClock(NOW, step=1)), Scope())


class Screen:
    """The screen of a dashboard, and the person's input."""

    def __init__(self, app: Dashboard, pilot: Pilot[None]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def text(self) -> str:
        """Return everything on the screen, line by line."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join(strip.text.rstrip() for strip in strips)

    async def until(self, condition: Callable[[], Any] | str) -> None:
        """Wait for a condition, or for a text to appear."""
        met = (lambda: condition in self.text) if isinstance(condition, str) else condition
        loop = asyncio.get_running_loop()
        give_up = loop.time() + PATIENCE
        while not met():
            assert loop.time() < give_up, f"not seen: {condition}\n{self.text}"
            await self.pilot.pause(0.05)  # the memory works meanwhile; each look costs it time
        await self.pilot.pause()

    async def until_gone(self, text: str) -> None:
        """Wait for a text to disappear."""
        await self.until(lambda: text not in self.text)

    async def press(self, *keys: str) -> None:
        """Press keys, and process their immediate effects."""
        await self.pilot.press(*keys)

    async def write(self, text: str) -> None:
        """Type a text."""
        await self.press(*("space" if char == " " else char for char in text))

    async def click(self, selector: str, **where: Any) -> None:
        """Click on something."""
        assert await self.pilot.click(selector, **where)

    async def choose(self, rows: str, key: str) -> None:
        """Move down in a list to the row whose key has this ending."""
        listed = self.app.query_one(rows)
        for _ in range(listed.option_count):
            if listed.chosen.endswith(key):
                return
            await self.press("j")
        raise AssertionError(f"no row {key!r}\n{self.text}")

    def capture(self, name: str) -> None:
        """Write the screen to a file for people to look at."""
        SCREENS.mkdir(parents=True, exist_ok=True)
        (SCREENS / f"{name}.txt").write_text(f"{self.text}\n", "utf-8")


Story = Callable[[Screen], Awaitable[None]]


def play(
    memory: Memoranda,
    story: Story,
    *,
    size: tuple[int, int] = WIDE,
    workspace: str | None = None,
    clock: Any = None,
    light: bool = False,
) -> None:
    """Run a story at the dashboard of an open memory."""

    async def run() -> None:
        app = Dashboard(
            PaneContext(memory, workspace, clock or FixedClock(NOW)), workspace or "", light
        )
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await story(Screen(app, pilot))
        assert app.return_code in (0, None)

    asyncio.run(run())
