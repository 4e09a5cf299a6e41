"""The first day with Memoranda: a session goes in, a brief of it comes out, nothing leaks."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from commands import EXAMPLE, TRANSCRIPT, ask, forked, invoke

from memoranda.models.tokens import ToktokCounter

pytestmark = pytest.mark.e2e

EXPECTED: dict[str, Any] = json.loads((EXAMPLE / "expected.json").read_text("utf-8"))
DELEGATED = 1
"""The prompt that the session gave to its one subagent."""
TOLD = (
    "Never edit tariffs/2026.csv by hand",
    "Work on a branch, not on main",
    "Always run the whole test suite",
    "round once at the end, half up",
    "only the standard library",
    "surcharges must stay exact",
)
"""What the person laid down in the session."""
OBSERVATIONS = sum(EXPECTED[n] for n in ("prompts", "assistant_texts", "tool_calls")) + DELEGATED
SECRETS = (
    r"AKIA[0-9A-Z]{16}",
    r"AWS_SECRET_ACCESS_KEY=([^\s\\\"]+)",
    r"eyJ[\w-]+\.[\w-]+\.[\w-]+",
    r"postgresql://parcel:(\w+)@",
    r"redis://:(\w+)@",
    r"SMTP_PASSWORD=([^\s\\\"]+)",
)


def secrets() -> set[str]:
    """What stands in the transcript and must stand nowhere else."""
    text = TRANSCRIPT.read_text("utf-8")
    found = {secret for pattern in SECRETS for secret in re.findall(pattern, text)}
    (private,) = re.findall(r"<private>(.*?)</private>", text)
    return found | {private, "Okafor-Lindqvist", "555 01 93"}


@dataclass(frozen=True)
class FirstImport:
    """A data directory that a process imported the example session into, and its answer."""

    data_dir: Path
    report: dict[str, Any]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> FirstImport:
    """The first command of the first day; the directory is read only."""
    data_dir = tmp_path_factory.mktemp("first") / "data"
    done = forked(data_dir, "import", str(TRANSCRIPT), "--format", "json")
    assert (done.code, done.err) == (0, ""), done
    ask(data_dir, "drain")  # what follows is done, so that no command waits for it
    return FirstImport(data_dir, done.json)


@pytest.fixture
def imported(first: FirstImport) -> Path:
    """The directory, for those who only read."""
    return first.data_dir


@pytest.fixture
def mine(imported: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may change."""
    return Path(shutil.copytree(imported, tmp_path / "data"))


def test_the_first_session_story_works_on_the_command_line(mine: Path) -> None:
    """Every step is a process of its own, as on the first day."""
    data_dir = mine

    def step(*words: str) -> Any:
        context = forked(data_dir, *words, "--format", "json")
        assert (context.code, context.err) == (0, ""), f"{words}: {context}"
        return context.json

    assert step("import", str(TRANSCRIPT))["observations"] == 0
    best = step("search", "half up rounding of the order total")["hits"][0]
    assert step("observation", "show", best["ref"])["observation"]["id"] == best["id"]
    assert best["ref"] in [entry["ref"] for entry in step("timeline", best["ref"])]
    kept = step("remember", "Freight above 1000 kg is quoted by hand.", "--critical")
    brief = step("context", "--budget", "1500")
    assert brief["tokens"] <= 1_500
    assert "quoted by hand" in brief["text"]
    assert step("why", kept["id"])["memory"]["id"] == kept["id"]
    assert step("forget", kept["id"], "--yes")["memories"] == 1
    assert {finding["verdict"] for finding in step("doctor")} == {"ok"}
    context = forked(data_dir, "context", "--workspace", "parcel")
    assert (
        context.code,
        context.out.count("<memoranda-context "),
        context.err.count("tokens"),
    ) == (0, 1, 1)
    assert all(rule in context.out for rule in TOLD)
    assert "quoted by hand" not in context.out


def test_the_model_that_comes_along_finds_by_meaning_across_processes(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    for text in ("The van is repaired on Mondays.", "Invoices go out by post."):
        assert (
            forked(data_dir, "remember", text, "--everywhere", MEMORANDA_EMBEDDER="local").code == 0
        )
    assert forked(data_dir, "drain", MEMORANDA_EMBEDDER="local").code == 0
    result = forked(
        data_dir, "search", "fixing a vehicle", "--format", "json", MEMORANDA_EMBEDDER="local"
    )
    assert (result.code, result.err) == (0, "")
    assert "The van is repaired on Mondays." in str(result.json["hits"][0])


def test_everything_in_the_session_is_taken_in_once(first: FirstImport, mine: Path) -> None:
    assert first.report["observations"] == OBSERVATIONS
    assert (first.report["lines"], first.report["duplicates"]) == (EXPECTED["lines"], 0)
    again = ask(mine, "import", str(TRANSCRIPT))
    assert (again["lines"], again["observations"]) == (0, 0)
    anew = ask(mine, "import", str(TRANSCRIPT), "--again")
    assert (anew["observations"], anew["duplicates"]) == (0, OBSERVATIONS)
    assert ask(mine, "stats")["observations"] == OBSERVATIONS


def test_counts_are_those_of_the_session(imported: Path) -> None:
    stats = ask(imported, "stats", "--workspace", "parcel")
    by_type = stats["by_type"]
    assert by_type["message"] == sum(EXPECTED[n] for n in ("prompts", "assistant_texts")) + 1
    assert sum(by_type.values()) - by_type["message"] == EXPECTED["tool_calls"]
    assert by_type["error"] >= EXPECTED["tool_errors"]
    assert stats["tasks"] == 1
    assert stats["raw_tokens"] > 5 * stats["summary_tokens"]
    assert stats["redactions"]["private"] == EXPECTED["private_spans"]
    side = [
        entry
        for entry in ask(imported, "observation", "index", "--limit", "1000")["items"]
        if entry["agent"] != "main"
    ]
    assert len(side) >= EXPECTED["sidechain_tool_calls"]


def test_no_secret_and_nothing_private_is_kept_anywhere(imported: Path) -> None:
    assert len(secrets()) == len(SECRETS) + 3
    listed = ask(imported, "observation", "list", "--limit", "1000", "--repeats", "--summaries")
    kept = json.dumps(listed, ensure_ascii=False)
    for observation in listed["items"]:
        if observation["redactions"] or "curl" in observation["summary"]:
            kept += invoke(imported, "observation", "show", observation["ref"]).out
    kept += invoke(imported, "context", "--budget", "100000").out
    data = kept.encode()
    for path in imported.rglob("*"):
        data += path.read_bytes() if path.is_file() else b""
    assert [secret for secret in secrets() if secret.encode() in data] == []
    assert b"[redacted:jwt:" in data


def test_what_is_looked_for_is_found_and_opened(imported: Path) -> None:
    found = ask(imported, "search", "rounding contract half up", "--limit", "5")
    assert 0 < len(found["hits"]) <= 5
    best = found["hits"][0]
    full = ask(imported, "observation", "show", best["ref"])
    assert full["observation"]["id"] == best["id"]
    assert "round" in full["content"]
    shown = invoke(imported, "observation", "show", best["ref"]).out
    assert full["content"] in shown
    around = ask(imported, "timeline", best["ref"], "--before", "2", "--after", "2")
    middle = full["observation"]["sequence"]
    assert {entry["sequence"] for entry in around} <= set(range(middle - 2, middle + 3))
    assert best["id"] in [entry["id"] for entry in around]
    errors = ask(imported, "search", "pytest", "--type", "error")["hits"]
    assert errors
    assert {hit["type"] for hit in errors} == {"error"}
    relevant = ask(imported, "relevant", "half-up rounding", "--max-tokens", "900")
    assert relevant["tokens"] <= 900
    assert relevant["expanded"]


@pytest.mark.parametrize("budget", [500, 1_200, 2_000, 4_000])
def test_a_brief_fits_its_budget_and_has_all_constraints(imported: Path, budget: int) -> None:
    brief = ask(imported, "context", "--workspace", "parcel", "--budget", str(budget))
    assert brief["tokens"] == ToktokCounter().count(brief["text"]) <= budget
    assert [rule for rule in TOLD if rule not in brief["text"]] == []
    assert brief["coverage"] == 1.0
    assert invoke(imported, "context", "--workspace", "parcel", "--budget", str(budget)).out == (
        brief["text"] + "\n"
    )


def test_the_brief_names_commands_that_show_what_it_left_out(imported: Path) -> None:
    brief = ask(imported, "context", "--budget", "500", "--workspace", "parcel")
    assert brief["left_out"]
    for one in brief["left_out"]:
        words = one["how"].replace("QUERY", "rounding").replace("TASK", "1").split()
        place = () if words[1] == "brief" else ("--workspace", "parcel")
        assert words[0] == "memoranda"
        assert invoke(imported, *words[1:], *place).code == 0


def test_what_a_person_states_is_in_the_next_brief(mine: Path) -> None:
    fact = "Invoices above 10,000 need a second signature."
    kept = ask(mine, "remember", fact, "--critical", "--workspace", "parcel", "--tag", "money")
    assert fact in ask(mine, "context", "--budget", "900", "--workspace", "parcel")["text"]
    why = ask(mine, "why", kept["id"])
    assert why["memory"]["content"] == fact
    assert why["memory"]["critical_reason"] == "set by hand"
    listed = ask(mine, "memory", "list", "--workspace", "parcel")
    assert [memory["id"] for memory in listed["items"]] == [kept["id"]]
    assert ask(mine, "remember", fact, "--workspace", "parcel")["id"] == kept["id"]


def test_a_memory_rests_on_what_was_seen(mine: Path) -> None:
    seen = ask(mine, "search", "rounding", "--kind", "observation")["hits"][0]["id"]
    kept = ask(mine, "remember", "Round once.", "--evidence", seen, "--workspace", "parcel")
    assert ask(mine, "why", kept["id"][:13])["observations"] == [seen]


def test_a_forgotten_record_is_gone_and_the_receipt_lists_the_places(mine: Path) -> None:
    word = "Nordlicht-Keramik-7781"
    kept = ask(mine, "observe", f"The customer is {word}", "--workspace", "parcel")
    memory = ask(mine, "remember", f"{word} pays late", "--critical", "--workspace", "parcel")
    counted = ask(mine, "forget", kept["ref"], memory["id"], "--dry-run")
    assert (counted["observations"], counted["memories"], counted["dry_run"]) == (1, 1, True)
    assert len(ask(mine, "search", word)["hits"]) == 2
    receipt = ask(mine, "forget", kept["ref"], memory["id"], "--yes")
    assert (receipt["observations"], receipt["memories"]) == (1, 1)
    assert "full text" in receipt["places"]
    assert receipt["not_reached"]
    assert ask(mine, "search", word)["hits"] == []
    assert invoke(mine, "observation", "show", kept["ref"]).code == 3
    assert word not in invoke(mine, "context", "--workspace", "parcel", "--budget", "90000").out
    for path in mine.rglob("*"):
        assert not path.is_file() or word.encode() not in path.read_bytes(), path
    assert ask(mine, "journal", "list", "--operation", "forget")["items"]
    assert ask(mine, "journal", "verify")["broken_at"] is None


def test_everything_of_a_session_can_be_forgotten_for_good(mine: Path) -> None:
    assert ask(mine, "forget", "--task", "1", "--yes")["observations"] == OBSERVATIONS
    assert ask(mine, "stats")["observations"] == 0
    assert ask(mine, "import", str(TRANSCRIPT), "--again")["observations"] == 0
    assert ask(mine, "doctor")


def test_all_is_well_afterwards(mine: Path) -> None:
    findings = ask(mine, "doctor")
    assert [f for f in findings if f["verdict"] != "ok" and f["check"] != "space"] == []
    verified = ask(mine, "journal", "verify")
    assert verified["broken_at"] is None
    assert invoke(mine, "journal", "verify", "--expect", verified["head"]).code == 0
    assert invoke(mine, "journal", "verify", "--expect", "0" * 64).code == 1


def test_a_backup_brings_everything_back(mine: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy.db"
    ask(mine, "backup", str(copy))
    before = ask(mine, "observation", "index", "--limit", "1000", "--repeats")
    brief = invoke(mine, "context", "--workspace", "parcel").out
    ask(mine, "forget", "--task", "1", "--yes")
    ask(mine, "remember", "made after the backup", "--everywhere")
    ask(mine, "restore", str(copy), "--yes")
    assert ask(mine, "observation", "index", "--limit", "1000", "--repeats") == before
    assert invoke(mine, "context", "--workspace", "parcel").out == brief
    ask(mine, "remember", "made after the first restore", "--everywhere")
    ask(mine, "restore", str(copy), "--yes")
    kept = sorted(path.name for path in mine.glob("before-restore-*.db"))
    assert len(kept) == 2, "each restore keeps what it replaces"
    for name, text in zip(kept, ("first restore", "after the backup"), strict=True):
        ask(mine, "restore", str(mine / name), "--yes")
        assert text in invoke(mine, "memory", "list").out


def test_a_backup_never_overwrites(mine: Path, tmp_path: Path) -> None:
    (tmp_path / "there.db").write_text("precious")
    assert invoke(mine, "backup", str(tmp_path / "there.db")).code == 4
    assert (tmp_path / "there.db").read_text() == "precious"
    assert invoke(mine, "restore", str(tmp_path / "there.db"), "--yes").code in (13, 15)
    assert ask(mine, "stats")["observations"] == OBSERVATIONS
