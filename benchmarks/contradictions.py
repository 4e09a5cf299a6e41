"""Measure detected contradictions and updates among statements.

Sources: SICK, generated updates, unrelated statements, and long conversations.
"""

from __future__ import annotations

import argparse
import json
import lzma
import random
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import statements
from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.models.embedding.minilm import LocalEmbedder
from memoranda.statements.clauses import claims
from memoranda.statements.conflict_result import StatementConflict
from memoranda.statements.conflicts import conflict
from memoranda.statements.statement import Statement

if TYPE_CHECKING:
    from memoranda.memories.model import Memory
    from memoranda.ports import Vectors

RESAMPLES = 1000
NEAREST, ALIKE = 30, 10
"""Number of earlier statements compared: by cosine, by common words."""
FLOOR = 0.25
"""Cosine below which statements are not compared."""
UNRELATED = 1_000
QUESTIONS = {
    "contradiction_resolution": ("first_statement", "second_statement"),
    "knowledge_update": ("original_info", "updated_info"),
}


def _words(text: str) -> list[str]:
    return text.split()


ROOMS = _words(
    "kitchen office garage attic cellar library studio workshop greenhouse nursery"
    " laundry pantry lounge balcony hallway guest sewing music garden boat"
)
DEVICES = _words(
    "printer lamp router heater fan speaker scanner freezer camera clock"
    " thermostat projector monitor radio vacuum keyboard drill dryer scale mixer"
)
TOPICS = _words(
    "pottery falconry sailing chess algebra origami archery calligraphy beekeeping fencing"
    " juggling weaving surfing cricket opera geology astronomy yoga curling rowing"
)
TOWNS = _words(
    "Lima Oslo Porto Turin Graz Cork Bergen Lyon Basel Ghent"
    " Kyoto Quito Accra Tunis Perth Leeds Malmo Seville Zagreb Riga"
)
ROOM_FORMS = (
    "Ana's {room} {device} is now set to {number}.",
    "Ana now keeps the {room} {device} at {number} percent.",
    "Ana no longer rents the {room} {device}.",
    "Ana moved the {room} {device} to {town}.",
    "Ana switched the {room} {device} to model {number}.",
)
TOPIC_FORMS = (
    "Ana now practises {topic} {number} hours a week.",
    "Ana likes {topic} very much.",
    "Ana recently bought {number} books on {topic}.",
    "Ana no longer teaches {topic}.",
    "Ana now reports her {topic} results from {town}.",
    "Ana's {topic} teacher lives in {town}.",
    "Ana's {topic} budget was raised to {number} euros.",
    "Ana's {topic} course now starts in {town}.",
    "Ana works on {topic} with {number} friends.",
    "Ana changed her {topic} club to the one in {town}.",
)


@dataclass(slots=True)
class Timeline:
    """Statements in order, each with the number of its message."""

    ids: list[int]
    texts: list[str]
    read: list[Statement]
    vectors: Vectors

    def candidates(self, at: int) -> list[int]:
        """Return the earlier statements with which one is compared."""
        if not at:
            return []
        near = self.vectors[:at] @ self.vectors[at]
        nearest = near.argsort()[::-1][:NEAREST].tolist()
        alike = sorted(range(at), key=lambda other: -self._common(other, at))[:ALIKE]
        return [other for other in dict.fromkeys(nearest + alike) if near[other] >= FLOOR]

    def _common(self, one: int, other: int) -> int:
        return len(self.read[one].stems & self.read[other].stems)


@dataclass(slots=True)
class Conversations:
    """Counts over some conversations."""

    hits: dict[str, list[bool]] = field(default_factory=dict)
    statements: int = 0
    compared: int = 0
    links: int = 0
    certain: int = 0


def timeline(lines: Sequence[tuple[int, str]]) -> Timeline:
    """Embed statements."""
    import numpy

    embedder = LocalEmbedder()
    texts = [text for _, text in lines]
    vectors = numpy.concatenate(
        [embedder.embed(texts[start : start + 256]) for start in range(0, len(texts), 256)]
    )

    read = [Statement.of(text) for text in texts]
    return Timeline([number for number, _ in lines], texts, read, vectors)


def interval(shares: Sequence[bool], seed: int) -> str:
    """Return the 95% bootstrap interval of a share."""
    dice = random.Random(seed)
    drawn = sorted(sum(dice.choices(shares, k=len(shares))) for _ in range(RESAMPLES))
    low, high = drawn[int(0.025 * RESAMPLES)], drawn[int(0.975 * RESAMPLES)]
    return f"[{low / len(shares):.3f}, {high / len(shares):.3f}]"


def pairs(report: Report, name: str, cases: Sequence[statements.Case], seed: int) -> None:
    """Report precision and recall on labelled pairs, with intervals, by part."""
    cosine = statements.cosines(cases)
    for part in sorted({case.part for case in cases}):
        chosen = [case for case in cases if case.part == part]
        outcomes = [statements.judged(case, cosine) for case in chosen]
        precision, recall, harmonic = statements.figures(outcomes)
        found = [o.case.conflicts for o in outcomes if o.found]
        there = [bool(o.found) for o in outcomes if o.case.conflicts]
        section = f"{name}, {part}"
        report.add(section, "pairs", len(outcomes))
        report.add(section, "precision", f"{precision:.3f}", note=interval(found, seed))
        report.add(section, "recall", f"{recall:.3f}", note=interval(there, seed))
        harmonic_note = statements.interval(outcomes, seed)
        report.add(section, "F1", f"{harmonic:.3f}", note=harmonic_note)
        if name == "SICK" and part == "odd rows":
            report.claim(
                "SICK, odd rows: F1 at least .87, precision at least .9",
                harmonic >= 0.87 and precision >= 0.9,
            )
        false = [o for o in outcomes if o.found and o.found.certain and not o.case.conflicts]
        report.add(section, "false supersedes", len(false))
        report.claim(f"{section}: nothing is superseded falsely", not false)


def unrelated(seed: int) -> list[str]:
    """Make compatible statements of one subject, most with words of change."""
    dice = random.Random(seed)
    things = [(room, device) for room, device in product(ROOMS, DEVICES)]
    made = [
        dice.choice(ROOM_FORMS).format(
            room=room, device=device, number=dice.randint(2, 99), town=dice.choice(TOWNS)
        )
        for room, device in things
    ]
    made += [
        form.format(topic=topic, number=dice.randint(2, 99), town=dice.choice(TOWNS))
        for form, topic in product(TOPIC_FORMS, TOPICS)
    ]
    made += [f"Ana now writes to {one} about {other}." for one, other in product(TOWNS, TOPICS)]
    dice.shuffle(made)
    return made[:UNRELATED]


def generated(report: Report, chosen: argparse.Namespace) -> None:
    """Count false supersessions among generated compatible statements."""
    texts = unrelated(chosen.seed)
    line = timeline(list(enumerate(texts)))
    compared = shown = 0
    false: list[tuple[int, int]] = []
    for at in range(len(texts)):
        for other in line.candidates(at):
            cosine = float(line.vectors[other] @ line.vectors[at])
            compared += 1
            result = conflict(line.read[other], line.read[at], cosine)
            shown += result is not None
            if result is not None and result.certain:
                false.append((other, at))
    section = "unrelated statements of one subject"
    report.add(section, "statements", len(texts))
    report.add(section, "pairs compared", compared)
    report.add(section, "shown as conflicts", shown)
    report.add(section, "false supersedes", len(false))
    report.claim("nothing supersedes among 1,000 unrelated statements of one subject", not false)
    if chosen.verbose:
        for one, other in false:
            print(f"false: {texts[one]} | {texts[other]}")


def stored(report: Report, chosen: argparse.Namespace) -> None:
    """Count supersessions and links that the store makes itself.

    Among statements that can all hold, both are counted; among pairs that cannot, supersessions.
    """
    texts = unrelated(chosen.seed)[: chosen.stored]
    moved = [(f"Ana lives in {one}.", f"Ana no longer lives in {one}.") for one in TOWNS]
    with TemporaryDirectory() as folder, Memoranda.open(folder) as memory:
        started = time.process_time()
        for text in texts:
            memory.remember(text, workspace="unrelated")
        memory.index.reembed()
        memory.capture.drain()
        spent = time.process_time() - started
        false = [m for m in _every(memory, "unrelated") if m.superseded_by]
        linked = _count(memory)
        for number, pair in enumerate(moved):
            for text in pair:
                memory.remember(text, workspace=f"town {number}")
                memory.index.reembed()
                memory.capture.drain()
        places = [f"town {number}" for number in range(len(moved))]
        ended = [m for place in places for m in _every(memory, place) if m.superseded_by]
        if chosen.verbose:
            for one in false:
                print(f"superseded in the store: {one.content}")
    section = "the same through the store, local vectors"
    report.add(section, "statements", len(texts))
    report.add(section, "false supersedes", len(false))
    report.add(section, "shown as conflicts", linked, note="links between two memories")
    report.add(section, "processor time for each", f"{1e3 * spent / len(texts):.1f}", "ms")
    report.add(section, "ends that were told, of 20", len(ended))
    report.claim("nothing is superseded falsely in the store", not false)
    report.claim("what is told to hold no longer ends in the store", len(ended) == len(moved))


def _every(memory: Memoranda, workspace: str) -> Iterator[Memory]:
    cursor = None
    while True:
        page = memory.memories.list(workspace=workspace, ever=True, limit=1_000, cursor=cursor)
        yield from page
        cursor = page.cursor
        if cursor is None:
            return


def _count(memory: Memoranda) -> int:
    found, cursor = 0, None
    while True:
        page = memory.memories.conflicts(limit=1_000, cursor=cursor)
        found += len(page.items)
        cursor = page.cursor
        if cursor is None:
            return found


def messages(chat: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the messages of a conversation."""
    for batch in chat["chat"]:
        for turn in batch["turns"]:
            yield from turn if isinstance(turn, list) else [turn]


def linked(chat: dict[str, Any], found: Conversations) -> set[tuple[int, int]]:
    """Link the person's statements; return the numbers of their messages."""
    texts = [
        (message["id"], clause)
        for message in messages(chat)
        if message["role"] == "user"
        for clause in claims(message["content"].partition("->->")[0])
    ]
    line = timeline(texts)
    found.statements += len(texts)
    links = [link for at in range(len(texts)) for link in _links(line, at, found)]
    found.links += len(links)
    found.certain += sum(result.certain for _, _, result in links)
    return {(line.ids[old], line.ids[new]) for old, new, _ in links}


def _links(
    line: Timeline, at: int, found: Conversations
) -> Iterator[tuple[int, int, StatementConflict]]:
    for other in line.candidates(at):
        found.compared += 1
        cosine = float(line.vectors[other] @ line.vectors[at])
        result = conflict(line.read[other], line.read[at], cosine)
        if result is not None:
            yield other, at, result


def ask(chat: dict[str, Any], links: set[tuple[int, int]], found: Conversations) -> None:
    """Check for each question whether a link joins its two messages."""
    both = links | {(new, old) for old, new in links}
    for kind, (first, second) in QUESTIONS.items():
        for question in chat["probing_questions"][kind]:
            sources = question.get("source_chat_ids")
            if isinstance(sources, dict):
                ends = product(_listed(sources.get(first)), _listed(sources.get(second)))
                found.hits.setdefault(kind, []).append(any(end in both for end in ends))


def _listed(ids: Any) -> list[int]:
    return ids if isinstance(ids, list) else [] if ids is None else [ids]


def conversations(report: Report, path: Path, chosen: argparse.Namespace) -> None:
    """Report for how many questions both statements were found and linked."""
    found = Conversations()
    with lzma.open(path) as file:
        chats = json.load(file)
    for number, chat in enumerate(chats):
        progress(f"{number} of {len(chats)} conversations")
        ask(chat, linked(chat, found), found)
    progress("")
    section = f"conversations, {path.name}"
    every = [hit for hits in found.hits.values() for hit in hits]
    for kind, hits in (*found.hits.items(), ("both kinds", every)):
        share = f"{sum(hits)} of {len(hits)}"
        report.add(section, f"linked, {kind}", share, note=interval(hits, chosen.seed))
    report.add(section, "statements", found.statements)
    report.add(section, "pairs compared", found.compared)
    report.add(section, "links", found.links, note=f"{found.links / len(chats):.0f} a conversation")
    report.add(section, "links that would supersede", found.certain)
    enough = sum(every) >= 0.8 * len(every)
    report.claim(f"{section}: both statements linked for 80% of the questions", enough)


def main() -> int:
    """Measure on the files of the command line and generated statements."""
    options = parser(__doc__)
    options.add_argument("--sick", type=Path, help="tab-separated pairs of SICK")
    options.add_argument("--updates", type=Path, help="JSON lines: old, new, conflict, split")
    options.add_argument(
        "--beam", type=Path, action="append", default=[], help="conversations of BEAM, JSON in xz"
    )
    options.add_argument(
        "--stored", type=int, default=UNRELATED, help="statements through the store; 0: none"
    )
    options.add_argument("--verbose", action="store_true", help="print what was superseded falsely")
    chosen = options.parse_args()
    report = Report("contradictions", vars(chosen))
    if chosen.sick:
        pairs(report, "SICK", statements.sick(chosen.sick), chosen.seed)
    if chosen.updates:
        pairs(report, "updates", statements.updates(chosen.updates), chosen.seed)
    generated(report, chosen)
    if chosen.stored:
        stored(report, chosen)
    for path in chosen.beam:
        conversations(report, path, chosen)
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
