"""Nouns of the memory object are created on use, with lazy imports."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

from memoranda import Memoranda
from memoranda.resource import Resource, ScopedStore
from memoranda.resource_attributes import NOUNS
from tables import each

LARGEST = 19
"""Maximum number of verbs, so that the help of a noun fits a screen."""


@each("noun", NOUNS)
def test_a_noun_is_a_resource_with_few_verbs(noun: str) -> None:
    resource = getattr(Memoranda, noun)
    assert issubclass(resource, Resource)
    assert (resource.__doc__ or "").startswith(f"``memory.{noun}``: ")
    verbs = [name for name in vars(resource) if not name.startswith("_")]
    assert 1 <= len(verbs) <= LARGEST
    assert not set(verbs) & {name for name in dir(ScopedStore) if not name.startswith("_")}


def test_a_noun_is_made_at_each_access_for_the_scope_of_the_memory(tmp_path: Path) -> None:
    with Memoranda.open(tmp_path / "data", workspace="shop") as memory:
        assert memory.blocks is not memory.blocks
        assert memory.blocks.memory is memory
        assert memory.blocks.workspace == memory.workspace is not None


def test_a_memory_that_nobody_uses_is_gone_without_a_collection(tmp_path: Path) -> None:
    memory = Memoranda.open(tmp_path / "data")
    memory.blocks.list()
    memory.memories.list()
    left = weakref.ref(memory)
    memory.close()
    gc.disable()
    try:
        del memory
        assert left() is None
    finally:
        gc.enable()


def test_the_memory_object_loads_no_resource_before_it_is_used(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from memoranda import Memoranda\n"
        "with Memoranda.open(sys.argv[1]) as memory:\n"
        "    before = {one for one in sys.modules if one.endswith('.resource')}\n"
        "    memory.journal.list()\n"
        "    after = {one for one in sys.modules if one.endswith('.resource')}\n"
        "print(sorted(before), sorted(after - before))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path / "data")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout.strip() == "['memoranda.resource'] ['memoranda.journal.resource']"
