"""Splitting of a text into sentences."""

from __future__ import annotations

import time

from memoranda.language.sentences import sentence_spans, sentences
from tables import each


@each(
    ("text", "expected"),
    [
        ("Use pnpm. Never npm!", ["Use pnpm.", "Never npm!"]),
        ("Use pnpm\nnever npm", ["Use pnpm", "never npm"]),
        ("use pnpm. never npm", ["use pnpm.", "never npm"]),
        ('He said "stop." Then left.', ['He said "stop."', "Then left."]),
        ("Ask Dr. Lee, e.g. today. Or me.", ["Ask Dr. Lee, e.g. today.", "Or me."]),
        ("Logs, caches etc. are kept. Etc. That is it.", 3),
        ("See No. 5. No. Then stop.", ["See No. 5.", "No.", "Then stop."]),
        ("1. Use pnpm.\n2. No npm.", ["1. Use pnpm.", "2. No npm."]),
        ("It ran a.b. and then stopped. Done.", ["It ran a.b. and then stopped.", "Done."]),
        ("Really?! Yes\u2026 fine.", ["Really?!", "Yes\u2026 fine."]),
        (
            "\u7528 pnpm\u3002\u4e0d\u8981 npm\uff01",
            ["\u7528 pnpm\u3002", "\u4e0d\u8981 npm\uff01"],
        ),
        ("The value gets an N. Ask J. Smith or John F. Doe.", 2),
        ("Merge two MRs. the rest waits. A. stays.", 3),
        ("It went down (by 856!) and up (again.) Then it held.", 2),
        ("It took 300 ms. Then Ms. Lee came.", 2),
        ("Wir liefern am 12. Mai aus. Danach ist Ruhe.", 2),
        ("Scan neu (Best. 31 Nr. 8). Das ist der 2. Lauf.", 2),
        ("Nimm z. B. 8090, d. h. den freien, bzw. Art. 5 Abs. 2 der Satzung.", 1),
        ("La Sra. L\u00f3pez firma. Usa p. ej. 8090, p\u00e1g. 3 del doc.", 2),
        ("Mme. Petit le sait. M. Dupont non.", 2),
        ("Es bleibt bei 5. Der Rest entf\u00e4llt. That is the best. 4 of 5 agree.", 4),
        ("Version 2. Then stop. Press u. Then go.", 4),
        ("Version 2.5 of setup.py is out", ["Version 2.5 of setup.py is out"]),
        (" \n\n ", []),
        ("", []),
    ],
)
def test_a_text_has_these_sentences(text: str, expected: list[str] | int) -> None:
    found = sentences(text)
    assert (len(found) if isinstance(expected, int) else found) == expected


def test_the_lines_of_a_wrapped_text_end_no_sentence() -> None:
    text = "Keep the\nAPI stable. Never\nrename it."
    assert sentences(text, wrapped=True) == ["Keep the\nAPI stable.", "Never\nrename it."]


def test_spans_are_in_order_and_leave_out_only_white_space() -> None:
    text = "One.  Two!\n\n  Three? e.g. four \u3002five"
    at = 0
    for start, end in sentence_spans(text):
        assert not text[at:start].strip()
        assert text[start:end].strip()
        at = end
    assert not text[at:].strip()


@each("part", ["a", ". ", "1. ", "e.g. ", "\n", " ", "'\"", "etc. b "])
def test_a_long_text_is_read_in_linear_time(part: str) -> None:
    def spent(length: int) -> float:
        text = part * (length // len(part))
        started = time.process_time()
        list(sentence_spans(text))
        return time.process_time() - started

    # 8 times if linear, 64 times if quadratic
    assert any(spent(200_000) < 24 * max(spent(25_000), 0.01) for _ in range(3))
