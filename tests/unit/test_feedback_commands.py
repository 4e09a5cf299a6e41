"""Spoken commands in every form, and similar texts that are none."""

from __future__ import annotations

import time

from memoranda.feedback.command_parser import command
from memoranda.feedback.model import CommandKind, SpokenCommand
from tables import each

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

TO_THE_MEMORY = [
    (
        REMEMBER,
        "the pier is closed on Mondays",
        "For future reference, the pier is closed on Mondays",
    ),
    (REMEMBER, "guests may not smoke", "for the record: guests may not smoke"),
    (REMEMBER, "the key has moved", "FYI the key has moved"),
    (REMEMBER, "I sleep late", "add this to your memory - I sleep late"),
    (REMEMBER, "the ferry leaves at six", "Commit to memory: the ferry leaves at six"),
    (REMEMBER, "close the shutters", "don't forget to close the shutters"),
    (REMEMBER, "the pump runs at two", "Never forget: the pump runs at two"),
    (REMEMBER, "I'm colourblind", "keep in mind I'm colourblind"),
    (REMEMBER, "die Pumpe um zwei läuft", "Vergiss nicht, dass die Pumpe um zwei läuft"),
    (REMEMBER, "wir zahlen bar", "Merk dir: wir zahlen bar"),
    (REMEMBER, "los precios son netos", "Recuerda que los precios son netos"),
    (REMEMBER, "a balsa sai às seis", "Lembre-se de que a balsa sai às seis"),
    (REMEMBER, "le bac part à six heures", "Souviens-toi que le bac part à six heures"),
    (REMEMBER, "我们周二开门", "记住\uff1a我们周二开门"),
    (REMEMBER, "戸締まりを必ず確認すること", "覚えておいて、戸締まりを必ず確認すること"),
    (REMEMBER, "鍵は受付にある", "鍵は受付にあると覚えて"),
    (REMEMBER, "鍵は受付にある", "鍵は受付にあることを覚えておいてください"),
    (REMEMBER, "鍵は受付にある", "鍵は受付にあるってメモしておいてね。"),
    (REMEMBER, "点検は三月だ", "点検は三月だから、覚えといて"),
    (FORGET, "der Pumpe", "Vergiss das mit der Pumpe"),
    (FORGET, "los precios", "Olvida lo de los precios"),
    (FORGET, "le bac", "oublie ce que j'ai dit sur le bac"),
    (KNOW, "the ferry", "What do you know about the ferry?"),
    (KNOW, "billing", "what have you learned about billing"),
    (KNOW, "", "Was weißt du über mich?"),
    (KNOW, "", "¿Qué sabes de mí?"),
    (KNOW, "", "Was hast du dir über mich gemerkt?"),
    (KNOW, "", "¿Qué recuerdas sobre el usuario?"),
    (KNOW, "", "Que savez-vous sur moi ?"),
    (KNOW, "", "Qu'est-ce que tu sais de moi ?"),
    (KNOW, "", "O que você sabe sobre mim?"),
    (KNOW, "", "Cosa ricordi di me?"),
    (KNOW, "", "Wat weet je over mij?"),
    (KNOW, "", "你对我了解多少?"),
    (KNOW, "", "私について何を知っていますか?"),
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
    "Forget the cache dir.",
    "Forget the tests",
    "Forget the discount and write the invoice.",
    "Did you forget the discount?",
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


@each(("kind", "argument", "turn"), SPOKEN)
def test_a_command_is_read_with_its_argument(kind: CommandKind, argument: str, turn: str) -> None:
    assert command(turn) == SpokenCommand(kind, argument)


@each("turn", TRAPS, ids=lambda turn: turn[:40])
def test_what_only_looks_like_a_command_is_none(turn: str) -> None:
    assert command(turn) is None


def test_what_a_short_message_forgets_is_a_command_if_clear() -> None:
    ordered = command("Please forget the winter discount, thanks.")
    assert ordered == SpokenCommand(FORGET, "the winter discount", if_clear=True)
    assert command("Forget the discount.", before="Shall I add a discount?") is None


def test_quotation_marks_around_the_whole_argument_are_dropped() -> None:
    assert command('New rule: "guests first"') == SpokenCommand(RULE, "guests first")
    kept = 'remember that "guests" are "people"'
    assert command(kept) == SpokenCommand(REMEMBER, '"guests" are "people"')


@each(
    "piece",
    ["hey, ", "please ", "forget about ", "_", "remember that ", ", ", "can you ", '"'],
    ids=["hey", "please", "forget", "line", "remember", "comma", "can", "quote"],
)
def test_hostile_turns_are_read_in_bounded_time(piece: str) -> None:
    started = time.process_time()
    for turn in (piece * 50_000, (piece * 2_000)[:2_000]):
        command(turn)
    assert time.process_time() - started < 0.2


@each(("kind", "argument", "text"), TO_THE_MEMORY)
def test_more_wordings_are_understood_when_addressing_the_memory(
    kind: CommandKind, argument: str, text: str
) -> None:
    assert command(text, direct=True) == SpokenCommand(kind, argument)
    assert command(text) in (None, SpokenCommand(kind, argument))


@each(
    "text",
    [
        "Recuerda",
        "vergiss nicht",
        "记住",
        "I remember that well",
        "fyi",
        "what do you know about it?!",
    ],
)
def test_a_command_without_an_object_is_no_command_to_the_memory_either(text: str) -> None:
    found = command(text, direct=True)
    assert found is None or found == SpokenCommand(KNOW, "")
