"""Each numeric setting refuses values out of its range, in any source."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memoranda.cli import cli
from memoranda.config import NAMES, load_settings
from memoranda.exceptions import InvalidInput
from tables import each

RANGES: dict[str, tuple[float, float]] = {
    "context_budget": (100, 1_000_000),
    "default_block_limit": (1, 100_000),
    "working_memory_ttl": (1, 2_592_000),
    "episodic_memory_capacity": (0, 1_000_000),
    "semantic_memory_capacity": (0, 1_000_000),
    "embedding_dimensions": (0, 16_000),
    "embedding_threads": (1, 64),
    "language_timeout_seconds": (1, 600),
    "language_calls_a_day": (0, 1_000_000),
    "language_tokens_a_day": (0, 1_000_000_000_000),
    "monthly_budget_dollars": (0, 1_000_000_000),
    "budget_alert_share": (0.01, 1),
    "criticality_multiplier": (1, 10),
    "compaction_window_percentage": (0, 0.7),
    "compaction_clip_chars": (100, 1_000_000),
    "compaction_trigger_threshold": (0.3, 1),
    "context_window": (1_000, 100_000_000),
    "live_over_bytes": (2_000, 1_000_000),
    "compression_ratio": (2, 20),
    "task_compression_ratio": (1, 20),
    "compression_quality_threshold": (0, 1),
    "slow_operation_milliseconds": (0, 86_400_000),
    "intervention_window": (2, 1_000),
    "intervention_failing": (0.01, 1),
    "intervention_repeats": (2, 1_000),
    "intervention_severity": (0.1, 1_000),
    "error_severity_threshold": (0, 1),
    "error_lookback_stages": (0, 1_000),
}
"""The range of each setting, inclusive."""
DEFAULTS = load_settings({"data_dir": "/nowhere"}, {})
WHOLE = [name for name in RANGES if type(getattr(DEFAULTS, name)) is int]
NO_NUMBER = ["lots", "", " ", "1,5", "nan", "inf", "-inf", "1e999", "0x10", "true", "50%"]


def read(folder: Path, name: str, value: Any) -> Any:
    return getattr(load_settings({"data_dir": folder, name: value}, {}), name)


def outside(name: str) -> tuple[float, ...]:
    """Return values just outside and far outside of the range."""
    low, high = RANGES[name]
    step = 1 if name in WHOLE else 1e-6
    return low - step, high + step, -1e18, 1e18


def test_each_numeric_setting_has_a_range() -> None:
    numeric = {
        name for name in NAMES
        if isinstance(value := getattr(DEFAULTS, name), int | float) and not isinstance(value, bool)
    }  # fmt: skip
    assert numeric == RANGES.keys()


@each("name", RANGES)
def test_both_ends_of_a_range_are_accepted(tmp_path: Path, name: str) -> None:
    for end in RANGES[name]:
        assert read(tmp_path, name, end) == end
        assert read(tmp_path, name, f"{int(end) if end == int(end) else end}") == end
        assert load_settings(
            {"data_dir": tmp_path}, {f"MEMORANDA_{name.upper()}": str(end).removesuffix(".0")}
        ).origins[name] == "environment"  # fmt: skip


@each("name", RANGES)
def test_what_is_out_of_range_is_refused_from_each_source(tmp_path: Path, name: str) -> None:
    for value in outside(name):
        exact = int(value) if name in WHOLE else value
        with pytest.raises(InvalidInput, match=f"argument: {name}: must be between "):
            read(tmp_path, name, exact)
        with pytest.raises(InvalidInput, match=f"environment: {name}: must be between "):
            load_settings({"data_dir": tmp_path}, {f"MEMORANDA_{name.upper()}": str(exact)})
        (tmp_path / "config.toml").write_text(f"{name} = {exact}\n")
        with pytest.raises(InvalidInput, match=f"config.toml: {name}: must be between "):
            load_settings({"data_dir": tmp_path}, {})
        (tmp_path / "config.toml").unlink()


@each("name", RANGES)
def test_what_is_no_number_is_refused(tmp_path: Path, name: str) -> None:
    for value in [*NO_NUMBER, True, [1], {"a": 1}, float("nan")]:
        with pytest.raises(InvalidInput, match=f"argument: {name}: "):
            read(tmp_path, name, value)


@each("name", WHOLE)
def test_a_part_of_a_whole_is_refused_and_not_cut_off(tmp_path: Path, name: str) -> None:
    low, high = RANGES[name]
    for value in (low + 0.5, high + 0.5, low - 0.5):
        with pytest.raises(InvalidInput, match=f"{name}: must be an integer"):
            read(tmp_path, name, value)
    assert read(tmp_path, name, float(high)) == high
    assert isinstance(read(tmp_path, name, float(high)), int)


@pytest.mark.parametrize("name", RANGES)
def test_config_set_refuses_it_and_writes_nothing(tmp_path: Path, name: str) -> None:
    words = ["--data-dir", str(tmp_path), "config", "set", name]
    for value in (outside(name)[1], "lots", "nan"):
        output = CliRunner().invoke(cli, [*words, "--", str(value)])
        assert output.exit_code == 2, output.output
        assert f"{name}: " in output.stderr
        assert not (tmp_path / "config.toml").exists()
    end = f"{RANGES[name][1]:.15g}"
    assert CliRunner().invoke(cli, [*words, end]).exit_code == 0
    assert getattr(load_settings({"data_dir": tmp_path}, {}), name) == RANGES[name][1]


@pytest.mark.parametrize("ratio", [1, 1.999, 20.001, -2, 0.5, -0.1])
def test_a_ratio_between_adapting_and_the_least_is_refused(tmp_path: Path, ratio: float) -> None:
    assert read(tmp_path, "compression_ratio", 0) == 0
    with pytest.raises(
        InvalidInput, match="between 2 and 20 source tokens per summary token, or 0"
    ):
        read(tmp_path, "compression_ratio", ratio)


def test_all_that_is_out_of_range_is_named_at_once(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput) as refused:
        load_settings({"data_dir": tmp_path} | dict.fromkeys(RANGES, -(10**15)), {})
    for name in RANGES:
        assert f"argument: {name}: must be between " in str(refused.value)
