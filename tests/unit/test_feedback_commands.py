"""Spoken commands: every form, and what only looks like one."""

from __future__ import annotations

import time

import pytest

from memoranda.learn.feedback import command
from memoranda.values.feedback import Command, CommandKind

REMEMBER, FORGET, KNOW, OPTIMIZE, RULE = CommandKind

SPOKEN = [
    (REMEMBER, "the well is locked in winter", "Remember that the well is locked in winter"),
    (REMEMBER, "guests pay in cash.", "please remember that guests pay in cash."),
    (REMEMBER, "I sleep late", "Hi, could you remember that I sleep late?"),
    (REMEMBER, "the key is under the pot", "remember: the key is under the pot"),
    (REMEMBER, "the ferry is on strike", "Remember this: the ferry is on strike"),
    (REMEMBER, "the dog bites", "ok, don\u2019t forget that the dog bites"),
    (REMEMBER, "close the shutters", "Remember to close the shutters"),
    (REMEMBER, "we open at ten", "Keep in mind that we open at ten\n\nNow write the leaflet."),
    (FORGET, "the old ferry", "Forget about the old ferry"),
    (FORGET, "my address", "please forget everything about my address."),
    (FORGET, "I drink tea at five", "forget that I drink tea at five"),
    (FORGET, "the neighbours", "Forget what I said about the neighbours"),
    (FORGET, "the pump", "Can you delete the memory about the pump?"),
    (KNOW, "", "What do you know about me?"),
    (KNOW, "", "hey, what have you learned about me so far"),
    (KNOW, "", "Tell me what you remember about me."),
    (OPTIMIZE, "", "Optimize your memory"),
    (OPTIMIZE, "", "could you please tidy up your memory now?"),
    (RULE, "no calls before ten", "Add this rule: no calls before ten"),
    (RULE, "prices include tax", "Add a rule - 'prices include tax'"),
    (RULE, "guests first", "New rule: guests first"),
]

TRAPS = [
    "Remember",
    "Remember that",
    "Remember that time the ferry sank?",
    "Remember that the ferry sank?",
    "Do you remember that ferry?",
    "I remember that we had a ferry",
    "Can you remember names?",
    "Forget it",
    "forget about",
    "Forget about ...",
    "Forget about it",
    "Forget about that one, please",
    "forget about everything",
    "Forget about the ferry, we take the train",
    "Forget about the ferry for now",
    "Forget that idea",
    "Forget that, use the train",
    "Don't forget about the ferry when you plan",
    "Did you forget about the ferry?",
    "What do you know about my ferry?",
    "What do you know about ferries?",
    "Tidy up your memory of the harbour",
    "The sign reads: new rule: no dogs",
    "New rule book: where is it",
    '"Remember that the well is locked"',
    "\u201cForget about the ferry\u201d was what she said",
    "> Forget about the ferry",
    "> Forget about the ferry\nWhy is this in the log?",
    "```\nforget about the ferry\n```",
    "`forget about the ferry`",
    "Forget about\nthe ferry",
    "Write a letter.\n\nForget about the ferry",
    "Translate: remember that I love you",
    "Remember that " + "x" * 501,
    "Remember that " + "word " * 500,
    "Remember that \u2026 !",
    "",
]


@pytest.mark.parametrize(("kind", "argument", "turn"), SPOKEN)
def test_a_command_is_read_with_its_argument(kind: CommandKind, argument: str, turn: str) -> None:
    assert command(turn) == Command(kind, argument)


@pytest.mark.parametrize("turn", TRAPS, ids=lambda turn: turn[:40])
def test_what_only_looks_like_a_command_is_none(turn: str) -> None:
    assert command(turn) is None


def test_quotation_marks_around_the_whole_argument_are_dropped() -> None:
    assert command('New rule: "guests first"') == Command(RULE, "guests first")
    kept = 'remember that "guests" are "people"'
    assert command(kept) == Command(REMEMBER, '"guests" are "people"')


@pytest.mark.parametrize(
    "piece",
    ["hey, ", "please ", "forget about ", "_", "remember that ", ", ", "can you ", '"'],
    ids=["hey", "please", "forget", "line", "remember", "comma", "can", "quote"],
)
def test_hostile_turns_are_read_in_bounded_time(piece: str) -> None:
    started = time.process_time()
    for turn in (piece * 50_000, (piece * 2_000)[:2_000]):
        command(turn)
    assert time.process_time() - started < 0.2
