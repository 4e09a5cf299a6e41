"""Passages of a tool's output that get a vector."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha512

import pytest

from memoranda.models.embedding.minilm import BATCH_TOKENS, _batches
from memoranda.search.passages import MOST_OF_TOOLS, passages
from memoranda.search.vector_selection import BESIDE_HEAD, FEW, selected_passages

LISTINGS = {
    "numbers": "".join(f"{n * 3:8d} {n * 17 % 9973:8d} {n / 7:10.4f}\n" for n in range(200)),
    "paths": "".join(f"src/shop/area{n}/order_{n}.py:{n}: total(x)\n" for n in range(200)),
    "lock file": "".join(f'name = "left-{n}"\nhash = "sha256:{n:064x}"\n\n' for n in range(60)),
    "passed": "".join(f"tests/test_{n}.py::test_{n} PASSED [{n:3d}%]\n" for n in range(100)),
    "repeats": "".join(f"{n} the queue is empty so the worker waits\n" for n in range(100)),
    "encoded": "\n".join(b64encode(sha512(bytes([n])).digest()).decode() for n in range(60)),
    "packages": "".join(
        f"node_modules/left-{n}: {{\n  resolved: https://npm.example/left-{n}.tgz\n"
        f"  integrity: sha512-{b64encode(sha512(bytes([n])).digest()).decode()}\n}}\n"
        for n in range(60)
    ),
}


def _parts(text: str) -> list[str]:
    found = passages(text, MOST_OF_TOOLS)
    return [text[one.start : one.start + one.length] for one in found]


@pytest.mark.parametrize("name", LISTINGS)
def test_of_a_listing_the_head_alone(name: str) -> None:
    parts = _parts(LISTINGS[name])
    assert len(parts) == MOST_OF_TOOLS
    assert selected_passages(parts) == {0}


@pytest.mark.parametrize(
    "line",
    [
        "E       AssertionError: assert 3 == 5",
        "src/main.rs:4: error[E0308]: mismatched types",
        "2026-03-04 fatal: the remote hung up",
        "# keep the first rate unless the parcel was reweighed",
        "注文の合計は税金を加える前に四捨五入されます",
    ],
)
def test_a_passage_that_answers_has_one_too(line: str) -> None:
    parts = _parts(LISTINGS["paths"])
    parts[5] += line + "\n"
    assert selected_passages(parts) == {0, 5}


def test_after_the_head_the_most_informative_come_next() -> None:
    parts = _parts(LISTINGS["numbers"])
    for place, words in ((2, "one two three four five"), (4, "a b c d e f g h i j k"), (6, "so ")):
        parts[place] += f"{words} and it was a long story {place * words}\n"
    chosen = selected_passages(parts)
    assert len(chosen) == 1 + BESIDE_HEAD
    assert {0, 4} < chosen


@pytest.mark.parametrize(("count", "chosen"), [(FEW, {0, 1, 2, 3, 4}), (FEW + 1, {0, 4, 5})])
def test_a_short_output_retains_lines_with_new_words(count: int, chosen: set[int]) -> None:
    lines = ["".join(f"{name} = 1\n" for name in _names(place)) for place in range(count)]
    assert selected_passages(lines) == chosen


def _names(place: int) -> list[str]:
    """Return unique names for a passage, more of them for a later one."""
    letter = chr(97 + place)
    return [letter * 3 + chr(98 + n) for n in range(9 + place)]


def test_prose_retains_all_its_passages() -> None:
    story = "".join(
        f"Rule {n}: {chr(97 + n) * 3} is rounded before tax is added. " for n in range(26)
    )
    parts = _parts(story * 3)
    fresh = len(_parts(story))
    assert set(range(fresh - 1)) <= selected_passages(parts)


def test_batches_are_of_like_length_and_hold_every_text_once() -> None:
    lengths = [3, 250, 4, 256, 90, 5, 120, 3] * 4
    found = list(_batches(lengths))
    assert sorted(place for batch in found for place in batch) == list(range(len(lengths)))
    for batch in found:
        assert len(batch) == 1 or len(batch) * lengths[batch[-1]] <= BATCH_TOKENS
    assert len(found) < len(lengths)
