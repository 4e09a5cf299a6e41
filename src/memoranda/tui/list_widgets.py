"""Lists of one- or two-line rows, and the text panel next to them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.strip import Strip
from textual.style import Style
from textual.visual import RenderOptions, Visual
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from memoranda.tui.terminal_text import LEFT_TO_RIGHT, line, runs_backwards

NOTHING = Content("")
MORE = "more"
"""The key of a row that fetches the next page."""

MOVING: list[BindingType] = [
    Binding("j", "cursor_down", "Down", show=False),
    Binding("k", "cursor_up", "Up", show=False),
    Binding("g", "first", "First", show=False),
    Binding("G", "last", "Last", show=False),
]


@dataclass(frozen=True)
class Row(Visual):
    """One row: text cut to fit, right-aligned text, a muted line below."""

    key: str
    """Key of the item; empty for a heading, which cannot be selected."""
    left: Content
    right: Content = NOTHING
    below: Content = NOTHING

    def render_strips(
        self, width: int, height: int | None, style: Style, options: RenderOptions
    ) -> list[Strip]:
        """Return the lines of the row, each exactly ``width`` cells wide."""
        lines = [fitted(self.left, self.right, width)]
        if self.below:
            lines.append(fitted(self.below, NOTHING, width))
        return [strip for item in lines for strip in item.render_strips(width, 1, style, options)]

    def get_optimal_width(self, rules: Any, container_width: int) -> int:
        """Return the full available width."""
        return container_width

    def get_height(self, rules: Any, width: int) -> int:
        """Return 1 or 2 lines."""
        return 2 if self.below else 1


def fitted(left: Content, right: Content, width: int) -> Content:
    """Return one line; ``left`` is cut if ``right`` needs the space."""
    edge = right.cell_length + 1 if right else 0
    text = left.truncate(max(1, width - edge), ellipsis=True, pad=True)
    mark = LEFT_TO_RIGHT if runs_backwards(text.plain) else ""
    return Content.assemble(text, mark, " " if right else "", right)


class Rows(OptionList):
    """A list of rows that keeps its position when it is refilled."""

    BINDINGS: ClassVar[list[BindingType]] = MOVING

    def fill(self, rows: Sequence[Row]) -> None:
        """Show these rows; keep the selected one while it exists.

        No highlight event is sent, since the person has not moved the selection.
        """
        if [option.prompt for option in self.options] == list(rows):
            return
        chosen, top = self.chosen, self.scroll_offset.y
        keys = [row.key for row in rows]
        if chosen in keys and chosen not in ("", MORE):
            place: int | None = keys.index(chosen)
        else:  # the next page begins in place of MORE
            place = _nearest(keys, self.highlighted or 0, "" if chosen == MORE else chosen[:1])
        with self.prevent(OptionList.OptionHighlighted):
            self.set_options(Option(row, row.key or None, disabled=not row.key) for row in rows)
            self.highlighted = place
        self.scroll_to(y=top, animate=False, immediate=True)
        self.scroll_to_highlight()

    @property
    def chosen(self) -> str:
        """Return the key of the highlighted row, if there is one."""
        option = self.highlighted_option
        return (option and option.id) or ""


def _nearest(keys: Sequence[str], place: int, kind: str) -> int | None:
    """Return the index of the selectable row nearest to a position.

    Rows at the position or after it come first. Rows whose key begins with ``kind`` are preferred.
    """
    indices = [index for index, key in enumerate(keys) if key and key.startswith(kind)]
    indices = indices or [index for index, key in enumerate(keys) if key]
    return next((index for index in indices if index >= place), indices[-1] if indices else None)


class TextView(VerticalScroll):
    """A scrollable text of any length."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("j", "scroll_down", "Down", show=False),
        Binding("k", "scroll_up", "Up", show=False),
        Binding("g", "scroll_home", "Top", show=False),
        Binding("G", "scroll_end", "Bottom", show=False),
    ]

    def __init__(self, id: str | None = None) -> None:
        super().__init__(id=id, classes="reader")
        self._text = Static(markup=False)
        self._shown = NOTHING

    def compose(self) -> Iterable[Static]:
        """Create the text."""
        yield self._text

    def show(self, text: Content) -> None:
        """Show a text from its beginning."""
        self.show_in_place(text)
        self.scroll_home(animate=False)

    def show_in_place(self, text: Content) -> None:
        """Show a text at the current scroll position, unless it is already shown."""
        if not text.is_same(self._shown):
            self._shown = text
            self._text.update(text)


def title(text: str) -> Content:
    """Render the title of a section."""
    return Content.styled(text, "bold $primary")


def heading(text: str) -> Row:
    """Return a row that is the heading of the following rows."""
    return Row("", title(text))


def lists(sections: Mapping[str, Sequence[str]]) -> Iterator[Content]:
    """Yield lists below their titles; omit empty ones."""
    for name, texts in sections.items():
        if texts:
            yield from (NOTHING, title(name), *(Content(f"  {line(text)}") for text in texts))


def muted(*parts: str) -> Content:
    """Return muted parts separated by dots; omit empty ones."""
    return Content.styled(" · ".join(filter(None, parts)), "$soft")


def joined(lines: Iterable[Content]) -> Content:
    """Return a text with these lines."""
    return Content("\n").join(lines)
