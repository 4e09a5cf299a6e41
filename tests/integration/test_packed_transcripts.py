"""Sessions that Codex packed are read where zstd can be unpacked, else refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from histories import opened

from memoranda.capture import packed_transcripts
from memoranda.exceptions import CorruptData, InvalidInput

pytestmark = pytest.mark.integration
zstandard = pytest.importorskip("zstandard")
CASE = Path(__file__).parents[1] / "cases" / "codex-output-list"


def packed(folder: Path) -> tuple[Path, Path]:
    """Return a session of Codex, and the same one packed, in another folder."""
    (source,) = CASE.glob("rollout-*.jsonl")
    plain = folder / source.name
    plain.write_bytes(source.read_bytes())
    path = folder / f"{source.name}.zst"
    path.write_bytes(zstandard.compress(source.read_bytes()))
    return plain, path


def test_a_packed_session_is_imported_once(tmp_path: Path) -> None:
    plain, path = packed(tmp_path)
    with opened(tmp_path / "data") as memory:
        assert memory.capture.import_transcript(path, dry_run=True).intake.events == 7
        assert memory.capture.import_transcript(path).intake.observations == 7
        assert memory.capture.import_transcript(path).intake.observations == 0
        assert memory.capture.import_transcript(plain).intake.observations == 0


def test_a_packed_session_that_cannot_be_read_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, path = packed(tmp_path)
    bad = tmp_path / "bad.jsonl.zst"
    bad.write_bytes(path.read_bytes()[:200])
    with opened(tmp_path / "data") as memory:
        with pytest.raises(CorruptData, match=r"bad\.jsonl\.zst is damaged"):
            memory.capture.import_transcript(bad)
        with monkeypatch.context() as patch, pytest.raises(InvalidInput, match="unpack it"):
            patch.setattr(packed_transcripts, "LARGEST", 1_000)
            memory.capture.import_transcript(path)
        monkeypatch.setattr(packed_transcripts, "_library", lambda: None)
        with pytest.raises(InvalidInput, match=r"compressed with zstd; unpack it \(`unzstd"):
            memory.capture.import_transcript(path)
