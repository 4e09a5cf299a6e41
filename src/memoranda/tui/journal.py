"""The fifth tab: journal entries, and verification of the journal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, OptionList, Static

from memoranda.ids import is_uuid
from memoranda.journal.model import JournalEntry
from memoranda.json_data import as_json, dump_json
from memoranda.local_time import minute
from memoranda.page import MAX_LIMIT
from memoranda.tui.list_widgets import MORE, Row, Rows, TextView, joined, muted
from memoranda.tui.pane import MessageTone, Pane, PaneContext
from memoranda.tui.terminal_text import ago, line

NAME = 18
"""Number of characters of an id that are shown as its name."""


class JournalPane(Pane):
    """Entries, newest first, optionally of one operation or one subject."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f", "filter", "Filter"),
        Binding("v", "verify", "Verify"),
        Binding("escape", "back", "Back", show=False),
    ]

    def __init__(self, desk: PaneContext) -> None:
        super().__init__("5 Journal", desk, "journal")
        hint = "Only an operation (observe, remember …) or an id (f)"
        self._input = Input(placeholder=hint, id="only", compact=True)
        self._checked = Static(muted("v verifies the chain"), markup=False, id="chain")
        self._rows = Rows(id="entries")
        self._reader = TextView("entry-text")
        self._entries: dict[str, JournalEntry] = {}

    def compose(self) -> Iterable[Input | Static | Horizontal]:
        """Create the filter, the verification result, the entries and one entry."""
        yield self._input
        yield self._checked
        yield Horizontal(self._rows, Vertical(self._reader, classes="beside"), classes="split")

    @property
    def home(self) -> Rows:
        """The list of entries."""
        return self._rows

    async def load(self) -> None:
        """Load the newest entries."""
        only, limit = self._input.value.strip(), self.limit
        subject, operation = (only, None) if is_uuid(only) else (None, only or None)
        page = await self.ask(
            lambda it: it.journal.list(operation=operation, subject=subject, limit=limit),
            MessageTone.LOST,
        )
        if page is None:
            return
        self._entries = {str(entry.sequence): entry for entry in page}
        now = self.desk.clock.now()
        rows = [entry_row(key, journal_entry, now) for key, journal_entry in self._entries.items()]
        if page.cursor and limit < MAX_LIMIT:
            rows.append(Row(MORE, muted("more …")))
        elif page.cursor:
            rows.append(Row("", muted(f"memoranda journal list --cursor {page.cursor}")))
        self._rows.fill(rows or [Row("", muted("No entry."))])

    @on(Input.Submitted)
    def filtered(self) -> None:
        """List only what matches the filter."""
        self.limit = self.page
        self.reload()
        self._rows.focus()

    @on(OptionList.OptionHighlighted)
    def moved(self) -> None:
        """Show the entry that the person selected."""
        self._show()

    @on(OptionList.OptionSelected)
    def selected(self) -> None:
        """Focus an entry, or load the next page."""
        if self._rows.chosen == MORE:
            self.more()
        else:
            self._show()
            self._reader.focus()

    def action_back(self) -> None:
        """Go back to the entries."""
        self._rows.focus()

    def action_filter(self) -> None:
        """Focus the filter."""
        self._input.focus()

    def action_verify(self) -> None:
        """Verify the whole hash chain."""
        self._checked.update(muted("verifying …"))
        self._verify()

    @work(exclusive=True, group="verify")
    async def _verify(self) -> None:
        check = await self.ask(lambda it: it.journal.verify())
        if check is None:
            self._checked.update(muted("not verified"))
        elif check.intact:
            message = f"{check.entries:,} entries, chain intact, head {check.head[:12]}"
            self._checked.update(Content.styled(message, "$success"))
        else:
            message = f"broken at entry {check.broken_at}: {line(check.reason or '')}"
            self._checked.update(Content.styled(message, "bold $error"))

    def _show(self) -> None:
        entry = self._entries.get(self._rows.chosen)
        self._reader.show(entry_text(entry) if entry else Content(""))


def entry_row(key: str, one: JournalEntry, now: int) -> Row:
    """Return an entry as a row: action, actor and time, with the subject below."""
    left = Content.assemble((f"{one.sequence:<8}", "$soft"), (line(one.operation), "bold"))
    named = [line(one.title)] if one.title else []
    about = muted(line(one.actor), *named, line(one.subject[:NAME]), _detail(one))
    return Row(key, left, muted(ago(one.at, now)), Content(" " * 8) + about)


def _detail(one: JournalEntry) -> str:
    return line(", ".join(f"{name} {value}" for name, value in one.detail.items()))


def entry_text(one: JournalEntry) -> Content:
    """Return the full text of an entry."""
    fields = {
        "entry": str(one.sequence),
        "time": minute(one.at),
        "actor": one.actor,
        "operation": one.operation,
        "what": one.title or "-",
        "subject": one.subject,
        "detail": dump_json(as_json(dict(one.detail))),
        "trace": one.trace_id or "-",
        "previous": one.previous,
        "hash": one.hash,
    }
    pairs = [
        Content.assemble((f"{name:<11}", "$soft"), line(text)) for name, text in fields.items()
    ]
    return joined(pairs)
