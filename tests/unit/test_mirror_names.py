"""Mirror folders have unique names that are valid on every file system."""

from __future__ import annotations

import os

from hypothesis import given, strategies as st

from memoranda.mirror.expected_files import MAX_NAME_LENGTH, folded, folder_names, safe_name
from tables import each

RESERVED = ("CON", "con", "nul.txt", "COM1", "lpt9.md", "AuX", "PRN. ", "com¹", "con.")


@each(
    ("name", "safe"),
    [
        ("shop", "shop"),
        ("Mein Laden (neu)", "Mein Laden (neu)"),
        ("a/b\\c", "a-b-c"),
        ("..", "unnamed"),
        (".git", "git"),
        ("", "unnamed"),
        ("tail. . ", "tail"),
        ("日本語", "日本語"),
        ("cafe\u0301", "caf\u00e9"),
        ("a\u202eb\u200bc", "abc"),
        ('<>:"|?*', "unnamed"),
        ("nul\0l", "null"),
        ("x" * 500, "x" * MAX_NAME_LENGTH),
    ],
)
def test_a_name_becomes_one_that_every_system_takes(name: str, safe: str) -> None:
    assert safe_name(name) == safe


@each("name", RESERVED)
def test_names_of_devices_are_not_used(name: str) -> None:
    assert safe_name(name).startswith("_")


@given(st.text(max_size=200))
def test_any_text_becomes_a_plain_name(name: str) -> None:
    safe = safe_name(name)
    assert safe
    assert safe not in (".", "..")
    assert not set(safe) & set('/\\<>:"|?*\0\n\r\t')
    assert safe[0] not in ". "
    assert safe[-1] not in ". "
    assert len(safe) <= MAX_NAME_LENGTH + 1
    assert len(os.fsencode(safe)) <= 255 - 9 - len(".conflict-1.md")
    assert safe_name(safe) == safe


@given(st.lists(st.text(max_size=8), max_size=12))
def test_no_two_things_share_a_folder(names: list[str]) -> None:
    named = {f"id-{number:02}": name for number, name in enumerate(names)}
    found = folder_names(named)
    assert set(found) == set(named)
    assert len({folded(name) for name in found.values()}) == len(names)


@given(st.lists(st.sampled_from(["Shop", "shop", "SHOP", "ﬁ", "fi", "ß", "ss"]), max_size=9))
def test_names_that_differ_only_in_case_or_form_are_distinguished(names: list[str]) -> None:
    named = {f"id-{number:02}": name for number, name in enumerate(names)}
    assert len({folded(name) for name in folder_names(named).values()}) == len(names)


def test_the_first_of_equal_names_keeps_it_in_place() -> None:
    one = folder_names({"1": "shop"})
    two = folder_names({"2": "SHOP", "1": "shop"})
    assert two["1"] == one["1"] == "shop"
    assert two["2"].startswith("SHOP-")
    assert folder_names({"2": "SHOP", "1": "shop", "3": "yard"})["2"] == two["2"]


def test_a_name_that_looks_like_a_suffixed_one_does_not_take_its_place() -> None:
    suffixed = folder_names({"1": "shop", "3": "shop"})["3"]
    found = folder_names({"1": "shop", "2": suffixed, "3": "shop"})
    assert len(set(found.values())) == 3
