"""Time searches in stores of 10,000 to 1,000,000 records, with a floor."""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from measuring.report import Report, parser, progress, quantile
from memoranda import Memoranda
from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.config import load_settings
from memoranda.models.embedding import wordpiece
from memoranda.observations.model import ObservationType, Origin
from memoranda.search import table as entries
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind
from memoranda.store.database import TextQuery, Transaction, VectorEntry, VectorQuery
from postgres_stores import DATABASE, EmptyStores, owner
from servers import PostgresServer

BATCH = 2_000
SESSION = 400
"""Records of one session."""
TOPICS = 2_000
DIMENSIONS = 384
START = 1_735_689_600_000_000
MINUTE = 60_000_000
USUAL = ["the", "of", "and", "to", "in", "is", "it", "that", "was", "for", "on", "with", "as", "at"]
FLOOR = "floor: words and nearest vectors"
ASKING = ("what did we say about {}", "how was {} done", "{}", "when did {} happen", "who wrote {}")


class Talk:
    """Generated records: Zipf word frequencies, a third from the topic."""

    def __init__(self, seed: int) -> None:
        self._dice = random.Random(seed)
        listed = wordpiece.VOCABULARY.read_text("utf-8").split()
        self._words = [word for word in listed if word.isalpha() and len(word) > 2]
        self._dice.shuffle(self._words)
        ranks = np.arange(1, len(self._words) + 1)
        self._weights = np.cumsum(1 / (ranks + 2.7)).tolist()
        self._topics = [self._dice.sample(self._words, 12) for _ in range(TOPICS)]

    def record(self) -> tuple[str, int]:
        """Return a text of about 200 characters, and its topic."""
        topic = self._dice.randrange(TOPICS)
        count = self._dice.randint(10, 30)
        usual = self._dice.choices(self._words, cum_weights=self._weights, k=count)
        own = self._dice.choices(self._topics[topic], k=count // 2)
        small = self._dice.choices(USUAL, k=count // 2)
        words = usual + own + small
        self._dice.shuffle(words)
        return " ".join(words).capitalize() + ".", topic

    def question(self, texts: Sequence[str]) -> str:
        """Return a question with some words of one of the records."""
        words = self._dice.choice(texts).rstrip(".").split()
        query = " ".join(self._dice.sample(words, min(len(words), self._dice.randint(2, 6))))
        return self._dice.choice(ASKING).format(query)


@dataclass(frozen=True, slots=True)
class Filled:
    """Metadata of a store that was filled before."""

    seed: int
    rate: float
    """Records written per second."""
    sample: list[str]
    """Some of the texts, from which questions are made."""


class Store:
    """A store with generated records, whose vectors cluster by topic."""

    def __init__(
        self,
        folder: str,
        records: int,
        seed: int,
        *,
        filled: Filled | None = None,
        **settings: str,
    ) -> None:
        """Open the store of a folder, filled if it is not yet."""
        values = load_settings({"data_dir": folder, **settings})
        self.memory = Memoranda.open(settings=values, workspace="talk")
        self.records = records
        self.talk, self.sample = Talk(seed), list[str]()
        random_numbers = np.random.default_rng(seed)
        self._around = random_numbers.standard_normal((TOPICS, DIMENSIONS)).astype(np.float32)
        self._noise = random_numbers
        if filled:
            self.sample, self.rate = filled.sample, filled.rate
        else:
            self._fill()

    def _fill(self) -> None:
        began = time.perf_counter()
        for at in range(0, self.records, BATCH):
            progress(f"{at:,} of {self.records:,}")
            self._write(at, min(BATCH, self.records - at))
        self.rate = self.records / (time.perf_counter() - began)

    def _write(self, at: int, count: int) -> None:
        made = [self.talk.record() for _ in range(count)]
        self.sample += [text for text, _ in made[:20]]
        kinds = tuple(ObservationType)
        events = [
            Event(
                kind=EventKind.MESSAGE,
                host="bench",
                session=f"s{(at + number) // SESSION}",
                source=EventSource.API,
                key=str(at + number),
                origin=Origin.AGENT if number % 2 else Origin.HUMAN,
                occurred_at=START + (at + number) * MINUTE,
                text=text,
                type=kinds[(at + number) % len(kinds)] if number % 30 == 0 else None,
            )
            for number, (text, _) in enumerate(made)
        ]
        services = self.memory._services
        services.intake.take(events, actor="bench", workspace="talk")
        services.indexing.index_all()
        self._give_vectors([topic for _, topic in made])

    def _give_vectors(self, topics: Sequence[int]) -> None:
        services, team = self.memory._services, self.memory.settings.team
        name = services.embedder.name if services.embedder else ""

        def work(tx: Transaction) -> None:
            waiting = entries.waiting(tx, team, name, len(topics))
            noise = self._noise.standard_normal((len(waiting), DIMENSIONS))
            vectors = self._around[list(topics)[: len(waiting)]] + 0.7 * noise
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            tx.vectors().put(
                team,
                name,
                [
                    VectorEntry(passage.source, passage.place, vector.astype(np.float32))
                    for passage, vector in zip(waiting, vectors, strict=True)
                ],
            )

        services.database.write(work)


def kept(folder: Path, records: int, seed: int) -> Store:
    """Open a folder's store of this many records, filled if it is missing."""
    place, note = folder / str(records), folder / f"{records}.json"
    if not note.exists():
        if place.exists():
            raise SystemExit(f"{place} was never filled to its end; delete it")
        store = Store(str(place), records, seed)
        store.memory.close()
        # Last, so that the note exists only for a store that was filled completely.
        note.write_text(json.dumps(asdict(Filled(seed, store.rate, store.sample))))
    filled = Filled(**json.loads(note.read_text()))
    if filled.seed != seed:
        raise SystemExit(f"{place} was filled with --seed {filled.seed}; choose another --folder")
    return Store(str(place), records, seed, filled=filled)


@contextmanager
def opened(folder: Path | None, records: int, seed: int) -> Iterator[tuple[Store, str]]:
    """Yield a store and its folder: a kept one, or a temporary one."""
    if folder:
        store = kept(folder, records, seed)
        with store.memory:
            yield store, str(folder / str(records))
        return
    with tempfile.TemporaryDirectory(prefix="memoranda-latency-") as temporary:
        store = Store(temporary, records, seed)
        with store.memory:
            yield store, temporary


def timed(work: Callable[[str], object], questions: Sequence[str]) -> list[float]:
    """Return milliseconds of each call, without the first few."""
    times = []
    for number, question in enumerate(questions):
        began = time.perf_counter()
        work(question)
        if number >= 5:
            times.append((time.perf_counter() - began) * 1_000)
    return times


def ways(store: Store) -> Iterator[tuple[str, Callable[[str], object]]]:
    """Yield the timed calls: searches, and the least any search must do."""
    memory, services = store.memory, store.memory._services
    embedder = services.embedder
    errors = SearchFilter(kinds=(HitKind.OBSERVATION,), types=(ObservationType.ERROR,))
    if embedder is None:
        raise SystemExit("this measures search with an embedder")

    def floor(question: str) -> object:
        """Read the words' rows and the nearest vectors, nothing else."""
        vector = embedder.embed([question], query=True)[0]

        def work(tx: Transaction) -> object:
            words = rooms_words(tx, memory.settings.team, question)
            text = TextQuery(memory.settings.team, words, (), workspace(memory), None, 100)
            near = VectorQuery(
                memory.settings.team, embedder.name, vector, workspace(memory), limit=100
            )
            return tx.text("observation").search(text), tx.vectors().nearest(near)

        return services.database.read(work)

    yield "embedding the question", lambda question: embedder.embed([question], query=True)
    yield FLOOR, floor
    yield "hybrid", lambda question: memory.search(question, limit=10)
    yield "words", lambda question: memory.search(question, mode="words", limit=10)
    yield "hybrid, errors only", lambda question: memory.search(question, where=errors, limit=10)


def workspace(memory: Memoranda) -> str | None:
    """The workspace that the store searches."""
    return memory._scope.workspace


def rooms_words(tx: Transaction, team: str, question: str) -> list[str]:
    """The words that search would pass to full text."""
    from memoranda.search.candidates import Vocabulary
    from memoranda.search.query import parse_query

    words = parse_query(question).words
    return Vocabulary(tx, team, words).searched_words(words, alone=False)


@contextmanager
def on_postgres(teams: int, records: int, seed: int) -> Iterator[tuple[Store, str]]:
    """Yield the first of several equally large teams on a server of its own."""
    with ExitStack() as stack:
        server = PostgresServer()
        stack.callback(server.close)
        url = EmptyStores(server).url
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="memoranda-latency-"))
        stores = []
        for number in range(teams):
            place, team = str(Path(folder) / str(number)), f"team-{number}"
            stores.append(Store(place, records, seed + number, database_url=url, team=team))
            stack.callback(stores[-1].memory.close)
        with owner(server, DATABASE) as connection:
            connection.execute("vacuum analyze")
        yield stores[0], str(server.data)


def measure(report: Report, store: Store, folder: str, questions: int, where: str = "") -> None:
    """Measure every way of searching in one store."""
    section = f"{store.records:,} records{where}"
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    report.add(section, "on disk", sum(path.stat().st_size for path in files) / 1e6, "MB")
    report.add(section, "filled", store.rate, "records/s", "vectors made up")
    p95 = {}
    for name, work in ways(store):
        queries = [store.talk.question(store.sample) for _ in range(questions + 5)]
        times = timed(work, queries)
        p95[name] = quantile(times, 0.95)
        tail = f"p95 {p95[name]:.1f}, p99 {quantile(times, 0.99):.1f}"
        report.add(section, name, quantile(times, 0.5), "ms p50", tail)
    report.add(section, "hybrid over the floor", p95["hybrid"] / p95[FLOOR], "times, p95")


def main() -> int:
    """Fill stores and time searches in them."""
    options = parser(__doc__)
    options.add_argument("--records", type=int, nargs="+", default=[10_000, 100_000])
    options.add_argument("--questions", type=int, default=200)
    options.add_argument("--folder", type=Path, help="where stores are kept for the next run")
    options.add_argument("--postgres", type=int, metavar="TEAMS", help="so many on PostgreSQL")
    chosen = options.parse_args()
    report = Report("latency", vars(chosen))
    if chosen.postgres:
        records = chosen.records[-1]
        with on_postgres(chosen.postgres, records, chosen.seed) as (store, folder):
            where = f" for each of {chosen.postgres} teams, PostgreSQL"
            measure(report, store, folder, chosen.questions, where)
        return report.finish(as_json=chosen.json)
    for count in chosen.records:
        with opened(chosen.folder, count, chosen.seed) as (store, folder):
            measure(report, store, folder, chosen.questions)
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
