"""Opens untrusted archives: their structure is checked first.

Nothing is extracted to disk, and no metadata of the zip is trusted: names, sizes, offsets and types
of all members are checked before the first one is read, and at most the declared length of each
member is read.
"""

from __future__ import annotations

import hashlib
import stat
import struct
import zlib
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from memoranda.archive.format import (
    LINE_BYTES,
    MANIFEST,
    MANIFEST_BYTES,
    MEMBERS,
    RATIO,
    RATIO_FROM,
    TOTAL_BYTES,
    Manifest,
    Member,
    parsed,
)
from memoranda.exceptions import CorruptData, InvalidInput, NotFound, StorageUnusable

DIRECTORY_BYTES = 1 << 16
"""Maximum size in bytes of the zip's central directory, which has few entries."""

_END = struct.Struct("<4s4H2LH")
_LOCATOR = struct.Struct("<4sLQL")
_LONG_END = struct.Struct("<4sQ2H2L4Q")
_ENCRYPTED = 0x1
_LOCAL_HEADER = 30


class Archive:
    """An archive whose structure was checked."""

    def __init__(self, path: Path, zip: ZipFile, manifest: Manifest) -> None:
        self.path = path
        self.manifest = manifest
        self._zip = zip

    def lines(self, name: str) -> Iterator[bytes]:
        """Yield the lines of a member, without line ends.

        After the last line, sizes and hash are compared with the manifest.

        Raises:
            CorruptData: the member is damaged, or does not match the manifest.
            InvalidInput: a line is too long.
        """
        member = self.manifest.members[name]
        with naming_archive(self.path), _damage(f"{name} is damaged"), self._zip.open(name) as file:
            yield from _checked(file, name, member)


def _checked(file: IO[bytes], name: str, member: Member) -> Iterator[bytes]:
    digest, size, rows = hashlib.sha256(), 0, 0
    while line := file.readline(LINE_BYTES + 1):
        if len(line) > LINE_BYTES:
            raise InvalidInput(f"{name}: line {rows + 1} is longer than {LINE_BYTES:,} bytes")
        digest.update(line)
        size, rows = size + len(line), rows + 1
        yield line.removesuffix(b"\n")
    if (rows, size, digest.hexdigest()) != (member.rows, member.bytes, member.sha256):
        raise CorruptData(f"{name} does not match {MANIFEST}")


@contextmanager
def open_archive(path: Path) -> Iterator[Archive]:
    """Open an archive for reading; it must not change while it is open.

    Raises:
        NotFound: the file does not exist.
        InvalidInput: the file is not an archive, or an unsafe one.
        CorruptData: the archive is damaged.
        SchemaTooNew: a newer Memoranda wrote the archive.
    """
    if not path.is_file():
        raise NotFound(f"no file {path}")
    with ExitStack() as stack:
        with naming_archive(path):
            file = stack.enter_context(path.open("rb"))
            _require_small_directory(file)
            with _damage("it is damaged"):
                zip = stack.enter_context(ZipFile(file))
                archive = Archive(path, zip, _manifest(zip))
        yield archive


@contextmanager
def naming_archive(path: Path) -> Iterator[None]:
    """Add the archive's path and advice to errors raised within the context."""
    try:
        yield
    except CorruptData as error:
        remedy = "get or export the file again; nothing was changed"
        raise CorruptData(f"{path}: {error}; {remedy}") from error
    except InvalidInput as error:
        remedy = "use an archive that `memoranda export` wrote; nothing was changed"
        raise InvalidInput(f"{path}: {error}; {remedy}") from error
    except OSError as error:
        raise StorageUnusable(f"cannot read {path}: {error.strerror}") from error


@contextmanager
def _damage(what: str) -> Iterator[None]:
    try:
        yield
    except (BadZipFile, zlib.error, EOFError, UnicodeDecodeError, struct.error) as error:
        raise CorruptData(what) from error
    # the member is encrypted, or its compression method is unknown
    except (NotImplementedError, RuntimeError) as error:
        raise InvalidInput(f"{what}, or uses an unsupported compression") from error


def _require_small_directory(file: IO[bytes]) -> None:
    """Check the size of a zip's central directory before it is read.

    Otherwise a large directory could exhaust the memory.
    """
    size = file.seek(0, 2)
    if size < _END.size:
        raise InvalidInput("it is not an archive")
    file.seek(size - _END.size)
    signature, *_, length, _, comment = _END.unpack(file.read(_END.size))
    if signature != b"PK\x05\x06" or comment:
        raise CorruptData("it is not an archive, or it is truncated")
    if size >= _END.size + _LOCATOR.size:
        file.seek(size - _END.size - _LOCATOR.size)
        locator, _, place, _ = _LOCATOR.unpack(file.read(_LOCATOR.size))
        if locator == b"PK\x06\x07":
            length = _long_directory(file, place, size)
    if length > DIRECTORY_BYTES:
        raise InvalidInput("it contains too many files")


def _long_directory(file: IO[bytes], place: int, size: int) -> int:
    if place > size - _LONG_END.size:
        raise CorruptData("it is damaged")
    file.seek(place)
    return int(_LONG_END.unpack(file.read(_LONG_END.size))[8])


def _manifest(zip: ZipFile) -> Manifest:
    found = zip.infolist()
    _require_known(found)
    for info in found:
        _require_plain(info)
    _require_no_overlap(found, zip.start_dir)
    if sum(info.file_size for info in found) > TOTAL_BYTES:
        raise InvalidInput(f"it contains more than {TOTAL_BYTES:,} bytes")
    with zip.open(MANIFEST) as file:
        manifest = parsed(file.read())
    sizes = {info.filename: info.file_size for info in found if info.filename != MANIFEST}
    if sizes != {name: member.bytes for name, member in manifest.members.items()}:
        raise CorruptData(f"its members differ from those in {MANIFEST}")
    return manifest


def _require_known(found: list[ZipInfo]) -> None:
    names = [info.orig_filename for info in found]
    strange = sorted(set(names) - {MANIFEST, *MEMBERS})
    if strange:
        raise InvalidInput(f"it has unknown members: {strange[:3]!r}")
    if len(set(names)) < len(names):
        raise InvalidInput("it has a duplicate member")
    if MANIFEST not in names:
        raise InvalidInput(f"it is not an archive: {MANIFEST} is missing")


def _require_plain(info: ZipInfo) -> None:
    """Require a regular file, not encrypted and not overly compressed."""
    name = info.filename
    if info.flag_bits & _ENCRYPTED:
        raise InvalidInput(f"{name} is encrypted; decrypt the archive first")
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG):
        raise InvalidInput(f"{name} is not a regular file")
    if info.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
        raise InvalidInput(f"{name} uses an unsupported compression")
    if name == MANIFEST and info.file_size > MANIFEST_BYTES:
        raise InvalidInput(f"{name} is longer than {MANIFEST_BYTES:,} bytes")
    if info.file_size > max(RATIO_FROM, RATIO * info.compress_size):
        raise InvalidInput(f"{name} would expand to more than {RATIO} times its size when unpacked")


def _require_no_overlap(found: list[ZipInfo], end: int) -> None:
    """Require that no two members overlap, as in a zip bomb."""
    done = 0
    for info in sorted(found, key=lambda info: info.header_offset):
        if info.header_offset < done:
            raise InvalidInput("its members overlap")
        name = len(info.orig_filename.encode())
        done = info.header_offset + _LOCAL_HEADER + name + info.compress_size
    if done > end:
        raise CorruptData("its members extend beyond the end of the file")
