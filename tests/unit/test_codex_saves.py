"""Sessions of the TypeScript Codex CLI: files of one conversation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memoranda.capture.event import Event
from memoranda.capture.hosts.transcript_lines import read_lines
from memoranda.capture.hosts.transcripts import reader_for
from memoranda.json_data import JsonValue

ASKED: JsonValue = {"role": "user", "type": "message", "content": "Run the tests"}


def answer(text: str, **more: JsonValue) -> JsonValue:
    return {"role": "assistant", "type": "message", "content": text, **more}


def save(folder: Path, number: int, *items: JsonValue) -> Path:
    id = f"{number:08x}-0000-4000-8000-000000000000"
    path = folder / f"rollout-2025-05-01-{id}.json"
    session = {"timestamp": f"2025-05-01T08:00:{number:02}.000Z", "id": id, "instructions": ""}
    path.write_text(json.dumps({"session": session, "items": items}, indent=2), "utf-8")
    return path


def events_of(path: Path) -> list[Event]:
    reader = reader_for(path)
    return list(reader.events(read_lines(path, tally=reader.tally)))


def stored(*paths: Path) -> dict[tuple[str, str], str | None]:
    """Return the events that a store keeps: the first of each key."""
    kept: dict[tuple[str, str], str | None] = {}
    for path in paths:
        for event in events_of(path):
            kept.setdefault((event.session, event.key), event.text)
    return kept


class TestConversation:
    def test_shares_its_beginning_without_ids_too(self, tmp_path: Path) -> None:
        first = save(tmp_path, 1, ASKED, answer("All pass."))
        second = save(tmp_path, 2, ASKED, answer("All pass."), ASKED, answer("Again."))
        assert list(stored(second, first).values()) == [
            "Run the tests", "All pass.", "Run the tests", "Again.",
        ]  # fmt: skip

    def test_loses_nothing_where_saves_contradict(self, tmp_path: Path) -> None:
        paths = [
            save(tmp_path, 1, ASKED, answer("Hello.")),
            save(tmp_path, 2, ASKED, answer("Hello."), answer("left")),
            save(tmp_path, 3, ASKED, answer("Hello."), answer("right")),
        ]
        assert {"left", "right"} <= set(stored(*paths).values())

    def test_is_identified_by_the_id_of_a_changed_answer(self, tmp_path: Path) -> None:
        first = save(tmp_path, 1, ASKED, answer("All", id="msg_1", status="in_progress"))
        second = save(tmp_path, 2, ASKED, answer("All pass.", id="msg_1", status="completed"))
        assert {one.session for path in (first, second) for one in events_of(path)} == {
            "00000001-0000-4000-8000-000000000000"
        }

    def test_of_the_same_words_at_another_time_is_another(self, tmp_path: Path) -> None:
        paths = [
            save(tmp_path, number, *items)
            for number, items in enumerate(
                [(ASKED,), (ASKED, answer("1", id="a")), (ASKED,), (ASKED, answer("2", id="b"))]
            )
        ]
        sessions = [{one.session[:8] for one in events_of(path)} for path in paths]
        assert sessions == [{"00000000"}, {"00000000"}, {"00000002"}, {"00000002"}]

    def test_looks_at_no_other_folder_and_at_nothing_else(self, tmp_path: Path) -> None:
        (tmp_path / "other").mkdir()
        save(tmp_path / "other", 1, ASKED)
        (tmp_path / "damaged.json").write_text('{"session": {', "utf-8")
        (tmp_path / "list.json").write_text("[]", "utf-8")
        second = save(tmp_path, 2, ASKED, answer("All pass."))
        assert {one.session[:8] for one in events_of(second)} == {"00000002"}


class TestDamage:
    @pytest.mark.parametrize("cut", [1, 3, 20, 60])
    def test_truncation_leaves_the_earlier_items(self, tmp_path: Path, cut: int) -> None:
        path = save(tmp_path, 1, ASKED, answer("one"), answer("two"))
        path.write_bytes(path.read_bytes()[:-cut])
        reader = reader_for(path)
        texts = [one.text for one in reader.events(read_lines(path, tally=reader.tally))]
        assert texts == ["Run the tests", "one", "two"][: 3 if cut < 9 else 2]
        assert reader.tally.skipped["incomplete"] == 1

    def test_of_one_item_leaves_the_others(self, tmp_path: Path) -> None:
        path = save(tmp_path, 1, ASKED, answer("one"), answer("two"))
        path.write_bytes(path.read_bytes().replace(b'"one"', b'"o"ne"'))
        whole = save(tmp_path, 2, ASKED, answer("one"), answer("two"))
        assert [one.text for one in events_of(path)] == ["Run the tests", "two"]
        assert [one.text for one in events_of(whole)] == ["Run the tests", "one", "two"]
