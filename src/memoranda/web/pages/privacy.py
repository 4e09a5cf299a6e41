"""Privacy page: redactions, exclusions, redaction test, deletion."""

from __future__ import annotations

from typing import Any

from memoranda.exceptions import InvalidInput
from memoranda.operation_declaration import WRITERS
from memoranda.text import counted
from memoranda.web.answers import Answer, Confirm, Done, View
from memoranda.web.page_request import PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, acts, reads

PAGE = MenuPage("/privacy", "Privacy", MenuGroup.TRUST, 2, roles=WRITERS, styles=("trust.css",))
MAX_LENGTH = 100_000
"""Maximum number of characters of a text for the redaction test."""
MAXIMUM = 100
"""Maximum number of ids that are deleted together."""
KINDS = ("observations", "memories", "contents", "tasks", "errors")


def shown(request: PageRequest) -> Answer:
    """Show what is stored and what is not."""
    return _view(request)


def tried(request: PageRequest) -> Answer:
    """Show which part of a text would be stored.

    The text is neither stored nor logged.
    """
    text = request.text("text")
    if len(text) > MAX_LENGTH:
        raise InvalidInput(f"at most {MAX_LENGTH:,} characters can be tried at once")
    path, command = request.text("path").strip(), request.text("command").strip()
    preview = request.call(
        "capture.privacy-test", text=text, path=path or None, command=command or None
    )
    return _view(request, tried={"text": text, "path": path, "command": command, "kept": preview})


def _view(request: PageRequest, tried: dict[str, Any] | None = None) -> View:
    values = {
        "stats": request.call("store.stats", workspace=request.workspace, summaries=False),
        "rules": request.call("capture.privacy"),
        "tried": tried or {"text": "", "path": "", "command": "", "kept": None},
        "chosen": " ".join(request.texts("id")),
    }
    return View("privacy.html", values)


def preview_forgetting(request: PageRequest) -> Answer:
    """Show the effects of a permanent deletion before it happens."""
    ids = _ids(request)
    receipt = request.call("forget", chosen={"ids": ids}, dry_run=True, workspace=request.workspace)
    return Confirm(
        title="Forget permanently",
        question="This cannot be undone: rows, contents, index entries and vectors are removed,"
        " and the same events are not stored again. The journal records the deletion, without"
        " text.",
        action="/privacy/forget",
        label="Forget permanently",
        fields={"id": " ".join(ids), "sure": "yes"},
        facts=_facts(receipt),
        back=request.link("/privacy"),
    )


def forgotten(request: PageRequest) -> Answer:
    """Permanently delete what was previewed."""
    if not request.ticked("sure"):
        return preview_forgetting(request)
    ids = _ids(request)
    receipt = request.call("forget", chosen={"ids": ids}, confirm=True, workspace=request.workspace)
    return Done(request.link("/privacy"), f"Forgotten: {'; '.join(_facts(receipt))}.")


def _ids(request: PageRequest) -> list[str]:
    ids = list(dict.fromkeys(" ".join(request.texts("id")).split()))
    if not ids:
        raise InvalidInput("enter ids of observations, memories or errors to forget")
    if len(ids) > MAXIMUM:
        raise InvalidInput(f"at most {MAXIMUM} are forgotten at once")
    return ids


def _facts(receipt: dict[str, Any]) -> tuple[str, ...]:
    """Return the lines of a receipt."""
    found = [
        counted(receipt[kind], *names)
        for kind, names in zip(
            KINDS,
            (("observation",), ("memory", "memories"), ("content",), ("task",), ("error",)),
            strict=True,
        )
        if receipt[kind]
    ]
    reached = ", ".join(receipt["places"])
    left = [f"may still have copies: {item}" for item in receipt["not_reached"]]
    return (", ".join(found) or "nothing", *([f"from {reached}"] if reached else []), *left)


ROUTES = (
    reads("/privacy", shown),
    acts("/privacy/test", tried),
    acts("/privacy/forget", forgotten),
)
