"""Base of all tabs: background loading and error messages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeVar

from textual import work
from textual.css.query import NoMatches
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
    """Kind of a message."""

    DONE = "done"
    REFUSED = "refused"
    """A person's request failed; the message remains."""
    LOST = "lost"
    """The store does not respond; the message disappears when it does."""
    WELL = "well"
    """The store responds."""


class StatusMessage(Message):
    """Message for the line below the tabs."""

    def __init__(self, text: str, tone: MessageTone = MessageTone.DONE) -> None:
        super().__init__()
        self.text = text
        self.tone = tone


@dataclass(frozen=True)
class PaneContext:
    """Shared state of all tabs."""

    memory: Memoranda
    workspace: str | None
    clock: Clock


class Pane(TabPane):
    """One tab.

    `load` loads the contents of the tab; it is called when the tab opens and with each tick.
    """

    page = 50
    """Number of rows loaded together."""

    def __init__(self, title: str, desk: PaneContext, id: str) -> None:
        super().__init__(title, id=id)
        self.desk = desk
        self._answering: Worker[None] | None = None
        self._lost = False
        self.limit = self.page
        """Number of requested rows."""

    async def load(self) -> None:
        """Load and show the contents of the tab."""
        raise NotImplementedError

    @property
    def home(self) -> Widget:
        """Return the widget that gets the focus when the tab opens."""
        raise NotImplementedError

    def enter(self) -> None:
        """Load the contents and take the focus."""
        self.reload()
        self.home.focus()

    def tick(self) -> None:
        """Reload, unless the previous load is still running."""
        if self._answering is None or self._answering.is_finished:
            self.reload()

    def reload(self) -> None:
        """Load now, without waiting for a running load."""
        self._answering = self._load()

    @work(exclusive=True, group="load")
    async def _load(self) -> None:
        self._lost = False
        try:
            await self.load()
        except NoMatches:  # the dashboard has ended and its widgets no longer exist
            return
        if not self._lost:
            self.report("", MessageTone.WELL)

    async def ask(
        self, work: Callable[[Memoranda], T], tone: MessageTone = MessageTone.REFUSED
    ) -> T | None:
        """Return the result of a call; on an error, show a message, return None."""
        try:
            return await in_thread(lambda: work(self.desk.memory))
        except Exception as error:  # errors must not end the dashboard
            self._lost = self._lost or tone is MessageTone.LOST
            self.report(failure_line(error), tone)
            return None

    def more(self) -> None:
        """Load the next page of the list."""
        self.limit = min(MAX_LIMIT, self.limit + self.page)
        self.reload()

    def report(self, text: str, tone: MessageTone = MessageTone.DONE) -> None:
        """Show a message in the line below the tabs."""
        self.post_message(StatusMessage(text, tone))
