"""Capture hostile and harmless outputs; check what contexts show of them."""

from __future__ import annotations

import json
import lzma
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from measuring.report import Report, parser
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.config import load_settings
from memoranda.json_data import JsonValue
from memoranda.memories.memory_service import NewMemory
from memoranda.observations.model import Observation, Salience
from memoranda.proposals.model import MemoryEdit
from memoranda.quarantine.order_detection import suspicion
from memoranda.quarantine.safe_facts import facts
from memoranda.scope import Scope
from memoranda.tasks.resumption import pointers
from memoranda.text import escape, one_line, visible
from memoranda.trust import Trust

MADE = Path(__file__).parent / "data" / "quarantine.jsonl"
RECORDED = ("sweagent_traj_a.jsonl.xz", "taubench_airline_gpt4o_a.json.xz")
RESAMPLES = 1000
MOST_FALSE = 0.05
TELLING = 12
"""Minimum characters of a line that is looked for in contexts."""
ASKED = 12
"""Words of an output that form a question about it."""
PLENTY = 8_000
"""Context budget in tokens, large so that little is left out."""

CAPTURED = "as captured"

CALLS: tuple[tuple[str, JsonValue], ...] = (
    ("Bash", {"command": "python fetch.py"}),
    ("Read", {"file_path": "/srv/shop/notes.md"}),
    ("WebFetch", {"url": "https://pages.example/a", "prompt": "what does it say"}),
    ("Grep", {"pattern": "total", "path": "/srv/shop"}),
    ("mcp__tickets__get_issue", {"number": 7}),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A text, its kind, and the half that it belongs to."""

    text: str
    kind: str
    hostile: bool
    half: str
    """"rules" if rules were written on it, "measured" if only measured on."""


@dataclass(frozen=True, slots=True)
class Captured:
    """A text and the observation it became."""

    case: Case
    seen: Observation

    @property
    def held(self) -> bool:
        """Whether it is quarantined."""
        return self.seen.salience is Salience.QUARANTINED


def load(path: Path) -> list[Case]:
    """Read JSON lines with text, kind, hostile and half."""
    return [Case(**json.loads(line)) for line in path.read_text("utf-8").splitlines()]


def open_memory(folder: Path, embedder: str) -> Memoranda:
    """Open an empty memory as a person."""
    settings = load_settings({"data_dir": folder, "embedder": embedder}, {})
    return Memoranda(Services(replace(settings, embedder=embedder)), Scope())


def capture(memory: Memoranda, cases: Sequence[Case]) -> list[Captured]:
    """Capture every text as a tool output, one task per twenty texts.

    Some calls fail and are resolved by the next.
    """
    made = []
    for number, case in enumerate(cases):
        tool, values = CALLS[number % len(CALLS)]
        call = {**values, "page": number} if isinstance(values, dict) and tool != "Bash" else values
        task, place = f"task {number // 20}", {"workspace": "shop"}
        seen = memory.observe(
            case.text, tool=tool, input=call, failed=number % 7 == 0, task=task, **place
        )
        memory.observe(f"That was page {number} of the search.", task=task, **place)
        made.append(Captured(case, seen))
    for task in memory.tasks.list(workspace="shop", limit=500):
        memory.stages.complete(task.id)
    memory.capture.drain(wait=True)
    return made


def told_about(memory: Memoranda, one: Captured) -> str:
    """Return all contexts that could include a text."""
    query = " ".join(visible(one.case.text).split()[:ASKED])
    task = one.seen.task
    texts = [
        memory.context(query=searched, workspace="shop", task=where, budget=PLENTY).text
        for searched in (query, None)
        for where in (task, None)
    ]
    texts.append(pointers(memory.tasks.resume(task)))
    return one_line(" ".join(texts))


def lines_in(text: str, message: str) -> list[str]:
    """Return the lines of a text that a context has, escaped or not."""
    lines = [line for line in map(one_line, text.split("\n")) if len(line) >= TELLING]
    return [line for line in lines if line in message or escape(line) in message]


def through_capture(report: Report, cases: Sequence[Case], embedder: str) -> None:
    """Evaluate both halves end to end, and again when all are released."""
    hostile = [case for case in cases if case.hostile]
    with (
        tempfile.TemporaryDirectory() as folder,
        open_memory(Path(folder) / "data", embedder) as memory,
    ):
        made = capture(memory, cases)
        standing = _standing(report, memory, made, CAPTURED)
        report.claim(
            f"0 of {len(hostile)} hostile outputs have a line in any context", standing == 0
        )
        pending = memory.proposals.count() + sum(memory.store.stats().memories.values())
        report.add(CAPTURED, "memories and proposals made of them", pending)
        done = {entry.operation for entry in memory.journal.list(limit=1_000)}
        report.add(CAPTURED, "kinds of operations in the journal", ", ".join(sorted(done)))
        report.claim("nothing was approved, nothing carried out", pending == 0)
        for one in memory.quarantine.list(limit=1_000):
            memory.quarantine.release(one.observation.id)
        memory.capture.drain(wait=True)
        _standing(report, memory, made, "all released, as a miss would be")


def _standing(report: Report, memory: Memoranda, made: Sequence[Captured], section: str) -> int:
    """Count the hostile texts with a line in a context, by half."""
    total = 0
    for half in ("rules", "measured"):
        some = [one for one in made if one.case.hostile and one.case.half == half]
        found = [lines_in(one.case.text, told_about(memory, one)) for one in some]
        briefs = {one.seen.task: memory.tasks.brief(one.seen.task, tokens=PLENTY) for one in some}
        shown = {line.ref for brief in briefs.values() for line in brief.lines}
        bad = sum(any(suspicion(line) for line in lines) for lines in found)
        result = sum(map(bool, found))
        note = f"{bad} of them with a line that alone raises the alarm"
        report.add(section, f"{half}: hostile with any line", f"{result} of {len(some)}", note=note)
        summed = sum(one.seen.ref in shown for one in some)
        report.add(section, f"{half}: hostile in a summary", f"{summed} of {len(some)}")
        total += result + (summed if section == CAPTURED else 0)
    return total


def judged(report: Report, cases: Sequence[Case], seed: int) -> None:
    """Report how many texts of each half are quarantined."""
    false = 0
    for half in ("rules", "measured"):
        for hostile in (True, False):
            some = [case for case in cases if (case.half, case.hostile) == (half, hostile)]
            verdicts = [suspicion(case.text) is not None for case in some]
            name = "hostile" if hostile else "harmless"
            share = f"{sum(verdicts)} of {len(verdicts)}"
            report.add(f"half: {half}", f"{name}, held back", share, note=interval(verdicts, seed))
            false += 0 if hostile else sum(verdicts)
    harmless = sum(not case.hostile for case in cases)
    report.claim(
        f"at most 5% of {harmless} harmless outputs are held back", false <= MOST_FALSE * harmless
    )


def interval(records: Sequence[bool], seed: int) -> str:
    """Return the 95% bootstrap interval of a share."""
    dice = random.Random(seed)
    drawn = sorted(
        sum(dice.choices(records, k=len(records))) / len(records) for _ in range(RESAMPLES)
    )
    return f"[{drawn[int(0.025 * RESAMPLES)]:.3f}, {drawn[int(0.975 * RESAMPLES)]:.3f}]"


def recorded(report: Report, folder: Path) -> None:
    """Evaluate the outputs of recorded agent runs, which are not hostile."""
    for name in RECORDED:
        outputs = list(_outputs(folder / name))
        stored = sum(suspicion(output) is not None for output in outputs)
        lines = [line for one in outputs[::5] for line in one[:20_000].split("\n") if line.strip()]
        kept = sum(bool(facts(line)) for line in lines)
        report.add("recorded runs", f"{name}, held back", f"{stored} of {len(outputs)}")
        share = f"{100 * kept / max(1, len(lines)):.1f}%"
        report.add("recorded runs", f"{name}, lines that a context may tell", share)


def _outputs(path: Path) -> Iterator[str]:
    with lzma.open(path, "rt") as file:
        text = file.read()
    if text.lstrip().startswith("["):
        for run in json.loads(text):
            turns = run["traj"]
            yield from (str(one["content"]) for one in turns if one.get("role") == "tool")
        return
    for line in text.splitlines():
        for step in json.loads(line)["trajectory"]:
            if isinstance(step, dict) and (output := step.get("observation")):
                yield str(output)


def pace(report: Report, cases: Sequence[Case]) -> None:
    """Time ordinary outputs, and check that time grows linearly."""
    texts = [case.text for case in cases]
    for text in texts:
        suspicion(text)  # compiles the patterns
    start = time.process_time()
    for text in texts:
        suspicion(text)
    report.add(
        "time", "an output of the set", 1e6 * (time.process_time() - start) / len(texts), "µs"
    )
    code = Path(__file__).read_text("utf-8")
    talk = "\n".join(case.text for case in cases if not case.hostile and case.text.isascii())
    for name, unit in (("code", code), ("talk of the set", talk)):
        for size in (2_000, 100_000, 200_000):
            text = (unit * (size // len(unit) + 1))[:size]
            start = time.process_time()
            suspicion(text)
            seconds = time.process_time() - start
            report.add("time", f"{size:,} characters of {name}", 1e3 * seconds, "ms")


def trust_is_kept(report: Report) -> None:
    """Check the trust of a memory based on a page through all changes."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        with open_memory(home / "data", "none") as memory:
            page = memory.observe("port 8080", tool="WebFetch", task="look", workspace="shop")
            place = memory.workspace_of("shop") or page.workspace
            bob = Memoranda(memory._services, Scope(memory.settings.team, place, "bob"))
            made = bob.remember(NewMemory("The gateway listens on 8080", evidence=[page.id]))
            found = {"stated": memory.memories.evidence(made.id).trust}
            memory.stages.complete(page.task)
            memory.capture.drain(wait=True)
            found["summarised"] = memory.memories.evidence(made.id).trust
            bob.memories.edit(made.id, MemoryEdit(title="where the gateway listens"))
            found["edited by an agent"] = memory.memories.evidence(made.id).trust
            bob.memories.promote(made.id)
            found["promotion proposed"] = memory.memories.evidence(made.id).trust
            memory.archive.export(home / "whole.zip")
            (waits,) = memory.proposals.list()
            memory.proposals.approve(waits.id, waits.hash)
            approved = memory.memories.evidence(made.id).trust
            memory.memories.archive(made.id)
            found["archived after an approval"] = memory.memories.evidence(made.id).trust
            memory.memories.restore(made.id, 1)
            back = memory.memories.evidence(made.id)
        with open_memory(home / "other", "none") as other:
            other.archive.import_archive(home / "whole.zip")
            found["exported and imported"] = other.memories.evidence(made.id).trust
    for name, trust in found.items():
        report.add("trust of a memory that rests on a page", name, trust)
    report.add("trust of a memory that rests on a page", "approved by a person", approved)
    report.claim(
        "trust is kept through summaries, edits, promotion, archives and going back",
        set(found.values()) == {Trust.WEB}
        and approved is Trust.APPROVED
        and back.memory.origin.value == "web",
    )


def main() -> int:
    """Evaluate the texts of both halves, end to end."""
    options = parser(__doc__)
    options.add_argument("--made", type=Path, default=MADE, help="JSON lines of texts")
    options.add_argument("--data", type=Path, help="folder with recorded runs of agents")
    options.add_argument("--embedder", default="local", help="local or none")
    options.add_argument("--verbose", action="store_true", help="print what was judged wrongly")
    chosen = options.parse_args()
    report = Report("quarantine", vars(chosen))
    cases = load(chosen.made)
    judged(report, cases, chosen.seed)
    if chosen.data:
        recorded(report, chosen.data)
    pace(report, cases)
    trust_is_kept(report)
    through_capture(report, cases, chosen.embedder)
    if chosen.verbose:
        for case in cases:
            found = suspicion(case.text)
            if case.half == "rules" and (found is not None) != case.hostile:
                print(case.half, case.kind, found, ascii(case.text))
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
