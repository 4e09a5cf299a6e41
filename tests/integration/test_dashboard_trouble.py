"""The dashboard with hostile text, empty stores and failing services."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from acting import acting
from rich.cells import cell_len
from screens import SMALL, Screen, play

from memoranda import Memoranda
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.identity.principal import Principal, Role, owner
from memoranda.memories.memory_service import NewMemory
from rpc_servers import Answer, RpcServer, serving

pytestmark = pytest.mark.integration

MARKUP = "[bold red]not bold[/bold red] [@click=app.quit]leave[/] [/] {x} \\[ $primary"
ESCAPES = "\x1b]0;owned\x07\x1b[2J\x1b[31mred\x1b[0m \x9b31m \x07bell \u202eevil\u200b"
CHINESE, HEBREW = "数据库监听端口八千零八十", "שלום 123 עולם"
HOSTILE = [MARKUP, f"escapes {ESCAPES}", f"{CHINESE} {'端' * 200}", f"{HEBREW} ends", "x" * 15_000]


@pytest.fixture
def hostile(memory: Memoranda) -> Memoranda:
    """Return a store with hostile texts in every field."""
    bob = acting(memory, "bob", "shop")
    for number, text in enumerate(HOSTILE):
        name = memory.tasks.create(f"task {number}", goal=text[:80], workspace="shop").name
        memory.observe(f"{text} {number}", task=name, workspace="shop")
        memory.remember(NewMemory(f"{text} {number}", title=text[:100]), workspace="shop")
        bob.remember(NewMemory(f"{text} proposed {number}", tags=(text[:40],)))
    return memory


def assert_plain(screen: Screen) -> None:
    """Check that the screen has no control characters and every line fits."""
    width = screen.app.size.width
    for line in screen.text.split("\n"):
        shown = line.replace("\u200e", "")
        assert shown.isprintable(), repr(line)
        assert cell_len(line) <= width, line
    assert screen.app.is_running


def test_text_from_memory_stays_text(hostile: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        await screen.until("5 kept")
        assert_plain(screen)
        await screen.press("2")
        rows = screen.app.query_one("#memories")
        await screen.until(lambda: rows.option_count == 12)
        for _ in range(10):
            assert_plain(screen)
            await screen.press("j")
        await screen.press("enter")
        await screen.press("4")
        await screen.until("1 observation")
        for _ in range(5):
            await screen.press("enter")
            await screen.until("Enter opens it")
            assert_plain(screen)
            await screen.press("enter")
            await screen.until("Enter: full content")
            await screen.press("enter")
            await screen.until("unmodified")
            assert_plain(screen)
            await screen.press("escape", "escape", "escape")
            await screen.until("1 observation")
            await screen.press("j")
        await screen.press("5")
        await screen.until("observe")
        assert_plain(screen)

    play(hostile, story, size=SMALL)  # where least fits


def test_what_is_decided_about_is_written_out(hostile: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        await screen.press("2")
        await screen.until("Pending approval")
        (waits,) = [one for one in hostile.proposals.list() if "escapes" in one.after.content]
        await screen.choose("#memories", waits.id)
        await screen.until(f"hash {waits.hash[:12]}")
        for expected in ("\\u001b]0;owned\\u0007", "\\u202eevil\\u200b", "\\u009b31m"):
            assert expected in screen.text
        assert screen.text.count("\\u001b]0;owned") == 2  # in its tag as well
        (markup,) = [one for one in hostile.proposals.list() if "not bold" in one.after.content]
        await screen.choose("#memories", markup.id)
        await screen.until("[bold red]not bold[/bold red]")
        assert "[@click=app.quit]leave[/]" in screen.text
        screen.capture("hostile-120")
        await screen.press("e")
        await screen.until("Approve with this text")
        assert "[@click=app.quit]leave[/]" in screen.text
        await screen.press("escape", "r")
        await screen.until("Reject: [bold red]")
        assert_plain(screen)

    play(hostile, story)


def test_columns_stay_where_they_are(hostile: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        await screen.press("2")
        await screen.until("Known")
        await screen.press("G")
        for _ in range(4):
            edges = {_edge(line) for line in screen.text.split("\n")[3:-3]}
            assert len(edges) == 1
            await screen.press("k")
        hebrew = [line.partition("│")[0] for line in screen.text.split("\n") if HEBREW[:4] in line]
        assert hebrew
        for line in hebrew:  # text to its right stays there in bidirectional terminals
            assert "\u200e" in line[line.rindex("ם") :]

    play(hostile, story)


def _edge(line: str) -> int:
    return cell_len(line.partition("│")[0])


def test_searches_find_hostile_text_and_ask_with_it(hostile: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        await screen.press("slash")
        await screen.write("[/bold] not bold $x")
        await screen.press("enter")
        await screen.until("[bold red]not bold")
        assert_plain(screen)
        await screen.press("enter")
        await screen.until("Enter: ")
        assert_plain(screen)

    play(hostile, story)


@pytest.mark.parametrize("size", [(120, 36), (30, 10)], ids=["wide", "tiny"])
def test_an_empty_store_explains_the_first_steps(memory: Memoranda, size: tuple[int, int]) -> None:
    async def story(screen: Screen) -> None:
        expected = {
            "1": "Needs attention",
            "2": "Nothing yet",
            "4": "No task yet",
            "5": "No entry.",
        }
        for key, text in expected.items():
            await screen.press(key)
            await screen.until(text if size[1] > 10 else "Memoranda")
        await screen.press("2", "a", "r", "e", "x", "u", "enter", "j", "k", "g", "G")
        await screen.until("Nothing to undo")
        await screen.press("4", "enter", "j", "escape", "5", "v")
        await screen.until(lambda: size[1] <= 10 or "0 entries, chain intact" in screen.text)
        await screen.press("slash", *"anything", "enter", "escape", "escape")
        await screen.until(lambda: size[1] <= 10 or "nothing found" in screen.text)
        screen.capture(f"empty-{size[0]}")

    play(memory, story, size=size)


def test_a_missing_store_is_reported_on_every_tab(memory: Memoranda) -> None:
    kept = memory.remember("The gateway listens on port 8080.", workspace="shop")

    async def story(screen: Screen) -> None:
        await screen.press("2")
        await screen.until("trust person")
        memory.close()
        await screen.press("x")
        await screen.until("storage_unusable: the store is closed; open it again")
        for key in ("1", "4", "5", "2"):
            await screen.press(key)
            screen.app.tick()
            await screen.until("storage_unusable: the store is closed")
        assert kept.title in screen.text  # the text that was read stays visible
        screen.capture("gone-120")
        await screen.press("slash", *"port", "enter")
        await screen.until("storage_unusable")

    play(memory, story)


def test_a_folder_that_is_gone_is_no_end(memory: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        await screen.until("0 kept")
        shutil.rmtree(memory.settings.data_dir)
        await screen.press("c")
        await screen.until("FileNotFoundError: ")
        await screen.press("5", "v", "4", "2")
        await screen.until("Nothing yet")

    play(memory, story)


def test_a_locked_store_leaves_the_screen_free(memory: Memoranda) -> None:
    bob = acting(memory, "bob", "shop")
    stated = bob.remember("The gateway listens on port 8080.")
    locked, release = threading.Event(), threading.Event()

    def hold() -> None:
        def work(_: object) -> None:
            locked.set()
            assert release.wait(60)

        memory._database.write(work)

    holder = threading.Thread(target=hold)

    async def story(screen: Screen) -> None:
        await screen.press("2")
        await screen.until("Approve (a)")
        holder.start()
        assert locked.wait(10)
        await screen.press("a")
        await screen.press("1")
        await screen.until("Needs attention")
        await screen.press("5")
        await screen.until("propose")
        assert memory.memories.evidence(stated.id).memory.status == "pending"
        release.set()
        await screen.until("approved: The gateway")

    try:
        play(memory, story)
    finally:
        release.set()
        holder.join()
    assert memory.memories.evidence(stated.id).memory.status == "approved"


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    opened = Service(load_settings({"data_dir": tmp_path / "served", "embedder": "none"}, {}))
    yield opened
    opened.close()


def test_a_memory_on_a_server_is_shown_and_decided_about(service: Service) -> None:
    bob = Principal("local", "bob", Role.AGENT, "bob", workspace="shop")
    stated = service.memory(bob).remember("The gateway listens on port 8080.")
    with serving(RpcServer(service)) as server:
        memory = Memoranda.open(server.url, token="t")

        async def story(screen: Screen) -> None:
            await screen.until("2 Memory (1)")
            await screen.press("2")
            await screen.until("+ The gateway listens")
            await screen.press("a")
            await screen.until("approved: The gateway")
            await screen.press("5", "v")
            await screen.until("chain intact")
            await screen.press("slash", *"gateway", "enter")
            await screen.until("1 found")

        play(memory, story)
        memory.close()
    assert service.memory(owner()).memories.evidence(stated.id).memory.approved_by == "human"


def test_a_reader_sees_what_is_for_readers(service: Service) -> None:
    service.memory(owner()).remember("Lamps are dimmed at night.", workspace="shop")
    reader = Principal("local", "rita", Role.READER)
    with serving(RpcServer(service, lambda _: reader)) as server:
        memory = Memoranda.open(server.url, token="t")

        async def story(screen: Screen) -> None:
            await screen.until("c checks everything")
            await screen.press("c")
            await screen.until("The rest is visible to admins only.")
            assert "visible to admins only" in screen.text
            await screen.press("2")
            await screen.until("Lamps are dimmed")
            await screen.press("x")
            await screen.until("forbidden: memories.archive is not allowed for the role reader")
            await screen.press("5")
            await screen.until("forbidden: journal.list is not allowed for the role reader")

        play(memory, story)
        memory.close()


def test_a_missing_server_is_reported_until_it_returns(service: Service) -> None:
    gone = threading.Event()
    server = RpcServer(service, script=lambda *_: Answer(cut=True) if gone.is_set() else None)

    async def story(screen: Screen) -> None:
        await screen.until("0 kept")
        gone.set()
        screen.app.tick()
        await screen.until("server_unavailable: ")
        gone.clear()
        screen.app.tick()
        await screen.until_gone("server_unavailable: ")

    with serving(server):
        memory = Memoranda.open(server.url, token="t")
        play(memory, story)
        memory.close()


def test_a_tick_while_the_tabs_are_taken_down_does_no_harm(memory: Memoranda) -> None:
    async def story(screen: Screen) -> None:
        await screen.press("2")
        await screen.app.query_one("#tabs").remove_children()
        screen.app.tick()

    play(memory, story)
