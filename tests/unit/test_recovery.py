"""The steps shown as an error's fix, chosen from those after it."""

from __future__ import annotations

from collections.abc import Sequence

from contract.records import Records
from memoranda.errors.model import Recovery
from memoranda.errors.recoveries import recovery, recovery_text
from memoranda.errors.signature import names_in
from memoranda.lessons.fix_selection import CHANGES, FEW
from memoranda.observations.model import Observation, ObservationType, Salience
from tables import each

RECORDS = Records()
TASK = RECORDS.task("shop")
MISSING = (
    "python lamp.py → ModuleNotFoundError: No module named 'wick'\n"
    "ModuleNotFoundError: No module named 'wick' (exit 1)"
)
FAILED = "pytest -q → 1 failed\nAssertionError: assert 3 == 4\nat src/oil.py:12"


def step(place: int, summary: str, *tags: str, **more: object) -> Observation:
    """Return a shell call at a position of the task."""
    return RECORDS.observation(TASK, place, summary, tags=tags, **more).observation


def error(summary: str = MISSING, place: int = 1) -> Observation:
    return step(place, summary, "import_error", type=ObservationType.ERROR)


def chosen(
    done: Sequence[Observation], failed: str = MISSING, others: Sequence[Observation] = ()
) -> Recovery:
    """Return the steps chosen for an error that the same call ended."""
    fix = step(99, failed.partition(" → ")[0] + " → fine", type=ObservationType.FIX)
    return recovery(error(failed), fix, done, {one.id: one for one in others})


def test_the_change_that_names_what_the_error_names_ended_it() -> None:
    install = step(3, "pip install wick → done", "install")
    found = chosen([step(2, "make clean → done"), install, step(4, "Edit oil.py: +1", "edit")])
    assert found.changes == (install,)
    assert found.near
    assert recovery_text(found) == "pip install wick → done; then python lamp.py → fine"


def test_an_edited_file_that_the_error_points_to_ended_it() -> None:
    edit = step(3, "Edit oil.py: +1\n- x = 3\n+ x = 4", "edit", files=("src/oil.py",))
    found = chosen([step(2, "Edit lamp.py: +1", "edit"), edit], FAILED)
    assert found.changes == (edit,)
    assert found.near
    assert recovery_text(found) == "Edit oil.py: +1; - x = 3; + x = 4; then pytest -q → fine"


def test_a_change_of_the_target_is_reported_without_a_causal_claim() -> None:
    edit = step(3, "Edit lamp.py: +1", "edit")
    found = chosen([step(2, "Edit oil.py: +1", "edit"), edit])
    assert (found.changes, found.near) == ((edit,), False)


def test_edits_precede_other_steps_if_nothing_names_the_error() -> None:
    edits = [step(n, f"Edit part_{n}.py: +1", "edit") for n in range(2, 7)]
    found = chosen([*edits, step(8, "make lamp → done")], FAILED)
    assert (found.changes, found.near) == (tuple(edits[-CHANGES:]), False)


def test_among_many_steps_none_is_taken_for_the_cause_without_a_reason() -> None:
    done = [step(n, f"tool{n} --run → done") for n in range(2, 2 + FEW)]
    assert chosen(done).changes == tuple(done[-CHANGES:])
    more = chosen([*done, step(20, "other --run → done")])
    assert (more.changes, more.near) == ((), False)
    assert recovery_text(more) == "python lamp.py → fine"


def test_where_nothing_was_changed_trying_again_was_enough() -> None:
    assert chosen([]).changes == ()
    assert recovery_text(chosen([])) == "python lamp.py → fine"


@each(
    ("summary", "tags"),
    [
        ("git log -3 → 3 commits", ("git",)),
        ("cd src && git diff wick.py → 4 lines", ("git",)),
        ("ls wick → 3 files", ()),
        ("pip show wick → 1 line", ()),
        ("cat wick.py → 30 lines", ("read",)),
        ("pytest -q wick → 3 passed", ("test",)),
    ],
    ids=["log", "diff", "ls", "show", "cat", "test"],
)
def test_looking_ends_no_error(summary: str, tags: tuple[str, ...]) -> None:
    assert chosen([step(2, summary, *tags)]).changes == ()


def test_a_change_counts_though_looking_came_before_it() -> None:
    change = step(2, "git status && pip install wick → done", "git", "install")
    assert chosen([change]).changes == (change,)


def test_a_quarantined_step_is_not_chosen() -> None:
    quarantined = step(2, "pip install wick → done", "install", salience=Salience.QUARANTINED)
    assert chosen([quarantined]).changes == ()


def test_what_ended_another_error_did_not_end_this_one() -> None:
    other = error("psql → could not reach db_host", 2)
    start = step(3, "docker compose up -d db → done")
    ended = step(4, "psql → ready", type=ObservationType.FIX, resolves=other.id)
    assert chosen([start, ended], FAILED, [other]).changes == ()
    own = step(5, "make lamp → done")
    assert chosen([start, ended, own], FAILED, [other]).changes == (own,)
    named_too = step(3, "pip install wick → done", "install")
    assert chosen([named_too, ended], MISSING, [other]).changes == (named_too,)


def test_names_are_quoted_words_paths_and_dotted_or_underscored_words() -> None:
    text = "No module named 'wick' in src/Oil.py, see a.b and max_heat, not here"
    assert names_in(text) == ["wick", "src/oil.py", "max_heat", "oil.py"]
    assert names_in("x" * 700 + " 'wick'") == []


def test_the_line_that_fixed_it_is_shown_before_a_long_one_that_it_replaced() -> None:
    edit = step(3, f"Edit oil.py: +1\n- x = {'3' * 150}\n- y = 2\n+ x = 4", "edit")
    assert recovery_text(chosen([edit])).startswith("Edit oil.py: +1; + x = 4; - x = 333")
