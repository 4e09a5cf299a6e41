"""A small run of `scripts/bench fuzz` on transcripts and hook payloads."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from fuzzed_records import HOSTS, Laboratory, Seeds

pytestmark = pytest.mark.integration

MUTANTS = 2


@pytest.mark.parametrize("host", HOSTS)
def test_damaged_payloads_are_all_accounted_for(host: str, tmp_path: Path) -> None:
    laboratory, chance = Laboratory(tmp_path, Seeds.of(host)), random.Random(1)
    assert [fault for _ in range(MUTANTS) for fault in laboratory.payload_faults(chance)] == []


@pytest.mark.parametrize("host", HOSTS)
def test_hook_ends_well_and_silently(host: str, tmp_path: Path) -> None:
    laboratory, chance = Laboratory(tmp_path, Seeds.of(host)), random.Random(2)
    assert [fault for _ in range(2) for fault in laboratory.process_faults(chance)] == []


@pytest.mark.parametrize("after_hooks", [False, True])
@pytest.mark.parametrize("host", [host for host in HOSTS if Seeds.of(host).transcripts])
def test_damaged_transcripts_are_all_accounted_for(
    host: str, after_hooks: bool, tmp_path: Path
) -> None:
    laboratory, chance = Laboratory(tmp_path, Seeds.of(host)), random.Random(3)
    assert [
        fault
        for _ in range(MUTANTS)
        for fault in laboratory.transcript_faults(chance, after_hooks=after_hooks)
    ] == []


@pytest.mark.parametrize("host", ["claude-code", "codex", "gemini-cli", "generic"])
def test_repeated_lines_of_a_transcript_count_once(host: str, tmp_path: Path) -> None:
    laboratory, chance = Laboratory(tmp_path, Seeds.of(host)), random.Random(4)
    assert [
        fault
        for _ in range(MUTANTS)
        for fault in laboratory.transcript_faults(chance, after_hooks=False, repeats=1)
    ] == []
