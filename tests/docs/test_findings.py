"""The table of findings names what is there: each test, each case and every finding by number."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parents[1]
README = (TESTS / "cases" / "README.md").read_text("utf-8")
TABLE = (TESTS / "cases" / "findings.md").read_text("utf-8")
ROW = re.compile(r"^\| (?P<name>\S+ \S+) \| (?P<shown>.+) \|$", re.M)
NAMED = re.compile(r"`(?P<file>[\w/]+\.py)`: (?P<tests>`test_\w+`(?:, `test_\w+`)*)")
NUMBERS = re.compile(r"\bD?(\d+)\b")
NUMBERED = {"000": ("D", 17), "001": ("D", 15), "003": ("D", 20), "newcomer": ("", 17)}
"""The lists of findings, how each numbers them, and how many it has."""


def test_every_finding_is_in_the_table_once() -> None:
    names = [row["name"] for row in ROW.finditer(TABLE)]
    numbered = [
        f"{name} {letter}{number}"
        for name, (letter, count) in NUMBERED.items()
        for number in range(1, count + 1)
    ]
    assert [name for name in names if name.split()[0] in NUMBERED and name in numbered] == numbered
    assert len(set(names)) == len(names)


def test_every_row_names_a_test_a_case_or_a_reason() -> None:
    for row in ROW.finditer(TABLE):
        shown = row["shown"]
        reasons = ("refused: ", "open: ", "held in part: ")
        assert NAMED.search(shown) or "case `" in shown or shown.startswith(reasons), row[0]


def test_a_case_names_the_finding_it_shows() -> None:
    """A row is matched by the list and number of its finding, never by a title."""
    for row in ROW.finditer(TABLE):
        design, _, number = row["name"].partition(" ")
        digits = NUMBERS.fullmatch(number)
        for case in re.findall(r"case `([\w-]+)`", row["shown"]) if digits else ():
            described = tomllib.loads((TESTS / "cases" / case / "case.toml").read_text("utf-8"))
            shown = set(_shown_by(described.get("finding", "")))
            assert (design, digits[1]) in shown, f"{case} does not say that it shows {row['name']}"


def _shown_by(finding: str) -> Iterator[tuple[str, str]]:
    """Yield lists and numbers of a text such as ``seed 000 D12, D13; newcomer 3``."""
    design = ""
    for part in re.split(r"[;,]", finding):
        named = re.search(r"\b(00\d|newcomer)\b", part)
        design = named[1] if named else design
        for number in NUMBERS.findall(part.replace(design, "", 1) if named else part):
            yield design, number


def test_tests_and_cases_that_tables_name_exist() -> None:
    named = [found for text in (README, TABLE) for found in NAMED.finditer(text)]
    assert len(named) > 40
    for found in named:
        file = TESTS.parent / found["file"]
        source = file.read_text("utf-8")
        for test in re.findall(r"`(test_\w+)`", found["tests"]):
            assert re.search(rf"^ *(async )?def {test}\(", source, re.M), (
                f"{found['file']} has no {test}"
            )
    for case in re.findall(r"case `([\w-]+)`", README + TABLE):
        assert (TESTS / "cases" / case / "case.toml").is_file(), case
