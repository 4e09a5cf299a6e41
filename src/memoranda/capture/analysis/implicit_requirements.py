"""Patterns of sentences that state a requirement without must or never."""

from __future__ import annotations

import re

_FORMAL = re.compile(
    r"""
      \bunder[ ]no[ ](?:circumstances?|conditions?)\b
    | ^(?:mandatory|required|forbidden|prohibited|rule):[ ]?\S
    | \bit(?:'s|[ ]is)[ ](?:\w+[ ])?(?:compulsory|mandatory|essential|vital|crucial|imperative
      |forbidden|a[ ]hard[ ]requirement)[ ](?:to|that)\b
    | \b(?:is|are)[ ](?:banned|off[ ]the[ ]table|taboo|out[ ]of[ ]bounds)\b
    | \b(?:is|are|you're|we're)(?:[ ]not|n't)[ ](?:allowed|permitted|supposed)[ ]to\b
    | \bwithout[ ]exception\b
    | \b(?:is|are)[ ]to[ ]be[ ]no\b
    | \bnot[ ](?:ever[ ])?to[ ]be[ ](?:touch|edit|chang|us|log|stor|commit|delet)
    | ^(?:please[ ])?(?:hands[ ]off|steer[ ]clear[ ]of
      |keep[ ](?:\w+[ ]){0,2}(?:hands|away|off|out))\b
    | ^(?:please[ ])?leave[ ].{1,80}[ ](?:alone|as[ ]it[ ]is|as[ ]they[ ]are|exactly[ ]as)\b
    | ^from[ ](?:now|here)[ ]on,?[ ] | \bfrom[ ](?:now|here)[ ]on[.!]?$ | ^going[ ]forward,?[ ]
    | ^(?:nobody|no[ ]one|nothing|none[ ]of[ ].{1,40})[ ](?:(?:but|except)[ ].{1,60}[ ])?
      (?:may|must|can|should|gets?[ ]to|is[ ]to|goes)\b
    | ^only[ ](?:the|our|a|an)[ ].{1,60}?[ ](?:writes?|reads?|calls?|touch\w*|may|can|goes?)\b
    | ^(?:anything|everything|every|each|all|any)[ ].{1,80}?[ ]
      (?:needs?[ ]an?|needs?[ ]to|requires?|gets?[ ]an?|goes[ ]through)[ ]
    """,
    re.VERBOSE,
)
_WE_CANNOT = re.compile(
    r"""
    \b(?:we|you)[ ](?:can't|cannot|can[ ]not)[ ]
    (?:use|depend|rely|afford|allow|break|change|add|import|ship|touch|store|log|push|send|call
    |write|drop|rename|upgrade|bump|require|expose|commit)\b
    """,
    re.VERBOSE,
)
_HAS_TO = re.compile(
    r"""
    \b(?P<subject>[a-z0-9_./-]+)[ ](?:have|has|have[ ]got|has[ ]got|need|needs|ought)[ ]to[ ]
    (?:be|stay|remain|go|work|run|use|support|match|fit|pass|live|come|keep|contain|include|return
    |accept|follow|end|start|happen|survive|handle|compile|sign|hand|have)(?:[ ](?P<next>\w+))?
    """,
    re.VERBOSE,
)
_WE_SUPPORT = re.compile(r"\bwe (?:have|need) to (?:support|stay|remain|match)\b")
_PERSONS = frozenset(
    ("i", "you", "he", "she", "they", "we", "this", "that", "there", "what", "someone", "somebody")
) | {"also", "just", "still", "again", "something"}
_GUESSED = frozenset(
    (
        "a",
        "an",
        "the",
        "some",
        "something",
        "because",
        "wrong",
        "right",
        "missing",
        "broken",
        "gone",
    )
) | {"kidding", "joking", "due", "why", "where", "how", "what", "possible", "related", "there"}


def states_requirement(plain: str) -> bool:
    """Return whether a lower-case sentence states a requirement.

    Only certain phrasings count. "Amounts have to be in cents" is a requirement; "it has to be the
    cache" is a guess, and "we have to run the tests" announces the next step.
    """
    if _FORMAL.search(plain) or _WE_CANNOT.search(plain) or _WE_SUPPORT.search(plain):
        return True
    return any(
        mark["subject"] not in _PERSONS and not _is_guess(mark["next"] or "")
        for mark in _HAS_TO.finditer(plain)
    )


def _is_guess(word: str) -> bool:
    return word in _GUESSED or word.endswith("ing")
