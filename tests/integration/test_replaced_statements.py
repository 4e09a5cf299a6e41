"""Statements that people later change by a value, in searches and start contexts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from happenings import START, message_event

from memoranda import Memoranda
from memoranda.config import load_settings

pytestmark = pytest.mark.integration

PAIRS = [
    ("Deploys go out on Fridays.", "Deploys go out on Tuesdays now.", "when do deploys go out"),
    ("The retry limit is 3.", "The retry limit is 5.", "what is the retry limit"),
    (
        "The staging server is on 10.0.0.4.",
        "The staging server is on 10.0.0.9.",
        "which address has the staging server",
    ),
    (
        "Always use port 8080 for the dev server, please.",
        "From now on use port 9090 for the dev server, not 8080.",
        "port of the dev server",
    ),
    (
        "Base your work on release/24, never on main.",
        "release/25 was cut this morning, that's the one to branch from.",
        "release branch to base work on",
    ),
    (
        "Deploys always go through Jenkins, never by hand.",
        "Jenkins got switched off on Monday; deploys are `gh workflow run deploy` now.",
        "how do deploys work",
    ),
    (
        "Coverage must not drop below 80 percent, ever.",
        "We raised the bar: 85 for coverage.",
        "coverage bar percent",
    ),
    (
        "The demo for Harbour is on Thursday, December 3.",
        "Harbour moved their demo to Wednesday the 9th.",
        "when is the Harbour demo",
    ),
    (
        "Redis on staging sits on 6380.",
        "I misspoke last week: staging's redis answers on 6390.",
        "redis staging",
    ),
    (
        "PRs about payments go to Tomasz.",
        "Tomasz has left the company, Ayumi looks at payments now.",
        "Tomasz",
    ),
    (
        "The CDN caches everything for 24 hours.",
        "Forget what I told you about the CDN, there is none.",
        "CDN",
    ),
]
UPDATED = [
    (
        "My delivery address is 14 Elm Street, Leeds.",
        "I moved house! My new address is 9 Bay Road, Hull.",
    ),
    ("My email is tom@example.org.", "my new email is tom.okafor@example.com"),
    ("I live in Leeds.", "I live in Porto now."),
    ("Our account manager is Priya Nair.", "Our new account manager is Tom Bell."),
    ("My dog is called Rex.", "My dog is called Bello now, the kids renamed him."),
    (
        "Meine Lieferadresse ist Lindenweg 3, Bremen.",
        "Meine neue Adresse ist Am Hafen 21, Hamburg.",
    ),
    ("Mi dirección es Calle Mayor 5, Madrid.", "Mi nueva dirección es Calle del Puerto 21."),
]
CORRECTED = [
    (
        "KM-037 is a loaner from the university, its data leaves this house to nobody.",
        "My mistake, I gave you the wrong one: the loaner is KM-039. KM-037 is ours.",
    ),
    (
        "Remember that the reviewer of billing is team-14.",
        "Sorry, wrong one: the reviewer is team-41.",
    ),
]
DENIED = [
    (
        "Retry webhooks five times.",
        "The webhook retry count should be seven, not five.",
        "how many times do we retry webhooks",
    ),
    (
        "Lesson time is Tuesday at 18:00.",
        "Let's move our lesson from Tuesday to Thursday, same time.",
        "when is the lesson",
    ),
]
BESIDE = [
    ("We use Redis for caching.", "The queue is Kafka, not Redis."),
    ("The meeting is on Tuesday.", "The delivery moved from Tuesday to Friday."),
    ("Deploys go out on Fridays.", "Reviews are due on Tuesdays."),
    ("The retry limit is 3.", "The page limit is 50."),
    ("The meeting with Bob is on Friday.", "The meeting with Anna is on Tuesday."),
    ("Never merge without a test.", "Forget what I said about it."),
    ("Never merge without tests.", "Forget what I said about tests in the wiki."),
    ("Keep the README in English.", "The README was removed from the diff, fine."),
    ("Payments go through Stripe, never PayPal.", "Stripe is dead slow, look into it."),
    ("The loaner is KM-037.", "Sorry, my mistake: this is KM-039 on the photo."),
    ("The valve leaks at pump 3.", "The valve leaks at pump 5."),
    ("The shop is open on Monday.", "The shop is open on Tuesday."),
    ("Ticket 3 is about the limit.", "Ticket 5 is about the limit."),
    ("Tests must run in under 80 seconds.", "We moved the tests to folder 2."),
    ("Keep Tomasz in copy of the invoices.", "Tomasz left a comment on the PR."),
    ("The cart holds 50 items at most.", "We changed the colour of the cart in ticket 77."),
    ("My delivery address is 14 Elm Street.", "My billing address is 9 Hill Road."),
    ("My brother's email is a@example.org.", "My email is b@example.org from now on."),
    ("My son is called Max.", "My daughter is called Mia now."),
    ("The retry limit is 3.", "Use a retry limit of 9 just for this one run."),
]
WITHDRAWN = [
    ("Always run make lint before a commit.", "forget what I said about make lint"),
    (
        "We deploy with Ansible, from the jump host.",
        "Forget about the Ansible thing, it was wrong.",
    ),
    ("Invoices to Swiss customers go out in CHF.", "scratch that bit about CHF"),
    ("Every service publishes its events to NATS.", "no longer relevant: the NATS rule"),
    ("Call me Dr. Whitfield in letters.", "sorry, the Whitfield thing was a mistake"),
    ("We should use Postgres everywhere, never SQLite.", "I take back what I said about Postgres."),
    ("Bitte immer Tabs statt Leerzeichen.", "vergiss das mit den Tabs"),
    ("Usa siempre comillas simples.", "olvida lo de las comillas"),
    ("From now on run make lint before each commit.", "Ignore the make lint rule, it's gone."),
    ("Nutze immer Tabs zur Einrückung.", "Die Regel mit den Tabs gilt nicht mehr."),
]
LIFTED = [
    ("Never edit vendor/.", "We forked it last week so you may edit vendor/ again."),
    ("Never touch anything under vendor/.", "From now on you may edit files under vendor/."),
    ("Never touch vendor/, that's somebody else's code.", "The vendor rule no longer applies."),
    ("Do not edit anything under vendor/", "ok vendor/ is fair game now, we own it"),
    ("No new dependencies.", "you may add dependencies again"),
]
NOT_LIFTED = [
    ("Never edit vendor/.", "You can edit app/ again."),
    ("Never edit vendor/.", "You can look into vendor/ for examples."),
    ("Never edit vendor/.", "if the tests pass, and you may edit vendor/ again, tell me"),
    ("No new dependencies.", "You may use the dependencies that we have."),
]
NOT_WITHDRAWN = [
    ("Always run make lint before a commit.", "don't forget what I said about make lint"),
    ("Always run make lint before a commit.", "forget about make lint for now, the build is red"),
    ("Invoices to Swiss customers go out in CHF.", "did you forget the CHF rule?"),
    ("Every service publishes its events to NATS.", "remove the NATS part from the diagram"),
    ("Reviews of billing are done by Ayumi.", "scratch that bit about CHF"),
]


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memoranda]:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as opened:
        yield opened


def say(memory: Memoranda, *texts: str) -> None:
    for number, text in enumerate(texts, 1):
        at = START + number * 3_600_000_000
        event = message_event(
            f"{number}", text, cwd="/srv/shop", session=f"s-{number}", occurred_at=at
        )
        memory.capture.take([event])


def context(memory: Memoranda) -> str:
    return memory.context(workspace="shop", at_start=True).text


@pytest.mark.parametrize(("old", "new", "query"), PAIRS + DENIED)
def test_a_replaced_hit_is_marked_and_follows_its_replacement(
    memory: Memoranda, old: str, new: str, query: str
) -> None:
    say(memory, old, new)
    hits = [hit for hit in memory.search(query, workspace="shop").hits if hit.type == "message"]
    assert [hit.title for hit in hits] == [new, old]
    assert [hit.replaced_by for hit in hits] == [None, hits[0].ref]
    assert hits[0].score >= hits[1].score
    for hit in hits:
        assert sum(hit.parts.values()) == pytest.approx(hit.score, abs=2e-3)


@pytest.mark.parametrize(("old", "new"), [pair[:2] for pair in PAIRS] + CORRECTED + UPDATED)
def test_a_start_context_omits_what_a_person_replaced(
    memory: Memoranda, old: str, new: str
) -> None:
    say(memory, old, "Thanks, that looks good to me so far.", new)
    text = context(memory)
    assert old.rstrip(".") not in text
    assert new.rstrip(".") in text


@pytest.mark.parametrize(("old", "new"), WITHDRAWN)
def test_what_a_person_takes_back_is_gone_with_the_message_that_takes_it_back(
    memory: Memoranda, old: str, new: str
) -> None:
    say(memory, old, "Reviews of billing are done by Ayumi.", new)
    text = context(memory).split("</task-progress>")[-1]  # which names the goals of all tasks
    assert old.rstrip(".") not in text
    assert new.rstrip(".") not in text
    assert "Ayumi" in text


@pytest.mark.parametrize(("old", "new"), LIFTED)
def test_a_ban_that_is_lifted_is_gone(memory: Memoranda, old: str, new: str) -> None:
    say(memory, old, "Reviews of billing are done by Ayumi.", new)
    assert old.rstrip(".") not in context(memory).split("</task-progress>")[-1]


@pytest.mark.parametrize(("old", "new"), NOT_WITHDRAWN + NOT_LIFTED)
def test_what_is_only_mentioned_again_is_not_taken_back(
    memory: Memoranda, old: str, new: str
) -> None:
    say(memory, old, new)
    assert old.rstrip(".") in context(memory)


def test_a_requirement_of_the_current_task_can_be_taken_back(memory: Memoranda) -> None:
    for text in ("Always run make lint before a commit.", "forget what I said about make lint"):
        memory.conversations.add(text, role="user", session="one", workspace="shop")
    found = memory.context(workspace="shop", task="one")
    assert "critical-facts" not in {section.name for section in found.sections}
    assert "standing-instructions" not in {section.name for section in found.sections}


@pytest.mark.parametrize(("first", "second"), BESIDE)
def test_statements_about_different_things_stand_beside_each_other(
    memory: Memoranda, first: str, second: str
) -> None:
    say(memory, first, second)
    assert first.rstrip(".") in context(memory)
    query = (
        first.rstrip(".").rsplit(" ", 1)[0] + " today"
    )  # a question with the same words is no hit
    hits = memory.search(query, workspace="shop").hits
    assert {hit.title: hit.replaced_by for hit in hits}[first] is None
