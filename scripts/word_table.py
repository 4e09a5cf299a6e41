"""Build the table of word frequencies for compression without a model.

    scripts/run scripts/word_table.py OUT SOURCE ...

A source is a folder or a file; HTML, reStructuredText, Markdown and plain text are read. NOTICE.md
next to the table names the sources of the shipped table.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import zlib
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

from memoranda.compression.extract.sentence_splitter import is_sentence, short_sentences
from memoranda.language.words import spelt_words
from memoranda.text import one_line

WORDS, PAIRS = 14_000, 16_000
LEAST = 4
LEAST_SOURCES = 2
"""Minimum number of files with a word, to exclude one program's names."""
START = "^"
STEPS = 2.0
MARKUP = frozenset({".html", ".htm"})
PLAIN = frozenset({".rst", ".md", ".txt"})
BLOCKS = frozenset({"p", "li", "dd", "dt", "h1", "h2", "h3", "h4", "td", "div", "br", "tr"})
HIDDEN = frozenset({"script", "style", "pre", "nav", "head", "footer"})
ROLE = re.compile(r":[\w:+-]+:`~?([^`<]*)(?:<[^`]*>)?`|`{1,2}([^`]*)`{1,2}_{0,2}")
LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")


class Prose(HTMLParser):
    """Collects the text of a page, one line per block."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.hidden = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a block, or an element that is skipped."""
        self.hidden += tag in HIDDEN
        if tag in BLOCKS:
            self.parts.append("\n\n")

    def handle_endtag(self, tag: str) -> None:
        """End a block or a skipped element."""
        self.hidden = max(0, self.hidden - (tag in HIDDEN))

    def handle_data(self, data: str) -> None:
        """Keep visible text."""
        if not self.hidden:
            self.parts.append(data)


def text_of(path: Path) -> str:
    """Return the text of a file without its markup."""
    text = path.read_text("utf-8", errors="ignore")
    if path.suffix in MARKUP:
        page = Prose()
        page.feed(text)
        return "".join(page.parts)
    text = ROLE.sub(lambda found: found[1] or found[2] or "", LINK.sub(r"\1", text))
    return text.replace("**", "").replace("*", "")


def phrases_of(path: Path) -> Iterator[list[str]]:
    """Yield the words of every sentence of a file, in lower case."""
    for block in re.split(r"\n\s*\n", text_of(path)):
        for sentence in short_sentences(one_line(block)):
            if is_sentence(sentence):
                yield [word.lower() for word in spelt_words(sentence)]


def files(source: Path) -> Iterator[Path]:
    """Yield the readable files of a source, in a fixed order."""
    found = sorted(source.rglob("*")) if source.is_dir() else [source]
    yield from (path for path in found if path.suffix in MARKUP | PLAIN and path.is_file())


def counted(sources: list[Path]) -> tuple[Counter[str], Counter[str]]:
    """Count words and pairs of words."""
    single: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    places: Counter[str] = Counter()
    seen: set[tuple[str, ...]] = set()
    for source in sources:
        before = sum(single.values())
        for path in files(source):
            here: set[str] = set()
            for sentence in phrases_of(path):
                if tuple(sentence) in seen:  # boilerplate of every page
                    continue
                seen.add(tuple(sentence))
                single.update(sentence)
                single[START] += 1
                pairs.update(f"{a}_{b}" for a, b in zip([START, *sentence], sentence, strict=False))
                here.update(sentence)
            places.update(here)
        print(f"{sum(single.values()) - before:>10,} words of {source.name}")
    places[START] = LEAST_SOURCES
    kept = Counter({w: n for w, n in single.items() if n >= LEAST and places[w] >= LEAST_SOURCES})
    return kept, Counter({pair: n for pair, n in pairs.items() if n >= LEAST})


def rendered(counts: Counter[str], most: int) -> str:
    """Write the commonest entries, with equal counts on one line."""
    levels: dict[int, list[str]] = {}
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    for entry, count in ordered[:most]:
        levels.setdefault(round(STEPS * math.log2(count)), []).append(entry)
    return "\n".join(f"{level} {' '.join(sorted(found))}" for level, found in levels.items())


def main() -> int:
    """Build the table."""
    made = argparse.ArgumentParser(description=__doc__)
    made.add_argument("out", type=Path)
    made.add_argument("sources", type=Path, nargs="+")
    options = made.parse_args()
    single, pairs = counted(options.sources)
    text = f"{rendered(single, WORDS)}\n\n{rendered(pairs, PAIRS)}"
    options.out.write_bytes(zlib.compress(text.encode(), 9))
    size = options.out.stat().st_size
    print(f"{len(single):,} words and {len(pairs):,} pairs known, {size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
