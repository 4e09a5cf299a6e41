"""Receipt of a removal, as shown to people."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from memoranda.cli.output import Output, pairs, write

if TYPE_CHECKING:
    from memoranda.memories.removal import NameMention, RemovalReceipt


def show_receipt(out: Output, receipt: RemovalReceipt, name: str = "") -> None:
    """Show what was or would be removed, and what remains of a name."""
    if out.format == "json":
        out.json(receipt)
        return
    if name and not receipt.mention_counts:
        write(f"nothing mentions {name!r}")
    else:
        from memoranda.memories.removal_counts import DERIVED_KINDS

        for mention in receipt.mentions if receipt.dry_run else ():
            if mention.kind not in DERIVED_KINDS:
                write(_mention(mention))
        write(pairs(_figures(receipt)))
        if receipt.statements:
            write(_statements(receipt))
        if name and not receipt.dry_run and not _remaining(receipt):
            write(f"nothing mentions {name!r} now")
    if receipt.similar:
        write(f"also found: {', '.join(receipt.similar)}")
        write(
            f"to remove a similar name too: memoranda forget"
            f" --mentions {shlex.quote(receipt.similar[0])}"
        )


def _statements(receipt: RemovalReceipt) -> str:
    """Return which messages remain, and how to erase them or to restore what they state."""
    refs = " ".join(receipt.statements)
    applies = "would no longer apply" if receipt.dry_run else "no longer applies"
    return (
        f"the message remains, but what it states {applies}: {refs}\n"
        f"to erase the message too: memoranda forget {refs}\n"
        "to let it apply again, state it again: memoranda remember …"
    )


def _mention(one: NameMention) -> str:
    from memoranda.memories.removal_counts import kind_name

    kind = kind_name(one.kind)
    if one.opening:
        return f"{kind}  {one.id}  {one.opening} … {one.line} (the whole {kind} is removed)"
    return f"{kind}  {one.id}  {one.line}"


def _figures(receipt: RemovalReceipt) -> dict[str, object]:
    from memoranda.memories.removal_counts import PLURALS, counts_by_name, kind_name

    verb = "would be removed" if receipt.dry_run else "removed"
    shown: dict[str, object] = {
        f"observations {verb}": receipt.observations,
        f"memories {verb}": receipt.memories,
        f"manual errors {verb}": receipt.errors,
    }
    for kind, count in receipt.removed.items():
        shown[f"{PLURALS.get(kind, kind_name(kind) + 's')} {verb}"] = count
    for kind, count in counts_by_name(receipt.mention_counts).items():
        shown[f"mentions: {kind}"] = count
    if receipt.dry_run:
        return shown
    left = _remaining(receipt)
    shown |= {
        "contents removed": receipt.contents,
        "tasks removed": receipt.tasks,
        "cleared": ", ".join(receipt.places),
        "may still have copies": ", ".join(
            item for item in receipt.not_reached if item not in left
        ),
    }
    return shown | ({"remains": ", ".join(left)} if left else {})


def _remaining(receipt: RemovalReceipt) -> list[str]:
    """Return the places in the store that still mention the name."""
    from memoranda.memories.removal import STILL_MENTIONED

    return [item for item in receipt.not_reached if STILL_MENTIONED in item]
