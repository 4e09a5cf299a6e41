"""A store on each engine, for the tests that hold on both."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copy

import pytest

from memoranda.config import Settings, load_settings
from postgres_stores import EmptyStores


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    """A data directory that is not there yet."""
    return tmp_path / "data"


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, data_dir: Path, empty_store: Path) -> Iterator[Settings]:
    """Settings for an empty store on each engine, with the local model."""
    arguments = {"data_dir": data_dir, "embedder": "local"}
    if request.param == "sqlite":
        data_dir.mkdir(mode=0o700)
        copy(empty_store, data_dir)
        yield load_settings(arguments, {})
        return
    stores: EmptyStores = request.getfixturevalue("postgres_stores")
    try:
        yield load_settings(arguments | {"database_url": stores.url}, {})
    finally:
        stores.empty()
