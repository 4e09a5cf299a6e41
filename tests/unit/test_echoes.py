"""A line that only repeats what a context shows is an echo."""

from __future__ import annotations

import pytest

from memoranda.context.echoes import is_echo
from memoranda.observations.model import Origin
from memoranda.search.model import ContextItem

RULE = ContextItem("1", "1#3", "Always run the tests before you commit.", Origin.HUMAN, 0)


@pytest.mark.parametrize(
    ("text", "origin", "expected"),
    [
        ("Understood: I'll always run the tests before I commit.", Origin.AGENT, True),
        ("Got it, always running the tests before commits.", Origin.AGENT, True),
        ("always run the tests before you commit", Origin.AGENT, True),
        ("always run the tests before you commit", Origin.HUMAN, True),
        ("Run the tests before you commit.", Origin.HUMAN, False),
        ("I will not run the tests before I commit.", Origin.AGENT, False),
        ("The tests ran before the commit; 3 failed.", Origin.AGENT, False),
        ("tests commit", Origin.TOOL, False),
        ("Ok.", Origin.AGENT, False),
        ("", Origin.AGENT, False),
    ],
)
def test_a_repetition_is_an_echo(text: str, origin: Origin, expected: bool) -> None:
    assert is_echo(ContextItem("2", "1#4", text, origin, 0), [RULE]) is expected


def test_an_agents_text_hides_no_persons_text() -> None:
    agent = ContextItem("2", "1#4", RULE.text, Origin.AGENT, 0)

    assert not is_echo(RULE, [agent])
    assert not is_echo(RULE, [RULE])
