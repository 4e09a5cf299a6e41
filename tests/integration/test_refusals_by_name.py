"""Refusals of one suggestion in several wordings, then its acceptance."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoranda import Memoranda
from memoranda.config import load_settings
from memoranda.feedback.model import FeedbackType
from memoranda.memories.model import MemoryStatus

pytestmark = pytest.mark.integration

REFUSED = {
    "redis": [
        ("I could add Redis as a cache.", "No, we don't need Redis."),
        ("Let me put a Redis cache in front.", "please leave Redis out of this"),
        ("Should we use Redis for sessions?", "no redis, I told you"),
    ],
    "orm": [
        ("I suggest SQLAlchemy.", "Don't do that."),
        ("We could bring in SQLAlchemy as ORM.", "not SQLAlchemy, plain SQL please"),
        ("SQLAlchemy would make this easier.", "Enough with SQLAlchemy!"),
    ],
    "German": [
        ("Ich schlage vor, UUIDs zu nehmen.", "Nein, bitte Ganzzahlen."),
        ("Sollen wir UUIDs als Schlüssel nehmen?", "Keine UUIDs!"),
        ("UUIDs wären hier besser.", "Hör auf mit UUIDs"),
    ],
}


@pytest.fixture
def memory(tmp_path: Path) -> Memoranda:
    """Return an empty memory without an embedder."""
    settings = load_settings({"data_dir": tmp_path, "embedder": "local"})
    return Memoranda.open(settings=settings, workspace="shop")


def rules(memory: Memoranda) -> list[str]:
    """Return the valid rules against suggestions."""
    memories = [one for one in memory.memories.list().items if one.status is MemoryStatus.APPROVED]
    return [one.content for one in memories if one.content.startswith("Don't suggest")]


@pytest.mark.parametrize("name", REFUSED)
def test_third_refusal_of_one_thing_makes_a_rule(memory: Memoranda, name: str) -> None:
    for number, (about, message) in enumerate(REFUSED[name], 1):
        assert rules(memory) == []
        story = memory.feedback.add(message, about=about)
        assert story.feedback.type is FeedbackType.REJECTION, message
        assert f"refused {number} times" in story.effects[0].note or number == 1
    assert len(rules(memory)) == 1


@pytest.mark.parametrize(
    ("name", "about", "text"),
    [
        ("redis", "Want me to add a Redis cache?", "ok let's use Redis then"),
        ("orm", "Do you want SQLAlchemy now?", "fine, use SQLAlchemy"),
    ],
)
def test_consent_by_name_ends_the_rule(memory: Memoranda, name: str, about: str, text: str) -> None:
    for refused, no in REFUSED[name]:
        memory.feedback.add(no, about=refused)
    assert len(rules(memory)) == 1
    assert memory.feedback.add(text, about=about).feedback.type is FeedbackType.APPROVAL
    assert rules(memory) == []


@pytest.mark.parametrize(
    ("about", "text"),
    [
        ("I'd use sqlite.", "ok, use postgres instead"),
        ("I'd use sqlite.", "fine, use sqlite but not for the sessions"),
        ("I'd use sqlite.", "no worries, do it"),
        ("I'd use sqlite.", "nothing against it"),
        ("Ich könnte Redis nehmen.", "kein Problem"),
    ],
)
def test_what_refuses_nothing_counts_no_refusal(memory: Memoranda, about: str, text: str) -> None:
    story = memory.feedback.add(text, about=about)
    assert story.feedback.type is not FeedbackType.REJECTION
    assert not any("refused" in one.note for one in story.effects)


def test_three_suggestions_without_one_thing_in_common_make_no_rule(memory: Memoranda) -> None:
    for about in ("I could add Redis.", "I could rename the module.", "Let me use tabs."):
        memory.feedback.add("No thanks", about=about)
    assert rules(memory) == []
