"""Settings under other designs' names, from a file and the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memoranda.config import NAMES, Settings, load_settings
from memoranda.exceptions import InvalidInput
from memoranda.setting_aliases import ALWAYS_ON, AMBIGUOUS, RENAMED, VARIABLES


def section(folder: Path, lines: str, environ: dict[str, str] | None = None) -> Settings:
    (folder / "config.toml").write_text(f"[memory]\n{lines}\n", "utf-8")
    return load_settings({"data_dir": folder}, environ or {})


def test_every_name_is_that_of_a_setting() -> None:
    assert {*RENAMED.values(), *VARIABLES.values()} <= set(NAMES)


@pytest.mark.parametrize(
    ("line", "setting", "value"),
    [
        ('embedding_model = "none"', "embedder", "none"),
        ("embedding_dimensions = 256", "embedding_dimensions", 256),
        ("working_memory_ttl = 60", "working_memory_ttl", 60),
        ("monthly_token_budget_usd = 12.5", "monthly_budget_dollars", 12.5),
        ("alert_threshold_pct = 75", "budget_alert_share", 0.75),
        ("alert_threshold_pct = 1", "budget_alert_share", 0.01),
        ("criticality_boost_multiplier = 3", "criticality_multiplier", 3.0),
        ("error_history_lookback_stages = 0", "error_lookback_stages", 0),
        ("stage_completion_auto_compress = false", "stage_auto_compression", False),
    ],
)
def test_a_key_sets_its_setting(tmp_path: Path, line: str, setting: str, value: Any) -> None:
    found = section(tmp_path, line)
    assert getattr(found, setting) == value
    key = line.partition(" ")[0]
    assert found.origins[setting] == f"config.toml [memory] {key}"


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("alert_threshold_pct = 0.75", "between 1 and 100"),
        ("alert_threshold_pct = true", "between 1 and 100"),
        ('alert_threshold_pct = "75"', "between 1 and 100"),
        ("stage_compression_ratio_target = 50", "between 2 and 20"),
        ("compression_quality_threshold = 95", "between 0 and 1"),
        ("episodic_memory_capacity = -1", "between 0 and"),
        ("embedding_dimensions = true", "between 0 and"),
        ("retrieval_precision_target = 0.95", "measured, not set"),
        ('vector_store = "chroma"', "here sqlite"),
        ("stage_relevance_weight = 3", "between 0 and 1"),
        ("embeding_model = 3", "no such key"),
        ("[memory.more]\na = 1", "no such key"),
    ],
)
def test_what_has_no_effect_is_refused_with_its_reason(
    tmp_path: Path, line: str, reason: str
) -> None:
    with pytest.raises(InvalidInput, match=reason):
        section(tmp_path, line)


def test_vectors_are_where_the_store_is(tmp_path: Path) -> None:
    assert section(tmp_path, 'vector_store = "sqlite"').database_url == ""
    url = {"MEMORANDA_DATABASE_URL": "postgresql://db/m"}
    assert section(tmp_path, 'vector_store = "pgvector"', url).database_url
    with pytest.raises(InvalidInput, match="here pgvector"):
        section(tmp_path, 'vector_store = "sqlite"', url)


def test_weights_keep_the_other_factors(tmp_path: Path) -> None:
    found = section(tmp_path, "stage_relevance_weight = 0.5\nerror_correction_weight = 0")
    assert found.recall_weights["stage"] == 0.5
    assert found.recall_weights["error_correction"] == 0
    assert found.recall_weights["similarity"] == 0.35


@pytest.mark.parametrize(
    ("name", "provider"),
    [
        ("gpt-4o-mini", "openai:gpt-4o-mini"),
        ("o3", "openai:o3"),
        ("claude-3-haiku", "anthropic:claude-3-haiku"),
        ("gptish", ""),
        ("llama3", ""),
    ],
)
def test_a_model_implies_the_provider_of_its_name(tmp_path: Path, name: str, provider: str) -> None:
    found = section(tmp_path, f'compression_model = "{name}"')
    assert (found.language_model, found.compression_model) == (provider, name)
    stated = {"MEMORANDA_LANGUAGE_MODEL": "ollama:qwen3"}
    assert section(tmp_path, f'compression_model = "{name}"', stated).language_model == (
        "ollama:qwen3"
    )


def test_the_key_of_an_implied_provider_is_found(tmp_path: Path) -> None:
    environ = {"OPENAI_API_KEY": "sk-1", "COMPACTION_MODEL": "gpt-5-nano"}
    found = section(tmp_path, "", environ)
    assert (found.language_model, found.language_api_key) == ("openai:gpt-5-nano", "sk-1")


def test_without_scaling_the_smaller_models_do_not_apply(tmp_path: Path) -> None:
    lines = 'compression_model = "gpt-4o-mini"\ntest_time_scaling_enabled = false'
    found = section(tmp_path, lines)
    assert (found.language_model, found.compression_model) == ("", "")


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_variable_is_read_with_the_prefix_and_without(tmp_path: Path, variable: str) -> None:
    setting = VARIABLES[variable]
    ours = f"MEMORANDA_{setting.upper()}"
    values = {bool: ("false", False), int: ("900", 900), float: ("0.6", 0.6)}
    default = getattr(load_settings({"data_dir": tmp_path}, {}), setting)
    text, value = values.get(type(default), ("whole", "whole"))
    # A name that other programs set too is read only beside one unique to this design.
    beside = {"MEMORY_SHARED_BLOCKS": "true"} if variable in AMBIGUOUS else {}
    for environ in ({variable: text, **beside}, {f"MEMORANDA_{variable}": text}):
        found = load_settings({"data_dir": tmp_path}, environ)
        assert getattr(found, setting) == value
    both = {variable: "nonsense" if text == "whole" and setting == "agent_id" else text, ours: text}
    assert load_settings({"data_dir": tmp_path}, both).origins[setting] == "environment"
    assert getattr(load_settings({"data_dir": tmp_path}, {variable: ""}), setting) == default


@pytest.mark.parametrize("switch", ALWAYS_ON)
def test_a_switch_that_can_only_be_on_is_reported(tmp_path: Path, switch: str) -> None:
    variable = f"MEMORANDA_{switch}"
    assert load_settings({"data_dir": tmp_path}, {variable: "True"})
    for off in ("false", "0", "no"):
        with pytest.raises(InvalidInput, match=f"environment {variable}: "):
            load_settings({"data_dir": tmp_path}, {variable: off})
