"""Named statements in files, none of them without text."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoranda.store.database import load_statements


def test_statements_are_found_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "shops.sql").write_text("-- one: a row\nselect 1\n\n-- two: a row\nselect\n2\n")
    found = load_statements(str(tmp_path / "shops.py"))
    assert found == {"one": "select 1\n", "two": "select\n2\n"}


def test_a_statement_whose_words_take_a_second_line_is_refused(tmp_path: Path) -> None:
    (tmp_path / "shops.sql").write_text("-- one: a row\n-- of a shop\nselect 1\n")
    with pytest.raises(ValueError, match=r"shops\.py: one"):
        load_statements(str(tmp_path / "shops.py"))
