"""Measure search in six languages with the English and multilingual models.

Each language has a store of memories. Questions share almost no words with their statement, and are
put in the statement's language and in English. Everyday questions must find nothing.
"""

from __future__ import annotations

import argparse
import csv
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar

from measuring.report import Report, parser, progress
from memoranda import Memoranda
from memoranda.config import load_settings

DATA = Path(__file__).parent / "data" / "languages"
STATEMENTS = DATA / "statements.tsv"
"""Statements and questions by a writer who did not know what is measured."""
OFF_TOPIC = DATA / "off_topic.tsv"
"""Everyday questions of `off_topic.txt`, and translations.

Left out for each language are questions about a topic of its statements.
"""
EMBEDDERS = ("local", "multilingual", "none")
FIRST = 10
WORKSPACE = "w"
T = TypeVar("T")
WAYS = {"own": "question in its language", "English": "question in English"}


class Statement(NamedTuple):
    """A statement and its question, in its own language and in English."""

    language: str
    id: str
    text: str
    question: str
    in_english: str


class Counts:
    """Ranks of answers and numbers of results, by language and way."""

    def __init__(self) -> None:
        self.ranks: dict[tuple[str, str], list[int]] = defaultdict(list)
        self.kept: dict[tuple[str, str], list[bool]] = defaultdict(list)
        self.off_topic: dict[tuple[str, str], list[bool]] = defaultdict(list)
        self.times: list[float] = []

    def add_to(self, report: Report, section: str) -> None:
        """Add the shares of each language, and of all."""
        for way, title in WAYS.items():
            for language, ranks in _with_all(self.ranks, way):
                first, ten = (_share(rank < top for rank in ranks) for top in (1, FIRST))
                report.add(section, f"{language}, {title}", f"{first:.2f} / {ten:.2f}", "R@1 / 10")
            for language, kept in _with_all(self.kept, way):
                name = f"{language}, {title}, returned by default"
                report.add(section, name, f"{_share(kept):.2f}", "of questions")
            for language, found in _with_all(self.off_topic, way):
                name = f"{language}, everyday {title}, finds something"
                report.add(section, name, f"{_share(found):.3f}", f"of {len(found)}")
        milliseconds = sum(self.times) / len(self.times) * 1000
        report.add(section, "processor time of a search", f"{milliseconds:.0f}", "ms")


def _with_all(by_key: dict[tuple[str, str], list[T]], way: str) -> list[tuple[str, list[T]]]:
    every = [(key[0], found) for key, found in sorted(by_key.items()) if key[1] == way]
    return [*every, ("all", [one for _, found in every for one in found])]


def _share(found: Iterable[bool]) -> float:
    listed = list(found)
    return sum(listed) / max(1, len(listed))


def rows(path: Path, number: int) -> Iterator[list[str]]:
    """Yield the first rows of each language."""
    counts: dict[str, int] = defaultdict(int)
    with path.open(encoding="utf-8", newline="") as file:
        for row in list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))[1:]:
            counts[row[0]] += 1
            if counts[row[0]] <= number:
                yield row


@contextmanager
def store(statements: Sequence[Statement], embedder: str) -> Iterator[tuple[Memoranda, list[str]]]:
    """Open a temporary store of the statements; yield it with their ids."""
    with tempfile.TemporaryDirectory(prefix="memoranda-languages-") as folder:
        values = {"data_dir": Path(folder, "data"), "embedder": embedder}
        with Memoranda.open(settings=load_settings(values, {})) as memory:
            ids = [memory.remember(one.text, workspace=WORKSPACE).id for one in statements]
            memory.capture.drain()
            memory.index.reembed()
            yield memory, ids


def measure(
    counts: Counts, statements: Sequence[Statement], off_topic: dict[str, list[str]], embedder: str
) -> None:
    """Search one language's store for its own and for everyday questions."""
    language = statements[0].language
    with store(statements, embedder) as (memory, ids):
        started, searches = time.process_time(), 0
        for id, one in zip(ids, statements, strict=True):
            for way, query in (("own", one.question), ("English", one.in_english)):
                every = memory.search(query, workspace=WORKSPACE, limit=FIRST, min_score=0.0).hits
                found = [hit.id for hit in every]
                counts.ranks[language, way].append(found.index(id) if id in found else FIRST)
                usual = memory.search(query, workspace=WORKSPACE, limit=FIRST).hits
                counts.kept[language, way].append(any(hit.id == id for hit in usual))
                searches += 2
        counts.times.append((time.process_time() - started) / searches)
        for way, queries in off_topic.items():
            counts.off_topic[language, way] += [
                bool(memory.search(query, workspace=WORKSPACE).hits) for query in queries
            ]


def options() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    made = parser(__doc__)
    made.add_argument("--number", type=int, default=40, help="statements of each language")
    made.add_argument("--embedders", nargs="+", default=list(EMBEDDERS), choices=EMBEDDERS)
    return made


def main() -> int:
    """Measure each embedder."""
    chosen = options().parse_args()
    report = Report("languages", vars(chosen))
    by_language: dict[str, list[Statement]] = defaultdict(list)
    for row in rows(STATEMENTS, chosen.number):
        by_language[row[0]].append(Statement(*row))
    everyday: dict[str, dict[str, list[str]]] = defaultdict(lambda: {way: [] for way in WAYS})
    for language, *questions in rows(OFF_TOPIC, chosen.number):
        for way, question in zip(WAYS, questions, strict=True):
            everyday[language][way].append(question)
    for embedder in chosen.embedders:
        counts = Counts()
        for language, statements in by_language.items():
            progress(f"{embedder}, {language}")
            measure(counts, statements, everyday[language], embedder)
        counts.add_to(report, embedder)
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
