"""Conflicts of two statements with reasons, and pairs without conflict."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from memoranda.language.words import stem
from memoranda.statements.antonyms import exclude
from memoranda.statements.clauses import claims
from memoranda.statements.conflict_result import ConflictKind, ConflictReason, StatementConflict
from memoranda.statements.conflicts import conflict
from memoranda.statements.statement import MAX_LENGTH, Statement
from memoranda.text import one_line

NEAR = 0.85


def compared(old: str, new: str, cosine: float = NEAR) -> StatementConflict | None:
    return conflict(Statement.of(old), Statement.of(new), cosine)


def reason(old: str, new: str, cosine: float = NEAR) -> str | None:
    found = compared(old, new, cosine)
    return found.reason.value if found else None


def is_certain(old: str, new: str) -> bool:
    found = compared(old, new)
    return found is not None and found.certain


CONFLICTS = [
    ("value", "My favourite editor is vim.", "My favorite editor is now Helix."),
    ("value", "Priya works at Acme.", "Priya joined Globex."),
    ("negation", "Ben leads the team.", "It isn't Ben who leads the team, that was Ana."),
    ("negation", "Ana is the lead.", "The lead isn't Ana, that was Ben."),
    ("value", "Ana owns the billing service.", "Ben now owns the billing service."),
    ("antonym", "I love cilantro.", "I can't stand cilantro."),
    ("announced move", "Our frontend is Vue.", "We migrated the frontend to React."),
    ("announced move", "Olga works the day shift.", "Olga switched to the night shift."),
    ("value", "Tom's phone is a Pixel.", "Tom's current phone is an iPhone."),
    ("number", "INC-207 took 3 hours.", "INC-207 took 5 hours."),
    ("negation", "The nightly job sends a report.", "The nightly job does not send a report."),
    (
        "negation",
        "There is no index on the orders table.",
        "There is an index on the orders table.",
    ),
    ("negation", "We deploy on Fridays.", "We never deploy on Fridays."),
    ("negation", "Nobody reviews the migrations.", "Somebody reviews the migrations."),
    ("negation", "The cat isn\u2019t sleeping on the sofa.", "The cat is sleeping on the sofa."),
    ("negation", "There is no one in the lobby.", "Two guards are in the lobby."),
    ("announced move", "We are on version 1.2.", "We upgraded to version 1.3."),
    ("no longer", "The gateway supports gRPC.", "The gateway no longer supports gRPC."),
    ("no longer", "I smoke cigars at weekends.", "I don't smoke cigars any more."),
    ("no longer", "We use Consul for discovery.", "We stopped using Consul for discovery."),
    ("announced move", "We use Jira for planning.", "We switched to Linear for planning."),
    ("announced move", "Marta lives in Turin.", "Marta moved to Genoa in spring."),
    ("announced move", "The library is called Heron.", "The library was renamed to Egret."),
    ("date", "The review is on Tuesday.", "The review is on Thursday."),
    ("date", "The audit starts on 3 April.", "The audit starts on April 9."),
    ("date", "The launch is in March.", "The launch is in June."),
    ("number", "The pool holds 20 connections.", "The pool holds 35 connections."),
    ("number", "The lease takes 90 seconds.", "The lease takes 2 minutes."),
    ("number", "The quota is 5 GB.", "The quota was raised to 8 GB."),
    ("date", "The launch is on May 4.", "The launch is on June 8."),
    ("number", "The cluster has three nodes.", "The cluster has 5 nodes."),
    ("number", "We run Django 4.1.", "We run Django 5.0 now."),
    ("antonym", "The side door is open.", "The side door is closed."),
    ("antonym", "The volume is encrypted.", "The volume is unencrypted."),
    ("antonym", "Linting runs before the build.", "Linting runs after the build."),
    ("value", "Olaf drives a Skoda.", "Olaf drives a Fiat."),
    ("value", "The queue is RabbitMQ.", "The queue is Kafka."),
    ("value", "Priya works at Initech.", "Priya now works at Hooli."),
    ("announced change", "We write the docs in Dutch.", "We write the docs in English instead."),
]

COMPATIBLE = [
    ("I work at Acme.", "Ben left Acme and joined Globex."),
    ("I work at Acme.", "I joined the gym."),
    ("Ana owns the billing service.", "Ben now owns the search service."),
    ("I love cilantro.", "Ben hates cilantro."),
    ("Our frontend is Vue.", "We migrated the backend to Go."),
    ("Our frontend is Vue.", "We moved the frontend to the monorepo."),
    ("PR #12 changed 3 files.", "PR #15 changed 9 files."),
    ("Olga is allergic to penicillin.", "Olga switched to the night shift."),
    ("Olga lives in Kyiv.", "Olga switched to the night shift."),
    ("Flask 2.3 is installed.", "Flask-WTF 1.1 is installed."),
    ("The staging cluster has 3 nodes.", "The production cluster now has 9 nodes."),
    ("The first run takes 4 minutes.", "The second run takes 9 minutes."),
    ("The router /users is cached.", "The router /orders is not cached."),
    ("Error E12 means a bad token.", "Error E14 means a bad signature."),
    ("The index was rebuilt on Monday.", "The index was copied on Tuesday."),
    ("The importer works.", "I'm not sure how the importer works."),
    ("I'm trying to learn Rust.", "I'm trying to learn Go."),
    ("I want to bake bread.", "I have never baked bread."),
    ("The cache is enabled.", "Is the cache disabled?"),
    ("Ana likes tea.", "Ana likes coffee."),
    ("Ana works at Acme", "Ana likes green tea"),
    ("The timeout is 30 seconds", "The retry count is 3"),
    ("The timeout is 60 seconds.", "The timeout is 1 minute."),
    ("The demo is at 2 pm.", "The demo is at 14:00."),
    ("The launch is on May 4.", "The launch is on 4 May 2026."),
    ("The demo is on Friday.", "The demo is on May 4."),
    ("Rolf works at Acme.", "Ana no longer works at Acme."),
    ("We use Redis for caching.", "We no longer use Memcached for caching."),
    ("The login page is cached.", "The search page is not cached."),
    ("We keep logs for 30 days.", "We now keep backups for 90 days."),
    ("The API has 12 endpoints.", "The API now has 3 maintainers."),
    ("A clerk is writing.", "The clerk is not writing with a pencil."),
    ("A dog is standing in deep water.", "A dog is standing in shallow water."),
    ("The default branch is main.", "The default branch is protected."),
    ("My sister is single.", "Her sister is married."),
    ("It is slow.", "It is broken."),
    ("I have never been to Rome.", "I flew to Oslo last week."),
    ("We moved the tests to another folder.", "We moved the docs to another folder."),
    ("I live in Lisbon.", "I moved to the backend team."),
    ("Olga is allergic to penicillin.", "Olga moved from the Madrid office to the Vienna office."),
    ("Marta prefers contact by email.", "Marta moved from the Pro plan to the Basic plan."),
    ("Ben has a dog named Rex.", "Ben moved from Paris to Lyon."),
    ("The service runs on port 80.", "The service runs on two machines."),
    ("The pool holds 20 connections.", "The pool does not hold 35 connections."),
    ("The pool holds 20 connections.", "The pool holds 20 to 35 connections."),
    ("The pool holds 20 to 35 connections.", "The pool holds 35 connections."),
    ("A man is holding two cups.", "A man is holding three cups."),
    ("The lease takes 90 seconds.", "The lease takes 2 GB."),
    ("We deploy on Mondays.", "We never deploy on Fridays."),
    ("Ana's team uses Jira at work.", "Rolf's team switched to Linear at work."),
    ("Priya works at Initech.", "Priya now works from Porto."),
    ("My sister is a nurse.", "My sister is a doctor."),
    ("I'm trying to fit it into 20 kB of memory.", "I'm trying to fit it into 35 kB of memory."),
    ("The fix for E12 lands on Monday.", "The fix for E14 lands on Friday."),
    (
        "In spring we patch staging hosts on Monday.",
        "In spring we patch production hosts on Friday.",
    ),
    ("Version 1.2 was released in March.", "Version 1.3 was recently released in June."),
    ("I live in Lisbon.", "I moved my desk to Berlin."),
    ("The importer works with dates.", "I'm not sure the importer works."),
    ("The web server of the museum is Apache.", "The server is Nginx."),
    ("My sister lives in Graz.", "My sister's friend moved to Vienna."),
    ("The app is called Heron.", "The app server was renamed to Egret."),
    ("We use pytest for unit tests.", "We now use Playwright for browser tests."),
    ("We use pytest for unit tests.", "We switched to Playwright for browser tests."),
    ("Use no mocks in integration tests.", "Use mocks in unit tests."),
    ("Ana now writes to Riga about chess.", "Ana now writes to Riga about opera."),
    ("Ana no longer teaches chess.", "Ana likes chess very much."),
    ("Ana bought 83 books on chess.", "Ana bought 15 books on opera."),
    ("Release 1.2 was on May 4.", "Release 1.3 was on June 8."),
    ("I live in Lisbon.", "I moved to Lisbon last year."),
    ("I work at Acme.", "I work at night."),
    ("The cat is allergic to fish.", "The dog is not allergic to fish."),
    ("I drive a Skoda.", "I drive carefully."),
    ("The API returns JSON.", "The API returns errors as problem documents."),
    ("Two men are not fighting.", "Three dogs are asleep."),
]


@pytest.mark.parametrize(("expected", "old", "new"), CONFLICTS)
def test_two_statements_that_cannot_both_hold_conflict_for_a_reason(
    expected: str, old: str, new: str
) -> None:
    assert reason(old, new) == expected


@pytest.mark.parametrize(("old", "new"), COMPATIBLE)
def test_two_statements_that_can_both_hold_do_not_conflict(old: str, new: str) -> None:
    assert reason(old, new) is None


@pytest.mark.parametrize(("expected", "old", "new"), CONFLICTS)
def test_statements_conflict_with_nothing_that_looks_away(
    expected: str, old: str, new: str
) -> None:
    assert reason(old, "The kitchen on the third floor smells of paint.", 0.1) is None
    assert reason(old, f"{new[:-1]}?") is None
    assert reason(old, old.upper()) is None


def test_a_word_of_change_makes_an_update() -> None:
    assert_kind(
        "The pool holds 20 connections.", "The pool now holds 35 connections.", ConflictKind.UPDATE
    )
    assert_kind(
        "The pool holds 20 connections.",
        "The pool holds 35 connections.",
        ConflictKind.CONTRADICTION,
    )
    assert_kind("The demo is on Monday.", "The demo was postponed to Friday.", ConflictKind.UPDATE)


def assert_kind(old: str, new: str, kind: ConflictKind) -> None:
    found = compared(old, new)
    assert found is not None
    assert found.kind == kind


CERTAIN = [
    ("I work at Acme.", "I left Acme and joined Globex."),
    ("The gateway supports gRPC.", "The gateway no longer supports gRPC."),
    ("We use Jira for planning.", "We switched to Linear for planning."),
    ("Priya works at Initech.", "Priya now works at Hooli."),
    ("Marta lives in Turin.", "Marta moved to Genoa in spring."),
    ("The library is called Heron.", "The library was renamed to Egret."),
    ("The config is in YAML.", "The config is now in TOML."),
    ("We use Postgres for storage.", "We now use MySQL for storage."),
    ("The demo is on Monday.", "The demo was postponed to Friday."),
]
UNCERTAIN = [
    ("The gateway supports gRPC.", "It no longer supports gRPC."),
    ("My team uses vim.", "I no longer use vim."),
    ("The rate limit is 100 requests.", "The guest rate limit is now 50 requests."),
    ("The museum server is Apache.", "The museum web server is now Nginx."),
    ("It supports gRPC.", "It no longer supports gRPC."),
    ("We keep logs for 30 days.", "We now keep logs for 60 days."),
    ("Ana is French.", "Ana is now Head of Sales."),
    ("The job runs on Linux.", "The job was migrated to Kubernetes."),
    ("Priya works at Initech.", "Priya now works at night."),
    ("Priya works at Initech.", "Priya moved to Porto."),
    ("The side door is open.", "The side door is closed now."),
    ("Olaf drives a Skoda.", "Olaf drives a Fiat."),
    ("The pool holds 20 connections.", "The pool holds 35 connections."),
    ("We deploy on Fridays.", "We never deploy on Fridays."),
]


@pytest.mark.parametrize(("old", "new"), CERTAIN)
def test_what_ended_moved_or_is_another_now_may_supersede(old: str, new: str) -> None:
    found = compared(old, new)
    assert found is not None
    assert found.certain
    assert found.kind is ConflictKind.UPDATE


@pytest.mark.parametrize(("old", "new"), UNCERTAIN)
def test_anything_else_may_not_supersede(old: str, new: str) -> None:
    found = compared(old, new)
    assert found is not None
    assert not found.certain


def test_another_amount_supersedes_only_with_a_word_of_change() -> None:
    result = compared("The pool size is 20.", "The pool size is now 35.")
    assert result is not None
    assert result.certain


@pytest.mark.parametrize(("old", "new"), CERTAIN)
def test_only_the_newer_is_certain(old: str, new: str) -> None:
    assert is_certain(old, new)
    assert not is_certain(new, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        *UNCERTAIN,
        ("Ana reports her chess scores from Oslo.", "Ana now reports her golf scores from Oslo."),
        ("I gave 5 talks on sailing.", "The number of my talks on sailing has grown to 7."),
        ("Lamp 4 is on.", "Lamp 7 is new."),
        ("Lamp 4 is on.", "Lamp 7 is no longer on."),
        ("Server 4 is the primary.", "Server 9 is now the replica."),
        ("Step 2 takes 30 seconds.", "Step 3 now takes 60 seconds."),
    ],
)
def test_nothing_else_is_certain(old: str, new: str) -> None:
    assert not is_certain(old, new)


@pytest.mark.parametrize(
    ("expected", "old", "new"),
    [
        ("number", "The lease takes 90 seconds.", "The lease takes 2 minutes."),
        ("date", "The review is on Tuesday.", "The review is on Thursday."),
        ("no longer", "The gateway supports gRPC.", "The gateway no longer supports gRPC."),
        ("antonym", "The volume is encrypted.", "The volume is unencrypted."),
        ("negation", "The port is 8080.", "The port is not 8080."),
        (None, "We deploy with Helm.", "We never deploy on weekends."),
        (None, "The docs are not finished.", "The tests are finished."),
    ],
)
def test_without_vectors_structure_alone_speaks(expected: str | None, old: str, new: str) -> None:
    assert reason(old, new, 0.0) == expected


def test_paraphrases_of_what_is_denied_need_near_vectors() -> None:
    old, new = "A woman is frying a pork chop.", "The woman is not cooking a pork chop."
    assert reason(old, new, 0.67) == "negation"
    assert reason(old, new, 0.4) is None


def test_of_what_a_person_is_there_can_be_several() -> None:
    assert reason("Ana is French.", "Ana is now Head of Sales.", 0.6) is None
    assert reason("Our queue is RabbitMQ.", "Our queue is now Kafka.", 0.6) == "value"


def test_never_denies_a_history_that_the_other_states_in_part() -> None:
    never = "I've never written any Celery tasks or scheduled jobs in this project."
    part = "I finished the Celery beat schedule of this project."
    assert reason(never, part, 0.6) == "never"
    assert reason(never, part, 0.3) is None
    assert reason(never, "I want to finish the Celery schedule of this project.", 0.6) is None
    assert (
        reason(never, "I'm trying to finish the Celery schedule of this project.", 0.6) == "never"
    )


def test_a_move_that_has_little_to_do_with_the_older_statement_ends_nothing() -> None:
    assert reason("The job runs on Linux.", "The job was migrated to Kubernetes.", 0.2) is None
    assert reason("The job runs on Linux.", "The job was migrated to Kubernetes.") is not None


def test_one_common_word_is_no_common_topic_where_the_vectors_are_apart() -> None:
    assert reason("A demo on Monday.", "A demo talk on Friday.", 0.3) is None
    assert reason("A demo on Monday.", "A demo talk on Friday.", 0.75) == "date"


def test_confidence_is_a_share() -> None:
    for _, old, new in CONFLICTS:
        for cosine in (-1.0, 0.0, 0.7, 1.0):
            found = compared(old, new, cosine)
            assert found is None or 0 <= found.confidence <= 1


def test_forms_of_a_word_have_one_stem() -> None:
    for forms in ("close closes closed closing", "use uses used using", "stop stopped stopping"):
        assert len({stem(word) for word in forms.split()}) == 1
    assert stem("class") == "class"


def test_prefixes_turn_words_round_and_other_beginnings_do_not() -> None:
    assert exclude("visible", "invisible")
    assert exclude("unlock", "lock")
    assert exclude("useful", "useless")
    assert not exclude("cover", "discover")
    assert not exclude("side", "inside")
    assert not exclude("ice", "device")


MESSAGE = """\
Hi, I moved to Porto last month, so can you update the address?
The lease takes 90 seconds. What does that mean?
- We store vectors in Postgres because backups are easy.
I'm wondering if my import is broken
```
I set this by hand
```
def parse(text): return text
Please fix the parser."""


def test_claims_are_the_clauses_that_state_something() -> None:
    assert claims(MESSAGE) == [
        "I moved to Porto last month",
        "The lease takes 90 seconds",
        "We store vectors in Postgres",
        "backups are easy",
    ]


def test_a_request_leaves_its_value() -> None:
    assert claims("Could you move my dentist visit to May 4?") == ["move my dentist visit to May 4"]
    assert claims("Can you help me with my visit?") == []
    assert claims("Is my visit on May 4?") == []


def test_a_relative_clause_stays_with_its_subject() -> None:
    assert claims("I'm tuning the import, which now takes 9 seconds, can you look?") == [
        "I'm tuning the import, which now takes 9 seconds"
    ]
    assert claims("I need a boat, given that I've never sailed before.") == [
        "I need a boat",
        "I've never sailed before",
    ]


def test_code_in_a_line_takes_only_its_own_sentence_away() -> None:
    assert claims("I run `sync` at night. It is x = y + 1. My quota is 5 GB.") == [
        "I run sync at night",
        "My quota is 5 GB",
    ]


def test_claims_end_at_the_limit() -> None:
    assert len(claims("I like this one. " * 200)) == 60


@given(st.text(max_size=600))
def test_claims_are_parts_of_the_message(text: str) -> None:
    folded = one_line(text).replace("`", "")
    assert all(claim in folded for claim in claims(text))


PARTS = """\
I We The A no not never now 30 2.3 $5 % May 4 Monday is has been switched to from moved Ana cache's
don't any more no-one 9:30 pm /users v2 E12 , . ? \u2019 \u0663 9999999 - first production without
in un unlock lock"""
WORDS = st.lists(st.sampled_from(PARTS.split()), max_size=25).map(" ".join)
TEXTS = st.text(max_size=300) | WORDS


@given(TEXTS, TEXTS, st.floats(-1, 1))
def test_any_two_texts_can_be_compared(old: str, new: str, cosine: float) -> None:
    found = compared(old, new, cosine)
    assert found is None or (0 <= found.confidence <= 1 and found.reason in ConflictReason)


@given(TEXTS)
def test_no_statement_conflicts_with_itself(text: str) -> None:
    assert compared(text, text, 1.0) is None


@pytest.mark.parametrize(
    "unit",
    ["a", "9", "9,", "1.", "n't ", "not ", "' ", "a-", "/a", "was ", ", if ", "( ", ". ", "9 May ",
     "I am never ", "\u00a0", "\n", "moved to ", "\u4e0d"],
)  # fmt: skip
def test_one_thing_over_and_over_is_read_to_its_limit(unit: str) -> None:
    text = unit * (100_000 // len(unit))
    read = Statement.of(text)
    assert len(read.text) <= MAX_LENGTH
    assert conflict(read, Statement.of(f"I am never {text}"), NEAR) is None or read.stems
    assert all(len(claim) <= 300 for claim in claims(text))
