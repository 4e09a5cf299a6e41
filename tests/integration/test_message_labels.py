"""People's messages are labelled once, with the network, when they are indexed."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest
from happenings import message_event

from memoranda import Memoranda
from memoranda.assembly.services import INDEXING_SECONDS
from memoranda.config import load_settings
from memoranda.search.index import SearchIndexer
from memoranda.utterances.message_labels import labels_from, labels_of, readable_message
from memoranda.utterances.sentence_checks import plain_classifier

pytestmark = pytest.mark.integration

LOG = "\n".join(f"2026-11-20 10:14:{n % 60:02d} INFO worker-{n} did job {n}" for n in range(900))
RULE = "Never push to main directly, always open a branch."
MESSAGES = [
    RULE,
    "1. Tabs, not spaces.\n2. No new dependencies.\n\nAnd now fix the login page.",
    "She wrote:\n> delete the old reports\n\nDon't, the auditors need them every year.",
    "Thanks!",
    "",
    f"It fails:\n{LOG}\nAlways retry twice. {RULE}",
]
CONTEXT = """
import sys
from memoranda import Memoranda
with Memoranda.open(sys.argv[1]) as memory:
    print(memory.context(workspace="shop", at_start=True).text)
print("memoranda.utterances.fitted_model" in sys.modules)
"""


@pytest.mark.parametrize("message", MESSAGES)
def test_labels_are_read_as_they_were_stored(message: str) -> None:
    labels = labels_of(message, plain_classifier())
    text = readable_message(message)
    read = labels_from(text, labels.stored(), shortened=text != message)
    assert read is not None
    for parts, stored in ((labels.parts, read.parts), (labels.own, read.own)):
        assert [(p.start, p.end, p.text, p.label) for p in parts] == [
            (p.start, p.end, p.text, p.label) for p in stored
        ]
        assert all(abs(a.lasting - b.lasting) < 0.01 for a, b in zip(parts, stored, strict=True))


def test_labels_of_another_version_are_not_read() -> None:
    stored = labels_of(RULE, plain_classifier()).stored()
    assert labels_from(RULE, stored.replace("[1,", "[0,", 1), shortened=False) is None


def say(data_dir: Path, text: str, **settings: str) -> None:
    with Memoranda.open(settings=load_settings({"data_dir": data_dir, **settings}, {})) as memory:
        memory.capture.take([message_event("1", text, cwd="/srv/shop")])
        memory.index.reembed()


def test_a_context_of_labelled_messages_loads_no_classifier(tmp_path: Path) -> None:
    say(tmp_path, RULE)
    done = subprocess.run(
        [sys.executable, "-c", CONTEXT, str(tmp_path)], check=True, capture_output=True, text=True
    )
    assert RULE.rstrip(".") in done.stdout
    assert done.stdout.splitlines()[-1] == "False"


def test_a_first_context_waits_for_every_session_however_long_the_model_loads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index, loaded = SearchIndexer.index_task, list[str]()

    def index_task(indexer: SearchIndexer, task: str) -> int:
        if not loaded:
            loaded.append(task)
            time.sleep(2 * INDEXING_SECONDS)
        return index(indexer, task)

    monkeypatch.setattr(SearchIndexer, "index_task", index_task)
    texts = ("Good morning.", RULE, "Thanks!")
    events = [message_event(text, text, session=text, cwd="/srv/shop") for text in texts]
    with Memoranda.open(tmp_path) as memory:
        monkeypatch.setattr(memory._services.background, "wake", lambda: None)
        memory.capture.take(events)
        standing = memory.context(workspace="shop").text.partition("<standing-instructions>")[2]
    assert RULE.rstrip(".") in standing


def test_a_context_has_the_rules_of_messages_that_are_not_labelled(tmp_path: Path) -> None:
    say(tmp_path, RULE, embedder="none")
    with Memoranda.open(tmp_path) as memory:
        assert RULE.rstrip(".") in memory.context(workspace="shop", at_start=True).text


TRACE = 'Traceback (most recent call last):\n  File "/srv/x.py", line 3, in run\n    self.pay(1)'
JSON_LINES = "\n".join(f'{{"level": "info", "job": {n}}}' for n in range(3))
OUTPUT = "$ npm test\nnpm ERR! missing script: test\nnpm ERR! code 1"


@pytest.mark.parametrize(
    "pasted", [LOG, LOG.replace("2026-11-20 10:14", "x"), TRACE, JSON_LINES, OUTPUT]
)
def test_what_a_person_says_after_a_paste_is_in_the_context(tmp_path: Path, pasted: str) -> None:
    say(tmp_path, f"Here it is, please look:\n{pasted}\nFrom now on always reply with a table.")
    with Memoranda.open(settings=load_settings({"data_dir": tmp_path}, {})) as memory:
        text = memory.context(workspace="shop", budget=500).text
    assert "always reply with a table" in text
    said = text.partition("</task-progress>")[2]  # the goal is the title of the message
    assert all(line not in said for line in pasted.split("\n")[1:])


@pytest.mark.parametrize(
    "text",
    [
        "WARNING: never touch the vendor folder.",
        "2026-11-20 10:00 dentist\n2026-11-21 11:00 haircut\n2026-12-01 09:30 exam",
        "src/app.py:12: this line must stay\nsrc/b.py:3: never change this\nsrc/c.py:1: keep it",
        "api: 8080\nweb: 8081\ndb: 5432\ncache: 6379",
        "\n".join(f"- Room {n} has {2 * n} chairs" for n in range(12)),
    ],
)
def test_the_lines_of_a_person_are_read(text: str) -> None:
    assert readable_message(text) == text
