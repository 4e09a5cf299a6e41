"""Summary of an import of one or several files, and the list of a dry run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from memoranda.capture.intake_report import KEPT, ImportPreview
from memoranda.cli.output import Output, pairs
from memoranda.text import clip, counted, one_line, visible

LISTED = 20
"""Default number of entries shown in a dry run."""
LINE = 160
"""Number of characters shown of an entry."""
_SUMS = ("files", "lines", "events", "observations", "duplicates", "completed", "folded")
_SHOWN_FIRST = ("added", "updated", "unchanged", "refused_count", "duplicates")
_SHOWN_LAST = ("unrecorded_sessions", "refused", "failed", "entries", "entries_by_kind")


def summary_of(reports: Sequence[Any]) -> dict[str, Any]:
    """Summarise the results of files of any kind."""
    skipped, removed, added, updated, there, left, kinds = (Counter[str]() for _ in range(7))
    places, unrecorded = set[str](), set[str]()
    sums = Counter[str]()
    refused: list[Any] = []
    preview = ImportPreview()
    for report in reports:
        intake = report.intake
        sums.update(
            files=getattr(report, "files", 1),
            lines=getattr(report, "lines", 0),
            events=intake.events,
            observations=intake.observations,
            duplicates=intake.duplicates,
            completed=intake.completed,
            folded=intake.folded,
            refused=getattr(report, "refused", 0),
            pending=getattr(report, "pending", 0),
        )
        skipped.update(getattr(report, "skipped", {}))
        removed.update(intake.redactions)
        added.update(getattr(report, "added", {}))
        updated.update(getattr(report, "updated", {}))
        there.update(getattr(report, "there", {}))
        left.update(getattr(report, "left_out", {}))
        kinds.update(getattr(report, "kinds", {}))
        places |= getattr(report, "workspaces", set())
        unrecorded |= getattr(report, "unrecorded", set())
        refused += getattr(report, "refusals", [])
        preview.add(getattr(report, "preview", intake.preview))
    unchanged = sums["duplicates"] + there["memories"] + there["blocks"]
    return {
        **{name: sums[name] for name in _SUMS},
        "added": sums["observations"] + added["memories"] + added["blocks"],
        "updated": updated["memories"] + updated["blocks"],
        "unchanged": unchanged,
        "refused_count": sums["refused"],
        "memories": added["memories"],
        "blocks": added["blocks"],
        "pending_approval": sums["pending"],
        "duplicates": unchanged,
        "skipped": skipped.total() + left.total(),
        "skipped_by_reason": dict(skipped + left),
        "redactions": removed.total(),
        "redactions_by_rule": dict(removed),
        "refused": refused,
        "events_by_kind": dict(kinds),
        "workspaces": sorted(places),
        "unrecorded_sessions": len(unrecorded),
        "dry_run": any(getattr(report, "dry_run", False) for report in reports),
        "tasks": sorted({task for report in reports for task in report.intake.tasks}),
        "entries_by_kind": dict(preview.counts),
        "entries": preview.entries,
    }


def show_import(out: Output, payload: dict[str, Any], limit: int | None) -> None:
    """Show a summary, and the first entries of a dry run."""
    most = limit or (KEPT if out.format == "json" else LISTED)
    payload["entries"] = payload["entries"][:most]
    lines = [f"refused: {item.kind} {item.id}: {item.reason}" for item in payload["refused"]]
    if left_out := payload["unrecorded_sessions"]:
        off = f"{counted(left_out, 'session')} left out, because capture was switched off"
        lines.append(f"{off}; --unrecorded imports them")
    lines += [f"failed: {one['file']}: {one['reason']}" for one in payload["failed"]]
    out.text(payload, "\n".join([pairs(_counts(payload)), *map(visible, lines)]))
    if payload["dry_run"] and out.format != "json":
        _list_entries(out, payload)


def _counts(payload: Mapping[str, Any]) -> dict[str, object]:
    """Return the counts, without zeros and empty lists."""
    counts: dict[str, object] = {
        "would be added" if payload["dry_run"] else "added": payload["added"],
        "would be updated" if payload["dry_run"] else "updated": payload["updated"],
        "unchanged": payload["unchanged"],
        "refused": payload["refused_count"],
    }
    others = {
        key.replace("_", " "): value
        for key, value in payload.items()
        if value and key not in (*_SHOWN_FIRST, *_SHOWN_LAST)
    }
    return counts | others


def _list_entries(out: Output, payload: Mapping[str, Any]) -> None:
    rows = [
        (item.change, item.kind, clip(one_line(visible(item.text)), LINE))
        for item in payload["entries"]
    ]
    total = sum(payload["entries_by_kind"].values())
    if not rows:
        return
    counts = ", ".join(f"{kind} {count:,}" for kind, count in payload["entries_by_kind"].items())
    out.text(None, f"\n{len(rows):,} of {total:,} entries ({counts}):")
    out.rows(None, ("change", "kind", "text"), rows, recalled=True)
