"""Fit the calibration of search scores; print the cost of each floor.

Uses public questions with labelled answers, and questions without an answer: invented words, plain
words, words of other stores, and questions of other stores. Stores are built once in a folder and
reused.
"""

from __future__ import annotations

import argparse
import json
import pickle
import random
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from measuring.projects import Project, tells, write_transcript
from measuring.report import progress
from measuring.score_fit import fit_cosine, fit_kind, fit_work_floor, show_curve
from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.search import ranker
from memoranda.search.calibration import Calibration, kind_of, signals, work_signals
from memoranda.search.filters import SearchFilter
from memoranda.search.model import Hit, HitKind
from quality import harness
from retrieval_adapter import Adapter

PLACE = "benchmark"
OFF_TOPIC = Path(__file__).parent / "data" / "off_topic.txt"
"""Questions of everyday life, whose words are also those of software."""
PLAIN = [
    "xylophone",
    "quantum",
    "banana",
    "umbrella",
    "volcano",
    "penguin",
    "saxophone",
    "glacier",
    "tornado",
    "emerald",
    "pyramid",
    "gladiator",
    "walrus",
    "cathedral",
    "submarine",
    "telescope",
    "harvest",
    "lantern",
    "mushroom",
    "avalanche",
    "cinnamon",
    "dinosaur",
    "orchid",
    "parachute",
    "vampire",
    "zeppelin",
    "kangaroo",
    "marble",
    "compass",
    "dungeon",
    "astronaut",
    "pharaoh",
    "iceberg",
    "chandelier",
    "tapestry",
    "nectarine",
    "hurricane",
    "cactus",
    "falcon",
    "opera",
    "violin",
    "ballet",
    "eclipse",
]
OWN, NOISE, OTHERS = 40, 12, 30
"""Questions per store: its own, per kind of words, of other stores."""
SMALL, SMALL_SIZES, SMALL_OWN = 16, (6, 10, 16, 30, 60), 3
LABELLED = 12
"""Number of first hits whose label is known and fitted."""


class KeptStore(Adapter):
    """A store of the retrieval adapter in a permanent folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(data_dir=str(folder))

    def close(self) -> None:
        """Close the store and keep its folder."""
        self._settle()
        self._memory.close()


def build_talk(folder: Path, items: Sequence[Any], queries: Sequence[Any]) -> None:
    """Store a conversation, unless it is stored already."""
    if (folder / "ids.pkl").exists():
        return
    progress(folder.name)
    store = KeptStore(folder)
    store.add(items)
    store.close()
    entries = [(one.id, one.text, sorted(one.gold), one.category) for one in queries]
    (folder / "ids.pkl").write_bytes(pickle.dumps({"ids": store._ids, "queries": entries}))


def build_project(folder: Path, file: Path) -> None:
    """Store a project's recorded sessions, unless they are stored already."""
    if (folder / "ids.pkl").exists():
        return
    progress(folder.name)
    folder.mkdir(parents=True, exist_ok=True)
    sessions = Project.read(file).sessions
    with Memoranda.open(settings=load_settings({"data_dir": str(folder)})) as memory:
        for number, session in enumerate(sessions):
            path = write_transcript(session, number, folder)
            memory.capture.import_transcript(path, workspace=PLACE)
            memory.capture.drain()
        memory.index.reembed()
    queries = [
        ("", one["q"], one["keys"], "work")
        for session in sessions
        for one in session["gold"]["questions"]
    ]
    (folder / "ids.pkl").write_bytes(pickle.dumps({"queries": queries}))


def build_small(root: Path, cases: Sequence[Any]) -> None:
    """Store short pieces of conversations that answer some questions."""
    rng, made = random.Random(7), 0
    for case in cases:
        for _ in range(SMALL // len(cases)):
            size = rng.choice(SMALL_SIZES)
            for _ in range(300):
                start = rng.randrange(len(case.items) - size)
                items = case.items[start : start + size]
                ids = {item.id for item in items}
                requests = [
                    q for q in case.queries if q.gold <= ids and q.category != "adversarial"
                ]
                if len(requests) >= SMALL_OWN:
                    build_talk(root / f"small-{made}", items, requests)
                    made += 1
                    break


def nonsense(name: str, stores: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield questions that a store cannot answer, with their kind."""
    rng, kind = random.Random(name), name.split("-")[0]
    small = kind == "small"
    far = [
        query[1]
        for other, found in stores.items()
        if other.split("-")[0] == ("talk" if kind == "work" else "work")
        for query in found["queries"]
    ]
    words = sorted(set(re.findall(r"[a-z]{4,}", " ".join(far).lower())))
    for _ in range(3 if small else NOISE):
        yield " ".join(_made(rng) for _ in range(rng.randint(2, 6))), "made"
        yield " ".join(rng.sample(PLAIN, rng.randint(2, 4))), "plain"
        yield " ".join(rng.sample(words, rng.randint(2, 5))), "words"
    for text in rng.sample(far, min(9 if small else OTHERS, len(far))):
        yield text, "other"
    for text in OFF_TOPIC.read_text("utf-8").splitlines() if kind == "work" else ():
        yield text, "ordinary"


def _made(rng: random.Random) -> str:
    syllables = range(rng.randint(2, 4))
    return "".join(rng.choice("bcdfghjklmnprstvz") + rng.choice("aeiou") for _ in syllables)


class Recorder:
    """Records the inputs of the last search's calibration."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {}
        usual, known = Calibration.of, self.known

        def recorded(pool: Any, found: Any, scored: Any, among: Any, terms: Any) -> Calibration:
            best = np.array(among)[np.argsort(-scored[list(among)], kind="stable")]
            known["signals"] = signals(pool, found, best[:10], terms)
            known["work"] = work_signals(pool, found, best[:10], terms)
            known["kind"] = kind_of(pool, found)
            chosen = pool.chosen_entries
            known["distance"] = {
                chosen[at].source: float(scored[at] - scored[best[0]]) for at in among
            }
            known["cosine"] = {
                chosen[at].source: float(found["meaning"][at]) * 0.15 + 0.2 for at in among
            }
            return usual(pool, found, scored, among, terms)

        ranker.Calibration.of = recorded  # type: ignore[method-assign, assignment]


def collect(
    folder: Path, stores: dict[str, Any], recorder: Recorder, embedder: str
) -> list[dict[str, Any]]:
    """Run all questions on a store; return calibration inputs with labels."""
    name, found = folder.name, stores[folder.name]
    own = random.Random(name).sample(found["queries"], min(OWN, len(found["queries"])))
    requests = [(text, gold, "own") for _, text, gold, _ in own]
    requests += [(text, None, kind) for text, kind in nonsense(name, stores)]
    values = {"data_dir": str(folder)} | ({"embedder": "none"} if embedder == "none" else {})
    kinds = tuple(HitKind) if name.startswith("work") else (HitKind.OBSERVATION,)
    rows = []
    with Memoranda.open(settings=load_settings(values)) as memory:
        for text, gold, kind in requests:
            recorder.known.clear()
            where = SearchFilter(kinds=kinds)
            hits = memory.search(text, workspace=PLACE, where=where, limit=50, min_score=0).hits
            row = {"store": name, "category": kind, "embedder": embedder, **recorder.known}
            hits = hits[:LABELLED]
            row["label"] = [
                gold is not None and _answers(memory, hit, gold, found.get("ids")) for hit in hits
            ]
            for part in ("distance", "cosine"):
                row[part] = [row.get(part, {}).get(hit.id, -9.0) for hit in hits]
            rows.append(row)
    return rows


def _answers(memory: Memoranda, hit: Hit, gold: Any, ids: dict[str, str] | None) -> bool:
    if ids is not None:
        return ids.get(hit.id) in gold
    if hit.kind is HitKind.OBSERVATION:
        text = memory.observations.show(hit.id).content
    elif hit.kind is HitKind.BLOCK:
        text = hit.excerpt.text if hit.excerpt else ""
    else:
        text = memory.memories.show(hit.id).memory.content
    return tells(gold, f"{hit.title} {text}")


def build(values: argparse.Namespace) -> dict[str, Any]:
    """Build missing stores; return the questions of all stores."""
    module, root = harness(values.harness), values.stores
    named = [one.partition(":") for one in values.talks]
    talks = [case for file, _, count in named for case in module.load(file)[: int(count or 5)]]
    for case in talks:
        build_talk(root / f"talk-{case.id}".replace("/", "_"), case.items, case.queries)
    for file in values.projects:
        build_project(root / f"work-{file.stem}", file)
    build_small(root, talks[-4:])
    found = {path.parent.name: pickle.loads(path.read_bytes()) for path in root.glob("*/ids.pkl")}
    return dict(sorted(found.items()))


def main() -> int:
    """Fit, print the curve of each kind, and print the module of weights."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--harness", type=Path, required=True)
    options.add_argument("--talks", nargs="+", required=True, help="FILE:COUNT of conversations.")
    options.add_argument("--projects", type=Path, nargs="+", required=True)
    options.add_argument("--stores", type=Path, required=True, help="Folder of the built stores.")
    options.add_argument("--rows", type=Path, help="File of what was collected; used again.")
    values = options.parse_args()
    if values.rows and values.rows.exists():
        rows = json.loads(values.rows.read_text())
    else:
        stores, recorder, rows = build(values), Recorder(), []
        for embedder in ("local", "none"):
            for name in stores:
                progress(f"{name}, {embedder}")
                rows += collect(values.stores / name, stores, recorder, embedder)
                if values.rows:
                    values.rows.write_text(json.dumps(rows))
    for kind in ("work", "talk", "work_words", "talk_words"):
        chosen = [row for row in rows if row.get("kind") == kind]
        fit = fit_kind(chosen)
        show_curve(kind, chosen, fit)
        print(f'    "{kind}": {fit},')
    near = [row for row in rows if row.get("kind") in ("work", "talk")]
    print(f"COSINE = {fit_cosine(near)}")
    print(f"WORK = {fit_work_floor([row for row in rows if row.get('kind') == 'work'])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
