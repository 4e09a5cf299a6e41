"""Block editor, in which concurrent edits lose no text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from memoranda.exceptions import Conflict, NotFound, Stale, UserError
from memoranda.web.answers import Answer, Done, Undo, View
from memoranda.web.block_lookup import find_block, newest, version_of, where, writable
from memoranda.web.page_request import PageRequest
from memoranda.web.pages.blocks import PAGE
from memoranda.web.registry import acts, reads

MAX_LINES = 2_000
MAX_MERGE_LENGTH = 200_000
"""Maximum number of characters of a text; longer texts are merged manually."""


@dataclass(frozen=True, slots=True)
class MergedText:
    """A text with the changes of both sides."""

    text: str
    clashes: tuple[int, ...]
    """Numbers of the lines, from 1, at which both sides changed the same passage.

    The passage contains the stored text, followed by the edited text; a person has to resolve the
    conflict.
    """


@dataclass(frozen=True, slots=True)
class _Change:
    """Lines of the base from ``start`` up to ``end``, and their replacement."""

    start: int
    end: int
    lines: tuple[str, ...]
    ours: bool


def merged(base: str, theirs: str, ours: str) -> MergedText | None:
    """Merge both sides' changes to the base; None if a text is too long.

    A passage that both sides changed contains the lines of both, with the other side's lines first.
    """
    texts = (base, theirs, ours)
    if any(len(text) > MAX_MERGE_LENGTH or text.count("\n") >= MAX_LINES for text in texts):
        return None
    old = base.split("\n")
    changes = [*_changes(old, theirs, ours=False), *_changes(old, ours, ours=True)]
    changes.sort(key=lambda change: (change.start, change.end))
    made: list[str] = []
    clashes: list[int] = []
    at = 0
    for group in _groups(changes):
        start, end = group[0].start, max(item.end for item in group)
        made += old[at:start]
        left, right = (_side(old, group, start, end, ours=side) for side in (False, True))
        if left is not None and right is not None and left != right:
            clashes.append(len(made) + 1)
            made += [*left, *right]
        else:
            made += (left if right is None else right) or []
        at = end
    return MergedText("\n".join([*made, *old[at:]]), tuple(clashes))


def _changes(old: Sequence[str], text: str, *, ours: bool) -> list[_Change]:
    new = text.split("\n")
    codes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [_Change(a, b, tuple(new[c:d]), ours) for tag, a, b, c, d in codes if tag != "equal"]


def _groups(changes: Sequence[_Change]) -> list[list[_Change]]:
    """Group changes that affect the same lines."""
    groups: list[list[_Change]] = []
    end = -1
    for change in changes:
        if groups and (change.start < end or change.start == groups[-1][0].start):
            groups[-1].append(change)
        else:
            groups.append([change])
            end = change.end
        end = max(end, change.end)
    return groups


def _side(
    old: Sequence[str], group: Sequence[_Change], start: int, end: int, *, ours: bool
) -> list[str] | None:
    """Return one side's lines of a passage; None if it is unchanged."""
    changes = [change for change in group if change.ours is ours]
    if not changes:
        return None
    made: list[str] = []
    at = start
    for item in changes:
        made += [*old[at : item.start], *item.lines]
        at = item.end
    return [*made, *old[at:end]]


__all__ = ["PAGE", "ROUTES"]


def edit(request: PageRequest) -> Answer:
    """Show the form for a block's value, which includes its version."""
    block = find_block(request)
    return _form(request, block, block["value"])


def save(request: PageRequest) -> Answer:
    """Save the typed text if the block is unchanged; otherwise show both."""
    typed = _typed(request, "mine" if request.text("take") == "mine" else "value")
    try:
        if request.ticked("back"):
            request.call("blocks.undelete", label=request.named["id"], **where(request))
        if request.text("take") == "theirs":
            return _theirs(request, typed)
        return _written(request, typed)
    except Stale:
        return _clash(request, typed)
    except NotFound:
        return _deleted_meanwhile(request, typed)
    except UserError as error:
        return _refused(request, typed, error)


def _written(request: PageRequest, typed: str) -> Done:
    id, version = request.named["id"], request.number("version", 0)
    block = request.call(
        "blocks.rethink",
        label=id,
        text=typed,
        version=version,
        reason=request.text("reason").strip() or None,
        **where(request),
    )
    there = request.link(f"/blocks/{block['id']}", task=request.text("task"))
    if block["version"] == version:
        return Done(there, "Nothing was changed.")
    fields = {"version": str(version), "now": str(block["version"]), "task": request.text("task")}
    undo = Undo(f"/blocks/{block['id']}/restore", fields)
    return Done(there, f"Saved as version {block['version']}.", undo)


def _clash(request: PageRequest, typed: str) -> View:
    """Show the concurrent change, the typed text, and both merged."""
    block = find_block(request)
    base = version_of(request, block["id"], request.number("version", 0) or 0)
    both = merged(base["value"], block["value"], typed) if base else None
    values = {
        "block": block,
        "base": base,
        "theirs": newest(request, block["id"]),
        "typed": typed,
        "both": both,
        "first": _first(request, typed),
        "task": request.text("task"),
    }
    return View("block-clash.html", values, Stale.http_status)


def _theirs(request: PageRequest, typed: str) -> View:
    """Continue from the other text; show the typed text next to it."""
    block = find_block(request)
    return _form(request, block, block["value"], draft=_first(request, "") or typed)


def _refused(request: PageRequest, typed: str, error: UserError) -> View:
    """Show why the text was not saved, with the typed text in the form."""
    try:
        block = find_block(request)
    except NotFound:
        return _deleted_meanwhile(request, typed, str(error))
    return _form(request, block, typed, error=error)


def _deleted_meanwhile(request: PageRequest, typed: str, trouble: str = "") -> View:
    """Show that the block was deleted in the meantime, with the typed text.

    Raises:
        NotFound: there never was such a block, or it was forgotten.
    """
    values = {
        "id": request.named["id"],
        "last": newest(request, request.named["id"]),
        "typed": typed,
        "trouble": trouble,
        "task": request.text("task"),
    }
    return View("block-away.html", values, Conflict.http_status)


def _form(
    request: PageRequest,
    block: dict[str, Any],
    value: str,
    *,
    draft: str = "",
    error: UserError | None = None,
) -> View:
    version = request.number("version", block["version"]) if error else block["version"]
    values = {
        "block": block,
        "version": version,
        "value": value,
        "kept": draft,
        "reason": request.text("reason"),
        "trouble": str(error) if error else "",
        "writable": writable(request, block),
        "written": newest(request, block["id"]),
        "task": request.text("task"),
    }
    return View("block-edit.html", values, error.http_status if error else 200)


def _typed(request: PageRequest, name: str) -> str:
    return request.text(name).replace("\r\n", "\n")


def _first(request: PageRequest, typed: str) -> str:
    """Return the text as typed before both texts were merged."""
    first = _typed(request, "mine")
    return "" if first == typed else first


ROUTES = (reads("/blocks/{id}/edit", edit), acts("/blocks/{id}/edit", save))
