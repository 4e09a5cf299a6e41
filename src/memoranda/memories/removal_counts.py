"""Counts of a removal by the display names of records."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from memoranda.memories.removal import RemovalReceipt
from memoranda.text import counted, to_confirm

DERIVED_KINDS = {
    "compaction": "summary",
    "compression": "summary",
    "entry": "index entry",
    "kept_answer": "cached answer",
    "model_answer": "cached answer",
    "profile_step": "step of the optimiser",
    "stage_tracking": "progress of a stage",
    "task_watch": "figures of a task",
}
"""Names of the kinds of derived records, which are counted but not listed."""
KIND_NAMES = DERIVED_KINDS | {
    "error_note": "manual error",
    "memory_link": "link of a memory",
    "notification": "notice",
    "profile_change": "change of the profile",
    "working": "entry of working memory",
}
"""Display names of record kinds whose table has another name."""

PLURALS = {
    "feedback": "feedback",
    "profile_change": "changes of the profile",
    "working": "entries of working memory",
}
"""Plurals of display names that are not formed with an "s"."""


def counts_by_name(counts: Mapping[str, int]) -> dict[str, int]:
    """Return the number of mentions by display name of the record's kind."""
    named = Counter[str]()
    for kind, count in counts.items():
        named[kind_name(kind)] += count
    return dict(named)


def kind_name(kind: str) -> str:
    """Return the display name of a kind of record."""
    return KIND_NAMES.get(kind, kind.replace("_", " "))


def removed_kinds(receipt: RemovalReceipt) -> list[str]:
    """Return the counts of the other records of a whole workspace, such as "2 blocks"."""
    return [
        counted(count, kind_name(kind), PLURALS.get(kind, ""))
        for kind, count in receipt.removed.items()
    ]


def unconfirmed(found: RemovalReceipt) -> str:
    """Return the message for a removal that was not confirmed."""
    counts = {
        ("observation", "observations"): found.observations,
        ("memory", "memories"): found.memories,
        ("error note", "error notes"): found.errors,
    }
    listed = [f"{count:,} {what[count != 1]}" for what, count in counts.items() if count]
    listed += removed_kinds(found)
    removed = ", ".join(listed)
    if found.mention_counts:
        named = counts_by_name(found.mention_counts)
        kinds = (f"{kind} {count:,}" for kind, count in named.items())
        removed = f"what mentions the name ({', '.join(kinds)})"
    return f"{to_confirm(removed)}; to preview, set `dry_run`"
