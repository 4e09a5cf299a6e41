"""Other programs' variables with a design's names are reported, harmless."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from memoranda import Memoranda
from memoranda.cli import cli
from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput
from tables import each

FOREIGN = [
    ("DEFAULT_BLOCK_LIMIT", "lots", "default_block_limit"),
    ("DEFAULT_BLOCK_LIMIT", "0", "default_block_limit"),
    ("DEFAULT_BLOCK_LIMIT", "1e5", "default_block_limit"),
    ("DEFAULT_BLOCK_LIMIT", "9" * 5_000, "default_block_limit"),
    ("COMPACTION_MODEL", "%%%", "compaction_model"),
    ("COMPACTION_MODEL", "the large one", "compaction_model"),
    ("COMPACTION_MODEL", "name\nwith a line", "compaction_model"),
    ("COMPACTION_MODE", "leveled", "compaction_mode"),  # in the wording of a database
    ("COMPACTION_ENABLED", "auto", "compaction_enabled"),
    ("COMPACTION_WINDOW_PERCENTAGE", "30", "compaction_window_percentage"),
    ("COMPACTION_WINDOW_PERCENTAGE", "nan", "compaction_window_percentage"),
    ("COMPACTION_CLIP_CHARS", "2k", "compaction_clip_chars"),
    ("COMPACTION_TRIGGER_THRESHOLD", "80%", "compaction_trigger_threshold"),
    ("AGENT_ID", "x" * 201, "agent_id"),
    ("AGENT_ID", "  ", "agent_id"),
    ("AGENT_INSTANCE_ID", "i" * 201, "agent_instance"),
    ("MEMORY_CHARACTER_LIMITS", "no", ""),
    ("MEMORY_SHARED_BLOCKS", "off", ""),
    ("MEMORY_HYBRID_SEARCH", "false", ""),
]
IDS = [f"{variable}={value[:12]}" for variable, value, _ in FOREIGN]
ALL = {variable: value for variable, value, _ in FOREIGN}


@each(("variable", "value", "setting"), FOREIGN, ids=IDS)
def test_another_program_s_variable_is_ignored_and_listed(
    tmp_path: Path, variable: str, value: str, setting: str
) -> None:
    found = load_settings({"data_dir": tmp_path}, {variable: value})
    assert list(found.ignored) == [variable]
    if setting:
        default = load_settings({"data_dir": tmp_path}, {})
        assert getattr(found, setting) == getattr(default, setting)
        assert found.origins[setting] == "default"
        assert found.ignored[variable].startswith(f"{setting}: ")


@each(("variable", "value", "setting"), FOREIGN, ids=IDS)
def test_the_same_value_with_the_prefix_is_refused(
    tmp_path: Path, variable: str, value: str, setting: str
) -> None:
    with pytest.raises(InvalidInput, match=f"environment MEMORANDA_{variable}: {setting}"):
        load_settings({"data_dir": tmp_path}, {f"MEMORANDA_{variable}": value})


def test_the_prefixed_form_is_refused_although_the_other_is_good(tmp_path: Path) -> None:
    both = {"DEFAULT_BLOCK_LIMIT": "900", "MEMORANDA_DEFAULT_BLOCK_LIMIT": "lots"}
    with pytest.raises(InvalidInput, match=r"environment: default_block_limit|MEMORANDA_DEFAULT"):
        load_settings({"data_dir": tmp_path}, both)


def test_an_ignored_variable_hides_neither_the_file_nor_the_prefixed_form(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("default_block_limit = 700\n")
    environ = {"DEFAULT_BLOCK_LIMIT": "lots"}
    found = load_settings({"data_dir": tmp_path}, environ)
    assert (found.default_block_limit, found.origins["default_block_limit"]) == (700, "config.toml")
    environ["MEMORANDA_DEFAULT_BLOCK_LIMIT"] = "800"
    found = load_settings({"data_dir": tmp_path}, environ)
    assert (found.default_block_limit, list(found.ignored)) == (800, ["DEFAULT_BLOCK_LIMIT"])


def test_a_good_variable_is_listed_nowhere(tmp_path: Path) -> None:
    environ = {"DEFAULT_BLOCK_LIMIT": "900", "MEMORY_SHARED_BLOCKS": "true", "AGENT_ID": "bob"}
    found = load_settings({"data_dir": tmp_path}, environ)
    assert (found.default_block_limit, found.agent_id, dict(found.ignored)) == (900, "bob", {})


def test_what_is_wrong_with_the_file_is_refused_beside_them(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("default_block_limit = 0\n")
    with pytest.raises(InvalidInput) as refused:
        load_settings({"data_dir": tmp_path}, ALL)
    assert "config.toml: default_block_limit" in str(refused.value)
    assert "COMPACTION_CLIP_CHARS" not in str(refused.value)


def test_commands_work_and_config_show_names_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in ALL.items():
        monkeypatch.setenv(variable, value)
    folder = ["--data-dir", str(tmp_path)]
    kept = CliRunner().invoke(cli, [*folder, "observe", "the port is 8443", "--task", "t"])
    assert (kept.exit_code, kept.stderr) == (0, "")
    for form in ("table", "json", "md"):
        shown = CliRunner().invoke(cli, [*folder, "config", "show", "--format", form])
        assert shown.exit_code == 0
        for variable in ALL:
            assert f"note: {variable} in the environment is ignored: " in shown.stderr
    monkeypatch.setenv("MEMORANDA_COMPACTION_CLIP_CHARS", "2k")
    refused = CliRunner().invoke(cli, [*folder, "config", "show"])
    assert refused.exit_code != 0
    assert "compaction_clip_chars" in refused.output


def test_a_memory_opens_and_its_doctor_names_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, value in ALL.items():
        monkeypatch.setenv(variable, value)
    with closing(Memoranda.open(tmp_path)) as memory:
        memory.observe("the port is 8443", task="t")
        found = [one for one in memory.store.doctor(quick=True) if one.check == "settings"]
    assert {one.detail.partition(" ")[0] for one in found} == set(ALL)
    assert all(one.verdict == "warning" for one in found)
    assert {one.fix.partition("MEMORANDA_")[2].partition(",")[0] for one in found} == set(ALL)


@pytest.mark.parametrize(
    ("variable", "value", "setting"),
    [
        ("AGENT_ID", "7", "agent_id"),
        ("AGENT_INSTANCE_ID", "blue", "agent_instance"),
        ("COMPACTION_ENABLED", "false", "compaction_enabled"),
        ("COMPACTION_MODE", "whole", "compaction_mode"),
    ],
)
def test_a_name_that_others_use_counts_only_beside_one_that_they_do_not(
    tmp_path: Path, variable: str, value: str, setting: str
) -> None:
    environ, folder = {variable: value}, {"data_dir": tmp_path}
    found = load_settings(folder, environ | {"AGENT_ID": "7", "COMPACTION_MODE": "whole"})
    assert found.origins[setting] == "default"
    assert "MEMORANDA_" in found.ignored[variable]
    for beside in ({"MEMORY_SHARED_BLOCKS": "true"}, {"COMPACTION_CLIP_CHARS": "900"}):
        found = load_settings(folder, environ | beside)
        assert (found.origins[setting], dict(found.ignored)) == (f"environment {variable}", {})
    found = load_settings(folder, {f"MEMORANDA_{variable}": value})
    assert found.origins[setting] != "default"


def test_a_person_on_a_build_agent_stays_a_person(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AGENT_ID", "7")
    folder = ["--data-dir", str(tmp_path)]
    CliRunner().invoke(cli, [*folder, "remember", "Prices are net.", "--workspace", "shop"])
    shown = CliRunner().invoke(cli, [*folder, "config", "show"])
    assert "note: AGENT_ID in the environment is ignored: agent_id: other programs" in shown.stderr
    with closing(Memoranda.open(tmp_path)) as memory:
        assert [one.actor for one in memory.journal.list(operation="remember").items] == ["human"]
        assert not memory.proposals.list().items
