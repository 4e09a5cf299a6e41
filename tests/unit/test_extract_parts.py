"""Parts of extractive compression: sentences, clauses, atoms, words."""

from __future__ import annotations

from itertools import pairwise

from memoranda.compression.extract.reference_frequencies import table
from memoranda.compression.extract.sample import sample_limit, sampled
from memoranda.compression.extract.sentence_splitter import is_sentence, short_sentences, split_line
from memoranda.compression.extract.text_values import atoms
from memoranda.compression.extract.unit_splitter import clauses, informative, split_units
from memoranda.compression.extract.units import Unit, UnitKind
from memoranda.compression.model import Passage, PassageSpeaker
from memoranda.language.words import spelt_words, stem
from tables import each


def units(
    text: str, speaker: PassageSpeaker = PassageSpeaker.ASSISTANT, *pinned: str
) -> list[Unit]:
    return split_units([Passage("1#1", speaker, text, pinned)], ())


class TestSentences:
    @each(
        ("line", "expected"),
        [
            ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
            ('He said "no." She left.', ['He said "no."', "She left."]),
            ("Ask Dr. Oda, e.g. on Monday. Then go.", ["Ask Dr. Oda, e.g. on Monday.", "Then go."]),
            ("今日は晴れ。明日は雨\uff01", ["今日は晴れ。", "明日は雨\uff01"]),
            ("Version 3.11.2 is out.", ["Version 3.11.2 is out."]),
            ("", []),
        ],
    )
    def test_end_where_a_reader_ends_them(self, line: str, expected: list[str]) -> None:
        assert list(short_sentences(line)) == expected

    def test_very_long_ones_are_parted_at_separators(self) -> None:
        line = ", ".join(f"part number {n}" for n in range(100))
        found = list(short_sentences(line))
        assert len(found) > 3
        assert max(map(len, found)) <= 240
        assert " ".join(found) == line

    def test_parts_lose_nothing_but_space(self) -> None:
        line = '{"a": 1, "b": {"c": [1, 2, 3]}, "d": "' + "e" * 300 + '"}'
        assert "".join("".join(split_line(line, 40)).split()) == "".join(line.split())

    @each(
        ("line", "expected"),
        [
            ("Nadia wants the totals in euros by Thursday.", True),
            ("we kept the old one for now", True),
            ("total = parse(rows, strict=True)", False),
            ("    return sum(row.price for row in rows)", False),
            ("src/billing/rates.py:44: AssertionError", False),
            ("Done.", False),
        ],
    )
    def test_are_distinguished_from_code(self, line: str, expected: bool) -> None:
        assert is_sentence(line) is expected


class TestClauses:
    def clauses_of(self, sentence: str) -> list[str]:
        return [sentence[start:end] for start, end in clauses(sentence)]

    def test_a_short_sentence_stays_whole(self) -> None:
        assert self.clauses_of("I came, and we left, but you stayed.") == [
            "I came, and we left, but you stayed."
        ]

    def test_a_new_subject_begins_a_clause(self) -> None:
        assert self.clauses_of(
            "We settled on the smaller of both machines, and I ordered it on Monday, but they"
            " have not answered us in any way so far."
        ) == [
            "We settled on the smaller of both machines",
            "and I ordered it on Monday, but they have not answered us in any way so far.",
        ]

    @each("word", ["if", "unless", "until", "when", "as long as", "whenever"])
    def test_nothing_is_cut_behind_a_condition(self, word: str) -> None:
        sentence = (
            f"We delete the snapshots of the ledger, and we do so {word} the mirror at Split is"
            " reachable from here, and I call the owner before anybody else hears of it."
        )
        assert self.clauses_of(sentence)[-1].endswith("hears of it.")
        assert word in self.clauses_of(sentence)[-1]

    def test_clauses_are_parts_of_their_sentence_in_order(self) -> None:
        sentence = "I think it is fine - we can ship it; please tell the others, because " * 5
        spans = clauses(sentence)
        assert all(a < b for a, b in spans)
        assert all(first[1] <= second[0] for first, second in pairwise(spans))
        assert spans[0][0] == 0 and spans[-1][1] == len(sentence)


class TestAtoms:
    @each(
        ("text", "kind", "value"),
        [
            ("see https://example.org/a?b=1.", "url", "https://example.org/a?b=1"),
            ("ask ada@example.net, please", "mail", "ada@example.net"),
            ("it lies in /srv/ledger/2031.", "path", "/srv/ledger/2031"),
            ("open src/rates.py now", "path", "src/rates.py"),
            ("on 2031-04-05", "date", "2031-04-05"),
            ("runs 8.38.7 there", "version", "8.38.7"),
            ("peer 10.40.7.19 is gone", "address", "10.40.7.19"),
            ("commit 9be41d7c broke", "hash", "9be41d7c"),
            ("failed with E_BATCH_4410", "code", "E_BATCH_4410"),
            ("raised KeyError there", "code", "KeyError"),
            ("it costs $412", "money", "$412"),
            ("at 16:35", "time", "16:35"),
            ("about 91%", "number", "91%"),
            ("call parse_rows", "identifier", "parse_rows"),
            ("we use CockroachDB there", "identifier", "CockroachDB"),
            ("the `slow path` flag", "quoted", "`slow path`"),
            ("ask Odile", "name", "Odile"),
        ],
    )
    def test_have_their_kinds(self, text: str, kind: str, value: str) -> None:
        assert (kind, value) in {(atom.kind, atom.value) for atom in atoms(text)}

    def test_of_data_what_is_quoted_is_looked_at(self) -> None:
        found = {atom.value for atom in atoms('{"zip": "80211", "id": "QX-77"}', quoted=False)}
        assert {"80211", "QX-77"} <= found

    def test_hostile_text_costs_little(self) -> None:
        for text in ("a-" * 3000, "1." * 3000, "/" * 6000, "A_" * 3000, "0a" * 3000, '"' * 6000):
            assert len(list(atoms(text))) <= len(text)


class TestParting:
    def test_kinds_of_lines_are_distinguished(self) -> None:
        text = "\n".join(
            [
                "## What we do",
                "We keep the smaller one.",
                "```",
                "total = sum(rows)",
                "```",
                "| name | port | host |",
                '{"rows": ['
                + ", ".join(f'{{"id": {n}, "sku": "QX-{n}"}}' for n in range(9))
                + "]}",
            ]
        )
        kinds = [unit.kind for unit in units(text)]
        assert kinds[:4] == [UnitKind.HEADING, UnitKind.PROSE, UnitKind.CODE, UnitKind.CODE]
        assert set(kinds[4:]) == {UnitKind.DATA}

    def test_the_output_of_a_tool_is_a_log(self) -> None:
        text = "10:11:12 INFO started\n10:11:13 ERROR lost the peer\nshe said that it was fine."
        kinds = [unit.kind for unit in units(text, PassageSpeaker.TOOL)]
        assert kinds == [UnitKind.LOG, UnitKind.LOG, UnitKind.PROSE]

    def test_pinned_parts_are_units_of_their_own(self) -> None:
        found = units(
            "Please, never   call\nbefore noon, ok?", PassageSpeaker.USER, "never call before noon"
        )
        assert [(unit.text, unit.pinned) for unit in found] == [
            ("Please,", False),
            ("never call before noon", True),
            (", ok?", False),
        ]

    def test_pinned_parts_that_overlap_are_one(self) -> None:
        found = units("one two three four", PassageSpeaker.USER, "one two", "two three", "nowhere")
        assert [unit.text for unit in found if unit.pinned] == ["one two three"]


class TestSampling:
    def test_a_text_that_fits_is_read_whole(self) -> None:
        assert sampled("a\nb", 3) == "a\nb"

    def test_of_a_longer_one_the_ends_and_troubles_are_read_in_order(self) -> None:
        lines = [f"line {n} of a quiet run" for n in range(50_000)]
        lines[20_001] = "Traceback: lost 77 of them"
        read = sampled("\n".join(lines), 40_000)
        assert len(read) < 42_000
        assert read.startswith("line 0 ") and read.endswith("line 49999 of a quiet run")
        assert "lost 77" in read
        numbers = [int(line.split()[1]) for line in read.splitlines() if line.count(" ") == 5]
        assert numbers == sorted(numbers)

    def test_troubles_do_not_crowd_out_the_rest(self) -> None:
        text = "error in the middle of it\n" * 100_000
        assert len(sampled(text, 20_000)) < 24_000

    def test_all_passages_together_are_bounded(self) -> None:
        for count in (1, 10, 1_000, 4_000):
            assert sample_limit(count) * count <= 2_000_000


class TestWords:
    def test_scripts_without_spaces_give_pairs(self) -> None:
        assert spelt_words("港は48211") == ["48211", "港は"]

    def test_endings_do_not_matter(self) -> None:
        assert stem("Deployed") == stem("deploys") == stem("deploying") == "deploy"

    def test_explanations_are_common_and_findings_are_not(self) -> None:
        explains = spelt_words("you can use the following example to create a new object")
        reports = spelt_words("lwazi sold grandma's boat in split yesterday")
        assert table().surprise(explains)[0] < table().surprise(reports)[0]
        assert table().strangeness("function") < table().strangeness("grandma")


@each(
    ("line", "left"),
    [
        ("========== short test summary info ==========", "short test summary info"),
        ("!!!!! Interrupted: 1 error !!!!!", "Interrupted: 1 error"),
        ("----------------------------", ""),
        ("oldString:", ""),
        ("replaceAll: false", ""),
        ("originalFile: null", ""),
        ("healthy: false", "healthy: false"),
        ("replaceAll: true", "replaceAll: true"),
        ("--- a/rates.py", "--- a/rates.py"),
        ("Traceback (most recent call last):", "Traceback (most recent call last):"),
        ("a == b", "a == b"),
    ],
)
def test_rules_and_bare_labels_of_an_output_are_left_out(line: str, left: str) -> None:
    assert informative(line) == left


def test_only_an_output_loses_them_never_what_a_person_wrote() -> None:
    text = "oldString:\nreplaceAll: false\n" + "E   assert 1 == 2\n" * 4
    for speaker, lost in ((PassageSpeaker.TOOL, True), (PassageSpeaker.USER, False)):
        texts = [one.text for one in split_units([Passage("1#1", speaker, text)], ())]
        assert ("replaceAll: false" not in texts) is lost
