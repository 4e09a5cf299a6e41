"""Every secret format is removed by the real hook; unit tests have each in every wrapping."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from hooking import tool_used

from memoranda import Memoranda
from memoranda.hook_event import spool
from secrets_corpus import BENIGN, SAMPLES, WRAPPINGS, Sample, remains

pytestmark = pytest.mark.integration

WINDOW = 12
"""Length of the parts of a secret that must not be found.

Shorter secrets are looked for where they were.
"""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Memoranda]]:
    """Return an open store that captured all of them, with its WAL."""
    folder = tmp_path_factory.mktemp("secrets")
    for number, (sample, name) in enumerate(_cases()):
        text = WRAPPINGS[name](sample)
        values = {"command": f"deploy {text}"} if number % 2 else {"command": "deploy"}
        payload = tool_used("secrets", number, tool_input=values, tool_response={"stdout": text})
        spool(str(folder), "claude-code", json.dumps(payload).encode())
    for number, line in enumerate(BENIGN):
        payload = tool_used("benign", number, tool_response={"stdout": line})
        spool(str(folder), "claude-code", json.dumps(payload).encode())
    with Memoranda.open(folder) as memory:
        report = memory.capture.drain(wait=True)
        assert report.intake.events == len(list(_cases())) + len(BENIGN)
        yield folder, memory


def _cases() -> Iterator[tuple[Sample, str]]:
    """Yield each sample in two wrappings, by turns."""
    for number, sample in enumerate(SAMPLES):
        usable = [name for name, wrap in WRAPPINGS.items() if wrap(sample) is not None]
        yield from ((sample, usable[(2 * number + turn) % len(usable)]) for turn in (0, 1))


def _windows() -> dict[str, str]:
    lines = [(line, sample.name) for sample in SAMPLES for line in sample.secret.split("\n")]
    forms = [(form, name) for line, name in lines for form in {line, json.dumps(line)[1:-1]}]
    return {
        form[at : at + WINDOW]: name for form, name in forms for at in range(len(form) - WINDOW + 1)
    }


def _found(text: str, windows: dict[str, str]) -> set[str]:
    records = {text[at : at + WINDOW] for at in range(len(text) - WINDOW + 1)}
    return {windows[window] for window in windows.keys() & records}


def test_no_file_contains_a_secret(kept: tuple[Path, Memoranda]) -> None:
    windows = _windows()
    paths = [path for path in kept[0].rglob("*") if path.is_file()]
    assert {".db", ".db-wal"} <= {path.name[path.name.find(".") :] for path in paths}
    for path in paths:
        assert _found(path.read_bytes().decode("latin-1"), windows) == set(), path.name


def test_no_row_content_or_indexed_word_contains_a_secret(
    kept: tuple[Path, Memoranda],
) -> None:
    windows = _windows()
    connection = apsw.Connection(str(next(kept[0].glob("*.db"))), flags=apsw.SQLITE_OPEN_READONLY)
    names = "select name from sqlite_schema where type = 'table' and sql not like '%virtual%'"
    texts: list[str] = []
    for (table,) in connection.execute(names).fetchall():
        for row in connection.execute(f"select * from {table}"):
            texts += [value for value in row if isinstance(value, str)]
    contents = connection.execute("select codec, data from blob").fetchall()
    texts += [(zlib.decompress(data) if codec == "zlib" else data).decode()
              for codec, data in contents]  # fmt: skip
    assert len(contents) > len(SAMPLES)
    assert _found("\n".join(texts), windows) == set()
    vocabulary = "fts5vocab('main', 'observation_words', 'row')"
    connection.execute(f"create virtual table temp.term using {vocabulary}")
    terms = "\n".join(term for (term,) in connection.execute("select term from temp.term"))
    assert "deploi" in terms  # its stem
    assert _found(terms, {window.lower(): name for window, name in windows.items()}) == set()


def test_every_content_lost_its_own_secret_and_nothing_else_was_touched(
    kept: tuple[Path, Memoranda],
) -> None:
    _, memory = kept
    cases = list(_cases())
    connection = apsw.Connection(str(next(kept[0].glob("*.db"))), flags=apsw.SQLITE_OPEN_READONLY)
    rows = connection.execute(
        "select t.session, o.sequence, o.redactions, b.codec, b.data from observation o "
        "join task t on t.id = o.task join blob b on b.hash = o.content_hash order by o.sequence"
    ).fetchall()
    untouched = 0
    for session, sequence, redactions, codec, data in rows:
        content = (zlib.decompress(data) if codec == "zlib" else bytes(data)).decode()
        if session == "benign":
            shown = json.loads(content)["output"]["stdout"]
            if (benign := BENIGN[sequence - 1]).startswith("![x](data:image"):
                assert shown.startswith("![x]([image (image/png, 85 B, ")
            else:
                assert shown == benign
            untouched += 1
        else:
            sample, name = cases[sequence - 1]
            assert redactions, (sample.name, name)
            assert not remains(sample.secret, content), (sample.name, name)
    assert untouched == len(BENIGN)
    assert memory.store.stats().observations == len(cases) + len(BENIGN)
