"""Sentences of a message that are read together."""

from __future__ import annotations

from memoranda.context.dependent_sentences import grouped
from memoranda.language.sentences import sentence_spans
from tables import each


def _groups(message: str) -> list[str]:
    return [message[start:end] for start, end in grouped(message, sentence_spans(message))]


@each(
    "message",
    [
        "The key is in deploy/.env on the box. Never print that file.",
        "Je l'ai mis dans /etc/app/env. Please never print cette partie.",
        "Anything a customer sees is a whole sentence. No codes.",
        "The cut-off is 16:45 for everyone. But the station gets 18:30.",
        "Did you restart the database while people pay? Don't do that there.",
        "Die Sicherung liegt in /srv/backup. Diese Dateien bitte nie anfassen.",
        "Please remember for later:\n- Ada is away in June\n- the report is due on 15 July",
        "Merk dir bitte:\n1. im Juni bin ich weg",
    ],
)
def test_a_sentence_that_needs_the_previous_one_is_read_with_it(message: str) -> None:
    assert _groups(message) == [message]


@each(
    "message",
    [
        "Amounts are in cents. The build runs on port 8090.",
        "Amounts are in cents. Is that right?",
        "Great. Use pnpm in this repository.",
        "Amounts are in cents.\nNever print that file.",
        "Two things:\n\nThe build runs on port 8090.",
        "- Ada is away in June\n- the report is due on 15 July",
        "Commit messages are in English. Just for today skip that one.",
    ],
)
def test_other_sentences_stay_alone(message: str) -> None:
    assert len(_groups(message)) == 2


def test_groups_are_bounded() -> None:
    message = " ".join(
        ["The lamp of the second pier is broken again, as ever."] + ["Not that."] * 99
    )
    assert max(map(len, _groups(message))) <= 300
