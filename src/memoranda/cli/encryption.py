"""Commands that encrypt and decrypt a store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoranda.cli.output import Output, command_here

if TYPE_CHECKING:
    from memoranda.store.sqlite.upkeep import Inspection


@click.command(epilog="Example: memoranda encrypt")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@command_here
def encrypt_command(out: Output, data_dir: str | None, file: Path | None) -> None:
    """Encrypt the store, or a backup of it, with the key in the settings.

    Close it in all other processes first. A checked copy replaces it; if that fails, nothing is
    changed.
    """
    path, found = _converted(data_dir, file, encrypted=True)
    out.text(found, f"{path}: encrypted, {found.size_bytes:,} bytes, checked")


@click.command(epilog="Example: memoranda decrypt ~/backups/memoranda-2026-11-21.db")
@click.argument("file", required=False, type=click.Path(path_type=Path))
@command_here
def decrypt_command(out: Output, data_dir: str | None, file: Path | None) -> None:
    """Decrypt the store, or a backup of it. The key remains in place.

    Close it in all other processes first. A checked copy replaces it; if that fails, nothing is
    changed.
    """
    path, found = _converted(data_dir, file, encrypted=False)
    out.text(found, f"{path}: not encrypted, {found.size_bytes:,} bytes, checked")


def _converted(
    data_dir: str | None, file: Path | None, *, encrypted: bool
) -> tuple[Path, Inspection]:
    from memoranda.config import load_settings
    from memoranda.store.engines import convert_file

    settings = load_settings({"data_dir": data_dir})
    path = file or settings.database_path
    return path, convert_file(settings, path, encrypted=encrypted)
