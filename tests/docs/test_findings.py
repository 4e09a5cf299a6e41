"""The table of findings names what is there: each test, each case and every finding by number."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
README = (TESTS / "cases" / "README.md").read_text("utf-8")
TABLE = (TESTS / "cases" / "findings.md").read_text("utf-8")
ROW = re.compile(r"^\| (?P<name>\S+ \S+) \| (?P<shown>.+) \|$", re.M)
NAMED = re.compile(r"`(?P<file>[\w/]+\.py)`: (?P<tests>`test_\w+`(?:, `test_\w+`)*)")
NUMBERED = {"000": ("D", 17), "001": ("D", 15), "003": ("D", 20), "newcomer": ("", 17)}
"""The lists of findings, how each numbers them, and how many it has."""


def test_every_finding_stands_in_the_table_once() -> None:
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


def test_tests_and_cases_that_tables_name_exist() -> None:
    named = [found for text in (README, TABLE) for found in NAMED.finditer(text)]
    assert len(named) > 40
    for found in named:
        file = TESTS.parent / found["file"]
        source = file.read_text("utf-8")
        for test in re.findall(r"`(test_\w+)`", found["tests"]):
            assert f"def {test}(" in source, f"{found['file']} has no {test}"
    for case in re.findall(r"case `([\w-]+)`", README + TABLE):
        assert (TESTS / "cases" / case / "case.toml").is_file(), case
