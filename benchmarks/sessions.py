"""Measure what a project's next session gets from earlier sessions.

The control is the person's own messages, pasted.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from measuring.plots import Line, lines
from measuring.projects import Project, Spoken, figures, pasted, write_transcript
from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.config import load_settings

DATA = Path(__file__).parent / "data" / "sessions"
MEMORY, CONTROL = "memoranda", "own messages, newest first"


def contexts(sessions: Sequence[dict], budgets: Sequence[int]) -> dict[int, Spoken]:  # type: ignore[type-arg]
    """Store sessions in order, nothing approved; return the next context."""
    with tempfile.TemporaryDirectory(prefix="memoranda-sessions-") as folder:
        settings = load_settings({"data_dir": Path(folder, "data"), "embedder": "none"}, {})
        with Memoranda.open(settings=settings) as memory:
            for number, session in enumerate(sessions):
                path = write_transcript(session, number, Path(folder))
                memory.capture.import_transcript(path, workspace="project")
                memory.capture.drain()
            return {budget: _context_of(memory, budget) for budget in budgets}


def _context_of(memory: Memoranda, budget: int) -> Spoken:
    brief = memory.context(workspace="project", budget=budget, at_start=True)
    return [(one.name, item.text) for one in brief.sections for item in one.items]


def measure(
    report: Report,
    project: Project,
    later: Sequence[dict],
    budgets: Sequence[int],  # type: ignore[type-arg]
) -> dict[tuple[str, int], dict[str, float]]:
    """Add a project's figures; return them by source and budget."""
    sessions = [*project.sessions, *later]
    found = contexts(sessions, budgets)
    ways = {(MEMORY, budget): found[budget] for budget in budgets}
    ways |= {(CONTROL, budget): pasted(sessions, budget) for budget in budgets}
    measured = {way: figures(project, statement) for way, statement in ways.items()}
    section = f"{project.name}, {len(later)} sessions later" if later else project.name
    for (who, budget), values in measured.items():
        note = ", ".join(f"{name} {value:.2f}" for name, value in values.items() if name != "told")
        report.add(section, f"{who}, {budget:,} tokens", f"{values['told']:.2f}", note=note)
    return measured


def main() -> int:
    """Measure every project, as recorded and with later sessions."""
    options = parser(__doc__)
    options.add_argument("--projects", type=Path, default=DATA, help="folder of recorded projects")
    options.add_argument("--runs", type=Path, help="runs of SWE-agent (JSON lines, xz)")
    options.add_argument("--later", type=int, default=20, help="of them are later sessions")
    options.add_argument("--budgets", default="1000,2000,4000", help="in tokens")
    options.add_argument("--plot", type=Path, help="write the means as an SVG file")
    chosen = options.parse_args()
    budgets = [int(one) for one in chosen.budgets.split(",")]
    report = Report("sessions", vars(chosen))
    means: dict[tuple[str, int], list[float]] = defaultdict(list)
    for path in sorted(chosen.projects.glob("*.json")):
        progress(path.stem)
        project = Project.read(path)
        for way, values in measure(report, project, (), budgets).items():
            means[way].append(values["told"])
        if chosen.runs:
            measure(report, project, project.later(chosen.runs, chosen.later), budgets)
    for (who, budget), values in means.items():
        report.add("mean told", f"{who}, {budget:,} tokens", f"{statistics.mean(values):.2f}")
    if chosen.plot:
        chosen.plot.write_text(_plot(means, budgets), "utf-8")
    return report.finish(as_json=chosen.json)


def _plot(means: dict[tuple[str, int], list[float]], budgets: Sequence[int]) -> str:
    drawn = [
        Line(who, [(one, statistics.mean(means[who, one])) for one in budgets], who == CONTROL)
        for who in (MEMORY, CONTROL)
    ]
    return lines(drawn, [MEMORY, CONTROL], "tokens", "share told", most=1)


if __name__ == "__main__":
    sys.exit(main())
