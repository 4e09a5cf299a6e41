"""A context that is requested right after a person's message holds what the message says."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoranda import Memoranda

pytestmark = pytest.mark.integration

SAID = {
    "I prefer short commit messages.": "standing-instructions",
    "Use tabs for indentation in this project.": "user-statements",
    "The staging server is at 10.0.0.7.": "user-statements",
}


@pytest.mark.parametrize("text", SAID)
@pytest.mark.parametrize("at_start", [False, True], ids=["anywhere", "at the start"])
def test_the_next_context_has_what_a_person_said(tmp_path: Path, text: str, at_start: bool) -> None:
    with Memoranda.open(tmp_path / "data", workspace="shop") as memory:
        memory.observe("I read the files and compared them.", task="one")
        memory.observe(text, task="one", origin="human")
        brief = memory.context(budget=2_000, at_start=at_start)
    sections = {one.name: [item.text for item in one.items] for one in brief.sections}
    assert any(text.rstrip(".") in line for line in sections.get(SAID[text], ()))


def test_a_message_of_a_conversation_is_in_the_next_context(tmp_path: Path) -> None:
    with Memoranda.open(tmp_path / "data", workspace="shop") as memory:
        memory.conversations.add("I prefer short commit messages.", session="chat")
        assert "short commit messages" in memory.context(budget=2_000, task="chat").text
