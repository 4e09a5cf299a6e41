"""Edits of blocks: exact matches only, and errors an agent can act on."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given, strategies as st

from memoranda.blocks.patch_parser import (
    AddedBlock,
    DeletedBlock,
    Patch,
    RenamedBlock,
    UpdatedBlock,
    patched,
)
from memoranda.blocks.text_edits import changed_lines, inserted, patched_value, replaced
from memoranda.exceptions import Conflict, InvalidInput, NotFound
from tables import each

LONG = "".join(f"line {number}\n" for number in range(1, 1_001))

words = st.text("ab \n\r\t@+-*\\`", max_size=12)
lines = st.lists(
    st.sampled_from(["", "a", "b", " a", "-- x", "++ y", "@@", "*** End Patch", "a\r"])
)
texts = lines.map("\n".join)


class TestReplaced:
    def test_a_passage_that_occurs_once_is_replaced(self) -> None:
        assert replaced("net prices\nin euro", "euro", "yen") == "net prices\nin yen"

    def test_a_passage_may_span_lines_and_be_replaced_by_nothing(self) -> None:
        assert replaced("one\ntwo\nthree", "\ntwo", "") == "one\nthree"

    def test_every_occurrence_is_replaced_on_request(self) -> None:
        assert replaced("a-b-c", "-", "+", every=True) == "a+b+c"

    def test_several_occurrences_are_refused_with_their_lines(self) -> None:
        with pytest.raises(InvalidInput, match=r"on lines 1, 3;"):
            replaced("todo x\ndone\ntodo todo", "todo", "done")

    def test_occurrences_in_one_line_are_refused_with_that_line(self) -> None:
        with pytest.raises(InvalidInput, match=r"on line 2;"):
            replaced("done\ntodo todo", "todo", "done")

    def test_a_passage_that_overlaps_itself_is_no_single_one(self) -> None:
        with pytest.raises(InvalidInput, match="more than once"):
            replaced("xaaax", "aa", "b")

    def test_twenty_lines_are_listed(self) -> None:
        with pytest.raises(InvalidInput, match=r"lines 1, 2, .*, 19, 20 and more;"):
            replaced("x\n" * 21, "x", "y")
        with pytest.raises(InvalidInput, match=r"19, 20;"):
            replaced("x\n" * 20, "x", "y")

    def test_an_empty_passage_is_refused(self) -> None:
        with pytest.raises(InvalidInput, match="empty"):
            replaced("text", "", "x", every=True)

    @pytest.mark.parametrize("every", [False, True])
    def test_a_passage_that_is_not_there_is_answered_with_the_text(self, every: bool) -> None:
        with pytest.raises(InvalidInput, match=r"has 10 characters:\nnet prices$"):
            replaced("net prices", "gross", "x", every=every)

    def test_an_empty_block_is_reported_as_empty(self) -> None:
        with pytest.raises(InvalidInput, match="block is empty"):
            replaced("", "gross", "x")

    def test_of_a_long_text_the_beginning_is_shown(self) -> None:
        with pytest.raises(InvalidInput) as refusal:
            replaced(LONG, "gross", "x")
        message = str(refusal.value)
        assert f"has {len(LONG):,} characters; the first 2,000 are:\n" in message
        assert message.endswith(LONG[:2_000])

    @pytest.mark.parametrize(
        "old",
        [
            "     1→net prices\n     2→  in euro",
            "1\tnet prices\n2\t  in euro\n",
            "1: net prices\n2:   in euro",
            "1:net prices\n2:  in euro",
        ],
    )
    def test_line_numbers_that_were_pasted_in_are_recognised(self, old: str) -> None:
        with pytest.raises(InvalidInput, match="contains line numbers"):
            replaced("net prices\n  in euro\n", old, "x")

    @pytest.mark.parametrize("old", ["1: gross", "net prices\n2: in euro", "12:", "7"])
    def test_other_texts_are_not_taken_for_line_numbers(self, old: str) -> None:
        with pytest.raises(InvalidInput) as refusal:
            replaced("net prices\nin euro", old, "x")
        assert "line numbers" not in str(refusal.value)

    def test_a_text_that_begins_with_numbers_is_found_with_them(self) -> None:
        assert replaced("1: one\n2: two", "2: two", "2: three") == "1: one\n2: three"

    def test_nothing_is_normalised(self) -> None:
        for old in ("net  prices", "Net prices", "net prices\r\n", "ne\u0301t"):
            with pytest.raises(InvalidInput):
                replaced("net prices\nn\u00e9t", old, "x")

    def test_a_text_cannot_be_made_to_fill_the_memory(self) -> None:
        with pytest.raises(InvalidInput, match="100,000,000 characters"):
            replaced("x" * 10_000, "x", "y" * 10_000, every=True)

    @given(words, words.filter(bool), words, words)
    def test_no_other_text_is_lost(self, head: str, old: str, tail: str, new: str) -> None:
        value = head + old + tail
        starts = [at for at in range(len(value)) if value.startswith(old, at)]
        if starts == [len(head)]:
            assert replaced(value, old, new) == head + new + tail
        else:
            with pytest.raises(InvalidInput, match="more than once"):
                replaced(value, old, new)
            parts = replaced(value, old, "\0", every=True).split("\0")
            assert len(parts) > 1
            assert old.join(parts) == value


class TestInserted:
    @pytest.mark.parametrize(
        ("line", "expected"),
        [(0, "new\none\ntwo"), (1, "one\nnew\ntwo"), (2, "one\ntwo\nnew"), (-1, "one\ntwo\nnew")],
    )
    def test_a_line_number_sets_the_preceding_line(self, line: int, expected: str) -> None:
        assert inserted("one\ntwo", "new", line=line) == expected

    def test_the_default_place_is_the_end(self) -> None:
        assert inserted("one\ntwo\n", "new") == "one\ntwo\nnew"

    def test_a_line_feed_that_is_there_is_not_doubled(self) -> None:
        assert inserted("one\ntwo", "new\n", line=1) == "one\nnew\ntwo"
        assert inserted("one\ntwo\n", "new\n") == "one\ntwo\nnew\n"

    @pytest.mark.parametrize("line", [0, -1])
    def test_an_empty_block_becomes_just_the_text(self, line: int) -> None:
        assert inserted("", "new\nlines", line=line) == "new\nlines"

    @pytest.mark.parametrize("line", [-2, 3, 10**30])
    def test_a_line_that_is_not_there_is_refused(self, line: int) -> None:
        with pytest.raises(InvalidInput, match="the block has 2 lines"):
            inserted("one\ntwo\n", "new", line=line)

    def test_an_empty_block_has_no_line_to_follow(self) -> None:
        with pytest.raises(InvalidInput, match="the block has 0 lines"):
            inserted("", "new", line=1)

    def test_a_text_can_follow_the_line_that_contains_another(self) -> None:
        assert inserted("# Plan\n# Done\nx", "new", after="Done") == "# Plan\n# Done\nnew\nx"

    def test_what_to_follow_is_no_pattern(self) -> None:
        assert inserted("a.b\naxb", "new", after="a.b") == "a.b\nnew\naxb"

    def test_what_to_follow_may_stand_in_its_line_twice_and_span_lines(self) -> None:
        assert inserted("x x\ny", "new", after="x") == "x x\nnew\ny"
        assert inserted("x\na\nx\nb\nc", "new", after="x\nb") == "x\na\nx\nb\nnew\nc"
        assert inserted("a\nb\nc", "new", after="b\n") == "a\nb\nnew\nc"

    def test_several_lines_to_follow_are_refused_with_their_numbers(self) -> None:
        with pytest.raises(InvalidInput, match="lines 1, 3;"):
            inserted("x\ny\nx", "new", after="x")

    def test_a_line_to_follow_that_is_not_there_is_answered_with_the_text(self) -> None:
        with pytest.raises(InvalidInput, match=r"3 characters:\nx\ny$"):
            inserted("x\ny", "new", after="z")

    def test_two_places_none_and_nothing_to_insert_are_refused(self) -> None:
        with pytest.raises(InvalidInput, match="not both"):
            inserted("x", "new", line=0, after="x")
        with pytest.raises(InvalidInput, match="insert after is empty"):
            inserted("x", "new", after="")
        with pytest.raises(InvalidInput, match="text to insert is empty"):
            inserted("x", "")

    @given(texts, words.filter(bool), st.integers(0, 5))
    def test_no_other_text_is_lost_and_lines_are_its_own(
        self, value: str, text: str, line: int
    ) -> None:
        whole = value.removesuffix("\n").split("\n") if value else []
        assume(line <= len(whole))
        result = inserted(value, text, line=line).split("\n")
        text_lines = text.removesuffix("\n").split("\n")
        assert result[:line] == whole[:line]
        assert result[line : line + len(text_lines)] == text_lines
        rest = result[line + len(text_lines) :]
        assert rest == whole[line:] or rest == [*whole[line:], ""]


class TestPatchedValue:
    def test_hunks_change_their_lines(self) -> None:
        patch = "@@ the middle\n one\n-two\n+2\n+2.5\n@@\n three\n+4\n"
        assert patched_value("one\ntwo\nthree\n", patch) == "one\n2\n2.5\nthree\n4\n"

    def test_marks_and_file_names_around_the_hunks_may_be_there(self) -> None:
        hunk = "@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+1"
        for patch in (
            f"--- a/x\n+++ b/x\n{hunk}",
            f"\n*** Begin Patch\n{hunk}\n\n*** End Patch\n\n",
            "-one\n+1",
        ):
            assert patched_value("one", patch) == "1"

    def test_the_space_of_an_empty_line_may_be_lost(self) -> None:
        assert patched_value("a\n\nb", "@@\n a\n\n-b\n+c\n\n") == "a\n\nc"

    def test_hunks_may_share_what_stays_and_come_in_any_order(self) -> None:
        patch = "@@\n b\n-c\n+3\n@@\n-a\n+1\n b"
        assert patched_value("a\nb\nc", patch) == "1\nb\n3"
        patch = "@@\n-a\n+1\n b\n c\n@@\n b\n+x\n c"
        assert patched_value("a\nb\nc", patch) == "1\nb\nx\nc"

    def test_lines_that_are_not_there_are_refused_with_the_text(self) -> None:
        with pytest.raises(InvalidInput, match=r"hunk 2 of block 'plan'.*\n1\n2$"):
            patched_value("1\n2", "@@\n-1\n+x\n@@\n-12\n+y", label="plan")

    def test_part_of_a_line_is_no_line(self) -> None:
        with pytest.raises(InvalidInput, match="do not match the block"):
            patched_value("one two", "@@\n-one\n+1")

    def test_lines_that_are_there_twice_are_refused_with_their_places(self) -> None:
        with pytest.raises(InvalidInput, match=r"hunk 1 of the block matches .* lines 1, 3;"):
            patched_value("a\nb\na", "@@\n-a\n+c")

    def test_the_line_in_a_header_decides_between_places(self) -> None:
        assert patched_value("a\nb\na", "@@ -3 +3 @@\n-a\n+c") == "a\nb\nc"

    def test_a_wrong_line_in_a_header_does_no_harm_where_there_is_one_place(self) -> None:
        assert patched_value("a\nb", "@@ -7,1 +7,1 @@\n-b\n+c") == "a\nc"

    def test_what_only_adds_needs_a_place(self) -> None:
        assert patched_value("", "@@\n+a\n+b") == "a\nb"
        assert patched_value("a\nb", "@@ -1,0 +2 @@\n+x") == "a\nx\nb"
        for head in ("@@", "@@ -3,0 +4 @@"):
            with pytest.raises(InvalidInput, match="without context"):
                patched_value("a\nb", f"{head}\n+x")

    def test_hunks_that_change_the_same_lines_are_refused(self) -> None:
        with pytest.raises(InvalidInput, match="hunks 1 and 2 of the block"):
            patched_value("a\nb\nc", "@@\n-b\n-c\n@@\n-a\n-b\n+x")

    @each(
        ("patch", "text"),
        [
            ("", "no hunks"),
            ("\n\n", "no hunks"),
            ("@@\n a", "changes nothing"),
            ("@@", "changes nothing"),
            ("@@\n-a\nb", "not 'b'"),
            ("*** Update Block: x\n@@\n-a", "is not allowed"),
            ("@@\n-a\n*** Delete Block: y", "is not allowed"),
            ("@@ -" + "9" * 5_000 + " +1 @@\n-b\n+c", "do not match the block"),
            ("@@\n-a\n+b\n" * 1_001, "at most 1,000 hunks"),
        ],
    )
    def test_a_patch_that_cannot_be_read_is_refused(self, patch: str, text: str) -> None:
        with pytest.raises(InvalidInput, match=text):
            patched_value("a", patch)

    @given(texts, texts)
    @example("*** End Patch", "\n*** End Patch")
    def test_a_diff_leads_from_one_text_to_the_other(self, old: str, new: str) -> None:
        diff = changed_lines(old, new)
        assert (diff == "") == (old == new)
        if diff:
            assert patched_value(old, diff) == new

    @given(texts, st.lists(st.sampled_from(["@@", "@@ -1 +1 @@", " a", "-a", "+b", "", "-"])))
    def test_only_named_lines_are_removed(self, value: str, patch: list[str]) -> None:
        try:
            result = patched_value(value, "\n".join(patch))
        except InvalidInput:
            return
        kept = value.split("\n")
        for line in result.split("\n"):
            if line in kept:
                kept.remove(line)
        assert set(kept) <= {line[1:] for line in patch if line[:1] == "-"} | {""}


class TestPatched:
    VALUES = {"plan": "a\nb", "notes": "x"}  # noqa: RUF012

    def test_blocks_are_changed_in_the_order_of_the_patch(self) -> None:
        patch = """*** Begin Patch
*** Add Block: decisions
+Prices are net.
+

*** Update Block: plan
*** Move to: progress
@@
 a
-b
+c

*** Delete Block: notes
*** End Patch
"""
        assert patched(self.VALUES, patch) == Patch(
            (
                AddedBlock("decisions", "Prices are net.\n"),
                UpdatedBlock("plan", "a\nc"),
                RenamedBlock("plan", "progress"),
                DeletedBlock("notes"),
            )
        )

    def test_a_block_can_be_renamed_and_nothing_else(self) -> None:
        patch = "*** Update Block: plan\n*** Move to: progress"
        assert patched(self.VALUES, patch) == Patch((RenamedBlock("plan", "progress"),))

    def test_a_new_block_may_be_empty(self) -> None:
        assert patched({}, "*** Add Block: todo") == Patch((AddedBlock("todo", ""),))

    def test_a_section_sees_what_those_before_it_did(self) -> None:
        patch = (
            "*** Delete Block: notes\n*** Update Block: plan\n*** Move to: notes\n"
            "*** Update Block: notes\n@@\n-a\n+1\n*** Update Block: notes\n@@\n 1\n-b\n+2"
        )
        assert patched(self.VALUES, patch).changes[2:] == (
            UpdatedBlock("notes", "1\nb"),
            UpdatedBlock("notes", "1\n2"),
        )

    def test_the_input_is_unchanged(self) -> None:
        values = dict(self.VALUES)
        patched(values, "*** Delete Block: notes\n*** Add Block: more\n+x")
        assert values == self.VALUES

    @each(
        ("patch", "error", "text"),
        [
            ("*** Add Block: plan\n+x", Conflict, "'plan' already"),
            ("*** Update Block: plan\n*** Move to: notes", Conflict, "'notes' already"),
            ("*** Update Block: gone\n@@\n-a", NotFound, "no block 'gone'.*'notes', 'plan'"),
            ("*** Update Block: gone\n*** Move to: there", NotFound, "no block 'gone'"),
            ("*** Delete Block: gone", NotFound, "no block 'gone'"),
            ("*** Delete Block: plan\n*** Delete Block: plan", NotFound, "no block 'plan'"),
            ("*** Delete Block: plan\n-a", InvalidInput, "nothing may follow"),
            ("*** Add Block: new\nx", InvalidInput, "block 'new' must begin with '\\+'"),
            ("*** Add Block:  ", InvalidInput, "has no block label"),
            (
                "*** Update Block: plan\n*** Move to:\n@@\n-a",
                InvalidInput,
                "has no block label",
            ),
            ("*** Update Block: plan", InvalidInput, "no hunks for block 'plan'"),
            ("*** Update Block: plan\n@@\n-c", InvalidInput, "hunk 1 of block 'plan'"),
            ("*** Update Block: plan\n-a\n*** Rename: x", InvalidInput, r"'\*\*\* Rename: x'"),
            ("@@\n-a\n+b", InvalidInput, "does not name a block"),
            ("a\n*** Delete Block: plan", InvalidInput, "does not name a block"),
            ("", InvalidInput, "does not name a block"),
        ],
    )
    def test_a_patch_that_does_not_fit_is_refused(
        self, patch: str, error: type[Exception], text: str
    ) -> None:
        with pytest.raises(error, match=text):
            patched(self.VALUES, patch)

    @given(st.dictionaries(st.sampled_from("pqr"), texts), texts)
    def test_a_new_block_has_the_written_value(self, values: dict[str, str], new: str) -> None:
        body = "".join(f"\n+{line}" for line in new.split("\n")) if new else ""
        patch = f"*** Begin Patch\n*** Add Block: new{body}\n*** End Patch"
        assert patched(values, patch) == Patch((AddedBlock("new", new),))


class TestChangedLines:
    def test_a_diff_shows_two_lines_around_a_change(self) -> None:
        assert changed_lines("1\n2\n3\n4\n5\n6", "1\n2\n3\nx\n5\n6").split("\n") == [
            "--- before",
            "+++ after",
            "@@ -2,5 +2,5 @@",
            *(" 2", " 3", "-4", "+x", " 5", " 6"),
        ]

    def test_after_400_lines_the_number_of_omitted_lines_follows(self) -> None:
        diff = changed_lines("", "\n".join(map(str, range(500)))).split("\n")
        assert len(diff) == 401
        assert diff[399] == "+396"
        assert diff[400] == "... 103 more lines omitted"
        assert len(changed_lines("", "\n".join(map(str, range(397)))).split("\n")) == 400

    @each("line", [1, 2, 3, 1_000, 2_099, 2_100])
    def test_long_texts_are_compared_from_both_ends(self, line: int) -> None:
        old = [f"line {number}" for number in range(1, 2_101)]
        new = [*old[: line - 1], "new", "lines", *old[line:]]
        diff = changed_lines("\n".join(old), "\n".join(new))
        assert patched_value("\n".join(old), diff) == "\n".join(new)
        assert len(diff.split("\n")) <= 3 + 2 + 3 + 2

    @given(texts, texts, texts, texts)
    def test_long_texts_lose_nothing_either(self, head: str, old: str, new: str, tail: str) -> None:
        middle = "\n".join("x" for _ in range(2_001))
        one, other = (f"{middle}\n{head}\n{changed}\n{tail}" for changed in (old, new))
        diff = changed_lines(one, other)
        assume(diff)
        assert patched_value(one, diff) == other

    @pytest.mark.parametrize(
        ("old", "new"),
        [("", LONG * 3), (LONG * 3, ""), ("x\n" * 2_001, "x\n" * 2_003), (LONG * 3, LONG * 2)],
    )
    def test_a_long_text_may_come_go_or_repeat_itself(self, old: str, new: str) -> None:
        diff = changed_lines(old, new)
        if "omitted" not in diff:
            assert patched_value(old, diff) == new
        signs = [line[0] for line in diff.split("\n")[3:400]]
        assert ("+" in signs, "-" in signs) == (len(old) < len(new), len(new) < len(old))

    @pytest.mark.parametrize("count", [2, 2_001])
    def test_the_range_of_an_empty_text_is_that_of_a_unified_diff(self, count: int) -> None:
        text = "\n".join(["x"] * count)
        assert changed_lines("", text).split("\n")[2] == f"@@ -0,0 +1,{count} @@"
        assert changed_lines(text, "").split("\n")[2] == f"@@ -1,{count} +0,0 @@"

    @pytest.mark.parametrize(
        ("between", "hunks"),
        [
            ([str(at) for at in range(1_998)], 2),
            ([str(at) for at in range(1_999)], 1),  # more than 2,000 lines
            ([str(at % 100) for at in range(1_998)], 1),  # the best match takes seconds to find
            ([str(at % 1_000) for at in range(1_998)], 2),
            (["" if at % 3 else str(at) for at in range(1_998)], 2),
        ],
        ids=["long", "too long", "too many equal lines", "some equal lines", "empty lines"],
    )
    def test_texts_that_are_costly_to_compare_are_compared_from_both_ends(
        self, between: list[str], hunks: int
    ) -> None:
        old, new = ("\n".join([first, *between, last]) for first, last in (("a", "b"), ("c", "d")))
        diff = changed_lines(old, new).split("\n")
        assert len([line for line in diff if line.startswith("@@")]) == hunks
