"""What all tabs have in common: they ask beside the screen, and say what went wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeVar

from textual import work
from textual.message import Message
from textual.widget import Widget
from textual.widgets import TabPane
from textual.worker import Worker

from memoranda.clock import Clock
from memoranda.page import MAX_LIMIT
from memoranda.tui.background_calls import failure_line, in_thread

if TYPE_CHECKING:
    from memoranda.memory import Memoranda

T = TypeVar("T")


class MessageTone(Enum):
    """What kind of thing there is to be told."""

    DONE = "done"
    REFUSED = "refused"
    """What a person asked for was not done; it stays to be read."""
    LOST = "lost"
    """The store does not answer; it goes when the store does again."""
    WELL = "well"
    """It answers."""


class StatusMessage(Message):
    """Something for the line below the tabs."""

    def __init__(self, text: str, tone: MessageTone = MessageTone.DONE) -> None:
        super().__init__()
        self.text = text
        self.tone = tone


@dataclass(frozen=True)
class PaneContext:
    """What every tab works with."""

    memory: Memoranda
    workspace: str | None
    clock: Clock


class Pane(TabPane):
    """One tab. `load` asks for what it shows; it is called when the tab opens and with
    each tick."""

    page = 50
    """Rows that are fetched at once."""

    def __init__(self, title: str, desk: PaneContext, id: str) -> None:
        super().__init__(title, id=id)
        self.desk = desk
        self._answering: Worker[None] | None = None
        self._lost = False
        self.limit = self.page
        """How many rows are asked for."""

    async def load(self) -> None:
        """Ask for what the tab shows, and show it."""
        raise NotImplementedError

    @property
    def home(self) -> Widget:
        """What has the keys when the tab opens."""
        raise NotImplementedError

    def enter(self) -> None:
        """Open: ask, and take the keys."""
        self.reload()
        self.home.focus()

    def tick(self) -> None:
        """Ask again, unless the answer to the last time is still on its way."""
        if self._answering is None or self._answering.is_finished:
            self.reload()

    def reload(self) -> None:
        """Ask now; an answer that is on its way is not waited for."""
        self._answering = self._load()

    @work(exclusive=True, group="load")
    async def _load(self) -> None:
        self._lost = False
        await self.load()
        if not self._lost:
            self.told("", MessageTone.WELL)

    async def ask(
        self, work: Callable[[Memoranda], T], tone: MessageTone = MessageTone.REFUSED
    ) -> T | None:
        """Return what a call returns; None where it failed, which is told."""
        try:
            return await in_thread(lambda: work(self.desk.memory))
        except Exception as error:  # whatever it is, the screen stays
            self._lost = self._lost or tone is MessageTone.LOST
            self.told(failure_line(error), tone)
            return None

    def more(self) -> None:
        """Fetch the next page of what is listed."""
        self.limit = min(MAX_LIMIT, self.limit + self.page)
        self.reload()

    def told(self, text: str, tone: MessageTone = MessageTone.DONE) -> None:
        """Say something in the line below the tabs."""
        self.post_message(StatusMessage(text, tone))
