"""Dialogs: rejection reason, edit, and the list of keys."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static, TextArea

from memoranda.tui.list_widgets import joined

KEYS = (
    ("1 2 3 4 5", "Now, Memory, Search, Tasks, Journal"),
    ("/", "search"),
    ("j k g G", "down, up, to the top, to the end; the arrow keys as well"),
    ("Enter", "open; Escape goes back"),
    ("Tab", "switch between list, text and buttons"),
    ("a e r", "approve, edit, reject a proposal (Memory)"),
    ("x u", "archive a memory; undo the last action (Memory)"),
    ("c", "check everything (Now)"),
    ("f v", "filter, verify the chain (Journal)"),
    ("t", "light or dark theme"),
    ("q", "quit; Ctrl-Q works everywhere"),
)


@dataclass(frozen=True)
class MemoryText:
    """Text of a memory."""

    title: str
    content: str


class HelpDialog(ModalScreen[None]):
    """Dialog that lists the keys."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,question_mark,q,enter", "dismiss(None)", "Back")
    ]

    def compose(self) -> Iterable[Vertical]:
        """Create the list of keys."""
        lines = [
            Content.assemble((f"{key:<12}", "bold $primary"), description)
            for key, description in KEYS
        ]
        with_title = [Content.styled("Keys", "bold"), Content(""), *lines]
        yield Vertical(Static(joined(with_title), markup=False), classes="dialog")

    def on_click(self) -> None:
        """Close on a click."""
        self.dismiss(None)


class ReasonDialog(ModalScreen[str | None]):
    """Dialog for a rejection reason; returns None if it is cancelled."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss(None)", "Cancel")]

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title

    def compose(self) -> Iterable[Vertical]:
        """Create the one-line input."""
        yield Vertical(
            Static(Content.styled(f"Reject: {self._title}", "bold"), markup=False),
            Input(placeholder="Reason (optional)", id="reason", compact=True),
            Horizontal(
                Button("Reject", id="yes", variant="error", compact=True),
                Button("Cancel", id="no", compact=True),
                classes="buttons",
            ),
            classes="dialog",
        )

    @on(Input.Submitted)
    @on(Button.Pressed, "#yes")
    def confirm(self) -> None:
        """Return the reason."""
        self.dismiss(self.query_one(Input).value)

    @on(Button.Pressed, "#no")
    def cancel(self) -> None:
        """Close without a result."""
        self.dismiss(None)


class EditDialog(ModalScreen[MemoryText | None]):
    """Dialog for editing a memory's text; returns None if it is unchanged."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "dismiss(None)", "Cancel"),
        Binding("ctrl+s", "save", "Save", priority=True),
    ]

    def __init__(self, words: MemoryText, button: str) -> None:
        super().__init__()
        self._words = words
        self._button = button

    def compose(self) -> Iterable[Vertical]:
        """Create the fields for title and content."""
        yield Vertical(
            Static("Title", markup=False, classes="label"),
            Input(self._words.title, id="title", compact=True),
            Static("Content", markup=False, classes="label"),
            TextArea(self._words.content, id="content", compact=True),
            Horizontal(
                Button(f"{self._button} (Ctrl-S)", id="yes", variant="primary", compact=True),
                Button("Cancel", id="no", compact=True),
                classes="buttons",
            ),
            classes="dialog tall",
        )

    def on_mount(self) -> None:
        """Focus the content."""
        self.query_one(TextArea).focus()

    @on(Button.Pressed, "#yes")
    def action_save(self) -> None:
        """Return the edited text."""
        title, content = self.query_one(Input).value, self.query_one(TextArea).text
        self.dismiss(MemoryText(title, content))

    @on(Button.Pressed, "#no")
    def cancel(self) -> None:
        """Close without a result."""
        self.dismiss(None)
