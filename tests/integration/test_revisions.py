"""A context joins a later statement of a person with the earlier one that it changes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from happenings import message_event
from histories import opened

from memoranda import Memoranda
from memoranda.context.labelled_sentences import sentences
from memoranda.context.revisions import PersonStatement, Rarity, revision_model
from memoranda.language.words import content_stems

pytestmark = pytest.mark.integration

DAY = 86_400_000
START = 1_700_000_000_000
BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


@pytest.fixture
def memory(data_dir: Path) -> Iterator[Memoranda]:
    with opened(data_dir) as memory:
        yield memory


def lines(memory: Memoranda, *messages: str) -> list[str]:
    """Return the lines of people in a context after messages of one session each."""
    own = {"cwd": "/srv/shop"}
    memory.capture.take(
        [
            message_event(str(day), text, session=f"s{day}", occurred_at=START + day * DAY, **own)
            for day, text in enumerate([*messages, "Good morning, look at the prices."])
        ]
    )
    memory.capture.drain()
    brief = memory.context(workspace="shop", at_start=True)
    names = ("standing-instructions", "user-statements")
    return [item.text for one in brief.sections if one.name in names for item in one.items]


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        (
            "migrations: one file up, no down files, we always go forward only.",
            "from 0020 on each migration must get one down file, always.",
        ),
        (
            "please write all the code comments in English, the contractors can't read German.",
            "contractors are gone, German comments are ok again.",
        ),
        (
            "Put the VAT number in the footer.",
            "That VAT number in the footer is not required any longer.",
        ),
    ],
)
def test_a_change_is_in_one_line_with_what_it_changes(
    memory: Memoranda, earlier: str, later: str
) -> None:
    found = lines(memory, earlier, later)
    (line,) = [one for one in found if later.split(",")[0] in one]
    assert f"(before, 1#1: {earlier.rstrip('.')}" in line
    assert not any(one.startswith(earlier) for one in found)


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("Drop the index on orders before a bulk load.", "The index on orders is corrupt, look."),
        ("I have a standing lunch with Priya on Wednesdays.", "Lunch with Priya was great!"),
    ],
)
def test_what_only_mentions_the_same_stays_a_line_of_its_own(
    memory: Memoranda, earlier: str, later: str
) -> None:
    assert not any("(before," in one for one in lines(memory, earlier, later))


def test_the_later_message_precedes_whatever_the_order_of_storing(memory: Memoranda) -> None:
    earlier = "please write all the code comments in English, the contractors can't read German."
    later = "contractors are gone, German comments are ok again."
    own = {"cwd": "/srv/shop"}
    events = [
        message_event("later", later, session="s2", occurred_at=START + DAY, **own),
        message_event("earlier", earlier, session="s1", occurred_at=START, **own),
    ]
    for event in events:
        memory.capture.take([event])
        memory.capture.drain()
    brief = memory.context(workspace="shop", at_start=True)
    texts = [item.text for one in brief.sections for item in one.items]
    (line,) = [one for one in texts if "(before," in one]
    assert line.startswith("contractors are gone")


def test_an_earlier_statement_is_joined_with_one_later_statement(memory: Memoranda) -> None:
    earlier = "please write all the code comments in English, the contractors can't read German."
    found = lines(
        memory,
        earlier,
        "contractors are gone, German comments are ok again.",
        "the contractors wrote the German comments again, all the code has them.",
    )
    assert sum(earlier.rstrip(".") in one for one in found) == 1


def test_a_report_of_what_was_done_changes_no_rule(memory: Memoranda) -> None:
    rule = "Never send the monthly report to Odile before lunch."
    found = lines(memory, rule, "I sent the monthly report to Odile after lunch.")
    assert rule in found
    assert not any("(before," in one for one in found)


def test_a_rule_beside_another_one_about_the_same_stays_a_line(memory: Memoranda) -> None:
    rules = (
        "Always write the release notes for players, without file names.",
        "Always write the commit messages in English, with the ticket number.",
    )
    found = lines(memory, *rules)
    assert all(rule in found for rule in rules)


def test_a_changed_rule_is_within_every_budget(memory: Memoranda) -> None:
    lines(
        memory,
        "please write all the code comments in English, the contractors can't read German.",
        "contractors are gone, German comments are ok again.",
    )
    for budget in (200, 300, 500):
        brief = memory.context(workspace="shop", at_start=True, budget=budget)
        assert brief.tokens <= budget


def test_a_question_about_a_rule_changes_nothing(memory: Memoranda) -> None:
    rule = "Always squash the commits before merging, one commit for each feature."
    found = lines(memory, rule, "Did you squash the commits before merging the feature?")
    assert rule in found
    assert not any("(before," in one for one in found)


def test_a_model_without_labels_of_the_network_scores_a_change_higher() -> None:
    model = revision_model()
    rule = "never push to main, always open a pull request"
    change, reminder = (
        PersonStatement.of(sentences(text), 0)
        for text in (
            "from now on you can push to main yourself, no pull request needed anymore",
            "did you push to main without a pull request?",
        )
    )
    assert model.later(change) > model.later(reminder)
    assert model.both(rule, change.text, 0.9, 4) > model.both(rule, change.text, 0.1, 1)


def test_rare_stems_have_more_weight_than_frequent_ones() -> None:
    rarity = Rarity(["run the tests", "run the linter", "run black"])
    common, rare = content_stems("run"), content_stems("black")
    assert rarity.of(rare) > rarity.of(common)
    assert rarity.share(content_stems("run black"), rare) > 0.5
    assert rarity.relative(rare) == pytest.approx(1.0)


def test_statements_about_other_things_are_lines_of_their_own(memory: Memoranda) -> None:
    one, other = "Always write tests before the code.", "Never push to main, branches are yours."
    found = lines(memory, one, other)
    assert one in found
    assert other in found


def test_fitted_twice_the_weights_are_the_same_bytes(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    for name in ("a", "b", "test"):
        rows = (BENCHMARKS / "data" / "revisions" / f"{name}.jsonl").read_text("utf-8").splitlines()
        (data / f"{name}.jsonl").write_text("\n".join([*rows[:6], *rows[-6:]]), "utf-8")
    contents = []
    for name in ("first.npz", "second.npz"):
        out = tmp_path / name
        command = [sys.executable, "fit_revisions.py", "--data", str(data), "--out", str(out)]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
        shown = subprocess.run(
            command, cwd=BENCHMARKS, env=environment, check=True, capture_output=True, text=True
        )
        assert "test: area" in shown.stdout
        contents.append(out.read_bytes())
    assert contents[0] == contents[1]
