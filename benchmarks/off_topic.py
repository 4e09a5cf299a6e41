"""Measure results for questions without an answer, and a floor's cost.

Stores and questions are from public sets: each store gets the questions of the other sets, so that
nobody who knows the code wrote one. Invented words and words without a sentence are added.
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

from fit_scores import PLACE, _answers, _made, build_project, build_talk
from measuring.report import progress
from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind
from quality import LEFT_OUT, harness

COUNT, WORDS, OWN, FIRST = 200, 30, 60, 10
"""Questions of a store, and the number of first hits that are examined.

The questions: off topic in all, of each kind of words among them, with an answer.
"""


def build(module: Any, values: argparse.Namespace) -> list[Path]:
    """Store each named set; return the folders."""
    folders = []
    for one in values.talks:
        file, _, at = one.rpartition(":")
        case = module.load(file)[int(at)]
        folders.append(values.stores / f"talk-{case.id}".replace("/", "_").replace(" ", "_"))
        build_talk(folders[-1], case.items, case.queries)
    for file in values.projects:
        folders.append(values.stores / f"work-{file.stem}")
        build_project(folders[-1], file)
    return folders


def questions(module: Any, values: argparse.Namespace) -> dict[str, list[str]]:
    """Return the questions of each set that is not in the stores."""
    found = {}
    for file in values.questions:
        if file.suffix == ".txt":
            found[file.stem] = file.read_text("utf-8").splitlines()
        elif file.suffix == ".jsonl":
            rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
            found[file.stem] = sorted({row["question"] for row in rows})
        elif (rows := json.loads(file.read_text("utf-8"))) and "query" in rows[0]:
            found[file.stem] = sorted({row["query"] for row in rows})
        else:
            cases = module.load(str(file))
            found[file.stem] = [one.text for case in cases for one in case.queries]
    for file in values.projects:
        sessions = json.loads(file.read_text("utf-8"))["sessions"]
        found[file.stem] = [q["q"] for one in sessions for q in one["gold"]["questions"]]
    return found


def off_topic(name: str, own: str, sets: dict[str, list[str]]) -> Iterator[tuple[str, str]]:
    """Yield (question, set) of the off-topic questions for a store."""
    rng = random.Random(name)
    others = {one: texts for one, texts in sets.items() if one != own}
    words = sorted(set(re.findall(r"[a-z]{4,}", str(list(others.values())).lower())))
    for _ in range(WORDS):
        yield " ".join(_made(rng) for _ in range(rng.randint(2, 6))), "made words"
        yield " ".join(rng.sample(words, rng.randint(2, 5))), "plain words"
    share, more = divmod(COUNT - 2 * WORDS, len(others))
    for number, (one, texts) in enumerate(sorted(others.items())):
        for text in rng.sample(texts, share + (number < more)):
            yield text, one


def measure(
    folder: Path, queries: Sequence[tuple[str, str]], embedder: str, shown: bool
) -> list[dict[str, Any]]:
    """Ask a store the questions and its own; return a row for each."""
    found = pickle.loads((folder / "ids.pkl").read_bytes())
    own = [query for query in found["queries"] if query[3] not in LEFT_OUT]
    own = random.Random(folder.name).sample(own, min(OWN, len(own)))
    values = {"data_dir": str(folder)} | ({"embedder": "none"} if embedder == "none" else {})
    kinds = tuple(HitKind) if folder.name.startswith("work") else (HitKind.OBSERVATION,)
    where, rows = SearchFilter(kinds=kinds), []
    with Memoranda.open(settings=load_settings(values)) as memory:
        for text, of in queries:
            hits = memory.search(text, workspace=PLACE, where=where, limit=FIRST).hits
            rows.append({"of": of, "text": text, "finds": bool(hits)})
            if shown and hits:
                print(f"  {of}: {text[:90]} -> {hits[0].score:.2f} {hits[0].title[:60]}")
        for _, text, gold, _ in own:
            row: dict[str, Any] = {"of": "own", "text": text}
            for name, least in (("held", None), ("nearest", 0.0)):
                hits = memory.search(
                    text, workspace=PLACE, where=where, limit=FIRST, min_score=least
                ).hits
                row[name] = any(_answers(memory, hit, gold, found.get("ids")) for hit in hits)
            rows.append(row)
    return rows


def print_section(name: str, embedder: str, rows: Sequence[dict[str, Any]]) -> None:
    """Print the shares of a store."""
    off = [row for row in rows if row["of"] != "own"]
    own = [row for row in rows if row["of"] == "own"]
    found = sum(row["finds"] for row in off)
    print(f"{name} · {embedder}: {found} of {len(off)} find something ({found / len(off):.3f})")
    for of in sorted({row["of"] for row in off}):
        some = [row["finds"] for row in off if row["of"] == of]
        print(f"  {of}: {sum(some)} of {len(some)}")
    stored, nearest = (sum(row[key] for row in own) for key in ("held", "nearest"))
    print(f"  with an answer among the first {FIRST}: {stored} of {len(own)}, {nearest} unfloored")


def main() -> int:
    """Measure each store with and without the local model."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--harness", type=Path, required=True)
    options.add_argument("--talks", nargs="*", default=[], help="FILE:INDEX of conversations.")
    options.add_argument("--projects", type=Path, nargs="*", default=[])
    options.add_argument("--questions", type=Path, nargs="+", required=True)
    options.add_argument("--stores", type=Path, required=True, help="Folder of the built stores.")
    options.add_argument("--embedders", nargs="+", default=["local", "none"])
    options.add_argument("--show", action="store_true", help="Print what finds something.")
    values = options.parse_args()
    module = harness(values.harness)
    sets = questions(module, values)
    files = {one.rpartition(":")[0]: Path(one.rpartition(":")[0]).stem for one in values.talks}
    owners = [files[one.rpartition(":")[0]] for one in values.talks]
    owners += [file.stem for file in values.projects]
    for folder, owner in zip(build(module, values), owners, strict=True):
        queries = list(off_topic(folder.name, owner, sets))
        for embedder in values.embedders:
            progress(f"{folder.name}, {embedder}")
            print_section(folder.name, embedder, measure(folder, queries, embedder, values.show))
    return 0


if __name__ == "__main__":
    sys.exit(main())
