"""Measure what each part of a session's start context gives.

Projects are stored once, as `sessions` does. Then one part after the other is switched off, and
the contexts are compared with the annotations. `--refit` also fits the weights of a sentence to
all projects but one, and measures them on that one.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import mean
from typing import Any, TypeAlias
from unittest.mock import patch

from measuring.projects import Project, figures, write_transcript
from measuring.report import Report, parser, progress
from measuring.sentence_fit import SentenceRows, fit, sentence_rows
from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.context import (
    builder,
    final_reports as reports,
    labelled_sentences,
    replaced_values,
    user_sentences as remarks,
)
from memoranda.context.candidates import Candidates
from memoranda.context.outdated_sentences import Changes
from memoranda.context.selection import SHARES

DATA = Path(__file__).parent / "data" / "sessions"
FIGURES = ("told", "told10", "stale", "one-off", "still")
SECTIONS = (
    "blocks",
    "memories",
    "progress",
    "brief",
    "standing",
    "statements",
    "errors",
    "relevant",
)
Patches: TypeAlias = "Sequence[tuple[object, str, object]]"
"""Attributes and their replacements while a part is off."""


def _without_section(name: str) -> Patches:
    collected = builder.collect_candidates

    def collect(*arguments: Any, **named: Any) -> Candidates:
        empty: dict[str, Any] = {name: ()}
        return replace(collected(*arguments, **named), **empty)

    return [(builder, "collect_candidates", collect)]


def _without_weight(name: str) -> Patches:
    return [(labelled_sentences, "WEIGHTS", labelled_sentences.WEIGHTS | {name: 0.0})]


def parts() -> dict[str, Patches]:
    """Return the parts that can be switched off, with their replacements."""
    never: Callable[..., bool] = lambda *_: False  # noqa: E731
    rules = remarks.LaterMessages
    return {
        "nothing": [],
        **{f"section {name}": _without_section(name) for name in SECTIONS},
        **{f"weight {name}": _without_weight(name) for name in labelled_sentences.WEIGHTS},
        "shares of a session's start": [
            (builder, "AT_START", SHARES),
            (builder, "STILL_FREE", {}),
        ],
        "rules replace sentences": [(rules, "replaces", never)],
        "changes end sentences": [(remarks, "CHANGED", 0.0), (Changes, "ended", never)],
        "age": [(remarks, "AGEING", 0.0)],
        "later mentions": [(remarks, "REPEATED", 0.0)],
        "near copies omitted": [(remarks, "NEAR_COPY", 1.1)],
        "replaced values marked": [
            (replaced_values.ReplacedValues, "marked", lambda _, items, at=0: iter(items))
        ],
        "outdated report lines omitted": [(reports, "_is_over", never)],
    }


@contextmanager
def _off(patches: Patches) -> Iterator[None]:
    with ExitStack() as stack:
        for where, name, other in patches:
            stack.enter_context(patch.object(where, name, other))
        weights = any(where is labelled_sentences for where, *_ in patches)
        if weights:
            labelled_sentences._sentences.cache_clear()
        yield
    if weights:
        labelled_sentences._sentences.cache_clear()


def _stored(project: Project, memory: Memoranda, folder: Path) -> None:
    for number, session in enumerate(project.sessions):
        path = write_transcript(session, number, folder)
        memory.capture.import_transcript(path, workspace=project.name)
        memory.capture.drain()


def _figures(memory: Memoranda, project: Project, budget: int) -> dict[str, float]:
    brief = memory.context(workspace=project.name, budget=budget, at_start=True)
    return figures(project, [(one.name, item.text) for one in brief.sections for item in one.items])


def _add(
    report: Report, budget: int, part: str, found: Sequence[Mapping[str, float]], whole: float
) -> float:
    """Add the means over the projects; return the share told."""
    means = {name: mean(one[name] for one in found) for name in FIGURES}
    note = ", ".join(f"{name} {means[name]:.3f}" for name in FIGURES[1:])
    change = f"{means['told']:.3f} ({means['told'] - whole:+.3f})" if whole else means["told"]
    report.add(f"{budget:,} tokens, without", part, change, note=note)
    return means["told"]


def _refitted(
    report: Report,
    budgets: Sequence[int],
    stores: Sequence[tuple[Project, Memoranda]],
) -> None:
    """Measure each project with weights that were fitted to the others."""
    rows = {project.name: sentence_rows(project) for project, _ in stores}
    for budget in budgets:
        found = []
        for project, memory in stores:
            others = [one for name, one in rows.items() if name != project.name]
            weights = fit(SentenceRows.joined(others))
            with _off([(labelled_sentences, "WEIGHTS", weights)]):
                found.append(_figures(memory, project, budget))
        _add(report, budget, "the project itself in the fit of the weights", found, 0.0)


@contextmanager
def _opened(projects: Sequence[Path]) -> Iterator[list[tuple[Project, Memoranda]]]:
    """Store each project; yield the projects with their stores."""
    with tempfile.TemporaryDirectory(prefix="memoranda-ablation-") as root, ExitStack() as stack:
        found = []
        for path in projects:
            progress(path.stem)
            folder = Path(root, path.stem)
            folder.mkdir()
            settings = load_settings({"data_dir": folder / "data", "embedder": "none"}, {})
            memory = stack.enter_context(Memoranda.open(settings=settings))
            project = Project.read(path)
            _stored(project, memory, folder)
            found.append((project, memory))
        yield found


def main() -> int:
    """Measure every part on all projects together."""
    options = parser(__doc__)
    options.add_argument("--projects", type=Path, nargs="+", default=[DATA], help="their folders")
    options.add_argument("--budgets", default="1000,2000", help="in tokens")
    options.add_argument("--refit", action="store_true", help="leave each project out of the fit")
    chosen = options.parse_args()
    budgets = [int(one) for one in chosen.budgets.split(",")]
    report = Report("ablation", vars(chosen))
    files = sorted(path for one in chosen.projects for path in one.glob("*.json"))
    with _opened(files) as stores:
        for budget in budgets:
            _measure(report, budget, stores)
        if chosen.refit and len(stores) > 1:
            _refitted(report, budgets, stores)
    return report.finish(as_json=chosen.json)


def _measure(report: Report, budget: int, stores: Sequence[tuple[Project, Memoranda]]) -> None:
    whole = 0.0
    for part, patches in parts().items():
        progress(part)
        with _off(patches):
            found = [_figures(memory, project, budget) for project, memory in stores]
        told = _add(report, budget, part, found, whole)
        whole = whole or told


if __name__ == "__main__":
    sys.exit(main())
