"""The help shows few commands first, all of them on request, and suggests what was meant."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from commands import forked, run

from memoranda.cli import ALIASES, COMMANDS, SHORT_SECTIONS, cli
from tables import each

pytestmark = pytest.mark.e2e

ENTRY = re.compile(r"^  ([a-z-]+)  +(\S.*)$", re.MULTILINE)
SECTION = re.compile(r"^([A-Z][a-z ]+):$", re.MULTILINE)


def shown(*line: str) -> Result:
    return CliRunner().invoke(cli, list(line), prog_name="memoranda")


def commands_in(text: str) -> list[str]:
    return [name for name, _ in ENTRY.findall(text[text.index("\nStart:") :])]


def test_the_short_help_has_four_groups_and_at_most_22_commands() -> None:
    output = shown("--help").output
    listed = commands_in(output)
    assert len(listed) == len(set(listed)) <= 22
    assert set(listed) <= set(COMMANDS)
    assert SECTION.findall(output)[1:] == ["Start", "Look", "Decide", "Manage"]
    assert sorted(listed) == sorted(" ".join(SHORT_SECTIONS.values()).split())
    assert "memoranda help --all" in output


def test_each_line_of_the_short_help_is_whole_on_80_columns(tmp_path: Path) -> None:
    output = forked(tmp_path / "data", "--help", COLUMNS="80").out
    entries = output[output.index("\nStart:") : output.index("\nEvery command")].split("\n")
    assert [line for line in entries if line.startswith("   ") or line.endswith("...")] == []
    assert max(map(len, output.split("\n"))) <= 80


@each("group", sorted(COMMANDS))
def test_the_description_of_each_command_of_a_group_is_whole(group: str) -> None:
    output = shown(group, "--help").output
    assert output.startswith("Usage: ")
    assert [line for line in output.split("\n")[1:] if line.endswith("...")] == []


def test_without_arguments_the_program_shows_the_short_help(tmp_path: Path) -> None:
    result = run(tmp_path / "data")
    assert (result.code, result.err) == (0, "")
    for words in ("--help", "help"):
        assert forked(tmp_path / "data", words).out == result.out
    assert not (tmp_path / "data").exists()


def test_all_commands_are_shown_on_request() -> None:
    everything = shown("help", "--all")
    assert everything.exit_code == 0
    assert sorted(commands_in(everything.output)) == sorted(COMMANDS)
    assert shown("--help-all").output == everything.output
    assert "help --all" not in everything.output
    assert len(commands_in(shown("--help").output)) <= 22  # nothing of it stays


@pytest.mark.parametrize("line", ["search", "task list", "config set", "pending rules add"])
def test_help_of_a_command_is_that_of_its_option(line: str) -> None:
    assert shown("help", *line.split()).output == shown(*line.split(), "--help").output


@each(
    ("line", "meant"),
    [
        ("seach x", "search"),
        ("contxt", "context"),
        ("remeber x", "remember"),
        ("task", None),
        ("add x", "remember"),
        ("deleet x", "forget"),
        ("show 1#1", "observation show"),
        ("where", "config show"),
        ("help seach", "search"),
        ("help config st", "set"),
        ("qqqq", None),
    ],
)
def test_a_misspelt_command_is_an_error_that_names_the_probable_one(
    line: str, meant: str | None
) -> None:
    done = shown(*line.split())
    assert done.exit_code == (2 if line != "task" else done.exit_code)
    if meant:
        assert f"Did you mean '{meant}'?" in done.output
    else:
        assert "Did you mean" not in done.output


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("search x --json", "--format json"),
        ("task list --json", "--format json"),
        ("search x -n 3", "--limit"),
        ("search x --limt 3", "--limit"),
        ("remember x --project shop", "--workspace"),
    ],
)
def test_an_unknown_option_names_the_probable_one(line: str, meant: str) -> None:
    done = shown(*line.split())
    assert (done.exit_code, f"Did you mean '{meant}'?" in done.output) == (2, True), done.output


@pytest.mark.parametrize("word", ["tasks", "delete", "workspaces", "memories", "observations"])
def test_names_of_other_programs_are_aliases(word: str) -> None:
    assert shown("help", word).output == shown("help", ALIASES[word]).output
    assert shown(word, "--help").output.startswith(f"Usage: memoranda {ALIASES[word]}")


def test_the_version_is_a_command_too() -> None:
    done = shown("version")
    assert (done.exit_code, done.output) == (0, shown("--version").output)


def test_an_option_is_not_suggested_where_the_command_lacks_it() -> None:
    done = shown("doctor", "-n", "3")
    assert (done.exit_code, "--limit" in done.output) == (2, False)


def test_suggestions_name_what_exists() -> None:
    from memoranda.cli.name_suggestions import SYNONYMS

    for meant in SYNONYMS.values():
        done = shown(meant) if meant.startswith("--") else shown("help", *meant.split()[:2])
        assert done.exit_code == (0 if "claude-code" not in meant else 2), meant
    assert set(SYNONYMS) & set(COMMANDS) == set()
