"""The third tab: search, its hits, and the token cost of opening each."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Static

from memoranda.search.model import Hit, HitKind, SearchResult
from memoranda.tui.details import LayeredPane
from memoranda.tui.list_widgets import MORE, NOTHING, Row, muted
from memoranda.tui.pane import PaneContext
from memoranda.tui.terminal_text import ago, amount, line, words
from memoranda.tui.theme import kind

FOUND = 20
"""Number of hits per page."""
INDENT = 10
ASK = "Search (/)"


class SearchPane(LayeredPane):
    """One line per hit; Enter opens the summary, Enter again the full content."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "back", "Back", show=False)]

    def __init__(self, desk: PaneContext) -> None:
        super().__init__("3 Search", desk, "search")
        self._input = Input(placeholder=ASK, id="question", compact=True)
        self._note = Static(markup=False, id="note")
        self._hits: dict[str, Hit] = {}
        self._asking = False
        """Whether the query, not the hits, has the focus when the tab opens."""
        self._query = ""
        self._cursor: str | None = None

    def compose(self) -> Iterable[Input | Static | Horizontal]:
        """Create the query, the hits and the text of one hit."""
        yield self._input
        yield self._note
        yield Horizontal(self.rows, Vertical(self.reader, classes="beside"), classes="split")

    async def load(self) -> None:
        """Do nothing, since searches are made on request."""

    def enter(self) -> None:
        """Focus the query unless hits are being viewed."""
        super().enter()
        if self._asking:
            self._input.focus()

    def focus_query(self) -> None:
        """Focus the query."""
        self._asking = True
        self._input.focus()
        self._input.action_select_all()

    @on(Input.Submitted)
    def submitted(self) -> None:
        """Run the search."""
        self._asking = False
        self._query, self._cursor = self._input.value.strip(), None
        self._hits.clear()
        self.rows.fill(())
        self.show(None)
        if self._query:
            self._search()

    @work(exclusive=True, group="search")
    async def _search(self) -> None:
        query, cursor, place = self._query, self._cursor, self.desk.workspace
        self._note.update(muted("searching …"))
        result = await self.ask(
            lambda it: it.search(query, workspace=place, limit=FOUND, cursor=cursor)
        )
        if result is None:
            self._note.update(NOTHING)
            return
        self._hits |= {f"{item.kind}-{item.id}": item for item in result.hits}
        self._cursor = result.cursor
        self._note.update(result_notes(result, len(self._hits)))
        rows = [hit_row(key, hit, self.desk.clock.now()) for key, hit in self._hits.items()]
        self.rows.fill([*rows, Row(MORE, muted("more …"))] if result.cursor else rows)
        self.show(None)
        if rows:
            self.rows.focus()

    def more(self) -> None:
        """Load the next page."""
        self._search()

    def pick(self, key: str) -> None:
        """Open a hit."""
        hit = self._hits.get(key)
        if hit and hit.kind is HitKind.BLOCK:
            self._open_block(key, hit.id)
        elif hit:
            self.look_closer(key, hit.id, is_memory=hit.kind is HitKind.MEMORY)

    @work(exclusive=True, group="open")
    async def _open_block(self, key: str, id: str) -> None:
        """Show the full text of a block."""
        block = await self.ask(lambda it: it.blocks.show(id))
        if block and self.rows.chosen == key:
            self.reader.show(Content(block.value))

    def action_back(self) -> None:
        """Go back one layer, or to the query and from there to the hits."""
        if self._input.has_focus:
            self._asking = False
            self.rows.focus()
        elif not self.back():
            self._input.focus()


def hit_row(key: str, one: Hit, now: int) -> Row:
    """Return a hit as a row: its type, name, cost and matching text."""
    is_memory = one.kind is HitKind.MEMORY
    title = f"(replaced by {one.replaced_by}) {one.title}" if one.replaced_by else one.title
    left = kind("memory" if is_memory else one.type, INDENT) + Content(line(title))
    about = words(one.type) if is_memory else one.ref
    excerpt = f"… {line(one.excerpt.text)}" if one.excerpt else ""
    below = Content(" " * INDENT) + muted(about, ago(one.created_at, now), excerpt)
    return Row(key, left, muted(amount(one.tokens)), below)


def result_notes(result: SearchResult, count: int) -> Content:
    """Return the notes about all hits."""
    missing, doubts = result.validation.left_out, result.validation.contradictions
    critical = f"{len(missing)} critical not matched" if missing else ""
    against = f"{len(doubts)} contradict each other" if doubts else ""
    found = f"{count} found" if count else "nothing found; try a different query"
    note = muted(
        found, f"by {result.mode}", "the tokens to open a hit are on the right" if count else ""
    )
    warned = " · ".join(filter(None, ("", critical, against, line(result.note))))
    return Content.assemble(note, (f" · {warned}" if warned else "", "$warning"))
