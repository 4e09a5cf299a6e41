"""What a rule prefers and rejects, and which earlier rule it replaces."""

from __future__ import annotations

import pytest

from memoranda.language.stance import Stance

REPLACED = (
    ("Always use tabs for indentation.", "Always use spaces for indentation, never tabs."),
    ("Always use tabs for indentation.", "From now on use spaces for indentation, no longer tabs."),
    ("Use black for formatting", "Use ruff for formatting, not black"),
    ("Use pytest", "Use unittest instead of pytest"),
    ("Use spaces, not tabs", "Use tabs, not spaces"),
    ("Deploy on Fridays", "Never deploy on Fridays"),
    ("Never deploy on Fridays", "Deploy on Fridays"),
    ("Log in JSON", "Don't log in JSON, use plain text"),
    ("Nutze Tabs zur Einrückung", "Nutze Leerzeichen zur Einrückung, keine Tabs"),
    ("Usa tabuladores para la sangría", "Usa espacios para la sangría, no tabuladores"),
    ("Indentez avec des tabulations", "Indentez avec des espaces, jamais de tabulations"),
    ("Please always reply in German.", "Stop replying in German. English again please."),
    ("Always answer in German.", "You can stop replying in German."),
    ("Sign every commit.", "Please quit signing commits"),
    ("Antworte immer auf Deutsch.", "Hör bitte auf, mir auf Deutsch zu antworten."),
    ("Responde siempre en alemán.", "Deja de responder en alemán."),
    ("Réponds toujours en allemand.", "Arrête de répondre en allemand."),
    ("Responda sempre em alemão.", "Pare de responder em alemão."),
)
BOTH_HOLD = (
    ("Use tabs in Makefiles", "Use spaces for indentation, never tabs"),
    ("Deploy on Fridays at 3", "Never deploy on Fridays"),
    ("Use pytest for unit tests", "Use unittest instead of pytest"),
    ("Use spaces for indentation, no longer tabs", "Use spaces, not tabs"),
    ("Never call the tax API in tests", "Use spaces for indentation, never tabs"),
    ("Small commits, not big ones", "Small commits with a reason"),
    ("Use ruff for formatting, not black", "Use ruff for formatting, not black"),
    ("Always start the server.", "Stop the server"),
    ("Always make the tests pass.", "Stop when the tests pass"),
    ("Always reply in German.", "Stop replying in German when I ask about SQL"),
    ("Always reply in German.", "Don't stop replying in German"),
    ("Always run the tests before a commit.", "Stop running the tests"),
)


@pytest.mark.parametrize(("earlier", "later"), REPLACED)
def test_a_later_rule_replaces_what_it_rejects(earlier: str, later: str) -> None:
    assert Stance.of(later).replaces(Stance.of(earlier))


@pytest.mark.parametrize(("earlier", "later"), BOTH_HOLD)
def test_rules_that_can_both_hold_replace_nothing(earlier: str, later: str) -> None:
    assert not Stance.of(later).replaces(Stance.of(earlier))


def test_rules_that_reject_the_same_agree() -> None:
    one, other = Stance.of("Use spaces for indentation, never tabs"), Stance.of("spaces, not tabs")
    assert one.agrees(other)
    assert other.agrees(one)
    assert not one.agrees(Stance.of("two spaces for indentation, never tabs in SQL"))


def test_a_rejected_phrase_is_found_where_a_text_has_it() -> None:
    rule = Stance.of("Match prices by zone, never line by line.")
    assert rule.rejects_words_of("Decision: the lists are compared line by line")
    assert not rule.rejects_words_of("The lists are not compared line by line")
    assert not rule.rejects_words_of("Each line has a price")
    assert not Stance.of("Keep it out, not in the repo").rejects_words_of("It is in the repo")
