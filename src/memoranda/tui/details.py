"""Detail view in layers: row, summary, full content."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from textual import on, work
from textual.content import Content
from textual.widgets import OptionList

from memoranda.memories.link_model import MemoryDetail
from memoranda.observations.model import FullObservation, Salience
from memoranda.text import counted
from memoranda.tui.list_widgets import MORE, Rows, TextView, joined, lists, muted
from memoranda.tui.pane import Pane, PaneContext
from memoranda.tui.proposal_texts import detail_text, memory_text
from memoranda.tui.terminal_text import ago, limited, line, written_out
from memoranda.tui.theme import kind

if TYPE_CHECKING:
    from memoranda.memory import Memoranda

CLOSER = "Enter opens it."


@dataclass(frozen=True)
class OpenedItem:
    """An opened record with the layer that is shown."""

    key: str
    found: FullObservation | MemoryDetail
    layer: int = 2

    def text(self, now: int) -> Content:
        """Return the text of the selected layer."""
        if isinstance(self.found, FullObservation):
            return _summary(self.found, now) if self.layer == 2 else _content(self.found)
        if self.layer == 3:
            return detail_text(self.found, now)
        return joined([muted("Enter: all details"), memory_text(self.found.memory, now)])


class LayeredPane(Pane):
    """Tab whose rows can be opened.

    Enter shows the summary of a row, Enter again the whole content.
    """

    def __init__(self, title: str, desk: PaneContext, id: str) -> None:
        super().__init__(title, desk, id)
        self.rows = Rows(id=f"{id}-rows")
        self.reader = TextView(f"{id}-text")
        self.opened: OpenedItem | None = None

    @property
    def home(self) -> Rows:
        """The list of rows."""
        return self.rows

    def pick(self, key: str) -> None:
        """Handle Enter on a row that is not open yet."""
        raise NotImplementedError

    @on(OptionList.OptionHighlighted)
    def moved(self) -> None:
        """Close the open record."""
        self.show(None)

    @on(OptionList.OptionSelected)
    def selected(self) -> None:
        """Go one layer deeper, or load the next page."""
        key = self.rows.chosen
        if key == MORE:
            self.more()
        elif self.opened and self.opened.key == key:
            self.show(replace(self.opened, layer=3))
            self.reader.focus()
        else:
            self.pick(key)

    @work(exclusive=True, group="closer")
    async def look_closer(self, key: str, id: str, *, is_memory: bool = False) -> None:
        """Load an observation or memory; show it if its row is still selected."""

        def opened(memory: Memoranda) -> OpenedItem:
            return OpenedItem(
                key, memory.memories.show(id) if is_memory else memory.observations.show(id)
            )

        item = await self.ask(opened)
        if item and self.rows.chosen == key:
            self.show(item)

    def back(self) -> bool:
        """Go back one layer; return whether there was one."""
        if self.opened is None:
            return False
        self.show(replace(self.opened, layer=2) if self.opened.layer == 3 else None)
        self.rows.focus()
        return True

    def show(self, opened: OpenedItem | None) -> None:
        """Show an opened record next to the rows, or how to open the selected row."""
        self.opened = opened
        hint = muted(CLOSER if self.rows.chosen else "")
        self.reader.show(opened.text(self.desk.clock.now()) if opened else hint)


def _summary(found: FullObservation, now: int) -> Content:
    observation = found.observation
    note = (
        "  quarantined: reads like an instruction"
        if observation.salience is Salience.QUARANTINED
        else ""
    )
    took = f"{observation.duration_ms:,} ms" if observation.duration_ms is not None else ""
    taken = (
        f"{counted(observation.redactions, 'secret')} redacted" if observation.redactions else ""
    )
    parts = [
        Content.assemble(
            (f"{observation.ref}  ", "bold"), kind(observation.type, 0), (note, "$error")
        ),
        muted(f"Enter: full content, {counted(observation.tokens, 'token')}"),
        muted(
            observation.origin,
            line(observation.agent),
            line(observation.tool or ""),
            ago(observation.created_at, now),
        ),
        muted(observation.stage or "", took, taken),
        Content(""),
        Content(written_out(observation.summary)),
        *lists(
            {
                "Tags": observation.tags,
                "Files": observation.files,
                "Requirements": observation.constraints,
            }
        ),
    ]
    return joined(parts)


def _content(found: FullObservation) -> Content:
    observation = found.observation
    first = Content.assemble((f"{observation.ref}  ", "bold"), muted("unmodified", "Escape: back"))
    text = limited(found.content, f"memoranda observation show {observation.ref} --full")
    return joined([first, Content(""), Content(text)])
