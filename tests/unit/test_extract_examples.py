"""Extractive compression of logs, diffs, test output, data and prose."""

from __future__ import annotations

import pytest

from memoranda.compression.extract.compressor import ExtractCompressor
from memoranda.compression.model import CompressedLine, CompressedText, Passage, PassageSpeaker
from memoranda.models.tokens import ToktokCounter

COUNTER = ToktokCounter()
COMPRESSOR = ExtractCompressor(COUNTER)

ADVICE = (
    "You can use a cache in front of the database to improve the response time of the page.",
    "It is a good idea to write tests for each function before you change how it behaves.",
    "Make sure that the configuration file is in the same directory as the application.",
    "There are several ways to do this, and each of them has advantages and disadvantages.",
    "Here is an example of how the function could be used in a larger application.",
    "This approach makes the code easier to read and allows you to extend it later.",
    "If you want to learn more about the topic, consider reading the official documentation.",
    "The first step is to create a new project and install the packages that it depends on.",
)


def compressed(
    *values: tuple[PassageSpeaker, str], ratio: float = 10, query: str = ""
) -> CompressedText:
    passages = [Passage(f"1#{n}", speaker, text) for n, (speaker, text) in enumerate(values, 1)]
    tokens = sum(COUNTER.count(text) for _, text in values)
    return COMPRESSOR.compress(passages, int(tokens / ratio), query=query or None)


def talk(*facts: str, turns: int = 24) -> list[tuple[PassageSpeaker, str]]:
    """Return an assistant's advice, with one of the facts every other turn."""
    reported = []
    for turn in range(turns):
        sentences = [ADVICE[(turn * 3 + n) % len(ADVICE)] for n in range(5)]
        if turn % 2 == 0 and turn // 2 < len(facts):
            sentences.insert(2, facts[turn // 2])
        reported.append((PassageSpeaker.ASSISTANT, "\n".join(sentences)))
    return reported


class TestProse:
    FACTS = (
        "Jorunn Falk owns the parser from here on.",
        "I grew up in Uppsala.",
        "The old vendor cost $412 a month.",
        "We lost 3,180 records in the spring.",
        "they left the keys with Lwazi",
        "Our lease runs out on 14 October 2033.",
    )

    def test_facts_stay_though_no_word_announces_them(self) -> None:
        made = compressed(*talk(*self.FACTS))
        for fact in self.FACTS:
            assert fact.rstrip(".") in made.text

    @pytest.mark.parametrize(
        "rule",
        (
            "Never write to the bucket arc-77f1.",
            "Pushing to release/31.4 is forbidden.",
            "Under no circumstances touch partition sdx44.",
        ),
    )
    def test_rules_stay_whatever_their_words(self, rule: str) -> None:
        assert rule in compressed(*talk(rule)).text

    def test_a_condition_is_never_cut_from_its_clause(self) -> None:
        sentence = (
            "If the mirror at Split is down for more than ninety minutes, we delete the snapshots"
            " of ledger QX-7, and I call Nadia Haddad before anybody else hears of the outage."
        )
        for ratio in (2, 4, 8, 16):
            made = compressed(*talk(sentence), ratio=ratio)
            for line in made.lines:
                if "delete the snapshots" in line.text:
                    assert line.text.startswith("If the mirror")

    def test_the_most_informative_clause_of_a_long_sentence_is_chosen(self) -> None:
        sentence = (
            "You can use a cache in front of the database to improve the response time of the"
            " page, and we settled on port 48211 for the gateway at Riga, which makes the code"
            " easier to read and allows you to extend it later in a larger application."
        )
        made = compressed(*talk(sentence), ratio=30)
        (line,) = [line for line in made.lines if "48211" in line.text]
        assert "we settled on port 48211 for the gateway at Riga" in line.text
        assert len(line.text) < len(sentence)

    def test_what_is_left_out_of_a_sentence_leaves_an_ellipsis(self) -> None:
        whole = Passage(
            "1#1",
            PassageSpeaker.USER,
            "Jorunn Falk keeps the ledger QX-7 in Uppsala these days, and it is a good idea to"
            " write tests for each function before you change how it behaves, and we sold the"
            " boat for 7,734 pounds to Lwazi Dube in Split.",
        )
        made = COMPRESSOR.compress([whole], 50)
        (line,) = made.lines
        assert " \u2026 " in line.text
        assert "write tests" not in line.text

    def test_other_scripts_are_parted_at_their_own_full_stops(self) -> None:
        filler = "この方法は読みやすく、あとで拡張することもできます。" * 40
        made = compressed((PassageSpeaker.USER, f"{filler}予算は48211円です。{filler}"), ratio=12)
        assert "予算は48211円です。" in made.text

    def test_what_is_set_against_something_else_is_worth_more(self) -> None:
        corrected, denied = "It was the method, not the structure.", "The method is no structure."
        lines = compressed(*talk(corrected, denied), ratio=4).lines
        worths = {line.text: line.worth for line in lines}
        assert worths[corrected] > 2 * worths.get(denied, 0.0)

    def test_with_a_question_its_answer_comes_first(self) -> None:
        result = talk(*self.FACTS)
        question = "What improves the response time of the page?"
        assert "response time" in compressed(*result, ratio=40, query=question).text
        assert "response time" not in compressed(*result, ratio=40).text


class TestChanges:
    def test_an_outdated_statement_is_marked_and_never_alone(self) -> None:
        result = talk("The launch is on 3 May.", turns=12)
        result += talk("The launch is now on 19 June.", turns=12)
        for ratio in (4, 8, 16, 30):
            found = {line.text: line for line in compressed(*result, ratio=ratio).lines}
            old = found.get("The launch is on 3 May.")
            new = found.get("The launch is now on 19 June.")
            assert new is not None and not new.outdated
            assert old is None or old.outdated

    @pytest.mark.parametrize(
        ("before", "after"),
        [
            ("The review is on 27 October.", "The review is now on 15 June."),
            ("Storage is handled by ClickHouse.", "Storage is handled by CockroachDB these days."),
        ],
    )
    def test_a_plain_change_is_recognised_however_short(self, before: str, after: str) -> None:
        lines = compressed(*talk(before, turns=12), *talk(after, turns=12), ratio=4).lines
        found = {line.text: line.outdated for line in lines}
        assert found.get(before, True)
        assert found[after] is False

    def test_two_things_alike_are_not_taken_for_one(self) -> None:
        result = talk("The rent of the flat in Riga is 900 euros.", "The train to Cork is at 9:40.")
        assert not any(line.outdated for line in compressed(*result, ratio=3).lines)


class TestLogs:
    @staticmethod
    def log(lines: int = 500) -> list[str]:
        return [
            f"2031-02-04 10:{n // 60:02d}:{n % 60:02d} DEBUG poll depth={n % 37} lag=0.{n % 90}"
            for n in range(lines)
        ]

    def test_trouble_its_cause_and_the_end_stay(self) -> None:
        lines = self.log()
        lines[0] = "2031-02-04 10:00:00 INFO starting build 7.14.2 of queue invoices"
        lines[200] = "2031-02-04 10:03:20 ERROR lost peer 10.40.7.19:5433 while reading orders"
        lines[330] = "2031-02-04 10:05:30 INFO failover: primary is now db-b2.internal:5433"
        lines[-2] = "2031-02-04 10:08:18 INFO 1204 invoices written, 3 skipped"
        lines[-1] = "2031-02-04 10:08:19 INFO stopped cleanly, exit status 0"
        made = compressed((PassageSpeaker.TOOL, "\n".join(lines)), ratio=20)
        for value in ("10.40.7.19:5433", "db-b2.internal", "1204", "exit status 0"):
            assert value in made.text

    def test_lines_of_one_pattern_are_counted_not_repeated(self) -> None:
        made = compressed((PassageSpeaker.TOOL, "\n".join(self.log())), ratio=10)
        assert len(made.lines) <= 3
        assert max(line.times for line in made.lines) == 500

    def test_failures_and_the_summary_of_a_test_run_stay(self) -> None:
        passed = [f"tests/test_shop.py::test_case_{n} PASSED  [{n // 3}%]" for n in range(280)]
        output = [
            "============ test session starts ============",
            *passed[:150],
            "tests/test_shop.py::test_rounding FAILED [ 51%]",
            *passed[150:],
            "=================== FAILURES ===================",
            "E       AssertionError: assert 23.91 == 23.9",
            "tests/test_shop.py:44: AssertionError",
            "===== 1 failed, 280 passed, 2 skipped in 3.41s =====",
            "[exit code 1]",
        ]
        made = compressed((PassageSpeaker.TOOL, "\n".join(output)), ratio=20)
        for value in ("test_rounding", "assert 23.91 == 23.9", "1 failed, 280 passed", "code 1"):
            assert value in made.text

    def test_changed_lines_of_a_diff_come_before_the_lines_around_them(self) -> None:
        around = [
            f"     kept_{name} = read(source, {name!r})" for name in "abcdefghijklmnopqrstuvw"
        ]
        diff = [
            "diff --git a/src/billing/rates.py b/src/billing/rates.py",
            "@@ -40,9 +40,9 @@ def rates(source):",
            *around[:12],
            "-    timeout_seconds = 30",
            "+    timeout_seconds = 95",
            *around[12:],
        ]
        made = compressed((PassageSpeaker.TOOL, "\n".join(diff)), ratio=5)
        assert "+ timeout_seconds = 95" in made.text
        assert "- timeout_seconds = 30" in made.text

    def test_values_missing_in_the_lines_are_listed_at_the_end(self) -> None:
        rows = ", ".join(
            f'{{"flight": "HAT{n:03d}", "price": {n * 7 + 101}, "seats": {n + 3}}}'
            for n in range(40)
        )
        made = compressed((PassageSpeaker.TOOL, f"[{rows}]"), ratio=4)
        text = " ".join(line.text for line in made.lines)
        assert made.values
        assert not any(value in text for value in made.values)
        assert made.text.splitlines()[-1] == "values: " + " ".join(made.values)

    def test_sentences_in_code_are_distinguished_from_code(self) -> None:
        code = [f"    total_{n} = parse(rows[{n}], strict=True)" for n in range(60)]
        code.insert(30, "Nadia wants the totals in euros by Thursday.")
        text = "\n".join(["```", *code, "```"])
        assert (
            "Nadia wants the totals in euros" in compressed((PassageSpeaker.ASSISTANT, text)).text
        )


class TestRounds:
    def test_facts_outlive_ten_rounds_of_new_text(self) -> None:
        facts = TestProse.FACTS
        result = talk(*facts, turns=40)
        budget = sum(COUNTER.count(text) for _, text in result) // 10
        passages = [Passage(f"1#{n}", speaker, text) for n, (speaker, text) in enumerate(result)]
        lines: tuple[CompressedLine, ...] = COMPRESSOR.compress(passages, budget).lines
        first = [fact for fact in facts if any(fact.rstrip(".") in line.text for line in lines)]
        for step in range(10):
            new = [
                Passage(f"{step + 2}#{n}", speaker, text)
                for n, (speaker, text) in enumerate(talk(turns=4))
            ]
            made = COMPRESSOR.compress(new, budget, earlier=lines)
            assert made.tokens <= budget
            lines = made.lines
        last = [fact for fact in first if any(fact.rstrip(".") in line.text for line in lines)]
        assert first == list(facts)
        assert last == first
