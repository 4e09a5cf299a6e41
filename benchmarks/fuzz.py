"""Fuzz transcripts and hook payloads of each host with damaged records.

Nothing may crash, be stored twice or get lost.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

os.environ["MEMORANDA_EMBEDDER"] = "none"  # otherwise thousands of stores would each load the model
sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from fuzzed_records import HOSTS, Laboratory, Seeds
from measuring.report import Report, parser, progress

EXAMPLES = 5
"""Maximum number of faults shown per host."""
PROCESSES = 50
"""One mutant in this many goes through the hook as a process."""


def trials(laboratory: Laboratory, chance: random.Random, count: int) -> Counter[str]:
    """Return the faults of ``count`` mutants, with their frequency."""
    faults: Counter[str] = Counter()
    kinds: list[Callable[[], list[str]]] = [lambda: laboratory.payload_faults(chance)]
    if laboratory.seeds.transcripts:
        kinds.append(lambda: laboratory.transcript_faults(chance, after_hooks=False))
        kinds.append(lambda: laboratory.transcript_faults(chance, after_hooks=True))
    for number in range(count):
        trial = kinds[number % len(kinds)]
        if number % PROCESSES == 0:
            faults.update(laboratory.process_faults(chance))
        try:
            faults.update(trial())
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            faults[f"{type(error).__name__} at {Path(place.filename).name}:{place.lineno}"] += 1
    return faults


def main(arguments: Sequence[str] | None = None) -> int:
    """Damage the records of each host and report the faults."""
    options_of = parser(__doc__ or "")
    options_of.add_argument("--mutants", type=int, default=2_000, help="for each host")
    options_of.add_argument("--hosts", default=",".join(HOSTS))
    options = options_of.parse_args(arguments)
    report = Report("fuzz", vars(options))
    for host in options.hosts.split(","):
        progress(f"{options.mutants} mutants of {host}")
        with tempfile.TemporaryDirectory(prefix="memoranda-fuzz-") as folder:
            laboratory = Laboratory(Path(folder), Seeds.of(host))
            faults = trials(laboratory, random.Random(options.seed), options.mutants)
        report.add(host, "mutants", options.mutants)
        for fault, count in faults.most_common(EXAMPLES):
            report.add(host, fault, count)
        report.claim(f"{host}: nothing crashes, is counted twice or left out uncounted", not faults)
    return report.finish(as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
