"""Sentences of a person's message that state requirements."""

from __future__ import annotations

import time

from hypothesis import given, strategies as st

from memoranda.capture.analysis.constraints import MAX_LENGTH, MAXIMUM, constraints
from memoranda.language.prose import prose_sentences
from tables import each
from tool_events import hostile

STATED = """\
Never edit tariffs/2026.csv by hand
it must stay backwards compatible
always run the whole test suite before you commit
do not touch the migrations
Don't round per parcel; round once at the end
Don\u2019t use em dashes anywhere.
at most 3 retries
use tabs, not spaces
The API must not block for more than 50 ms.
Please don't add new dependencies.
No new dependencies.
Only touch files in src/.
Fix it without changing the public API.
Keep the public API unchanged.
Make sure the tests pass on Windows.
Rounding happens once, as the contract says.
Retry no more than 5 times.
You should never log the token.
We never commit generated files.
Refactor the cart, but never touch the tax module.
Use pathlib instead of os.path.
Tests should not touch the network.
Python 3.11 is required.
Amounts must be integers (cents).
Changes to the schema are not allowed.
Use the standard library only.
Responses must arrive within 200 ms.
Must support Python 3.11.
Never, ever commit secrets.
Whatever you do, don't touch main.
Totals should never be negative.
Keep it under 300 lines.
Only the billing service may write to this table.
Also, always add a changelog entry.
I need this by Friday, but don't touch the tests.
The migration must be reversible.
\u4e0d\u8981\u4fee\u6539\u6570\u636e\u5e93\u8fc1\u79fb\u6587\u4ef6\u3002
\u5fc5\u987b\u4fdd\u6301\u5411\u540e\u517c\u5bb9\u3002""".splitlines()

NOT_STATED = """\
I must say this is nice
never mind
you must be kidding
why does it never work?
It must be a bug in the parser.
There must be some mistake.
I never thought this would work.
It never worked for me.
Never seen this before.
Don't worry about it.
Don't know why it fails.
The login is always slow.
It only happens on Mondays.
At least it compiles.
It failed at least 3 times yesterday.
Can you fix the rounding in cart.py?
Fix the bug that only happens on Mondays.
This must have been broken since March.
The error says "you must provide a value".
I can only see two files.
They don't work at all.
That's a must see.
I don't want to spend the day on this.
No problem, take your time.
We never saw this in production.
Why must it be so slow
This should never happen.
the function returns None and never raises
Let's not overthink it.
Only one test fails now.
You were right, it never closes the file.
I tried it without changing anything.
It must be so rewarding to see it run!
Rename foo to bar in all files.""".splitlines()


@each("sentence", STATED)
def test_a_requirement_is_found_verbatim(sentence: str) -> None:
    assert constraints(sentence) == (sentence,)


@each("sentence", NOT_STATED)
def test_other_sentences_are_no_requirement(sentence: str) -> None:
    assert constraints(sentence) == ()


MESSAGE = """\
Please fix the cart total in src/cart.py. Don't round per parcel; round once at the end, e.g. in
total(), as the contract says. Thanks!

```
# never do this
```
- never edit tariffs/2026.csv by hand
* Is it ok if it must wait?

    raise ValueError("must not be None")

Traceback (most recent call last):
  File "x.py", line 1, in <module>
ValueError: must not be empty
2026-01-02 10:00:00 ERROR never retry
$ must not run
> you must answer
src/a.py:3: error: x must be str
The error was "the rate must be set". `always raise` is a no-go here.
It must stay backwards compatible.
"""


def test_only_the_persons_own_statements_count() -> None:
    assert constraints(MESSAGE) == (
        "Don't round per parcel; round once at the end, e.g. in\ntotal(), as the contract says.",
        "never edit tariffs/2026.csv by hand",
        "It must stay backwards compatible.",
    )


def test_a_hard_wrapped_sentence_is_one_sentence() -> None:
    assert prose_sentences(MESSAGE)[1].endswith("as the contract says.")


def test_lines_of_a_list_are_sentences_of_their_own() -> None:
    listed = "Rules:\n- use tabs, not spaces\n2. never push to main\nkeep the API as is"

    assert constraints(listed) == (
        "use tabs, not spaces",
        "never push to main",
        "keep the API as is",
    )


def test_a_sentence_with_a_pronoun_includes_its_antecedent() -> None:
    text = "The files in incoming/ are what we were sent. They must not be changed. Thanks!"

    assert constraints(text) == (text.removesuffix(" Thanks!"),)
    assert constraints("They must not be changed.") == ("They must not be changed.",)


def test_there_are_few_and_they_are_short() -> None:
    many = "\n".join(f"- Never touch file {n} {'or its like ' * 40}" for n in range(30))

    found = constraints(many)

    assert len(found) == MAXIMUM
    assert all(len(sentence) <= MAX_LENGTH for sentence in found)
    assert all(sentence in many for sentence in found)


@each("unit", ["a", " ", "\n", "never ", "must ", ";use ", "do not. ", "`", '"', "- ", "at most "])
def test_hostile_repetition_is_read_in_linear_time(unit: str) -> None:
    text = hostile(unit)
    started = time.process_time()

    constraints(text)

    assert time.process_time() - started < 3


@given(st.text(max_size=500) | st.lists(st.sampled_from(STATED + NOT_STATED)).map("\n".join))
def test_what_is_found_stands_in_the_text(text: str) -> None:
    found = constraints(text)

    assert found == constraints(text)
    assert len(found) <= MAXIMUM
    assert all(sentence in text and 0 < len(sentence) <= MAX_LENGTH for sentence in found)
