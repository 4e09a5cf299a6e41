"""A person and an agent say what contradicts, and ask what held when, on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, invoke

pytestmark = pytest.mark.e2e

PORT = "The gateway listens on port 8080"
MOVED = "The gateway no longer listens on port 8080"
OTHER = "The gateway listens on port 9090"


@pytest.fixture(autouse=True)
def _nobody_set_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


def remember(data_dir: Path, content: str, *more: str) -> str:
    kept: str = ask(data_dir, "remember", content, "--workspace", "shop", *more)["id"]
    return kept


def titles(data_dir: Path, *more: str) -> list[str]:
    listed = ask(data_dir, "memory", "list", "--workspace", "shop", *more)["items"]
    return [one["title"] for one in listed]


def test_an_ended_memory_is_superseded_and_can_be_restored(data_dir: Path) -> None:
    old = remember(data_dir, PORT)
    again = invoke(data_dir, "remember", PORT.lower() + ".", "--workspace", "shop")
    assert f"{old}  already stored, used 1 times" in again.out
    new = remember(data_dir, MOVED)
    shown = invoke(data_dir, "memory", "show", old).out
    assert f"superseded by {new}" in shown
    assert "valid     no, until" in shown
    assert titles(data_dir) == [MOVED]
    assert titles(data_dir, "--all") == [MOVED, PORT]
    assert PORT not in invoke(data_dir, "context", "--workspace", "shop").out
    history = ask(data_dir, "memory", "history", old)["items"]
    assert history[0]["actor"] == "memoranda"
    ask(data_dir, "memory", "restore", old, str(history[0]["version"]))
    assert titles(data_dir) == [MOVED, PORT]
    assert "reverted" in invoke(data_dir, "memory", "show", new).out


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Our CI runs on Jenkins.", "We migrated CI from Jenkins to GitHub Actions."),
        ("We use Redux for state.", "We dropped Redux in favour of Zustand."),
        ("Alice owns the billing service.", "Bob took over the billing service from Alice."),
        ("The standup is at 9:30.", "The standup was pushed back to 10:00."),
        ("The base URL is https://api.a.org.", "The base URL is now https://api.b.org."),
        ("The flag new_checkout is off.", "The flag new_checkout has been turned on."),
    ],
)
def test_a_stated_change_replaces_what_it_names(data_dir: Path, old: str, new: str) -> None:
    for text in (old, new):
        remember(data_dir, text)
    assert titles(data_dir) == [new]
    assert old not in invoke(data_dir, "context", "--workspace", "shop").out


def test_a_change_of_something_else_replaces_nothing(data_dir: Path) -> None:
    texts = [
        "Our CI runs on Jenkins.",
        "We migrated the deploy scripts from Jenkins to GitHub Actions.",
    ]
    for text in texts:
        remember(data_dir, text)
    assert titles(data_dir) == texts[::-1]


def test_paraphrases_of_a_claim_count_as_uses_and_fill_one_line(data_dir: Path) -> None:
    texts = [
        "The user likes dark mode",
        "User prefers dark mode",
        "I like dark mode",
        "Dark mode is preferred by the user",
        "The user likes dark chocolate",
    ]
    first, *_ = [remember(data_dir, text) for text in texts]
    invoke(data_dir, "drain")
    context = invoke(data_dir, "context", "--workspace", "shop").out
    assert context.lower().count("dark mode") == 1
    assert "dark chocolate" in context
    assert "uses      3" in invoke(data_dir, "memory", "show", first).out
    assert len(titles(data_dir)) == len(texts)


def test_a_conflict_is_shown_and_a_person_settles_it(data_dir: Path) -> None:
    old, new = remember(data_dir, PORT), remember(data_dir, OTHER)
    (found,) = ask(data_dir, "memory", "conflicts", "--workspace", "shop")["items"]
    assert (found["older"]["id"], found["newer"]["id"]) == (old, new)
    for form in ("table", "md"):
        output = invoke(data_dir, "memory", "conflicts", "--format", form).out
        assert old in output
        assert "number" in output
    assert f"contradicted by {new} (number)" in invoke(data_dir, "memory", "show", old).out
    done = invoke(data_dir, "memory", "supersede", old, new, "--reason", "it moved")
    assert done.out.splitlines()[0].endswith(f"superseded: {PORT}")
    assert ask(data_dir, "memory", "conflicts")["items"] == []
    for wrong, code in (((old, old), 2), ((new, old), 2), ((old, new), 4), ((old, "ffff"), 3)):
        assert invoke(data_dir, "memory", "supersede", *wrong).code == code, wrong


def test_memories_are_found_by_their_valid_time(data_dir: Path) -> None:
    remember(data_dir, "Prices are net", "--valid-until", "2024-03-01")
    remember(data_dir, "Prices are gross", "--valid-from", "2024-03-01")
    assert titles(data_dir) == ["Prices are gross"]
    assert titles(data_dir, "--as-of", "2024-02-01") == ["Prices are net"]
    for day, reported in (("2024-02-01", "net"), ("2024-04-01", "gross")):
        hits = ask(data_dir, "search", "prices", "--as-of", day)["hits"]
        assert [hit["title"] for hit in hits] == [f"Prices are {reported}"]
    assert ask(data_dir, "search", "prices", "--known-by", "2024-04-01")["hits"] == []
    assert len(ask(data_dir, "search", "prices", "--ever")["hits"]) == 2
    current = invoke(data_dir, "memory", "list")
    assert "1 memory no longer valid and not listed; to list them, add --ever" in current.err
    listed = invoke(data_dir, "memory", "list", "--all").out
    assert "until 2024-03-01 00:00 UTC (ended)" in listed
    assert "since 2024-03-01 00:00" in listed


def test_additional_details_of_a_statement_are_shown(data_dir: Path) -> None:
    whole = remember(data_dir, "Tariffs are generated")
    rule = "Never edit the tariff files by hand. Priya Shah keeps them."
    output = invoke(
        data_dir, "remember", rule, "--workspace", "shop", "--link", f"parent:{whole}",
        "--reference", "file:src/tariffs.py", "--reference", "url:https://example.com/a:b",
        "--valid-from", "2024-01-01",
    )  # fmt: skip
    assert "critical (states a requirement)" in output.out
    id = output.out.split()[0]
    shown = invoke(data_dir, "memory", "show", id).out
    for line in (
        "entities:\n  Priya Shah (person)",
        "constraints:\n  Never edit the tariff files by hand.",
        "references:\n  file: src/tariffs.py\n  url: https://example.com/a:b",
        f"links:\n  part of {whole}: Tariffs are generated",
        "yes, since 2024-01-01 00:00 UTC",
        "trusted as person",
        "yes, states a requirement",
    ):
        assert line in shown, line
    detail = ask(data_dir, "memory", "show", id)
    assert detail["encoding"]["constraints"] == ["Never edit the tariff files by hand."]
    assert detail["holds"] is True
    ask(data_dir, "memory", "edit", id, "--not-critical")
    assert "no, cleared by hand" in invoke(data_dir, "memory", "show", id).out


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (("--valid-from", "2024-03-01", "--valid-until", "2024-02-01"), "must be later than"),
        (("--reference", "letter:x"), "one of file, execution, url, doc, not 'letter'"),
        (("--reference", "file"), "not of the form"),
        (("--link", "cousin:{id}"), "related, parent, contradicts, supersedes, not 'cousin'"),
        (("--link", "supersedes:{id}"), "memory supersede OLD NEW"),
        (("--link", "related:ffffffff"), "no other memory 'ffffffff'"),
        (("--evidence", "ffffffff"), "unknown observation in the evidence"),
    ],
    ids=["times", "kind", "form", "link", "supersedes", "other", "evidence"],
)
def test_what_cannot_be_is_refused(data_dir: Path, more: tuple[str, ...], expected: str) -> None:
    id = remember(data_dir, PORT)
    words = [word.replace("{id}", id) for word in more]
    output = invoke(data_dir, "remember", OTHER, "--workspace", "shop", *words)
    assert output.code != 0
    assert expected in output.err
    assert titles(data_dir, "--all") == [PORT]


def test_a_memory_that_served_is_used(data_dir: Path) -> None:
    id = remember(data_dir, PORT)
    ask(data_dir, "observe", "begin", "--task", "t", "--workspace", "shop")
    ask(data_dir, "rate", id, "useful", "--task", "1")
    detail = ask(data_dir, "memory", "show", id)
    assert detail["memory"]["uses"] == 1
    assert [one["kind"] for one in detail["references"]] == ["execution"]


def test_the_index_is_rebuilt_with_the_encodings(data_dir: Path) -> None:
    id = remember(data_dir, "Priya Shah keeps the lamps")
    before = ask(data_dir, "memory", "show", id)
    assert invoke(data_dir, "rebuild-index").code == 0
    assert ask(data_dir, "memory", "show", id) == before
