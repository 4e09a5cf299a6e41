"""Measure the redactor: removed formats, altered ordinary lines, speed.

Run from the root of the repository: ``python benchmarks/redaction.py [--json]``.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from memoranda.capture.redaction.redactor import Redactor
from secret_drawing import Sample
from secrets_corpus import BENIGN, SAMPLES, WRAPPINGS, remains
from secrets_public import PUBLIC

MEGABYTE = 1_000_000
OUTPUT_BYTES = 20 * MEGABYTE
SOURCE_BYTES = 10 * MEGABYTE
PIECE_CHARS = 8_000
SETS = {"known forms": SAMPLES, "ordinary forms from public rules": PUBLIC}
REDACTOR = Redactor(b"a key for measuring only, no secret")

Result = dict[str, float | int | str | list[str]]


def _digest(rng: random.Random, length: int) -> str:
    return hashlib.sha256(str(rng.random()).encode()).hexdigest()[:length]


def _log(rng: random.Random) -> str:
    level = rng.choice(("DEBUG", "INFO", "WARN", "ERROR"))
    return (
        f"2025-03-{rng.randint(1, 28):02}T{rng.randint(0, 23):02}:14:07.{rng.randint(0, 999):03}Z "
        f"{level} app.auth: user {rng.randint(1, 9999)} session refreshed, token expires in "
        f"{rng.randint(60, 3600)} s, request {_digest(rng, 8)}-41d4-a716-{_digest(rng, 12)}"
    )


def _git(rng: random.Random) -> str:
    word = rng.choice(("tokenizer", "password form", "auth cache", "key order", "cookie banner"))
    return (
        f"{_digest(rng, 40)} fix: {word} in module {rng.randint(1, 99)} (#{rng.randint(1, 9999)})"
    )


def _pytest(rng: random.Random) -> str:
    case = rng.choice(("token_is_parsed", "password_is_hashed", "secret_is_masked", "sorts_keys"))
    return (
        f"tests/unit/test_m{rng.randint(1, 99)}.py::test_{case}[{rng.randint(0, 9)}] PASSED [ 42%]"
    )


def _listing(rng: random.Random) -> str:
    name = rng.choice(("secrets.py", "auth", "index.html", "tokens.json", "main.rs"))
    return f"-rw-r--r-- 1 user group {rng.randint(10, 99999):6} Mar  3 12:00 src/{name}"


def _lock(rng: random.Random) -> str:
    return (
        f'"node_modules/pkg-{rng.randint(1, 999)}": {{"version": "{rng.randint(0, 9)}.1.2", '
        f'"integrity": "sha512-{_digest(rng, 64)}{_digest(rng, 22)}==", "dev": true}},'
    )


def _code(rng: random.Random) -> str:
    return rng.choice(
        (
            "    def get_token(self, password: str, *, api_key: str | None = None) -> Token:",
            "        for index, line in enumerate(lines, start=1):",
            "            yield Span(start=match.start(), end=match.end(), rank=rank)",
            '        api_key = os.environ.get("API_KEY") or config.api_key',
            "    return sorted(found, key=lambda span: (span.start, -span.end))",
            "  const rows = await db.query(`select id, title from items where id = ${id}`);",
            "    if token.kind == KIND_NAME and token.value not in keywords:",
            "import { readFile, writeFile } from 'node:fs/promises';",
        )
    )


def _build(rng: random.Random) -> str:
    step = rng.choice(("Compiling serde", "Downloading wheel", "Linking app", "Building layer"))
    return f" => {step} v1.{rng.randint(0, 99)}.{rng.randint(0, 9)} ({rng.randint(1, 99)}/312) 0.4s"


def _found(rng: random.Random) -> str:
    place = f"src/core/module_{rng.randint(1, 99)}.py:{rng.randint(1, 999)}"
    return f"{place}:        self._items.append(item)"


def _reply(rng: random.Random) -> str:
    return json.dumps(
        {
            "id": _digest(rng, 24),
            "model": "large",
            "usage": {"input_tokens": rng.randint(1, 9999), "max_tokens": 4096},
            "url": f"https://example.com/items/{rng.randint(1, 999)}?page=2&sort=key",
            "key": f"item:{rng.randint(1, 999)}",
        }
    )


def _benign(rng: random.Random) -> str:
    return rng.choice(BENIGN)


LINES: tuple[Callable[[random.Random], str], ...] = (
    *(_log, _git, _pytest, _listing, _lock, _code, _code, _build, _found, _found, _reply, _benign),
)


def made_output(size: int) -> str:
    """Generate ``size`` characters of logs, listings, test runs and code."""
    rng = random.Random(7)
    lines: list[str] = []
    total = 0
    while total < size:
        make = rng.choice(LINES)
        for _ in range(rng.randint(3, 30)):
            lines.append(make(rng))
            total += len(lines[-1]) + 1
    return "\n".join(lines)


def library_source(size: int) -> str:
    """Read about ``size`` characters of the standard library's source."""
    root = Path(sysconfig.get_path("stdlib"))
    pieces: list[str] = []
    for path in sorted(root.rglob("*.py")):
        if not {"test", "tests", "site-packages"} & set(path.parts):
            pieces.append(path.read_text(encoding="utf-8", errors="replace"))
            if (size := size - len(pieces[-1])) <= 0:
                break
    return "\n".join(pieces)


def measure_formats(samples: Sequence[Sample]) -> Iterator[Result]:
    """Count, for each wrapping, the formats that are removed completely."""
    for name, wrap in WRAPPINGS.items():
        tried = [(sample, text) for sample in samples if (text := wrap(sample)) is not None]
        missed = [
            sample.name for sample, text in tried if remains(sample.secret, REDACTOR.text(text)[0])
        ]
        vendors = sum(sample.vendor for sample, _ in tried)
        yield {
            "wrapping": name,
            "vendor_formats": vendors,
            "other_formats": len(tried) - vendors,
            "missed": missed,
        }


def measure_text(name: str, text: str) -> Result:
    """Count changed lines and time, in one string and in pieces of 8 kB."""
    size = len(text.encode()) / MEGABYTE
    started = time.process_time()
    redacted, _ = REDACTOR.text(text)
    whole = time.process_time() - started
    pieces = [text[at : at + PIECE_CHARS] for at in range(0, len(text), PIECE_CHARS)]
    started = time.process_time()
    for piece in pieces:
        REDACTOR.text(piece)
    in_pieces = time.process_time() - started
    lines = text.split("\n")
    return {
        "text": name,
        "megabytes": round(size, 1),
        "lines": len(lines),
        "lines_touched": len(set(lines) - set(redacted.split("\n"))),
        "megabytes_per_second": round(size / whole, 1),
        "megabytes_per_second_in_8kB": round(size / in_pieces, 1),
    }


def print_formats(name: str, rows: Sequence[Result]) -> None:
    """Print one set of formats as a table."""
    print(f"{name:36}{'vendor':>8}{'other':>8}{'missed':>8}")
    for row in rows:
        missed = row["missed"]
        assert isinstance(missed, list)
        print(
            f"{row['wrapping']:36}{row['vendor_formats']:>8}{row['other_formats']:>8}"
            f"{len(missed):>8}  {', '.join(missed)}"
        )


def main() -> None:
    """Print the measurements as a table, or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    as_json = parser.parse_args().json
    formats = {name: list(measure_formats(samples)) for name, samples in SETS.items()}
    texts = [
        measure_text("made tool output", made_output(OUTPUT_BYTES)),
        measure_text("Python library source", library_source(SOURCE_BYTES)),
        measure_text("one line of letters", "a" * OUTPUT_BYTES),
    ]
    if as_json:
        print(json.dumps({"formats": formats, "texts": texts}, indent=2))
        return
    for name, rows in formats.items():
        print_formats(name, rows)
    for row in texts:
        print("\n" + "\n".join(f"{name:32}{value}" for name, value in row.items()))


if __name__ == "__main__":
    main()
