"""Redaction leaves ordinary code in eleven languages unchanged."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from memoranda.capture.redaction.redactor import Redactor
from tables import each


@pytest.fixture(scope="module")
def code_lines() -> ModuleType:
    path = Path(__file__).parents[2] / "benchmarks" / "code_lines.py"
    found = importlib.util.spec_from_file_location("code_lines", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def test_hardly_a_line_of_ordinary_code_is_altered(code_lines: ModuleType) -> None:
    found = code_lines.measure(2_200)
    assert found["lines"] == 2_200
    assert found["altered"] == 0, found["examples"]


def test_the_lines_are_the_same_each_time_and_of_every_language(code_lines: ModuleType) -> None:
    lines = list(code_lines.made_lines(110))
    assert lines == list(code_lines.made_lines(110))
    assert {language for language, _ in lines} == set(code_lines.FORMS)


def test_a_secret_among_such_lines_would_be_counted(code_lines: ModuleType) -> None:
    redactor = Redactor(b"key")
    literal = code_lines.FORMS["python"][0].replace("{o}.{s}", '"Zq8fLw2Xv9Kt4"')
    line = literal.format(s="access_token")
    assert redactor.text(line)[1].total() == 1


@each(
    "line",
    [
        'String password = console.readPassword("Password: ").toString();',
        'password = getpass("Password: ").strip()',
        'pw = prompt("Enter password: ").trim();',
        'let p = rpassword::prompt_password("Password: ").unwrap();',
        'print("password: " + pw)',
        "password: str = Field(..., min_length=8, max_length=128)",
        "password: constr(min_length=8) = Field(..., min_length=8, max_length=128)",
    ],
)
def test_a_prompt_for_a_password_and_its_declaration_are_no_secret(line: str) -> None:
    assert Redactor(b"key").text(line)[0] == line
