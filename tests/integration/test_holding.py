"""Working memory by task: without secrets, deleted with its task."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import redis
from happenings import message_event, run

from contract.clock import FixedClock
from memoranda import Memoranda, Scope
from memoranda.assembly.services import Services
from memoranda.capture.event import EventKind
from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.identity.principal import Role
from memoranda.json_data import as_json, dump_json
from memoranda.memories.removal import RemovalSelection
from memoranda.operations import call
from memoranda.store.database import Transaction
from memoranda.store.redis.server import PAUSE
from memoranda.store.table_catalogue import TABLES
from secrets_corpus import SAMPLES_OF_KINDS, Sample
from servers import ValkeyProcess

pytestmark = pytest.mark.integration

CANARY = "Quetzalcoatlus"


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def services(memory: Memoranda, clock: FixedClock) -> Iterator[Services]:
    opened = Services(memory.settings, clock)
    yield opened
    opened.close()


@pytest.fixture(params=["table", "valkey"])
def either(
    request: pytest.FixtureRequest, memory: Memoranda, valkey: ValkeyProcess
) -> Iterator[Memoranda]:
    """Return a memory with entries in the table, and one in Valkey."""
    redis.Redis.from_url(valkey.url).flushall()
    if request.param == "table":
        yield memory
        return
    with Memoranda.open(settings=replace(memory.settings, redis_url=valkey.url)) as opened:
        yield opened


def seen_in(valkey: ValkeyProcess) -> str:
    """Return all names and values in Valkey."""
    client = redis.Redis.from_url(valkey.url)
    found = b"\n".join(
        name + (client.get(name) or b"" if client.type(name) == b"string" else
                b" ".join(client.zrange(name, 0, -1)))
        for name in client.scan_iter("*")
    )  # fmt: skip
    client.close()
    return found.decode()


def files_of(data_dir: Path) -> str:
    """Return the bytes of every file directly in a folder."""
    return "".join(
        path.read_bytes().decode("latin-1") for path in data_dir.iterdir() if path.is_file()
    )


def beside_entries(memory: Memoranda) -> str:
    """Return every row of every table except working memory."""

    def work(tx: Transaction) -> str:
        pages = (
            table.pages(tx, memory._scope.team, 100) for table in TABLES if table.name != "working"
        )
        return repr([rows for found in pages for rows in found])

    return memory._database.read(work)


def test_a_task_is_named_by_number_id_or_beginning(either: Memoranda) -> None:
    first, second = (either.observe("x", task=name).task for name in ("one", "two"))
    either.working.put("1", "key", "of the first")
    either.working.put(second, "key", "of the second")
    for name in ("1", first, first[:-1]):
        assert either.working.get(name, "key").value == "of the first"
    assert either.working.get("2", "key").value == "of the second"
    assert either.working.get("2", "key").task == second
    for name, error in {"": InvalidInput, "9": NotFound, "nonesuch": NotFound}.items():
        for use in (
            lambda name: either.working.put(name, "key", 1),
            lambda name: either.working.get(name, "key"),
            lambda name: either.working.list(name),
            lambda name: either.working.delete(name, "key"),
        ):
            with pytest.raises(error, match="task"):
                use(name)


def test_a_task_of_another_workspace_is_out_of_reach(either: Memoranda) -> None:
    task = either.observe("x", task="one", workspace="shop").task
    either.observe("x", task="two", workspace="barn")
    either.working.put(task, "key", "value")
    either._scope = Scope(workspace=either._named("barn").id)
    with pytest.raises(NotFound, match="in this workspace"):
        either.working.get(task, "key")
    with pytest.raises(NotFound, match="in this workspace"):
        either.working.put(task, "key", "other")


def test_a_task_of_another_team_is_out_of_reach(either: Memoranda) -> None:
    task = either.observe("x", task="one").task
    either.working.put(task, "key", "value")
    for team in ("other", "loca", "local:working"):
        either._scope = Scope(team)
        with pytest.raises(NotFound):
            either.working.get(task, "key")
        assert either._services.working.get(team, task, "key") is None


def test_a_list_comes_page_by_page(either: Memoranda) -> None:
    either.observe("x", task="one")
    names = [f"{number:02d}\0 name" for number in range(7)]
    for name in names:
        either.working.put("1", name, name)
    seen: list[str] = []
    cursor = None
    while True:
        page = either.working.list("1", cursor, 3)
        seen += [one.key for one in page]
        cursor = page.cursor
        if cursor is None:
            break
    assert seen == [name.replace("\0", "\u2400") for name in names]
    assert either.working.get("1", names[3]).value == names[3]
    assert either.working.list("1", None, 7).cursor is None
    for limit in (0, 1001):
        with pytest.raises(InvalidInput, match="limit"):
            either.working.list("1", None, limit)


def test_the_default_lifetime_is_an_hour(memory: Memoranda, services: Services) -> None:
    memory.observe("x", task="one")
    clock: Any = services.clock
    opened = Memoranda(services, Scope())
    put = opened.working.put("1", "key", 1)
    assert put.expires_at - put.written_at == 3_600 * 1_000_000
    clock.advance(3_600 * 1_000_000 - 1)
    assert opened.working.get("1", "key").value == 1
    clock.advance(1)
    with pytest.raises(NotFound, match="expired"):
        opened.working.get("1", "key")


def test_entries_outlive_the_process_that_wrote_them(data_dir: Path, valkey: ValkeyProcess) -> None:
    code = (
        "import sys\nfrom memoranda import Memoranda\n"
        "from memoranda.config import load_settings\n"
        "settings = load_settings({'data_dir': sys.argv[1], 'redis_url': sys.argv[2]})\n"
        "with Memoranda.open(settings=settings) as memory:\n"
        "    memory.observe('x', task='one')\n"
        "    memory.working.put('1', 'key', {'a': [1]}, 600)\n"
    )
    for url in ("", valkey.url):
        run(code, data_dir, url)
        settings = replace(load_settings({"data_dir": data_dir}), redis_url=url)
        with Memoranda.open(settings=settings) as memory:
            assert memory.working.get("1", "key").value == {"a": [1]}
            memory.working.delete("1", "key")


@pytest.mark.parametrize("secret", SAMPLES_OF_KINDS, ids=lambda sample: sample.name)
def test_an_entry_with_a_secret_is_refused_or_comes_back_as_it_was(
    either: Memoranda, data_dir: Path, valkey: ValkeyProcess, secret: Sample
) -> None:
    """Recognised formats are refused; labelled values are kept unchanged."""
    either.observe("x", task="one")
    value: Any = {"deep": ["before", secret.text]}
    if is_refused(either, "plain", value, secret):
        assert secret.secret not in seen_in(valkey) + files_of(data_dir)
    else:
        assert either.working.get("1", "plain").value == value
        assert secret.secret not in beside_entries(either)
        assert either.search(secret.text[:200]).hits == ()
        assert secret.secret not in seen_in(valkey).replace(dump_json(value), "")


@pytest.mark.parametrize("secret", SAMPLES_OF_KINDS, ids=lambda sample: sample.name)
def test_a_key_with_a_secret_is_refused_or_comes_back_as_it_was(
    either: Memoranda, data_dir: Path, valkey: ValkeyProcess, secret: Sample
) -> None:
    either.observe("x", task="one")
    key = secret.text[:200]
    if is_refused(either, key, "value", secret):
        assert secret.secret not in seen_in(valkey) + files_of(data_dir)
        with pytest.raises(NotFound):
            either.working.get("1", key)
    else:
        assert either.working.get("1", key).key == key
        assert [one.key for one in either.working.list("1")] == [key]
        assert secret.secret not in beside_entries(either)


def is_refused(memory: Memoranda, key: str, value: Any, secret: Sample) -> bool:
    """Store an entry; return whether it was refused, as vendor tokens must be."""
    try:
        put = memory.working.put("1", key, value)
    except InvalidInput as error:
        assert secret.secret not in str(error)
        assert memory.working.list("1").items == ()
        return True
    assert (put.key, put.value) == (key, value)
    assert not secret.vendor
    return False


def test_a_key_or_a_mark_does_not_alter_a_value(either: Memoranda) -> None:
    either.observe("x", task="one")
    for key, value in {
        "db_password": "correct-horse-battery",
        "login": {"password": "x", "token": "abc"},
        "note": "a <private>hidden</private> b",
        "odd": ["\0 and \x1b[0m", "\r\n", "a\u0301", "\u202e"],
    }.items():
        assert either.working.put("1", key, value).value == value
        assert either.working.get("1", key).value == value


def test_an_entry_is_the_same_at_every_interface(memory: Memoranda) -> None:
    memory.observe("x", task="one")
    value = {"created_at": 5, "lease_until": 10**30, "list": [{"at": 1}]}
    arguments = {"task": "1", "key": "key", "value": value}
    call(memory, "working.put", arguments, Role.AGENT)
    result: Any = as_json(call(memory, "working.get", {"task": "1", "key": "key"}, Role.AGENT))
    assert result["value"] == value
    assert result["expires_at"].endswith("Z")


@pytest.mark.parametrize("way", ["task", "time", "workspace"])
def test_forgetting_a_whole_task_takes_its_entries_along(
    either: Memoranda, data_dir: Path, valkey: ValkeyProcess, way: str
) -> None:
    kept = either.observe("stays", task="two", workspace="barn").task
    gone = either.observe("goes", task="one", workspace="shop").task
    for task in (kept, gone):
        either.working.put(task, "key", f"{CANARY if task == gone else 'plain'}")
    either.search("goes stays")
    chosen = {
        "task": RemovalSelection(task=gone),
        "time": RemovalSelection(since=0),
        "workspace": RemovalSelection(workspace=True),
    }[way]
    receipt = either.forget(chosen, workspace="shop", confirm=True)
    assert "working memory" in receipt.places
    assert CANARY not in seen_in(valkey)
    assert "goes" not in seen_in(valkey)
    assert CANARY.encode() not in b"".join(
        path.read_bytes() for path in data_dir.rglob("*") if path.is_file()
    )
    assert either.working.get(kept, "key").value == "plain"
    said_of_files = any("files of Redis" in place for place in receipt.not_reached)
    assert said_of_files == bool(either.settings.redis_url)


def test_a_task_that_nothing_was_observed_of_is_forgotten_too(either: Memoranda) -> None:
    either.capture.take([message_event("start", "begin", kind=EventKind.TASK_START)])
    (task,) = either.tasks.list().items
    assert either.store.stats().observations == 0
    either.working.put(task.id, "key", "value")
    elsewhere = either.observe("x", workspace="barn")
    either.forget(RemovalSelection(task=task.id), workspace="barn", confirm=True)
    assert either.working.get(task.id, "key").value == "value"
    either.forget(RemovalSelection(task=task.id, until=1), confirm=True)
    assert either.working.get(task.id, "key").value == "value"
    either.forget(RemovalSelection(ids=[elsewhere.id]), confirm=True)
    assert either.working.get(task.id, "key").value == "value"
    either.forget(RemovalSelection(task=task.id), dry_run=True)
    assert either.working.get(task.id, "key").value == "value"
    either.forget(RemovalSelection(task=task.id), confirm=True)
    with pytest.raises(NotFound):
        either.working.get(task.id, "key")


def test_a_receipt_reports_an_unreachable_server(
    memory: Memoranda, valkey: ValkeyProcess, clock: FixedClock
) -> None:
    services = Services(replace(memory.settings, redis_url=valkey.url), clock)
    opened = Memoranda(services, Scope())
    task = opened.observe("x", task="one").task
    opened.working.put(task, "key", "value", 600)
    opened.search("x")
    valkey.stop()
    try:
        receipt = opened.forget(RemovalSelection(task=task), confirm=True)
        result = " ".join(receipt.not_reached)
        assert "working memory, which does not answer" in result
        assert opened.search("x").hits == ()
    finally:
        valkey.start()
        clock.advance(PAUSE)
        opened.close()


def test_what_was_deleted_while_the_server_was_away_stays_deleted(
    memory: Memoranda, valkey: ValkeyProcess, clock: FixedClock
) -> None:
    services = Services(replace(memory.settings, redis_url=valkey.url), clock)
    opened = Memoranda(services, Scope())
    task = opened.observe("x", task="one").task
    opened.working.put(task, "key", "value", 600)
    valkey.stop()
    try:
        opened.working.delete(task, "key")
        opened.working.put(task, "other", "value", 600)  # which sweeps
    finally:
        valkey.start()
        clock.advance(PAUSE)
    assert "value" in seen_in(valkey)
    assert [one.key for one in opened.working.list(task)] == ["other"]
    with pytest.raises(NotFound):
        opened.working.get(task, "key")
    opened.close()


def test_without_the_client_the_setting_is_refused_at_once(
    memory: Memoranda, monkeypatch: pytest.MonkeyPatch
) -> None:
    find = importlib.util.find_spec
    monkeypatch.setattr(
        "memoranda.assembly.services.find_spec",
        lambda name: None if name == "redis" else find(name),
    )
    settings = replace(memory.settings, redis_url="redis://127.0.0.1:1/0")
    with pytest.raises(InvalidInput, match=r"pip install 'memoranda\[redis\]'"):
        Memoranda.open(settings=settings)


def test_the_client_is_loaded_only_where_a_server_is_named(data_dir: Path) -> None:
    code = (
        "import sys\nfrom memoranda import Memoranda\n"
        "with Memoranda.open(sys.argv[1]) as memory:\n"
        "    memory.observe('x', task='one')\n"
        "    memory.working.put('1', 'key', 1)\n"
        "    memory.search('x')\n"
        "    assert 'redis' not in sys.modules\n"
    )
    run(code, data_dir)
