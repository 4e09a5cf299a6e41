"""The second tab: pending proposals and memories."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Button, OptionList

from memoranda.exceptions import Forbidden
from memoranda.memories.model import Memory, MemoryStatus, NamedEvidence
from memoranda.observations.model import Observation
from memoranda.page import Page
from memoranda.proposals.model import Proposal
from memoranda.tui import decisions as deciding
from memoranda.tui.decisions import MemoryDecision
from memoranda.tui.dialogs import EditDialog, MemoryText, ReasonDialog
from memoranda.tui.list_widgets import MORE, NOTHING, Row, Rows, TextView, heading, muted
from memoranda.tui.pane import MessageTone, Pane, PaneContext
from memoranda.tui.proposal_texts import (
    detail_text,
    memory_row,
    memory_text,
    proposal_row,
    proposal_text,
)
from memoranda.tui.terminal_text import line, written_out

if TYPE_CHECKING:
    from memoranda.memory import Memoranda

RESTS_ON = 3
"""Number of observations shown as evidence for a proposal."""


class MemoryPane(Pane):
    """Lists proposals, then memories, with the selected record next to them.

    Decisions apply to the text next to the list. The text changes when the person moves the
    selection, not when the store changes, so every decision is about a text that was displayed.
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "approve", "Approve", show=False),  # the buttons correspond to these four
        Binding("e", "edit", "Edit", show=False),
        Binding("r", "reject", "Reject", show=False),
        Binding("x", "archive", "Archive", show=False),
        Binding("u", "undo", "Undo"),
        Binding("escape", "back", "Back", show=False),
    ]

    def __init__(self, desk: PaneContext) -> None:
        super().__init__("2 Memory", desk, "memory")
        self._rows = Rows(id="memories")
        self._reader = TextView("memory-text")
        self._found: dict[str, Proposal | Memory] = {}
        self._shown: Proposal | Memory | None = None
        self._done: MemoryDecision | None = None
        self._busy = False
        self._look_again = False

    def compose(self) -> Iterable[Horizontal]:
        """Create the list, the text and the buttons."""
        buttons = [
            Button(f"{name.capitalize()} ({key})", id=name, compact=True)
            for key, name in (("a", "approve"), ("e", "edit"), ("r", "reject"), ("x", "archive"))
        ]
        beside = Vertical(self._reader, Horizontal(*buttons, classes="buttons"), classes="beside")
        yield Horizontal(self._rows, beside, classes="split")

    @property
    def home(self) -> Rows:
        """The list."""
        return self._rows

    def enter(self) -> None:
        """Load, and show the current state of the selected row."""
        self._look_again = True
        super().enter()

    async def load(self) -> None:
        """Load proposals and memories.

        The displayed text remains until the person moves the selection.
        """
        place, limit = self.desk.workspace, self.limit
        found = await self.ask(lambda memory: _both(memory, place, limit), MessageTone.LOST)
        if found is None:
            return
        waiting, approved = found
        self._fill(waiting, approved)
        if self._shown is None or self._look_again:
            self._look_again = False
            self._choose()

    def _fill(self, waiting: Page[Proposal], approved: Page[Memory]) -> None:
        now = self.desk.clock.now()
        rows = [heading("Pending approval")] if waiting.items else []
        rows += [proposal_row(item, now) for item in waiting]
        rows.append(heading("Known"))
        rows += [memory_row(one, now) for one in approved]
        if not approved.items:
            rows.append(Row("", muted("Nothing yet; `memoranda remember` stores a memory.")))
        if approved.cursor or waiting.cursor:
            rows.append(Row(MORE, muted("more …")))
        self._found = {f"p{proposal.id}": proposal for proposal in waiting}
        self._found |= {f"m{memory.id}": memory for memory in approved}
        self._rows.fill(rows)

    @on(OptionList.OptionHighlighted)
    def moved(self) -> None:
        """Show the row that the person selected."""
        self._choose()

    @on(OptionList.OptionSelected)
    def opened(self) -> None:
        """Show the full text of the selected row, or load the next page."""
        if self._rows.chosen == MORE:
            self.more()
            return
        self._choose()
        self._reader.focus()
        if isinstance(self._shown, Memory):
            self._look_closer(self._shown)

    def action_back(self) -> None:
        """Go back to the list."""
        self._rows.focus()

    def _choose(self) -> None:
        """Show the selected row unless it is already shown."""
        chosen = self._found.get(self._rows.chosen)
        if chosen == self._shown and chosen is not None:
            return
        self._shown = chosen
        waits, is_memory = isinstance(chosen, Proposal), isinstance(chosen, Memory)
        for name, there in (("approve", waits), ("reject", waits), ("archive", is_memory)):
            self.query_one(f"#{name}").display = there
        self.query_one("#edit").display = chosen is not None
        if isinstance(chosen, Proposal):
            self._reader.show(proposal_text(chosen, None, ()))
            self._look_under(chosen)
        elif isinstance(chosen, Memory):
            self._reader.show(memory_text(chosen, self.desk.clock.now()))
        else:
            self._reader.show(NOTHING)

    @work(exclusive=True, group="closer")
    async def _look_under(self, one: Proposal) -> None:
        """Add a proposal's evidence to the text."""
        found = await self.ask(lambda memory: _evidence(memory, one.memory))
        if found and self._shown == one:
            self._reader.show_in_place(proposal_text(one, *found))

    @work(exclusive=True, group="closer")
    async def _look_closer(self, one: Memory) -> None:
        detail = await self.ask(lambda memory: memory.memories.show(one.id))
        if detail and self._shown == one:
            self._reader.show(detail_text(detail, self.desk.clock.now()))

    # ------------------------------------------------------------------ decisions

    @on(Button.Pressed)
    async def pressed(self, event: Button.Pressed) -> None:
        """Handle a button, which may then be hidden and lose the focus."""
        self._rows.focus()
        await self.run_action(str(event.button.id))

    def action_approve(self) -> None:
        """Approve the shown proposal."""
        shown = self._shown
        if isinstance(shown, Proposal):
            self._do(lambda memory: deciding.approve(memory, shown))
        else:
            self.report("Nothing to approve here: select a pending proposal.", MessageTone.REFUSED)

    def action_reject(self) -> None:
        """Reject the shown proposal with a reason."""
        shown = self._shown
        if not isinstance(shown, Proposal):
            self.report("Nothing to reject here; x archives a memory.", MessageTone.REFUSED)
            return

        def reject(reason: str | None) -> None:
            if reason is not None:
                self._do(lambda memory: deciding.reject(memory, shown, reason))

        self.app.push_screen(ReasonDialog(line(shown.after.title)), reject)

    def action_edit(self) -> None:
        """Edit the shown proposal or memory."""
        shown = self._shown
        if shown is None:
            return
        state = shown.after if isinstance(shown, Proposal) else shown
        before = MemoryText(line(state.title), written_out(state.content))

        def save(words: MemoryText | None) -> None:
            if words is None:
                return
            title = state.title if words.title == before.title else words.title
            content = state.content if words.content == before.content else words.content
            if isinstance(shown, Proposal):
                self._do(lambda it: deciding.approve_edited(it, shown, title, content))
            else:
                self._do(lambda it: deciding.edit(it, shown, title, content))

        button = "Approve with this text" if isinstance(shown, Proposal) else "Save"
        self.app.push_screen(EditDialog(before, button), save)

    def action_archive(self) -> None:
        """Archive the shown memory."""
        shown = self._shown
        if isinstance(shown, Memory):
            self._do(lambda memory: deciding.archive(memory, shown))
        else:
            self.report("Only a memory can be archived; r rejects a proposal.", MessageTone.REFUSED)

    def action_undo(self) -> None:
        """Undo the last action."""
        done = self._done
        if done is None or done.version is None:
            self.report(
                "Nothing to undo; the dashboard cannot undo a rejection.", MessageTone.REFUSED
            )
        else:
            self._do(lambda memory: deciding.undo(memory, done))

    def _do(self, step: Callable[[Memoranda], MemoryDecision]) -> None:
        """Run decisions one at a time, so that holding a key decides only once."""
        if not self._busy:
            self._busy = True
            self._carry_out(step)

    @work(group="deciding")
    async def _carry_out(self, step: Callable[[Memoranda], MemoryDecision]) -> None:
        self.report("deciding …")
        try:
            done = await self.ask(step)
            if done:
                self._done = done
                taken_back = "; press u to undo it" if done.version is not None else ""
                self.report(line(done.message) + taken_back)
            self._look_again = True  # show the current state in either case
            await self.load()
        finally:
            self._busy = False


def _both(
    memory: Memoranda, workspace: str | None, limit: int
) -> tuple[Page[Proposal], Page[Memory]]:
    try:
        waiting = memory.proposals.list(workspace=workspace, limit=limit)
    except Forbidden:  # readers and members see only approved memories
        waiting = Page(())
    approved = memory.memories.list(workspace=workspace, status=MemoryStatus.APPROVED, limit=limit)
    return waiting, approved


def _evidence(memory: Memoranda, id: str) -> tuple[NamedEvidence, list[Observation]]:
    evidence = memory.memories.evidence(id)
    observations = [
        memory.observations.show(observation).observation
        for observation in evidence.observations[:RESTS_ON]
    ]
    return evidence, observations
