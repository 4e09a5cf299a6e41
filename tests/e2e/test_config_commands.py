"""Settings are set and removed from the command line, safely and one at a time."""

from __future__ import annotations

import os
import stat
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from commands import ask, forked, invoke
from hypothesis import given, strategies as st

from memoranda.config import NAMES, load_settings
from memoranda.config_file import ConfigFile

pytestmark = pytest.mark.e2e

WRITTEN = (
    "# Settings of the team.\n"
    "\n"
    'team = "shop"   # one team\n'
    "context_budget = 1500 # tokens\n"
    "exclude_paths = [\n"
    '  "*.pem",  # keys\n'
    '  "secret/**",\n'
    "] # patterns\n"
    "# prices below\n"
    "[language_prices]\n"
    'small = "0.15/0.6"\n'
)


@pytest.fixture(autouse=True)
def _no_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("MEMORANDA_")]:
        monkeypatch.delenv(name)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "config.toml").write_text(WRITTEN, "utf-8")
    return tmp_path / "config.toml"


def value(data_dir: Path, name: str) -> Any:
    return ask(data_dir, "config", "show")[name]["value"]


def test_a_setting_is_set_shown_and_removed(tmp_path: Path) -> None:
    done = ask(tmp_path, "config", "set", "context_budget", "3000")
    assert done == {
        "file": str(tmp_path / "config.toml"), "setting": "context_budget", "value": 3000,
        "changed": True, "overridden": False,
    }  # fmt: skip
    assert (tmp_path / "config.toml").read_text() == "context_budget = 3000\n"
    assert stat.S_IMODE((tmp_path / "config.toml").stat().st_mode) == 0o600
    shown = ask(tmp_path, "config", "show")["context_budget"]
    assert shown == {
        "value": 3000, "origin": "config.toml", "variable": "MEMORANDA_CONTEXT_BUDGET",
    }  # fmt: skip
    assert not ask(tmp_path, "config", "set", "context_budget", "3000")["changed"]
    assert ask(tmp_path, "config", "unset", "context_budget")["changed"]
    assert ask(tmp_path, "config", "show")["context_budget"]["origin"] == "default"
    assert not ask(tmp_path, "config", "unset", "context_budget")["changed"]


def test_a_set_budget_is_the_one_of_the_next_context(tmp_path: Path) -> None:
    ask(tmp_path, "remember", "Amounts are in cents.", "--everywhere")
    ask(tmp_path, "config", "set", "context_budget", "777")
    assert ask(tmp_path, "context")["budget"] == 777


def test_everything_else_in_the_file_stays_byte_for_byte(file: Path) -> None:
    ask(file.parent, "config", "set", "context_budget", "900")
    assert file.read_text() == WRITTEN.replace("1500 # tokens", "900  # tokens")
    ask(file.parent, "config", "set", "exclude_paths", "*.key", "a b/**")
    assert file.read_text().count("# patterns") == 1
    assert value(file.parent, "exclude_paths") == ["*.key", "a b/**"]
    ask(file.parent, "config", "set", "embedder", "none")
    assert tomllib.loads(file.read_text())["embedder"] == "none"  # not within the table
    for name in ("embedder", "exclude_paths", "context_budget"):
        ask(file.parent, "config", "unset", name)
    assert file.read_text() == (
        "# Settings of the team.\n\n"
        'team = "shop"   # one team\n'
        '# prices below\n[language_prices]\nsmall = "0.15/0.6"\n'
    )


def test_line_ends_of_another_system_stay(file: Path) -> None:
    file.write_bytes(WRITTEN.replace("\n", "\r\n").encode())
    ask(file.parent, "config", "set", "context_budget", "900")
    ask(file.parent, "config", "set", "embedder", "none")
    data = file.read_bytes()
    assert data.count(b"\n") == data.count(b"\r\n") == WRITTEN.count("\n") + 1


def test_a_file_without_a_last_line_end_gets_a_line_of_its_own(file: Path) -> None:
    file.write_text('team = "shop"')
    ask(file.parent, "config", "set", "embedder", "none")
    assert file.read_text() == 'team = "shop"\nembedder = "none"\n'


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("context_budget", "7"), "context_budget: must be between 100 and 1,000,000 tokens"),
        (("context_budget", "many"), "context_budget"),
        (("context_budget", "200", "300"), "context_budget"),
        (("team", "a", "b"), "team takes one value"),
        (("embedder", "magic"), "must be one of local, multilingual, none"),
        (("context_blocks", "perhaps"), "must be true or false"),
        (("recall_weights", "luck=1"), "unknown factor luck"),
        (("contxt_budget", "200"), "Did you mean context_budget?"),
        (("qqqq", "200"), "config show"),
        (("data_dir", "/elsewhere"), "--data-dir"),
        (("origins", "x"), "unknown setting origins"),
        (("team", ""), "must be a text"),
        (("encryption_key_file", "key"), "absolute"),
    ],
)
def test_what_is_not_acceptable_changes_nothing(
    file: Path, arguments: tuple[str, ...], message: str
) -> None:
    output = invoke(file.parent, "config", "set", *arguments)
    assert (output.code, message in output.err) == (2, True), output.err
    assert file.read_text() == WRITTEN


@pytest.mark.parametrize("text", ["team = ", "team = 'a'\nteam = 'b'\n", "\xff"])
def test_a_file_that_is_not_toml_is_not_changed(tmp_path: Path, text: str) -> None:
    data = text.encode("latin-1")
    (tmp_path / "config.toml").write_bytes(data)
    for line in (("set", "embedder", "none"), ("unset", "team")):
        output = invoke(tmp_path, "config", *line)
        assert (output.code, str(tmp_path / "config.toml") in output.err) == (2, True)
    assert (tmp_path / "config.toml").read_bytes() == data


def test_a_table_is_not_replaced_and_the_error_says_why(file: Path) -> None:
    for line in (("set", "language_prices", "small=1/2"), ("unset", "language_prices")):
        output = invoke(file.parent, "config", *line)
        assert (output.code, "in a form that must be changed manually" in output.err) == (2, True)
    assert file.read_text() == WRITTEN


def test_a_setting_that_stops_every_command_can_be_removed(file: Path) -> None:
    file.write_text('colour = "red"\ncontext_budget = "seven"\n')
    assert invoke(file.parent, "status").code == 2
    ask(file.parent, "config", "set", "context_budget", "700")
    ask(file.parent, "config", "unset", "colour")
    assert value(file.parent, "context_budget") == 700
    assert invoke(file.parent, "config", "unset", "colour").code == 2


def test_keys_and_passwords_are_not_shown(tmp_path: Path) -> None:
    key = "sk-very-secret-1234"
    output = invoke(tmp_path, "config", "set", "embedding_key", "-", given=f"{key}\n")
    assert (output.code, key in output.out + output.err) == (0, False)
    assert tomllib.loads((tmp_path / "config.toml").read_text())["embedding_key"] == key
    output = invoke(tmp_path, "config", "set", "database_url", "postgresql://me:hush7@db/x")
    assert (output.code, "hush7" in output.out + output.err) == (0, False)
    assert "postgresql://me:hush7@db/x" in (tmp_path / "config.toml").read_text()
    assert "hush7" not in invoke(tmp_path, "config", "show").out


def test_a_link_stays_a_link(file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "config.toml").symlink_to(file)
    ask(folder, "config", "set", "context_budget", "900")
    assert (folder / "config.toml").is_symlink()
    assert tomllib.loads(file.read_text())["context_budget"] == 900


def test_a_variable_that_takes_precedence_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORANDA_CONTEXT_BUDGET", "400")
    output = invoke(tmp_path, "config", "set", "context_budget", "900")
    assert "MEMORANDA_CONTEXT_BUDGET is set in the environment" in output.out
    assert value(tmp_path, "context_budget") == 400


def test_an_unknown_variable_is_named_with_the_one_that_is_meant(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORANDA_CONTEXT_BUGDET", "5")
    monkeypatch.setenv("MEMORANDA_DISABLED", "1")
    invoke(tmp_path, "remember", "Round once", "--workspace", "shop")
    for command in (("config", "show"), ("doctor", "--quick")):
        output = invoke(tmp_path, *command)
        assert output.code == 0
        assert "did you mean MEMORANDA_CONTEXT_BUDGET?" in output.out + output.err
        assert "MEMORANDA_DISABLED" not in output.out + output.err


def test_show_names_the_file_and_the_variable(tmp_path: Path) -> None:
    out = invoke(tmp_path, "config", "show").out
    assert f"file: {tmp_path / 'config.toml'} (does not exist yet)" in out
    assert "MEMORANDA_EMBEDDER" in out
    ask(tmp_path, "config", "set", "embedder", "none")
    assert f"file: {tmp_path / 'config.toml'}\n" in invoke(tmp_path, "config", "show").out


@pytest.mark.parametrize("address", ["https://x.example", "postgresql://me:hush7@db/x"])
def test_an_address_is_no_data_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, address: str
) -> None:
    monkeypatch.chdir(tmp_path)
    output = invoke(Path("unused"), "config", "set", "team", "x", "--data-dir", address)
    assert (output.code, "hush7" in output.err) == (2, False)
    assert list(tmp_path.iterdir()) == []


def test_dotted_keys_are_one_setting(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        'recall_weights.recency = 0.3\n"team" = "a"\nrecall_weights.stage = 0.1\n'
    )
    ask(tmp_path, "config", "set", "recall_weights", "recency=0.2")
    assert (tmp_path / "config.toml").read_text() == (
        'recall_weights = "recency=0.2"\n"team" = "a"\n'
    )
    ask(tmp_path, "config", "set", "team", "b")
    assert tomllib.loads((tmp_path / "config.toml").read_text())["team"] == "b"


def test_text_within_a_value_is_no_setting(tmp_path: Path) -> None:
    before = 'redact_patterns = ["""\nteam = "fake"\n[table]\n"""]\n'
    (tmp_path / "config.toml").write_text(before)
    ask(tmp_path, "config", "set", "team", "real")
    assert (tmp_path / "config.toml").read_text() == before + 'team = "real"\n'
    ask(tmp_path, "config", "unset", "team")
    assert (tmp_path / "config.toml").read_text() == before


def test_settings_of_this_machine_are_not_those_of_a_server(tmp_path: Path) -> None:
    output = invoke(tmp_path, "--url", "http://127.0.0.1:9", "config", "set", "team", "x")
    assert (output.code, "omit --url" in output.err) == (2, True)
    assert not (tmp_path / "config.toml").exists()


def test_processes_at_once_lose_no_setting(tmp_path: Path) -> None:
    lines = [
        ("context_budget", "900"), ("team", "shop"), ("embedder", "none"), ("fusion", "ranks"),
        ("live_over_bytes", "9000"), ("context_blocks", "false"), ("agent_id", "bob"),
        ("telemetry", "none"),
    ]  # fmt: skip
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda line: forked(tmp_path, "config", "set", *line), lines))
    accepted = {line[0] for line, one in zip(lines, done, strict=True) if one.code == 0}
    assert len(accepted) >= 7
    assert set(tomllib.loads((tmp_path / "config.toml").read_text())) == accepted
    assert [one.name for one in tmp_path.iterdir() if ".toml" in one.name] == ["config.toml"]


TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\r"), min_size=1)


@given(team=TEXTS, paths=st.lists(TEXTS, min_size=1, max_size=3), comment=TEXTS)
def test_any_text_comes_back_as_it_was(
    tmp_path_factory: pytest.TempPathFactory, team: str, paths: list[str], comment: str
) -> None:
    folder = tmp_path_factory.mktemp("any")
    line = "# " + "".join(one for one in comment if one.isprintable()) + "\n"
    (folder / "config.toml").write_text(f'{line}agent_id = "bob" {line}', "utf-8")
    file = ConfigFile(folder)
    file.set("team", team)
    file.set("redact_patterns", tuple(paths))
    file.set("agent_id", "eve")
    found = tomllib.loads((folder / "config.toml").read_text("utf-8"))
    assert found == {"agent_id": "eve", "team": team, "redact_patterns": paths}
    assert (folder / "config.toml").read_bytes().decode().count(line.strip()) >= 2
    assert load_settings({"data_dir": folder}, {}).team == team
    assert set(found) <= set(NAMES)
