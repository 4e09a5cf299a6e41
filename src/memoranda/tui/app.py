"""The dashboard application: five tabs, a badge, and a message line."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import App
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Footer, Static, TabbedContent

from memoranda.clock import SystemClock
from memoranda.tui.background_calls import in_thread
from memoranda.tui.dialogs import HelpDialog
from memoranda.tui.journal import JournalPane
from memoranda.tui.memories import MemoryPane
from memoranda.tui.now import NowPane
from memoranda.tui.pane import MessageTone, Pane, PaneContext, StatusMessage
from memoranda.tui.search import SearchPane
from memoranda.tui.tasks import TasksPane
from memoranda.tui.terminal_text import line
from memoranda.tui.theme import INK, PAPER

if TYPE_CHECKING:
    from memoranda.memory import Memoranda

TICK_SECONDS = 3.0
"""Interval at which the open tab reloads."""
_COLOURS = {MessageTone.REFUSED: "bold $error", MessageTone.LOST: "bold $error"}


class Dashboard(App[None]):
    """Dashboard for an open memory, which the caller must close."""

    CSS_PATH = "dashboard.tcss"
    TITLE = "Memoranda"
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - as textual has it
    BINDINGS: ClassVar[list[BindingType]] = [
        *(
            Binding(str(number), f"open('{name}')", show=False)
            for number, name in enumerate(("now", "memory", "search", "tasks", "journal"), 1)
        ),
        Binding("slash", "search", "Search", key_display="/"),
        Binding("t", "turn", "Paper/ink"),
        Binding("question_mark", "help", "Help", key_display="?"),
        Binding("q", "quit", "Quit"),
    ]

    def __init__(self, desk: PaneContext, place: str = "", light: bool = False) -> None:
        """Create the dashboard.

        ``place`` is the display name of the workspace.
        """
        super().__init__()
        for theme in (PAPER, INK):
            self.register_theme(theme)
        self.theme = PAPER.name if light else INK.name
        self._desk = desk
        self._place = place or "all workspaces"
        self._status = StatusMessage("")
        self._message = Static(markup=False, id="message")
        self._tabs = TabbedContent(id="tabs")
        self._now = NowPane(desk)

    def compose(self) -> Iterable[Widget]:
        """Create the header, the tabs, the message line and the keys."""
        place = Content.styled(f"  {line(self._place)}", "$soft")
        head = Content.assemble((" Memoranda", "bold $primary"), place)
        yield Static(head, markup=False, id="head")
        with self._tabs:
            yield self._now
            yield MemoryPane(self._desk)
            yield SearchPane(self._desk)
            yield TasksPane(self._desk)
            yield JournalPane(self._desk)
        yield self._message
        yield Footer()

    def on_mount(self) -> None:
        """Start loading."""
        self.set_interval(TICK_SECONDS, self.tick)
        self._count()

    def tick(self) -> None:
        """Reload the open tab and the badge."""
        # Skipped while a dialog is open, and while the tabs are being removed at exit.
        if len(self.screen_stack) == 1 and self._tabs.children:
            self._pane.tick()
            self._count()

    @property
    def _pane(self) -> Pane:
        pane = self._tabs.active_pane
        return pane if isinstance(pane, Pane) else self._now

    @work(exclusive=True, group="badge")
    async def _count(self) -> None:
        """Show the number of pending proposals in the label of their tab."""
        place = self._desk.workspace
        with suppress(Exception):  # the open tab shows the error
            waiting = await in_thread(lambda: self._desk.memory.proposals.count(workspace=place))
            badge = Content.styled(f" ({waiting})", "bold $warning") if waiting else ""
            label, tab = Content.assemble("2 Memory", badge), self._tabs.get_tab("memory")
            if label != tab.label:
                tab.label = label

    @on(TabbedContent.TabActivated)
    def activated(self) -> None:
        """Load and focus the tab that opens."""
        self.say(StatusMessage(""))
        self._pane.enter()

    @on(StatusMessage)
    def say(self, message: StatusMessage) -> None:
        """Show a message; a ``WELL`` message replaces only a ``LOST`` message."""
        if message.tone is MessageTone.WELL and self._status.tone is not MessageTone.LOST:
            return
        self._status = message
        self._message.update(
            Content.styled(line(message.text), _COLOURS.get(message.tone, "$primary"))
        )

    def action_open(self, name: str) -> None:
        """Open a tab."""
        self._tabs.active = name

    def action_search(self) -> None:
        """Open the search and focus the query."""
        self.query_one(SearchPane).focus_query()
        self._tabs.active = "search"

    def action_turn(self) -> None:
        """Toggle between the light and dark themes."""
        self.theme = PAPER.name if self.theme == INK.name else INK.name

    def action_help(self) -> None:
        """Show the keys."""
        self.push_screen(HelpDialog())


def show(memory: Memoranda, workspace: str | None, name: str = "", *, light: bool = False) -> None:
    """Show the dashboard of an open memory until the person quits.

    Args:
        workspace: name or id of the workspace; None for all workspaces.
        name: display name of the workspace; empty if none was chosen.

    Raises:
        NotFound: there is no such workspace.
        ServerUnavailable: the server of the memory does not respond.
    """
    memory.proposals.count(workspace=workspace)  # a problem at start is reported in plain text
    Dashboard(PaneContext(memory, workspace, SystemClock()), name, light).run()
