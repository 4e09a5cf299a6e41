"""Retention and contradictions, measured independently of the selection."""

from __future__ import annotations

import pytest

from memoranda.compression.critical_facts import critical_facts
from memoranda.compression.extract.compressor import ExtractCompressor
from memoranda.compression.model import CompressedLine, CompressedText, Passage, PassageSpeaker
from memoranda.compression.quality import quality
from memoranda.models.tokens import ToktokCounter
from memoranda.statements.assertions import Rank
from tables import each

USER = Passage(
    "1#1",
    PassageSpeaker.USER,
    "We decided to ship the parser first. Never write to /srv/ledger on Fridays.\n"
    "The budget is 4,200 EUR. What do you think of it? I like the colours.",
)
TOOL = Passage(
    "1#2",
    PassageSpeaker.TOOL,
    "collecting\nERROR db: deadlock on txid 88120300, retry 1\n"
    "ERROR db: deadlock on txid 88120340, retry 2\nwriting\n3 passed, 1 failed in 2.11s",
)


def shortened(*lines: CompressedLine, values: tuple[str, ...] = ()) -> CompressedText:
    text = "\n".join([*(line.text for line in lines), " ".join(values)])
    return CompressedText(text, 10, 100, lines, values, 0, 0, "test")


def compressed_line(text: str, ref: str = "1#1", outdated: bool = False) -> CompressedLine:
    return CompressedLine(ref, PassageSpeaker.USER, text, outdated)


class TestFacts:
    def test_are_constraints_decisions_or_values(self) -> None:
        assert [fact.text for fact in critical_facts([USER])] == [
            "We decided to ship the parser first.",
            "Never write to /srv/ledger on Fridays.",
            "The budget is 4,200 EUR.",
        ]

    def test_of_outputs_are_the_first_of_each_trouble_and_the_last_outcome(self) -> None:
        facts = critical_facts([TOOL])
        assert [fact.text for fact in facts] == [
            "ERROR db: deadlock on txid 88120300, retry 1",
            "3 passed, 1 failed in 2.11s",
        ]
        assert facts[0].values == {"88120300"}

    def test_what_an_agent_is_about_to_do_or_muses_is_no_fact(self) -> None:
        text = (
            "Let me check src/a.py first. Hmm, maybe 5 MB is too much. I'll run the 12 tests now."
        )
        assert critical_facts([Passage("1#3", PassageSpeaker.ASSISTANT, text)]) == []

    def test_what_an_agent_lays_down_or_decides_is_one(self) -> None:
        text = "Amounts have to be in cents. We dropped Celery because it lost jobs."
        facts = critical_facts([Passage("1#3", PassageSpeaker.ASSISTANT, text)])
        assert [fact.rank for fact in facts] == [Rank.REQUIREMENT, Rank.DECISION]

    @each(
        "line",
        [
            "    # Never call the ledger twice.",
            "12\u2192    size = 3  // Never call the ledger twice.",
            '    """Never call the ledger twice."""',
            "2026-09-14 09:12:44,120 WARN planner: Never call the ledger twice.",
            "Sep 14 09:12:44 node-3 runner[412]: Never call the ledger twice.",
            'level=info msg="Never call the ledger twice." n=3',
            '{"level": "info", "note": "Never call the ledger twice."}',
        ],
    )
    def test_a_sentence_is_found_in_code_and_in_logs(self, line: str) -> None:
        text = f"import os\n{line}\nx = os.path.join(a, b)"
        facts = critical_facts([Passage("1#3", PassageSpeaker.TOOL, text)])
        assert [fact.text for fact in facts] == ["Never call the ledger twice."]

    def test_code_and_routine_are_none(self) -> None:
        text = "if not ready:\n    raise Never(1)\nThe file /a/b.py has been updated.\nDone in 2.6s"
        assert critical_facts([Passage("1#3", PassageSpeaker.TOOL, text)]) == []


class TestRetention:
    def test_everything_kept_is_all_of_it(self) -> None:
        made = shortened(*(compressed_line(fact.text) for fact in critical_facts([USER])))
        found = quality([USER], made)
        assert (found.facts, found.kept, found.lost, found.retention) == (3, 3, (), 1.0)

    def test_what_is_lost_is_named(self) -> None:
        made = shortened(compressed_line("We decided to ship the parser first."))
        found = quality([USER], made)
        assert found.kept == 1
        assert found.lost == ("Never write to /srv/ledger on Fridays.", "The budget is 4,200 EUR.")

    @pytest.mark.parametrize(
        "line",
        [
            "write to /srv/ledger on Fridays.",
            "Never write to /srv on Fridays.",
            "Never go to /srv/ledger.",
        ],
    )
    def test_an_unrelated_line_does_not_count(self, line: str) -> None:
        assert quality([USER], shortened(compressed_line(line))).kept == 0

    def test_values_of_outputs_may_stand_anywhere(self) -> None:
        made = shortened(compressed_line("nothing", "1#2"), values=("88120300", "2.11s"))
        assert quality([TOOL], made).kept == 2

    def test_without_facts_nothing_is_lost(self) -> None:
        assert quality([], shortened()).retention == 1.0


class TestContradictions:
    def test_a_stale_value_without_the_newer_one(self) -> None:
        old = Passage("1#1", PassageSpeaker.USER, "The launch is on 3 May 2031.")
        new = Passage("1#2", PassageSpeaker.USER, "The launch is now on 19 June 2031.")
        stale = shortened(compressed_line("The launch is on 3 May 2031."))
        assert quality([old, new], stale).contradictions == 1
        marked = shortened(compressed_line("The launch is on 3 May 2031.", outdated=True))
        assert quality([old, new], marked).contradictions == 0
        both = shortened(compressed_line(old.text), compressed_line(new.text, "1#2"))
        assert quality([old, new], both).contradictions == 0

    @pytest.mark.parametrize(
        ("text", "line"),
        [
            ("If the mirror is down, we delete the snapshots.", "we delete the snapshots."),
            ("We delete the snapshots unless the mirror is down.", "We delete the snapshots"),
            ("You should never delete the snapshots.", "delete the snapshots."),
        ],
    )
    def test_a_condition_or_denial_that_was_cut_off(self, text: str, line: str) -> None:
        passage = Passage("1#1", PassageSpeaker.USER, text)
        assert quality([passage], shortened(compressed_line(line))).contradictions == 1
        assert quality([passage], shortened(compressed_line(text))).contradictions == 0

    def test_code_states_no_condition(self) -> None:
        code = "if not ready and size > 3:\n    push(queue, size)\nwhile open(path): wait(3)"
        passage = Passage("1#1", PassageSpeaker.TOOL, code)
        line = CompressedLine("1#1", PassageSpeaker.TOOL, "push(queue, size)")
        assert quality([passage], shortened(line)).contradictions == 0

    def test_a_sentence_repeated_thirty_times_is_included_once(self) -> None:
        text = "The kiln of Ulm broke at noon and nobody came by to see it. " * 30
        passage = Passage("1#1", PassageSpeaker.USER, text)
        made = ExtractCompressor(ToktokCounter()).compress([passage], 200)
        assert made.text.count("kiln") == 1

    def test_our_own_compression_has_none(self) -> None:
        text = " ".join(
            f"If rack {n} is full, we never move box {n * 7} to /srv/hall/{n}, and I call the owner"
            f" of hall {n}, unless the gate is open until 1{n % 10}:30."
            for n in range(40)
        )
        passage = Passage("1#1", PassageSpeaker.USER, text)
        made = ExtractCompressor(ToktokCounter()).compress([passage], 300)
        assert made.lines
        assert quality([passage], made).contradictions == 0
