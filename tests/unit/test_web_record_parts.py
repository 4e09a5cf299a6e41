"""Diffs and redactions on the pages of tasks."""

from __future__ import annotations

from memoranda.blocks.text_edits import changed_lines
from memoranda.web.pages import observations, task_checkpoints


def test_the_lines_of_a_diff_are_distinguished() -> None:
    before = "\n".join(f"line {n}" for n in range(60))
    after = before.replace("line 5\n", "line five\n").replace("line 50\n", "")
    found = task_checkpoints.lines(changed_lines(before, after))
    reported = [(one.kind, one.parts[0][1]) for one in found if one.kind != "same"]
    assert reported == [
        ("gone", "line 5"), ("new", "line five"), ("gap", "later"), ("gone", "line 50"),
    ]  # fmt: skip


def test_a_line_that_looks_like_the_head_of_a_diff_is_kept() -> None:
    found = task_checkpoints.lines(changed_lines("-- old\n++ plus", "-- new\n++ plus"))
    assert [(one.kind, one.parts[0][1]) for one in found][:2] == [
        ("gone", "-- old"),
        ("new", "-- new"),
    ]


def test_an_equal_text_has_no_lines_and_a_truncated_diff_is_marked() -> None:
    assert task_checkpoints.lines("") == ()
    cut = task_checkpoints.lines(changed_lines("", "\n".join(map(str, range(1_000)))))
    assert cut[-1].kind == "gap"
    assert "more lines omitted" in cut[-1].parts[0][1]


def test_marks_become_chips_and_everything_else_is_escaped() -> None:
    text = "key=[redacted:aws-key:0123abcd] <script>[redacted:Wrong:1]</script>"
    shown = observations.marked(text)
    assert '<mark class="redacted" title="[redacted:aws-key:0123abcd]">' in shown
    assert "redacted: aws key" in shown
    assert "&lt;script&gt;[redacted:Wrong:1]&lt;/script&gt;" in shown
    assert observations.kinds(text) == [("aws-key", 1)]


def test_a_text_without_marks_stays_as_it_is() -> None:
    assert observations.marked("plain") == "plain"
    assert observations.kinds("plain") == []
