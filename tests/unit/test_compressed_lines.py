"""Lines of a summary that are understandable without its context."""

from __future__ import annotations

from memoranda.compression.model import CompressedLine, PassageSpeaker
from tables import each


@each(
    ("text", "expected"),
    [
        ("4 failed, 438 passed in 0.69s", True),
        ("KeyError: 'zone'", True),
        ("E   AssertionError: assert Decimal('50.07') == Decimal('50.06')", True),
        ("bad.csv: the header has no comma, semicolon or tab as separator", True),
        ("build failed", True),
        ("return Quote(zone, lines, total)", False),
        ("raise TariffError(problem) from problem", False),
        ('{"order": 77, "state": "open"}', False),
        ("se}", False),
        ("Bash", False),
        ("--- +++ ### --- +++ /// --- a b c", False),
        ("", False),
    ],
)
def test_of_a_program_only_what_reads_like_a_message(text: str, expected: bool) -> None:
    assert CompressedLine("1#1", PassageSpeaker.TOOL, text).tells is expected
    assert CompressedLine("1#1", PassageSpeaker.TOOL, text, pinned=True).tells
    assert CompressedLine("1#1", PassageSpeaker.ASSISTANT, text).tells
