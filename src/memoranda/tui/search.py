"""The third tab: a question, what is found, and what each find would cost to open."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from memoranda.tui.layers import Opened, open_layers
from memoranda.tui.look import kind
from memoranda.tui.pane import Desk, Pane
from memoranda.tui.plain import ago, amount, line, words
from memoranda.tui.rows import CLOSER, MORE, Reader, Row, Rows, muted
from memoranda.values.recall import Hit, HitKind, SearchResult

FOUND = 20
"""Hits on a page."""


class SearchPane(Pane):
    """One line for each find; Enter opens its summary, Enter again the whole."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back", show=False)]

    def __init__(self, desk: Desk) -> None:
        super().__init__("3 Search", desk, "search")
        self._input = Input(
            placeholder="What do you want to know? (/)", id="question", compact=True
        )
        self._note = Static(markup=False, id="note")
        self._rows = Rows(id="hits")
        self._reader = Reader("hit-text")
        self._hits: dict[str, Hit] = {}
        self._asked = ""
        self._cursor: str | None = None
        self._opened: Opened | None = None

    def compose(self) -> Iterable[Input | Static | Horizontal]:
        """Lay out the question, the finds and what one of them says."""
        yield self._input
        yield self._note
        yield Horizontal(self._rows, Vertical(self._reader, classes="beside"), classes="split")

    @property
    def home(self) -> Rows:
        """The finds; not the question, which would take the keys of the tabs."""
        return self._rows

    async def load(self) -> None:
        """Ask nothing: a search is made when somebody asks."""

    def ask_anew(self) -> None:
        """Go to the question."""
        self._input.focus()
        self._input.action_select_all()

    @on(Input.Submitted)
    def submitted(self) -> None:
        """Search."""
        self._asked, self._cursor = self._input.value.strip(), None
        self._hits.clear()
        self._open(None)
        if self._asked:
            self._search()

    @work(exclusive=True, group="search")
    async def _search(self) -> None:
        asked, cursor, place = self._asked, self._cursor, self.desk.workspace
        self._note.update(muted("searching …"))
        result = await self.ask(
            lambda it: it.search(asked, workspace=place, limit=FOUND, cursor=cursor)
        )
        if result is None:
            self._note.update(Content(""))
            return
        first = not self._hits
        self._hits |= {f"{one.kind}-{one.id}": one for one in result.hits}
        self._cursor = result.cursor
        self._note.update(_noted(result, len(self._hits)))
        rows = [hit_row(key, one, self.desk.clock.now()) for key, one in self._hits.items()]
        if result.cursor:
            rows.append(Row(MORE, muted("more …")))
        self._rows.fill(rows)
        if first and rows:
            self._rows.focus()

    @on(OptionList.OptionHighlighted)
    def moved(self) -> None:
        """Close what was open."""
        self._open(None)

    @on(OptionList.OptionSelected)
    def selected(self) -> None:
        """Look one layer closer, or fetch the next page."""
        key = self._rows.chosen
        if key == MORE:
            self._search()
        elif self._opened and self._opened.key == key:
            self._open(replace(self._opened, layer=3))
            self._reader.focus()
        elif key in self._hits:
            self._look_closer(key)

    @work(exclusive=True, group="closer")
    async def _look_closer(self, key: str) -> None:
        hit = self._hits[key]
        is_memory = hit.kind is HitKind.MEMORY
        found = await self.ask(lambda it: open_layers(it, key, hit.id, is_memory=is_memory))
        if found and self._rows.chosen == key:
            self._open(found)

    def action_back(self) -> None:
        """Go back one layer, then to the finds, then to the question."""
        if self._opened and self._opened.layer == 3:
            self._open(replace(self._opened, layer=2))
            self._rows.focus()
        elif self._opened:
            self._open(None)
            self._rows.focus()
        else:
            (self._rows if self._input.has_focus and self._hits else self._input).focus()

    def _open(self, opened: Opened | None) -> None:
        self._opened = opened
        hint = muted(CLOSER if self._hits else "")
        self._reader.show(opened.text(self.desk.clock.now()) if opened else hint)


def hit_row(key: str, one: Hit, now: int) -> Row:
    """Return a find as a row: what it is, its name, what it would cost, where the answer stands."""
    is_memory = one.kind is HitKind.MEMORY
    name = kind("memory", 10) if is_memory else kind(one.type, 10)
    left = Content.assemble(name, line(one.title))
    about = words(one.type) if is_memory else one.ref
    excerpt = f"… {line(one.excerpt.text)}" if one.excerpt else ""
    below = muted(about, ago(one.created_at, now), excerpt)
    return Row(key, left, Content.styled(amount(one.tokens), "$soft"), Content(" " * 10) + below)


def _noted(result: SearchResult, count: int) -> Content:
    checked = result.validation
    critical = f"{len(checked.left_out)} critical left out" if checked.left_out else ""
    doubts = (
        f"{len(checked.contradictions)} contradict each other" if checked.contradictions else ""
    )
    found = f"{count} found" if count else "nothing found; try other words"
    told = muted(found, f"by {result.mode}", "tokens to open at the right" if count else "")
    warned = " · ".join(filter(None, (critical, doubts, line(result.note))))
    return Content.assemble(told, (f" · {warned}" if warned else "", "$warning"))
