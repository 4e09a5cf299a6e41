"""Invalid, damaged and malicious archives change nothing."""

from __future__ import annotations

import io
import json
import struct
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zipfile import ZIP_BZIP2, ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import pytest
from archives import contents_of, plain, rewritten, with_row

from memoranda import Memoranda
from memoranda.archive.format import MANIFEST, MEMBERS
from memoranda.archive.kinds import KINDS
from memoranda.archive.reader import check
from memoranda.archive.zip_archive import open_archive
from memoranda.blocks.block_writer import NewBlock
from memoranda.config import load_settings
from memoranda.exceptions import CorruptData, InvalidInput, MemorandaError, NotFound, SchemaTooNew
from memoranda.memories.model import Visibility
from memoranda.proposals.model import MemoryEdit
from memoranda.store.sqlite.engine import SqliteDatabase
from tables import each

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memoranda]:
    """Return a store with a few records, which no test may change."""
    settings = plain(load_settings({"data_dir": tmp_path_factory.mktemp("target")}, {}))
    with Memoranda.open(settings=settings) as memory:
        memory.observe("said", task="one", workspace="shop", tool="Bash")
        memory.observe("and done", task="one", workspace="shop")
        kept = memory.remember("prices are gross", workspace="shop")
        memory.memories.edit(kept.id, MemoryEdit(content="prices are net"))
        memory.blocks.create(NewBlock("shared", "text", shared=True), workspace="shop")
        memory.blocks.attach("shared", "ada", workspace="shop")
        memory.checkpoints.create("1", "coding", "done", state={"plan": ["a"]})
        while memory._services.worker.run():
            pass
        memory._services.background.stop()
        yield memory


@pytest.fixture(scope="module")
def small(target: Memoranda, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a small archive."""
    path = tmp_path_factory.mktemp("archives") / "small.zip"
    target.archive.export(path)
    return path


@pytest.fixture
def refused(target: Memoranda) -> Iterator[Callable[[Path], MemorandaError]]:
    """Import a file that must be refused, and return the error."""
    before = contents_of(target, derived=True)

    def refuse(path: Path) -> MemorandaError:
        with pytest.raises(MemorandaError) as raised:
            target.archive.import_archive(path, ids="renew", trust=True)
        assert raised.value.code in ("invalid", "corrupt", "schema_too_new", "not_found")
        assert str(path) in str(raised.value) or raised.value.code == "schema_too_new"
        return raised.value

    yield refuse
    assert contents_of(target, derived=True) == before


Refused = Callable[[Path], MemorandaError]


def test_the_archive_itself_is_accepted(small: Path) -> None:
    with open_archive(small) as archive:
        contents = check(archive)
    assert len(contents.ids["tasks"]) == 1


def test_a_file_that_was_cut_off(refused: Refused, small: Path, tmp_path: Path) -> None:
    data, path = small.read_bytes(), tmp_path / "cut.zip"
    for length in range(0, len(data), 7):
        path.write_bytes(data[:length])
        with pytest.raises(MemorandaError), open_archive(path) as archive:
            check(archive)
    for length in (0, 1, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:length])
        assert isinstance(refused(path), CorruptData | InvalidInput)


def test_a_byte_that_flipped(refused: Refused, small: Path, tmp_path: Path) -> None:
    data, path = small.read_bytes(), tmp_path / "flipped.zip"
    with ZipFile(small) as zip:
        infos = zip.infolist()
    for info in infos:
        if not info.compress_size or not info.file_size:
            continue
        begin = info.header_offset + 30 + len(info.filename)
        begin += struct.unpack_from("<H", data, info.header_offset + 28)[0]
        for place in {begin, begin + info.compress_size // 3, begin + info.compress_size // 2}:
            flipped = bytearray(data)
            flipped[place] ^= 0x10
            path.write_bytes(flipped)
            assert isinstance(refused(path), CorruptData | InvalidInput), info.filename


def test_no_flipped_byte_anywhere_gets_other_content_in(small: Path, tmp_path: Path) -> None:
    data, path = small.read_bytes(), tmp_path / "any.zip"
    with open_archive(small) as archive:
        digest = archive.manifest.digest
    for place in range(0, len(data), 5):
        flipped = bytearray(data)
        flipped[place] ^= 0x41
        path.write_bytes(flipped)
        try:
            with open_archive(path) as archive:
                check(archive)
                assert archive.manifest.digest == digest
        except MemorandaError:
            pass


def test_a_member_that_differs_from_the_manifest(
    refused: Refused, small: Path, tmp_path: Path
) -> None:
    for name in MEMBERS:

        def edit(files: dict[str, bytes], name: str = name) -> None:
            manifest = json.loads(files[MANIFEST])
            manifest["members"][name]["sha256"] = "0" * 64
            files[MANIFEST] = json.dumps(manifest).encode()

        path = rewritten(small, tmp_path / "sha.zip", edit, seal=False)
        assert isinstance(refused(path), CorruptData)
    edit_rows = with_row("memories", content="something else")
    assert isinstance(
        refused(rewritten(small, tmp_path / "x.zip", edit_rows, seal=False)), CorruptData
    )


def _manifest(**changes: Any) -> Callable[[dict[str, bytes]], None]:
    def edit(files: dict[str, bytes]) -> None:
        files[MANIFEST] = json.dumps(json.loads(files[MANIFEST]) | changes).encode()

    return edit


def test_an_archive_from_the_future(refused: Refused, small: Path, tmp_path: Path) -> None:
    error = refused(rewritten(small, tmp_path / "new.zip", _manifest(version=2, members=[])))
    assert isinstance(error, SchemaTooNew)
    assert "update" in str(error)


@pytest.mark.parametrize(
    "changes",
    [
        {"format": "other"},
        {"version": 0},
        {"version": "1"},
        {"version": True},
        {"members": []},
        {"members": {}},
        {"members": {"tasks.jsonl": 1}},
        {"selection": None},
        {"created_at": "now"},
    ],
    ids=str,
)
def test_a_manifest_that_is_none(
    refused: Refused, small: Path, tmp_path: Path, changes: dict[str, Any]
) -> None:
    def edit(files: dict[str, bytes]) -> None:
        _manifest(**changes)(files)

    path = rewritten(small, tmp_path / "manifest.zip", edit, seal=False)
    assert isinstance(refused(path), CorruptData | InvalidInput)


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"nonsense", b"\xff\xfe", b"1" * 70_000, b"[" * 9_999]
)
def test_a_manifest_that_is_not_json(
    refused: Refused, small: Path, tmp_path: Path, text: bytes
) -> None:
    def edit(files: dict[str, bytes]) -> None:
        files[MANIFEST] = text

    refused(rewritten(small, tmp_path / "manifest.zip", edit, seal=False))


@pytest.mark.parametrize(
    "name",
    ["../x", "/etc/passwd", "tasks.jsonl/", "x.jsonl", "C:\\x", "./tasks.jsonl", "TASKS.jsonl",
     "tasks.jsonl\0x", "a/../tasks.jsonl"],
)  # fmt: skip
def test_a_member_of_another_name(refused: Refused, small: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / "named.zip"
    path.write_bytes(small.read_bytes())
    with ZipFile(path, "a") as zip:
        info = ZipInfo("placeholder")
        info.filename = info.orig_filename = name
        zip.writestr(info, b"x")
    error = refused(path)
    assert isinstance(error, InvalidInput)
    assert not list(tmp_path.parent.glob("x"))


def test_a_member_that_is_there_twice(refused: Refused, small: Path, tmp_path: Path) -> None:
    path = tmp_path / "twice.zip"
    path.write_bytes(small.read_bytes())
    with ZipFile(path, "a") as zip, pytest.warns(UserWarning):
        zip.writestr("tasks.jsonl", b"")
    assert "a duplicate member" in str(refused(path))


def test_a_member_that_is_missing(refused: Refused, small: Path, tmp_path: Path) -> None:
    for name in (*MEMBERS, MANIFEST):
        if name == "observations.jsonl":
            continue

        def edit(files: dict[str, bytes], name: str = name) -> None:
            del files[name]

        refused(rewritten(small, tmp_path / "missing.zip", edit, seal=name != MANIFEST))


@pytest.mark.parametrize("mode", [0o120777, 0o040755, 0o020644, 0o010644])
def test_a_member_that_is_no_regular_file(
    refused: Refused, small: Path, tmp_path: Path, mode: int
) -> None:
    def change(info: ZipInfo) -> None:
        info.external_attr = mode << 16

    assert "regular" in str(refused(_with_info(small, tmp_path / "link.zip", change)))


def test_a_member_that_is_compressed_in_another_way(
    refused: Refused, small: Path, tmp_path: Path
) -> None:
    def change(info: ZipInfo) -> None:
        info.compress_type = ZIP_BZIP2

    refused(_with_info(small, tmp_path / "bzip2.zip", change))


def _with_info(small: Path, target: Path, change: Callable[[ZipInfo], None]) -> Path:
    with ZipFile(small) as source, ZipFile(target, "w") as zip:
        for old in source.infolist():
            info = ZipInfo(old.filename)
            info.compress_type = ZIP_DEFLATED
            if old.filename == "tasks.jsonl":
                change(info)
            zip.writestr(info, source.read(old), info.compress_type)
    return target


def test_an_encrypted_member(refused: Refused, small: Path, tmp_path: Path) -> None:
    data = bytearray(small.read_bytes())
    place = data.find(b"PK\x01\x02")
    while place >= 0:
        data[place + 8] |= 1
        place = data.find(b"PK\x01\x02", place + 4)
    path = tmp_path / "encrypted.zip"
    path.write_bytes(data)
    assert "encrypted" in str(refused(path))


def test_a_bomb(refused: Refused, small: Path, tmp_path: Path) -> None:
    with ZipFile(small) as zip:
        manifest = json.loads(zip.read(MANIFEST))
        others = {name: zip.read(name) for name in MEMBERS if name != "tasks.jsonl"}
    size = 1 << 28
    manifest["members"]["tasks.jsonl"] |= {"bytes": size, "rows": 1}
    path = tmp_path / "bomb.zip"
    with ZipFile(path, "w", ZIP_DEFLATED) as zip:
        with zip.open("tasks.jsonl", "w") as file:
            for _ in range(size >> 20):
                file.write(bytes(1 << 20))
        for name, data in others.items():
            zip.writestr(name, data)
        zip.writestr(MANIFEST, json.dumps(manifest))
    assert path.stat().st_size < 2 << 20
    assert "times its size" in str(refused(path))


def test_a_member_that_is_longer_than_declared(
    refused: Refused, small: Path, tmp_path: Path
) -> None:
    """Data beyond the declared length is never read; the rest is incomplete."""
    data = b"\n" * (64 << 20)
    for size in (0, 10, 4096):
        path = _lying(small, tmp_path / "lying.zip", data, size)
        assert isinstance(refused(path), CorruptData | InvalidInput)


def _lying(small: Path, target: Path, data: bytes, number: int) -> Path:
    deflated = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = deflated.compress(data) + deflated.flush()

    def edit(files: dict[str, bytes]) -> None:
        files["tasks.jsonl"] = data[:number]

    rewritten(small, target, edit)
    with ZipFile(target) as zip:
        files = {name: zip.read(name) for name in zip.namelist()}
    made = io.BytesIO()
    entries = b""
    for name, content in files.items():
        lies = name == "tasks.jsonl"
        stored, crc = (packed, zlib.crc32(data)) if lies else (content, zlib.crc32(content))
        method = ZIP_DEFLATED if lies else ZIP_STORED
        fields = struct.pack("<HHHHHLLLHH", 20, 0, method, 0, 33, crc, len(stored),
                             len(content), len(name), 0)  # fmt: skip
        entries += b"PK\x01\x02\x14\x03" + fields + struct.pack("<HHHLL", 0, 0, 0, 0, made.tell())
        entries += name.encode()
        made.write(b"PK\x03\x04" + fields + name.encode() + stored)
    end = struct.pack("<HHHHLLH", 0, 0, len(files), len(files), len(entries), made.tell(), 0)
    target.write_bytes(made.getvalue() + entries + b"PK\x05\x06" + end)
    return target


def test_members_that_lie_over_each_other(refused: Refused, small: Path, tmp_path: Path) -> None:
    data = bytearray(small.read_bytes())
    first = data.find(b"PK\x01\x02")
    second = data.find(b"PK\x01\x02", first + 4)
    data[second + 42 : second + 46] = data[first + 42 : first + 46]
    path = tmp_path / "overlapping.zip"
    path.write_bytes(data)
    assert "overlap" in str(refused(path))


def test_a_zip_with_countless_members(refused: Refused, small: Path, tmp_path: Path) -> None:
    path = tmp_path / "many.zip"
    with ZipFile(path, "w") as zip:
        for number in range(3_000):
            zip.writestr(f"{number}.jsonl", b"")
    assert "too many files" in str(refused(path))


@pytest.mark.parametrize("data", [b"", b"PK", b"no zip at all" * 99, b"SQLite format 3\0" * 99])
def test_a_file_that_is_no_zip(refused: Refused, tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "none.zip"
    path.write_bytes(data)
    assert isinstance(refused(path), InvalidInput | CorruptData)


def test_something_before_or_behind_the_archive(
    refused: Refused, small: Path, tmp_path: Path
) -> None:
    path = tmp_path / "behind.zip"
    path.write_bytes(small.read_bytes() + b"behind")
    refused(path)


def test_a_file_that_is_not_there(refused: Refused, tmp_path: Path) -> None:
    assert isinstance(refused(tmp_path / "none.zip"), NotFound)
    assert isinstance(refused(tmp_path), NotFound)


STATE = {
    "title": "Round", "content": "Round once", "category": "insight", "tags": [], "workspace": None,
    "visibility": "team", "critical": False, "protected": False, "status": "approved",
    "valid_from": None, "valid_until": None, "superseded_by": None,
}  # fmt: skip
"""A valid state of a memory before a change."""
WRONG: tuple[tuple[str, dict[str, Any]], ...] = (
    ("workspaces", {"id": "../../x"}),
    ("workspaces", {"id": "00000000-0000-7000-8000-00000000000A"}),
    ("workspaces", {"name": None}),
    ("workspaces", {"aliases": "path:/"}),
    ("workspaces", {"more": 1}),
    ("tasks", {"number": 1.0}),
    ("tasks", {"number": True}),
    ("tasks", {"number": 1 << 62}),
    ("tasks", {"status": "approved"}),
    ("tasks", {"status": ["active"]}),
    ("tasks", {"workspace": "00000000-0000-7000-8000-000000000000"}),
    ("tasks", {"redactions": {"rule": "many"}}),
    ("tasks", {"started_at": -1}),
    ("observations", {"sequence": 99}),
    ("observations", {"sequence": 0}),
    ("observations", {"task": None}),
    ("observations", {"tags": ["x", 1]}),
    ("observations", {"format": "tool", "content": "no json"}),
    ("observations", {"content": {"a": 1}}),
    ("observations", {"created_at": 1 << 60}),
    ("observations", {"event_key": "task 000000000009"}),
    ("memories", {"confidence": 1.5}),
    ("memories", {"confidence": "high"}),
    ("memories", {"critical": 1}),
    ("memories", {"visibility": Visibility.AGENT.value}),
    ("memories", {"evidence": ["x"]}),
    ("memories", {"content": "x" * 200_000}),
    ("blocks", {"version": 2}),
    ("blocks", {"size_limit": 0}),
    ("blocks", {"task": "00000000-0000-7000-8000-000000000000"}),
    ("block_versions", {"version": 7}),
    ("block_versions", {"source": "nobody"}),
    ("holders", {"agent": ""}),
    ("checkpoints", {"state": "[]"}),
    ("checkpoints", {"state": "nonsense"}),
    ("checkpoints", {"blocks": [{"block": "x"}]}),
    ("checkpoints", {"blocks": [
        {"block": "00000000-0000-7000-8000-000000000000", "version": 1, "size_limit": 9}]}),
    ("task_states", {"head": "00000000-0000-7000-8000-000000000000"}),
    ("memory_versions", {"version": 0}),
    ("memory_versions", {"memory": "00000000-0000-7000-8000-000000000000"}),
    ("memory_versions", {"state": "{}"}),
    ("memory_versions", {"state": "nonsense"}),
    *(("memory_versions", {"state": json.dumps(STATE | wrong)}) for wrong in (
        {"title": 1}, {"tags": [1]}, {"tags": None}, {"status": "kept"}, {"category": "x"},
        {"workspace": "shop"}, {"critical": 1}, {"superseded_by": "x"}, {"valid_from": -1},
        {"valid_until": "soon"}, {"visibility": "all"})),
)  # fmt: skip


@each(("kind", "changes"), WRONG, ids=str)
def test_a_row_that_is_none(
    refused: Refused, small: Path, tmp_path: Path, kind: str, changes: dict[str, Any]
) -> None:
    path = rewritten(small, tmp_path / "row.zip", with_row(kind, **changes))
    assert isinstance(refused(path), InvalidInput)


@each("kind", [kind.name for kind in KINDS])
@each("line", [b"\n", b"[]\n", b"{}\n", b"{\n", b"\xff\n", b"null\n", b"[" * 5_000 + b"\n"])
def test_a_line_that_is_no_row(
    refused: Refused, small: Path, tmp_path: Path, kind: str, line: bytes
) -> None:
    def edit(files: dict[str, bytes]) -> None:
        files[f"{kind}.jsonl"] += line

    assert isinstance(refused(rewritten(small, tmp_path / "line.zip", edit)), InvalidInput)


def test_rows_out_of_order_or_twice(refused: Refused, small: Path, tmp_path: Path) -> None:
    def twice(files: dict[str, bytes]) -> None:
        files["tasks.jsonl"] *= 2

    def turned(files: dict[str, bytes]) -> None:
        lines = files["observations.jsonl"].splitlines(keepends=True)
        files["observations.jsonl"] = b"".join(reversed(lines))

    for edit in (twice, turned):
        assert "order" in str(refused(rewritten(small, tmp_path / "order.zip", edit)))


def test_a_row_without_a_field(refused: Refused, small: Path, tmp_path: Path) -> None:
    for kind in KINDS:

        def edit(files: dict[str, bytes], name: str = kind.member) -> None:
            first, _, others = files[name].partition(b"\n")
            row = json.loads(first or b"{}")
            row.pop(next(iter(row), ""), None)
            files[name] = json.dumps(row).encode() + b"\n" + others

        refused(rewritten(small, tmp_path / "field.zip", edit))


def test_a_text_that_no_engine_can_hold_comes_in_readable(
    target: Memoranda, small: Path, tmp_path: Path
) -> None:
    edit = with_row("memories", content="a\0b \ud800 c")
    path = rewritten(small, tmp_path / "nul.zip", edit)
    settings = plain(load_settings({"data_dir": tmp_path / "other"}, {}))
    with Memoranda.open(settings=settings) as other:
        assert isinstance(other._database, SqliteDatabase)
        other.archive.import_archive(path)
        assert other.memories.list().items[0].content == "a\u2400b \ufffd c"
