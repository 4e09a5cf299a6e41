"""Measure how many planted sentences compression keeps.

The check uses none of the product's own rules.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from measuring import planted_held_out
from measuring.planted import CARRIERS, SPEAKERS, Planted, normalised, plant, sentences
from measuring.projects import Project, write_transcript
from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.exceptions import NotFound

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples" / "session"
SETS = {
    "first": (HERE / "data" / "planted.tsv", plant),
    "held-out": (HERE / "data" / "planted_held_out.tsv", planted_held_out.plant_held_out),
}
"""The patterns, and the function that plants them in a transcript."""
AIMS = {10.0: (0.98, 0.95, 0.90), 4.0: (1.0, 0.98, 0.95)}
NEAR = 0.02
WINDOW = {"context_window": 8_000}
TOKENS = 4
"""Characters of a transcript per token, by which sentences are spread."""


@dataclass(slots=True)
class Found:
    """Kept and lost planted sentences at one ratio."""

    judged: list[tuple[Planted, bool]] = field(default_factory=list)
    sizes: list[tuple[int, int]] = field(default_factory=list)
    """Tokens of each summary and of its source."""
    facts: int = 0
    kept: int = 0
    """As the product reports them."""


def transcripts(projects: Path, folder: Path) -> Iterator[Path]:
    """Yield the sessions for planting, as transcripts."""
    yield from sorted(projects.glob("*.jsonl"))
    for path in sorted(projects.glob("*.json")):
        if "sessions" not in json.loads(path.read_text("utf-8")):
            continue
        for number, session in enumerate(Project.read(path).sessions):
            target = folder / f"{path.stem}-{number}"
            target.mkdir()
            yield write_transcript(session, number, target)


def measure(
    session: Path, planted: Sequence[Planted], ratios: Sequence[float], found: dict[str, Found]
) -> None:
    """Compress one session in every way; add the results by way and ratio."""
    with tempfile.TemporaryDirectory(prefix="memoranda-planted-") as folder:
        settings = load_settings({"data_dir": folder, "embedder": "none"} | WINDOW, {})
        with Memoranda.open(settings=settings, workspace="planted") as memory:
            memory.capture.import_transcript(session, workspace="planted")
            memory.capture.drain()
            for task in memory.tasks.list(workspace="planted").items:
                texts = _texts(memory, task.id)
                stored = [fact for fact in planted if fact.kept(texts)]
                memory.tasks.end(task.id)
                memory.capture.drain()
                for ratio in ratios:
                    _stages(memory, task.id, ratio, stored, found[f"stages {ratio:g}:1"])
                    _brief(memory, task.id, ratio, stored, found[f"brief {ratio:g}:1"])
                _compacted(memory, task.id, stored, found["conversation"])


def _texts(memory: Memoranda, task: str) -> list[str]:
    """Return the normalised lines of everything stored of a task."""
    lines: list[str] = []
    cursor = None
    while True:
        page = memory.observations.list(task=task, cursor=cursor, limit=100)
        for one in page.items:
            lines += normalised(memory.observations.show(one.id).content)
        if (cursor := page.cursor) is None:
            return lines


def _stages(
    memory: Memoranda, task: str, ratio: float, planted: Sequence[Planted], found: Found
) -> None:
    made, cursor = [], None
    while True:
        page = memory.stages.list(task, cursor=cursor)
        for stage in page.items:
            try:
                made.append(memory.stages.compress(task, stage.number, ratio=ratio))
            except NotFound:  # no text to use
                continue
        if (cursor := page.cursor) is None:
            break
    found.sizes += [(one.tokens, one.source_tokens) for one in made]
    found.facts += sum(one.facts for one in made)
    found.kept += sum(one.kept for one in made)
    lines = [line for one in made for line in normalised(one.text)]
    found.judged += [(fact, fact.kept(lines)) for fact in planted]


def _brief(
    memory: Memoranda, task: str, ratio: float, planted: Sequence[Planted], found: Found
) -> None:
    source = memory.tasks.brief(task, tokens=1).source_tokens
    if not source:
        return
    made = memory.tasks.brief(task, tokens=max(1, int(source / ratio)))
    found.sizes.append((made.tokens, source))
    found.judged += [(fact, fact.kept(normalised(made.text))) for fact in planted]


def _compacted(memory: Memoranda, task: str, planted: Sequence[Planted], found: Found) -> None:
    made = memory.conversations.compact(task, mode="whole", force=True)
    if made is None:
        return
    found.sizes.append((made.tokens, made.source_tokens))
    lines = normalised(made.summary)
    found.judged += [(fact, fact.kept(lines)) for fact in planted if fact.speaker != "tool"]


def print_section(report: Report, way: str, found: Found) -> None:
    """Add the figures of one way of compressing."""
    for speaker in SPEAKERS:
        mine = [(fact, kept) for fact, kept in found.judged if fact.speaker == speaker]
        for carrier in dict.fromkeys((*CARRIERS, *planted_held_out.CARRIERS)):
            _share(
                report, way, f"{speaker}, {carrier}", [k for f, k in mine if f.carrier == carrier]
            )
        _share(report, way, speaker, [kept for _, kept in mine])
    for kind in sorted({fact.kind for fact, _ in found.judged}):
        _share(report, way, kind, [kept for fact, kept in found.judged if fact.kind == kind])
    for language in sorted({fact.language for fact, _ in found.judged}):
        mine = [(fact, kept) for fact, kept in found.judged if fact.language == language]
        _share(report, way, f"in {language}", [kept for _, kept in mine])
    tokens, source = (sum(sizes) for sizes in zip(*found.sizes, strict=True))
    reached = source / max(1, tokens)
    report.add(way, "ratio reached", reached, note=f"{source:,} tokens, {len(found.sizes)} texts")
    longer = sum(made > whole for made, whole in found.sizes)
    report.add(way, "longer than their source", longer, note=f"of {len(found.sizes)}")
    report.claim(f"{way}: nothing is longer than its source", longer == 0)
    if found.facts:
        result = found.kept / found.facts
        report.add(way, "retention reported", result, note=f"{found.kept} of {found.facts}")
        outside = _mean([kept for _, kept in found.judged])
        report.add(way, "retention counted", outside, note=f"of {len(found.judged)}")
        report.claim(f"{way}: the report is within 2 points", abs(result - outside) <= NEAR)


def _share(report: Report, way: str, name: str, kept: Sequence[bool]) -> None:
    if kept:
        report.add(way, name, f"{_mean(kept):.3f}", note=f"{sum(kept)} of {len(kept)}")


def _mean(values: Sequence[bool]) -> float:
    return sum(values) / max(1, len(values))


def main() -> int:
    """Plant sentences in every session and compress it."""
    options = parser(__doc__)
    options.add_argument(
        "--sessions", type=Path, default=EXAMPLES, help="folder of transcripts or projects"
    )
    options.add_argument(
        "--set",
        default="first",
        choices=tuple(SETS),
        help="sentences that the rules were written beside, or others, in other places",
    )
    options.add_argument(
        "--patterns", default="all", choices=("all", "first", "second"), help="of the first set"
    )
    options.add_argument("--ratios", type=float, nargs="+", default=list(AIMS))
    options.add_argument(
        "--every", type=int, default=1_500, help="tokens of a session for a sentence"
    )
    options.add_argument("--most", type=int, help="sessions that are taken")
    options.add_argument("--lost", action="store_true", help="list the sentences that were lost")
    chosen = options.parse_args()
    report = Report("planted", vars(chosen))
    path, put = SETS[chosen.set]
    patterns = sentences(path, chosen.patterns)
    found: dict[str, Found] = defaultdict(Found)
    with tempfile.TemporaryDirectory(prefix="memoranda-planted-") as folder:
        for session in list(transcripts(chosen.sessions, Path(folder)))[: chosen.most]:
            progress(session.stem)
            text = session.read_text("utf-8")
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
            draw = random.Random(f"{chosen.seed} {session.stem}")
            count = max(9, len(text) // TOKENS // chosen.every)
            rows, planted = put(rows, patterns, count, draw)
            target = Path(folder, f"planted-{session.name}")
            target.write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
            measure(target, planted, chosen.ratios, found)
    progress("")
    for way, one in found.items():
        print_section(report, way, one)
        if chosen.lost:
            for fact in (fact for fact, kept in one.judged if not kept):
                report.add(f"lost, {way}", f"{fact.speaker}, {fact.carrier}", fact.text)
    for ratio in chosen.ratios:
        for speaker, aim in zip(SPEAKERS, AIMS.get(ratio, ()), strict=False):
            kept = [k for fact, k in found[f"stages {ratio:g}:1"].judged if fact.speaker == speaker]
            report.claim(f"stages {ratio:g}:1, {speaker}: at least {aim}", _mean(kept) >= aim)
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
