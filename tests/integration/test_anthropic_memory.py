"""The Anthropic SDK's memory tool over blocks acts as over a folder."""

from __future__ import annotations

import asyncio
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anthropic.lib.tools import ToolError
from anthropic.lib.tools._beta_builtin_memory_tool import BetaLocalFilesystemMemoryTool
from hypothesis import HealthCheck, given, settings, strategies as st

from memoranda import Memoranda, NewBlock
from memoranda.config import Settings
from memoranda.exceptions import InvalidInput
from memoranda.integrations.anthropic_memory import AsyncMemoryTool, MemoryTool
from serving import Served

pytestmark = pytest.mark.engines("sqlite")

PATHS = ("/memories/a", "/memories/b.txt", "/memories/d/a", "/memories/d/e/f", "/memories/.h")
FOLDERS = ("/memories", "/memories/d", "/memories/d/e", "/memories/none", "/etc", "/memories/../x")
TEXTS = ("", "one", "one\n", "one\ntwo\nthree\n", "two two", "größe\r\n", "tea\ncoffee")
paths, texts = st.sampled_from(PATHS), st.sampled_from(TEXTS)
anywhere = st.sampled_from(PATHS + FOLDERS)
COMMANDS = st.one_of(
    st.fixed_dictionaries({"command": st.just("create"), "path": paths, "file_text": texts}),
    st.fixed_dictionaries(
        {
            "command": st.just("view"),
            "path": anywhere,
            "view_range": st.sampled_from([None, [1, 2], [2, -1], [1]]),
        }
    ),
    st.fixed_dictionaries(
        {
            "command": st.just("str_replace"),
            "path": anywhere,
            "old_str": st.sampled_from(["one", "two", "tea", "o"]),
            "new_str": texts,
        }
    ),
    st.fixed_dictionaries(
        {
            "command": st.just("insert"),
            "path": anywhere,
            "insert_line": st.integers(-1, 4),
            "insert_text": texts,
        }
    ),
    st.fixed_dictionaries({"command": st.just("delete"), "path": anywhere}),
    st.fixed_dictionaries({"command": st.just("rename"), "old_path": anywhere, "new_path": paths}),
)


@pytest.fixture
def kept(engine: Settings) -> Iterator[Memoranda]:
    with Memoranda.open(settings=engine, workspace="files") as memory:
        yield memory


def _answer(tool: Any, command: dict[str, Any]) -> str:
    try:
        text = str(tool.call(dict(command)))
    except ToolError as error:
        text = f"refused: {error}"
    # A folder's size is the disk's there, and the size of its content here.
    return re.sub(r"(?m)^\S+\t(\S+/|/memories|/memories/d|/memories/d/e)$", r"\1", text)


def _empty_folders_go(root: Path) -> None:
    """Remove empty folders: here a folder exists only with content."""
    for folder in sorted((one for one in root.rglob("*") if one.is_dir()), reverse=True):
        if not any(folder.iterdir()):
            folder.rmdir()


@given(commands=st.lists(COMMANDS, min_size=1, max_size=12))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_it_returns_the_same_as_the_tool_over_a_folder(
    kept: Memoranda, commands: list[dict[str, Any]]
) -> None:
    ours = MemoryTool(kept, workspace="files")
    ours.clear_all_memory()
    with tempfile.TemporaryDirectory() as folder:
        theirs = BetaLocalFilesystemMemoryTool(folder)
        for command in commands:
            try:
                expected = _answer(theirs, command)
            except OSError:  # such as a file where a folder is needed
                assert _answer(ours, command).startswith("refused: ")
                return
            assert _answer(ours, command) == expected, command
            _empty_folders_go(theirs.memory_root)


def _create(path: str, text: str) -> dict[str, Any]:
    return {"command": "create", "path": path, "file_text": text}


def test_the_async_variant_returns_the_same(kept: Memoranda) -> None:
    async def story() -> list[str]:
        tool = AsyncMemoryTool(kept, workspace="files")
        results = [
            await tool.call(_create("/memories/tea.md", "green\nblack\n")),
            await tool.call({"command": "view", "path": "/memories"}),
            await tool.call({"command": "view", "path": "/memories/tea.md"}),
            await tool.call(
                {"command": "insert", "path": "/memories/tea.md", "insert_line": 1,
                 "insert_text": "white"}
            ),
            await tool.call(
                {"command": "str_replace", "path": "/memories/tea.md", "old_str": "black",
                 "new_str": "oolong"}
            ),
            await tool.call(
                {"command": "rename", "old_path": "/memories/tea.md",
                 "new_path": "/memories/drinks/tea.md"}
            ),
            await tool.call({"command": "delete", "path": "/memories/drinks"}),
            await tool.clear_all_memory(),
        ]  # fmt: skip
        with pytest.raises(ToolError, match="does not exist"):
            await tool.call({"command": "view", "path": "/memories/tea.md"})
        return [str(one) for one in results]

    results = asyncio.run(story())
    assert results[1].endswith("12B\t/memories\n12B\t/memories/tea.md")
    assert results[2].endswith("     1\tgreen\n     2\tblack\n     3\t")
    assert results[4].endswith("     1\tgreen\n     2\twhite\n     3\toolong\n     4\t")
    assert results[5:] == [
        "Successfully renamed /memories/tea.md to /memories/drinks/tea.md",
        "Successfully deleted /memories/drinks",
        "All memory cleared",
    ]


def test_every_value_stays_and_what_was_deleted_comes_back(kept: Memoranda) -> None:
    tool = MemoryTool(kept, workspace="files")
    tool.call(_create("/memories/plan", "one"))
    tool.call(
        {"command": "str_replace", "path": "/memories/plan", "old_str": "one", "new_str": "two"}
    )
    tool.call({"command": "rename", "old_path": "/memories/plan", "new_path": "/memories/done"})
    values = [one.value for one in kept.blocks.history("/memories/done")]
    assert values == ["two", "one"]
    tool.call({"command": "delete", "path": "/memories/done"})
    assert kept.blocks.undelete("/memories/done").value == "two"
    assert "two" in str(tool.call({"command": "view", "path": "/memories/done"}))


@pytest.mark.engines("sqlite", "postgres")
def test_two_agents_lose_nothing_of_each_other(kept: Memoranda) -> None:
    tool = AsyncMemoryTool(kept, workspace="files")

    async def story() -> None:
        await tool.call(_create("/memories/log", ""))
        await asyncio.gather(
            *(
                tool.call(
                    {"command": "insert", "path": "/memories/log", "insert_line": 0,
                     "insert_text": f"line {number}"}
                )
                for number in range(12)
            )
        )  # fmt: skip

    asyncio.run(story())
    lines = kept.blocks.show("/memories/log").value.split()
    assert sorted(lines[1::2], key=int) == [str(number) for number in range(12)]


def test_a_secret_is_not_kept(kept: Memoranda) -> None:
    MemoryTool(kept, workspace="files").call(
        _create("/memories/keys", "the key is AKIAQ3EGWVSNU7TTMZ5D")
    )
    assert "AKIAQ3EGWVSNU7TTMZ5D" not in kept.blocks.show("/memories/keys").value


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/memories/" + "a" * 100, "longer than 100 characters"),
        ("/memories/x/../../etc/passwd", "would escape"),
        ("/memoriesx", "must start with /memories"),
        ("/memories", "already exists"),
    ],
)
def test_a_path_that_is_none_is_refused(memory: Memoranda, path: str, expected: str) -> None:
    with pytest.raises(ToolError, match=expected):
        MemoryTool(memory, workspace="files").call(_create(path, "text"))


def test_a_file_is_no_longer_than_its_limit(memory: Memoranda) -> None:
    tool = MemoryTool(memory, workspace="files", limit=10)
    with pytest.raises(ToolError, match="10"):
        tool.call(_create("/memories/long", "x" * 11))
    assert "exists" not in str(tool.call(_create("/memories/long", "x" * 10)))


def test_a_folder_is_not_moved_into_itself(memory: Memoranda) -> None:
    tool = MemoryTool(memory, workspace="files")
    tool.call(_create("/memories/d/a", "text"))
    with pytest.raises(ToolError, match="lies in /memories/d itself"):
        tool.call({"command": "rename", "old_path": "/memories/d", "new_path": "/memories/d/e"})


def test_files_of_a_task_are_its_own(memory: Memoranda) -> None:
    task = memory.observe("count the parcels", task="parcels", workspace="files").task
    own = MemoryTool(memory, workspace="files", task=task)
    own.call(_create("/memories/a", "the task's"))
    with pytest.raises(ToolError, match="does not exist"):
        MemoryTool(memory, workspace="files").call({"command": "view", "path": "/memories/a"})
    assert "the task's" in str(own.call({"command": "view", "path": "/memories/a"}))


def test_files_of_others_are_not_touched(memory: Memoranda, data_dir: Path) -> None:
    """This includes requests of a person, who sees all of them."""
    ours = MemoryTool(memory, workspace="files")
    ours.call(_create("/memories/a", "ours"))
    MemoryTool(memory, workspace="yard").call(_create("/memories/a", "the yard's"))
    memory.blocks.create(NewBlock("/memories/b", "the team's"))
    with Memoranda.open(data_dir, agent="bob") as bob:
        own = MemoryTool(bob, workspace="files", private=True)
        own.call(_create("/memories/c", "bob's"))
        assert "/memories/c" in str(own.call({"command": "view", "path": "/memories"}))
        assert str(ours.call({"command": "view", "path": "/memories"})).count("\n") == 2
        ours.clear_all_memory()
        assert "bob's" in str(own.call({"command": "view", "path": "/memories/c"}))
    assert memory.blocks.show("/memories/b").value == "the team's"
    assert memory.blocks.show("/memories/a", workspace="yard").value == "the yard's"


def test_a_place_has_to_be_named(memory: Memoranda) -> None:
    for place in (None, "", "all"):
        with pytest.raises(InvalidInput, match="specify the owner"):
            MemoryTool(memory, workspace=place)


def test_the_files_may_lie_on_a_server(tmp_path: Path) -> None:
    server = Served(tmp_path / "data")
    try:
        url = f"http://127.0.0.1:{server.port}"
        with Memoranda.open(url, workspace="files", token=server.token) as memory:
            tool = MemoryTool(memory, workspace="files")
            assert "/memories" in _answer(tool, {"command": "view", "path": "/memories"})
            messages = [
                _answer(tool, _create("/memories/a", "tea\n")),
                _answer(tool, _create("/memories/a", "again")),
                _answer(
                    tool,
                    {
                        "command": "str_replace",
                        "path": "/memories/a",
                        "old_str": "tea",
                        "new_str": "oolong",
                    },
                ),
                _answer(
                    tool,
                    {"command": "rename", "old_path": "/memories/a", "new_path": "/memories/b"},
                ),
                _answer(tool, {"command": "view", "path": "/memories/b"}),
                _answer(tool, {"command": "delete", "path": "/memories/b"}),
                _answer(tool, {"command": "view", "path": "/memories/b"}),
            ]
            assert messages[0] == "File created successfully at: /memories/a"
            assert messages[1] == "refused: File /memories/a already exists"
            assert "oolong" in messages[2]
            assert "     1\toolong" in messages[4]
            assert messages[5] == "Successfully deleted /memories/b"
            assert messages[6].startswith("refused: ")
            assert memory.blocks.undelete("/memories/b").value == "oolong\n"
    finally:
        server.stop()
