"""The context at a session's start, from the sessions before it."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from acting import acting
from happenings import message_event, ran
from histories import opened

from memoranda import Memoranda
from memoranda.exceptions import NotFound
from memoranda.memories.memory_service import NewMemory
from memoranda.observations.model import Origin
from memoranda.proposals.model import MemoryEdit
from memoranda.scope import NEW_FOLDER

pytestmark = pytest.mark.integration

OWN = {"session": "s1", "cwd": "/srv/shop"}
START = 1_700_000_000_000
BUDGETS = range(80, 300, 10)


@pytest.fixture
def memory(data_dir: Path) -> Iterator[Memoranda]:
    with opened(data_dir) as memory:
        yield memory


def section(memory: Memoranda, name: str, budget: int = 2_000) -> str:
    brief = memory.context(workspace="shop", at_start=True, budget=budget)
    found = [one for one in brief.sections if one.name == name]
    return "\n".join(item.text for one in found for item in one.items)


@pytest.mark.parametrize(
    "message",
    [
        "The key of the till is in /etc/shop/env since Monday. Please never print that file.",
        "Anything that a customer sees is a whole sentence, always. No codes.",
        "Did you restart the database while people pay? Never do that there again.",
    ],
)
def test_a_rule_is_shown_with_the_sentence_that_it_needs(memory: Memoranda, message: str) -> None:
    memory.capture.take([message_event("1", message, **OWN)])
    memory.capture.take([message_event("2", "Look at the prices", **{**OWN, "session": "s2"})])
    memory.capture.drain()
    assert message in section(memory, "standing-instructions")


@pytest.mark.parametrize("order", ["Remember that ", "Please remember that ", "Note: "])
def test_what_a_person_orders_to_remember_is_stated_once(memory: Memoranda, order: str) -> None:
    statement = "we deploy on Fridays"
    memory.capture.take([message_event("1", f"{order}{statement}", **OWN)])
    memory.capture.drain()
    assert [one.content for one in memory.memories.list(workspace="shop")] == [statement]
    assert section(memory, "profile") == statement
    assert section(memory, "standing-instructions") == section(memory, "statements") == ""


@pytest.mark.parametrize(
    ("lasting", "momentary"),
    [
        ("Never run the whole suite on this box.", "Never mind the whole suite for now, skip it."),
        ("From today we never push to main.", "Always sign only this time, as said."),
        ("Always run the tests before a commit.", "The tests need not be run for this commit."),
        ("Los commits van siempre en inglés.", "De momento no toques nunca el release."),
        (
            "Commits immer auf Englisch, ohne Ausnahme.",
            "Heute niemals pushen, ich lese erst den Diff.",
        ),
    ],
)
def test_what_is_bound_to_the_moment_is_no_standing_instruction(
    memory: Memoranda, lasting: str, momentary: str
) -> None:
    memory.capture.take([message_event("1", lasting, **OWN), message_event("2", momentary, **OWN)])
    memory.capture.take([message_event("3", "Look at the prices", **{**OWN, "session": "s2"})])
    memory.capture.drain()
    standing = section(memory, "standing-instructions")
    assert lasting in standing
    assert momentary not in standing


def test_a_lifted_rule_leaves_the_sentence_before_it(memory: Memoranda) -> None:
    place, rule = "The deploy runs in argo, never from a laptop.", "No --prune on that, ever."
    memory.capture.take([message_event("1", f"{place} {rule}", occurred_at=START, **OWN)])
    lift = {**OWN, "session": "s2", "occurred_at": START + 60_000}
    memory.capture.take([message_event("2", "The prune ban is lifted.", **lift)])
    memory.capture.drain()
    standing = section(memory, "standing-instructions")
    assert place in standing
    assert rule not in standing


def test_a_constraint_of_an_ended_task_is_not_critical_in_the_next(memory: Memoranda) -> None:
    order = "Don't touch the admin screens today, Ana is in there."
    memory.capture.take([message_event("1", order, **OWN)])
    memory.capture.drain()
    assert order in section(memory, "critical-facts")
    memory.tasks.end(memory.tasks.list(workspace="shop").items[0].id)
    assert order not in section(memory, "critical-facts")
    assert order not in section(memory, "standing-instructions")


@pytest.mark.parametrize(
    "statement",
    [
        "the importer listens on 4010 now, never on 3000",
        "you may always push your branches yourself by now, only main is mine",
        "feature branches you can always push yourself now, main and tags stay with me",
        "mocks are only for things that leave the building, never for our own tables",
        "from this week on always answer in English",
    ],
)
def test_a_new_state_is_not_bound_to_the_moment(memory: Memoranda, statement: str) -> None:
    memory.capture.take([message_event("1", statement, **OWN)])
    memory.capture.take([message_event("2", "Look at the prices", **{**OWN, "session": "s2"})])
    memory.capture.drain()
    assert statement in section(memory, "standing-instructions")


@pytest.mark.parametrize(
    "order",
    [
        "always write these two sentences in German for once",
        "never squash these, as an exception, our reviewer wants all four",
        "ausnahmsweise immer direkt auf main committen",
        "por una vez, siempre sin los tests",
    ],
)
def test_an_exception_does_not_last(memory: Memoranda, order: str) -> None:
    memory.capture.take([message_event("1", order, **OWN)])
    memory.capture.take([message_event("2", "Look at the prices", **{**OWN, "session": "s2"})])
    memory.capture.drain()
    assert order not in section(memory, "standing-instructions")


@pytest.mark.parametrize(
    ("correction", "order"),
    [
        (
            "No, that's wrong: always use port 9090 for staging, not 8080.",
            "Start it on 9090, not 8080, for this run.",
        ),
        ("it isn't UTC, it's Chicago time", "maybe it's the cache and not the query"),
        ("that's not how it works here, builds go through bazel, not make", "not now, later"),
        (
            "Nein, der Port ist 9090, nicht 8080.",
            "Mach erst den kleinen Fix, nicht den gro\u00dfen.",
        ),
        (
            "No, el servidor usa siempre el puerto 9090, no el 8080.",
            "Por ahora no toques el README.",
        ),
        ("Non, le port est 9090, pas 8080.", "Ne lance pas les tests pour l'instant."),
        (
            "\u4e0d\u5bf9\uff0c\u9884\u53d1\u5e03\u73af\u5883\u7684\u7aef\u53e3\u662f9090\uff0c\u4e0d\u662f8080\u3002",
            "\u4eca\u5929\u4e0d\u8981\u63a8\u9001\u3002",
        ),
    ],
)
def test_a_correction_with_the_right_value_applies_at_once_unconfirmed(
    memory: Memoranda, correction: str, order: str
) -> None:
    memory.capture.take([message_event("1", "Start the staging server", **OWN)])
    memory.capture.take([message_event("2", correction, **OWN), message_event("3", order, **OWN)])
    memory.capture.take([message_event("4", "Look at the prices", **{**OWN, "session": "s2"})])
    memory.capture.drain()
    assert section(memory, "standing-instructions") == correction
    brief = memory.context(workspace="shop", query="how are prices rounded", budget=2_000)
    assert f", unconfirmed {brief.text.split(', unconfirmed ')[1][:10]} task 1]" in brief.text
    assert correction in brief.text


def test_a_rejected_statement_leaves_contexts_until_it_is_repeated(
    memory: Memoranda,
) -> None:
    rule = "From now on commit messages are in English."
    steps = [ran(f"step-{n}", f"make part{n}", "ok", **OWN) for n in range(3)]
    memory.capture.take([message_event("1", "Bring the wiki up to date", **OWN), *steps])
    memory.capture.take([message_event("2", rule, **OWN)])
    memory.tasks.end("1")
    memory.capture.drain()
    assert rule in memory.context(workspace="shop", at_start=True, budget=2_000).text
    (proposal,) = memory.proposals.list(workspace="shop").items
    memory.proposals.reject(proposal.id)
    assert rule not in section(memory, "standing-instructions")
    assert rule not in section(memory, "critical-facts")
    now = time.time_ns() // 1_000
    memory.capture.take([message_event("3", rule, **{**OWN, "session": "s2"}, occurred_at=now)])
    memory.capture.drain()
    assert rule in section(memory, "standing-instructions") + section(memory, "critical-facts")


@pytest.mark.parametrize("act", ["edit", "archive"])
def test_a_corrected_or_archived_rule_takes_its_source_out_of_contexts(
    memory: Memoranda, act: str
) -> None:
    rule = "Totals are always rounded once at the end, half up, as contract 4.2 says."
    other = "Never write a price into the log of the shop."
    steps = [ran(f"step-{n}", f"make part{n}", "ok", **OWN) for n in range(3)]
    memory.capture.take([message_event("1", "Bring the quotes up to date", **OWN), *steps])
    memory.capture.take([message_event("2", f"{rule} {other}", **OWN)])
    memory.tasks.end("1")
    memory.capture.drain()
    (proposal,) = memory.proposals.list(workspace="shop").items
    memory.proposals.approve(proposal.id, shown=proposal.hash)
    assert "half up" in memory.context(workspace="shop", at_start=True, budget=2_000).text
    if act == "edit":
        corrected = rule.replace("half up", "half even")
        edit = MemoryEdit(content=f"{corrected} {other}")
        memory.memories.edit(proposal.memory, edit, reason="4.3")
    else:
        memory.memories.archive(proposal.memory, reason="no longer")
    text = memory.context(workspace="shop", at_start=True, budget=2_000).text
    assert "half up" not in text
    assert ("half even" in text, other in text) == (act == "edit", act == "edit")


ORDERED = [
    (
        "Put this into the changelog, bump the version, and remember for later work here:"
        " surcharges must always stay exact, never round anything below the order total.",
        "surcharges must always stay exact, never round anything below the order total.",
    ),
    (
        "A list that misses a band is always an error to report, never a price of zero."
        " Please remember that for later work here, and commit.",
        "A list that misses a band is always an error to report, never a price of zero.",
    ),
    (
        "Some rules:\n\n- Never edit prices.csv by hand.\n- Always run the whole suite.",
        "- Never edit prices.csv by hand.\n- Always run the whole suite.",
    ),
]


@pytest.mark.parametrize(("message", "rule"), ORDERED)
def test_a_learned_rule_is_without_the_orders_beside_it(
    memory: Memoranda, message: str, rule: str
) -> None:
    steps = [ran(f"step-{n}", f"make part{n}", "ok", **OWN) for n in range(3)]
    memory.capture.take([message_event("1", "Bring the quotes up to date", **OWN), *steps])
    memory.capture.take([message_event("2", message, **OWN)])
    memory.tasks.end("1")
    memory.capture.drain()
    (proposal,) = memory.proposals.list(workspace="shop").items
    assert proposal.after.content == rule
    memory.proposals.approve(proposal.id, shown=proposal.hash)
    assert "- - " not in memory.context(workspace="shop", at_start=True, budget=2_000).text


UNSURE = "Not convinced by floats, amounts should always be in cents."
QUOTED = "amounts should always be in cents."


def proposed_feedback(memory: Memoranda) -> tuple[str, str, str]:
    """Return unconfirmed feedback, and the id and hash of an agent's proposal that quotes it."""
    plan = "I will use floats for the amounts and put the tests into tests/, then commit."
    memory.capture.take([message_event("1", "Bring the quotes up to date", **OWN)])
    memory.capture.take([message_event("a", plan, **OWN, origin=Origin.AGENT)])
    memory.capture.take([message_event("2", UNSURE, **OWN)])
    memory.capture.drain()
    (heard,) = memory.feedback.list().items
    assert heard.state == "asking"
    assert heard.observation
    acting(memory, "bob", "shop").remember(NewMemory(QUOTED, evidence=(heard.observation,)))
    (proposal,) = memory.proposals.list(workspace="shop").items
    return heard.id, proposal.id, proposal.hash


@pytest.mark.parametrize(("approved", "state"), [(True, "processed"), (False, "dismissed")])
def test_feedback_is_decided_with_the_proposal_of_its_sentence(
    memory: Memoranda, approved: bool, state: str
) -> None:
    heard, proposal, shown = proposed_feedback(memory)
    if approved:
        memory.proposals.approve(proposal, shown=shown)
    else:
        memory.proposals.reject(proposal)
    assert memory.feedback.show(heard).feedback.state == state
    assert memory.store.status().feedback_asking == 0


@pytest.mark.parametrize("type", ["none", "pattern", "rejection"])
def test_a_proposal_is_decided_with_the_feedback_it_quotes(memory: Memoranda, type: str) -> None:
    heard, proposal, _ = proposed_feedback(memory)
    memory.feedback.correct(heard, type)
    status = memory.proposals.show(proposal).status
    assert status == ("pending" if type == "rejection" else "rejected")
    approved = [one.content for one in memory.memories.list(workspace="shop", status="approved")]
    assert any("always be in cents" in one for one in approved) == (type == "pattern")


def test_a_proposal_from_another_message_waits_on(memory: Memoranda) -> None:
    heard, proposal, _ = proposed_feedback(memory)
    acting(memory, "bob", "shop").remember("Quotes always carry the customer number.")
    memory.feedback.correct(heard, "none")
    (other,) = memory.proposals.list(workspace="shop").items
    assert other.id != proposal


def test_an_error_of_the_end_of_a_task_is_shown_and_one_long_before_is_not(
    memory: Memoranda,
) -> None:
    early = ran("early", "make docs", "docs: no rule for target api.html", failed=True, **OWN)
    steps = [ran(f"step-{n}", f"sed -n {n}p prices.py", "ok", **OWN) for n in range(40)]
    late = ran("late", "make lint", "lint: unused import in prices.py", failed=True, **OWN)
    memory.capture.take([message_event("goal", "Round the prices", **OWN), early, *steps, late])
    shown = section(memory, "errors-to-avoid")
    assert "unused import" in shown
    assert "api.html" not in shown
    text = memory.context(task="1", budget=2_000).text
    assert "api.html" in text


def test_single_words_and_pasted_output_are_not_statements_of_people(memory: Memoranda) -> None:
    log = "06-11 11:32:08.114 11873 E Runtime: Table{name='photo', columns={id=Column{name='id'}}}"
    memory.capture.take(
        [
            message_event("1", f"The tablet crashes when it opens the third photo.\n{log}", **OWN),
            message_event("2", "never.", **OWN),
        ]
    )
    memory.capture.drain()
    brief = memory.context(workspace="shop", at_start=True, budget=4_000)
    said_by_people = [one for one in brief.sections if one.name in STATED]
    text = "\n".join(item.text for one in said_by_people for item in one.items)
    assert "third photo" in text
    assert "never." not in text


def test_a_reported_fact_is_included_once(memory: Memoranda) -> None:
    report = "The export is fixed, 12 tests pass, `export.py` writes cents."
    memory.capture.take(
        [
            message_event("1", "Fix the export", **OWN),
            message_event("2", report, **OWN, origin=Origin.AGENT),
        ]
    )
    memory.tasks.end("1")
    memory.capture.drain()
    text = memory.context(workspace="shop", at_start=True, budget=2_000).text
    assert text.count("12 tests pass") == 1


STATED = ("standing-instructions", "user-statements")


def test_each_label_applies_to_the_entries_below_it(memory: Memoranda) -> None:
    rules = [f"Never edit zone{n}.csv by hand, it is generated." for n in range(3)]
    memory.capture.take([message_event(f"{n}", rule, **OWN) for n, rule in enumerate(rules)])
    text = memory.context(workspace="shop", at_start=True, budget=2_000).text
    lines = text.split("\n")
    assert any(re.fullmatch(r"\[human [\d-]{10} task 1\]", line) for line in lines)
    for number, rule in enumerate(rules, 1):
        assert f"#{number} {rule}" in lines
        assert memory.observations.show(f"1#{number}").content == rule


HOUR = 3_600_000


def sessions(memory: Memoranda, *values: Sequence[str]) -> None:
    """Store sessions an hour apart with a person's messages, and one more."""
    for number, texts in enumerate([*values, ["Look at the prices"]], 1):
        place = {"session": f"s{number}", "cwd": "/srv/shop"}
        at = 1_700_000_000_000 + number * HOUR
        memory.capture.take(
            [
                message_event(f"{number}-{n}", text, occurred_at=at + n, **place)
                for n, text in enumerate(texts)
            ]
        )
    memory.capture.drain()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Please always use tabs for indentation.", "Scratch the tabs rule, go with spaces."),
        ("Always answer in French from now on.", "You can answer in English again."),
        ("Firma siempre los commits.", "Ya no hace falta firmar los commits."),
        ("Signe toujours les commits.", "Tu n'as plus besoin de signer les commits."),
        (
            "今後は必ずコメントを日本語で書いてください。",
            "もうコメントを日本語で書かなくていいです。",
        ),
        ("以后请一直使用中文写注释。", "不用再用中文写注释了。"),
    ],
)
def test_a_revoked_rule_is_no_statement_either(memory: Memoranda, before: str, after: str) -> None:
    sessions(memory, [before], [after])
    said = section(memory, "standing-instructions") + section(memory, "user-statements")
    assert before.removeprefix("Please ") not in said
    assert after in said


@pytest.mark.parametrize("years", [5, 7_000])
def test_a_rule_of_a_time_to_come_is_revoked_like_any_other(memory: Memoranda, years: int) -> None:
    ahead = time.time_ns() // 1_000 + years * 365 * 86_400_000_000
    place = {"cwd": "/srv/shop"}
    texts = ("Always answer in French.", "Never edit the seat plan by hand.")
    for number, text in enumerate(texts):
        event = message_event(f"a{number}", text, occurred_at=ahead, session=f"a{number}", **place)
        memory.capture.take([event])
    later = "From now on no longer answer in French, answer in English."
    now = time.time_ns() // 1_000
    memory.capture.take([message_event("b", later, occurred_at=now, session="b", **place)])
    memory.capture.drain()
    assert texts[0] not in section(memory, "standing-instructions")
    text = memory.context(workspace="shop", at_start=True, budget=2_000).text
    assert text.index(later) < text.index(texts[1])
    assert memory.observations.show("1#1").observation.created_at == ahead


@pytest.mark.parametrize(
    "after",
    [
        "Ignore the tabs in the pasted log.",
        "We only scratch the surface of the tabs widget.",
        "Remove the tabs rule from .editorconfig",
    ],
)
def test_an_order_about_a_thing_revokes_no_rule(memory: Memoranda, after: str) -> None:
    sessions(memory, ["Always use tabs for indentation."], [after])
    assert "Always use tabs" in section(memory, "standing-instructions")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The commits are always written in German.", "From now on write commits in English."),
        ("Los commits siempre en castellano.", "Desde hoy los commits siempre in English."),
        ("Always reply in German.", "Stop replying in German."),
        ("Antworte immer auf Deutsch.", "Hör auf, auf Deutsch zu antworten."),
        ("以后请一直使用中文写注释。", "别再用中文写注释了。"),
        (
            "Always sync the tablets every 15 minutes.",
            "The 15 minutes are no longer wanted: always sync the tablets once an hour.",
        ),
        (
            "Never forget that the switch to format v4 is on 1 October.",
            "They pushed the switch back, format v4 comes on 5 October now not the 1st.",
        ),
        (
            "Amounts are always integer cents in a bigint like the rest, no float gets near money.",
            "Forget what I said on cents. Amounts are always micros: bigint, a million to a euro.",
        ),
    ],
)
def test_a_rule_that_a_later_message_changed_is_no_standing_instruction(
    memory: Memoranda, before: str, after: str
) -> None:
    kept = "Never edit the seat plan by hand."
    sessions(memory, [before, kept], [after])
    standing = section(memory, "standing-instructions")
    assert before not in standing
    assert kept in standing
    assert after in memory.context(workspace="shop", at_start=True, budget=2_000).text


def test_an_event_of_the_future_does_not_stay_the_current_task(memory: Memoranda) -> None:
    ahead = 1_924_992_000_000_000  # 2031
    wrong = message_event("1", "Fix the wrong clock.", **OWN, occurred_at=ahead)
    memory.capture.take([wrong])
    now = memory._services.clock.now()
    later = message_event("2", "Fix the cart.", session="s2", cwd="/srv/shop", occurred_at=now)
    memory.capture.take([later])
    memory.capture.drain()
    assert "Current task (active, 1 observation): Fix the cart." in section(memory, "task-progress")
    assert all(task.last_event_at <= now for task in memory.tasks.list(workspace="shop").items)


def test_an_order_to_stop_something_at_once_revokes_no_rule(memory: Memoranda) -> None:
    rules = ["Always start the server before a demo.", "请一直用中文回复。"]
    sessions(memory, rules, ["Stop the server.", "Stop when the tests pass."])
    standing = section(memory, "standing-instructions")
    assert all(rule in standing for rule in rules)


def test_a_change_of_another_thing_ends_no_rule_that_only_the_sentence_beside_it_is_about(
    memory: Memoranda,
) -> None:
    rule = "Never send the monthly report to Odile before lunch."
    after = (
        "I sent the monthly report to Odile after lunch. From now on one branch for each ticket."
    )
    sessions(memory, [rule], [after])
    assert rule in section(memory, "standing-instructions")


def test_a_reminder_is_included_with_the_sentences_that_refer_to_it(memory: Memoranda) -> None:
    text = (
        "The vendor ships the new firmware in June. Please always keep that in mind for the plan."
    )
    sessions(memory, [text])
    (line,) = [x for x in section(memory, "standing-instructions").split("\n") if "June" in x]
    assert "keep that in mind" in line


def test_a_constraint_is_included_with_its_antecedent(memory: Memoranda) -> None:
    text = "The sensors send Fahrenheit. That must always be converted at the door."
    memory.capture.take([message_event("1", f"{text} What does the log say?", **OWN)])
    memory.capture.drain()
    assert section(memory, "critical-facts") == text


def test_a_rule_stands_without_the_exception_of_today_beside_it(memory: Memoranda) -> None:
    rule = "Never deploy the ferry board on a Friday,"
    sessions(memory, [f"{rule} but you may do it today because the pier is closed."])
    standing = section(memory, "standing-instructions")
    assert rule in standing
    assert "pier" not in standing


def test_people_are_quoted_without_filler_and_emoji(memory: Memoranda) -> None:
    sessions(memory, ["oh and btw, never push to main on a Friday \U0001f64f"])
    text = memory.context(workspace="shop", at_start=True, budget=2_000).text
    assert "#1 never push to main on a Friday\n" in text


def test_what_is_right_goes_before_a_longer_statement_without_a_correction(
    memory: Memoranda,
) -> None:
    plain = (
        "The blue valve sits below the boiler in the cellar of the mill, "
        "beside the stairs to the yard and the door of the office."
    )
    right = "The green valve sits above the furnace in the attic of the barn."
    for_now = "Look at the drawing."
    wrong = "No, that is wrong, you mixed up the two valves."
    memory.capture.take([message_event("1", f"{wrong} {right}", **OWN)])
    memory.capture.take([message_event("2", f"{for_now} {plain}", **OWN)])
    memory.capture.drain()
    texts = [memory.context(workspace="shop", at_start=True, budget=b).text for b in BUDGETS]
    assert any(right in text and plain not in text for text in texts)
    assert not any(plain in text and right not in text for text in texts)


def test_a_new_folder_is_a_place_for_the_context_of_a_start_alone(data_dir: Path) -> None:
    with Memoranda.open(data_dir) as memory:
        memory.remember("Reply in French")
        memory.remember("Indent with tabs", workspace="shop")
        text = memory.context(at_start=True, workspace=NEW_FOLDER).text
        assert "Reply in French" in text
        assert "tabs" not in text
        with pytest.raises(NotFound):
            memory.search("French", workspace=NEW_FOLDER)
        with pytest.raises(NotFound):
            memory.tasks.list(workspace=NEW_FOLDER)
