"""Every command helps, answers in every format, and complains in a way that programs can read."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from commands import SOURCES, TRANSCRIPT, ask, forked, invoke, run

from made_stores import copied, made_once
from memoranda import Memoranda
from memoranda.cli import cli
from memoranda.version import __version__
from tables import each

pytestmark = pytest.mark.e2e


def paths(group: click.Group, *before: str) -> Iterator[tuple[str, ...]]:
    """The words of every command and group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        yield (*before, name)
        if isinstance(command, click.Group):
            yield from paths(command, *before, name)


PATHS = list(paths(cli))
GROUPS = [path for path in PATHS if any(other[:-1] == path for other in PATHS)]
COMMANDS = [path for path in PATHS if path not in GROUPS]

READING = (
    "agent blocks critic",
    "agent list",
    "agent show critic",
    "auth token list",
    "block diff board 1",
    "block history board",
    "block holders board",
    "block list --task 1",
    "block prompt --task 1",
    "block show board",
    "brief 1 --tokens 200",
    "budget show",
    "checkpoint diff 1 1 2",
    "checkpoint list 1",
    "checkpoint replay 1 1",
    "checkpoint show 1 1",
    "compression report",
    "compression report --task 1",
    "config show",
    "demo",
    "help",
    "help task list",
    "cost report",
    "cost report --by day --plot",
    "context",
    "doctor",
    "drain",
    "errors count 1",
    "errors days --task 1",
    "errors list --limit 3",
    "errors list --type test --open",
    "errors patterns --task 1",
    "errors refine --limit 3",
    "feedback list --state processed",
    "feedback suggestions",
    "errors show 1#29",
    "supervisor list",
    "supervisor news",
    "forget 1#1 --dry-run",
    "execution list --limit 3",
    "execution show 1",
    "global list-learnings",
    "global stats",
    "global show",
    "list",
    "project export parcel --category decision",
    "project list",
    "project show parcel",
    "journal list",
    "journal verify",
    "live report",
    "privacy show",
    "privacy test hello",
    "memory list",
    "memory stats",
    "memory list --all",
    "memory list --critical",
    "memory list --as-of 2025-01-01",
    "memory conflicts",
    "message list 1 --limit 3",
    "message show 1",
    "mirror status",
    "pending count",
    "pending list --status all",
    "pending news",
    "quarantine list --released",
    "search rounding --quarantined",
    "pending rules list",
    "observation index --task 1 --limit 3",
    "observation list --summaries --limit 3",
    "observation show 1#1",
    "observation ties 1#1",
    "observation show 1#1 --full",
    "optimize --target 500",
    "optimize preview",
    "profile agent-file",
    "profile history",
    "profile news",
    "profile show",
    "relevant rounding",
    "search rounding --mode words --explain",
    "retention --older-than 1d",
    "search rounding",
    "search nonesuch",
    "stage list 1",
    "stage show 1",
    "stats",
    "status",
    "task effort",
    "task effort 1 --by agent --csv",
    "task list",
    "task resume 1",
    "task show 1",
    "task state 1",
    "timeline 1#5",
    "tool list --dialect openai",
    "tool reliability",
    "document get graph step",
    "document list graph",
    "undo",
    "working get 1 step",
    "working list 1",
    "workspace list",
    "workspace show parcel",
    "completion bash",
    "install claude-code --dry-run",
    "install claude-code --live --dry-run",
    "uninstall claude-code --dry-run",
)
WRITING = (
    "auth token create --role member --subject ada",
    "auth key rotate",
    "pending rules add --source execution --confidence 0.7",
    "block compress board",
    "block configure board --limit 9000",
    "block create plan steps --task 1",
    "block delete board",
    "block insert board more",
    "block replace board second third",
    "block restore board 1",
    "block rethink board anew",
    "block undelete away",
    "checkpoint create 1 testing half --dollars 0.5",
    "checkpoint fork 1 1",
    "checkpoint rollback 1 1",
    "task create another --goal text",
    "task edit 1 --goal text",
    "task note 1 {}",
    "backup copy.db",
    "config set context_budget 3000",
    "config unset context_budget",
    "budget set 20 --alert 0.5",
    "compress transcript.jsonl --tokens 100",
    "errors record text --type hallucination --task 1",
    "errors resolve 1#29 done",
    "supervisor context --task 1 --budget 900",
    "export copy.zip",
    "feedback add no --type rejection --task 1 --about lamps",
    "feedback process",
    "forget 1#2 --yes",
    "global add-learning text --category insight --tag one",
    "project add-decision parcel text --tag one",
    "project add-pattern parcel text --avoid",
    "import transcript.jsonl",
    "import-archive saved.zip",
    "import-archive saved.zip --renew-ids --dry-run",
    "mirror on",
    "observe text",
    "profile add text --category learned_rule",
    "quarantine hold 1#5",
    "rate 1#2 useful",
    "rebuild-index",
    "reembed",
    "remember text",
    "restore saved.db --yes",
    "stage complete 1",
    "stage compress 1 1 --ratio 5",
    "stage set 1 verification",
    "document clear graph --prefix st --yes",
    "document delete graph step",
    "document put graph next text",
    "working delete 1 step",
    "workspace rename parcel mill --dry-run",
    "workspace split parcel mill --task 1",
    "message add chat text --role assistant",
    "message compact 1 --mode whole --force",
    "working put 1 next text",
    'tool call archival_memory_insert {"content":"net"}',
)
ELSEWHERE = (
    "workspace merge parcel barn",
    "execution extract-learnings 1",
    "task end 1",
    "auth token revoke ID",
    "block attach board scribe",
    "block detach board scribe",
    "block edit board",
    "block patch board -",
    "block apply -",
    "copy HERE THERE",
    "db create",
    "db migrate",
    "db roles",
    "db status",
    "mcp",
    "decrypt copy.db",
    "encrypt",
    "feedback correct ID none",
    "feedback show ID",
    "memory archive ID",
    'memory change-all [{"id":"ID","archive":true}]',
    "memory edit ID",
    "memory history ID",
    "memory restore ID 1",
    "optimize apply all",
    "optimize undo ID",
    "memory show ID",
    "memory supersede OLD NEW",
    "mirror off",
    "mirror rebuild",
    "mirror sync",
    "pending approve ID",
    "pending approve-all",
    "pending reject ID",
    "pending show ID",
    "profile edit ID",
    "profile merge ID ID",
    "profile remove ID",
    "pending rules remove ID",
    "promote ID",
    "quarantine release ID",
    "quarantine show ID",
    "demote ID",
    "rpc",
    "say TEXT",
    "serve",
    "supervisor outcome ID --helped",
    "tui",
    "web link",
    "why ID",
)
"""Told in the stories of the first session, of the server, of blocks, of proposals and of feedback,
in a terminal, and where there are ciphers."""


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory with the example session and a note of it; read only."""
    made = made_once(tmp_path_factory, "line", _noted)
    return copied(made, tmp_path_factory.mktemp("line") / "data")


def _noted(data_dir: Path) -> None:
    ask(data_dir, "import", str(TRANSCRIPT))
    ask(data_dir, "working", "put", "1", "step", "halfway")
    ask(data_dir, "document", "put", "graph", "step", "halfway")
    ask(data_dir, "block", "create", "board", "first", "--shared")
    ask(data_dir, "block", "rethink", "board", "second")
    ask(data_dir, "block", "attach", "board", "critic", "--role", "reads")
    ask(data_dir, "block", "create", "away")
    ask(data_dir, "block", "delete", "away")
    ask(data_dir, "checkpoint", "create", "1", "planning", "--state", '{"n": 1}')
    ask(data_dir, "checkpoint", "create", "1", "coding", "--state", '{"n": 2}')
    with Memoranda.open(data_dir) as memory:
        while memory._services.worker.run():  # so that nothing is worked out between two commands
            pass


@pytest.fixture(autouse=True)
def _at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in an empty folder, with settings of nobody's, and without the model: that costs half
    a minute wherever a command embeds what waits, and is told in the first session."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in [name for name in os.environ if "MEMORANDA" in name or "CLAUDE" in name]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MEMORANDA_EMBEDDER", "none")


@each("path", COMMANDS, ids=" ".join)
def test_the_help_of_every_command_shows_an_example(path: tuple[str, ...]) -> None:
    done = CliRunner().invoke(cli, [*path, "--help"])
    assert done.exit_code == 0
    assert f"Example: memoranda {' '.join(path)}" in done.output
    assert "--format [table|json|md]" in done.output


@each("path", GROUPS, ids=" ".join)
def test_the_help_of_a_group_lists_its_commands(path: tuple[str, ...]) -> None:
    done = CliRunner().invoke(cli, [*path, "-h"])
    assert done.exit_code == 0
    assert all(other[-1] in done.output for other in paths(cli) if other[:-1] == path)


def test_every_command_is_tried_here() -> None:
    tried = {
        path for path in COMMANDS for line in READING + WRITING + ELSEWHERE
        if tuple(line.split()[: len(path)]) == path
    }  # fmt: skip
    assert tried == set(COMMANDS)


@each("line", READING)
def test_every_format_of_an_answer_can_be_read(imported: Path, line: str) -> None:
    assert ask(imported, *line.split()) is not None
    for form in ("table", "md"):
        output = invoke(imported, *line.split(), "--format", form)
        assert output.code == 0, output.err
        assert output.out.strip()


@pytest.mark.parametrize("line", WRITING)
def test_what_changes_something_answers_in_json_too(imported: Path, line: str) -> None:
    data_dir = Path(shutil.copytree(imported, "data"))
    if "saved.db" in line:
        invoke(data_dir, "backup", "saved.db")
    if "saved.zip" in line:
        invoke(data_dir, "export", "saved.zip")
    shutil.copy(TRANSCRIPT, "transcript.jsonl")
    assert isinstance(ask(data_dir, *line.split()), dict)


def test_lists_in_markdown_are_tables(imported: Path) -> None:
    out = invoke(imported, "observation", "index", "--limit", "3", "--format", "md").out
    lines = out.splitlines()
    assert lines[0].startswith("| ref | type |")
    assert set(lines[1]) <= set("| -")
    assert len({line.replace("\\|", "").count("|") for line in lines[:5]}) == 1


def test_a_page_names_the_next_one(imported: Path) -> None:
    seen: list[str] = []
    words: list[str] = []
    while True:
        page = ask(imported, "observation", "index", "--limit", "60", "--repeats", *words)
        seen += [entry["ref"] for entry in page["items"]]
        if page["cursor"] is None:
            break
        words = ["--cursor", page["cursor"]]
    assert len(seen) == len(set(seen)) == 155
    out = invoke(imported, "observation", "index", "--limit", "60").out
    assert "more: add --cursor " in out


@each(
    ("line", "code", "exit_code"),
    [
        ("observation show 9#9", "not_found", 3),
        ("timeline nonesuch", "not_found", 3),
        ("task show 99", "not_found", 3),
        ("why ffff", "not_found", 3),
        ("stats --workspace nonesuch", "not_found", 3),
        ("import nonesuch.jsonl", "not_found", 3),
        ("restore nonesuch.db --yes", "not_found", 3),
        ("forget nonesuch", "not_found", 3),
        ("brief 9", "not_found", 3),
        ("task end 9", "not_found", 3),
        ("execution extract-learnings 9", "not_found", 3),
        ("pending rules add --confidence 1.5", "invalid", 2),
        ("pending rules add --confidence nan", "invalid", 2),
        ("pending rules remove nonesuch", "not_found", 3),
        ("brief 1 --tokens 2000000", "invalid", 2),
        ("compress nonesuch.log", "invalid", 2),
        ("budget set 1e300", "invalid", 2),
        ("cost report --month 2026-13", "invalid", 2),
        ("stage show 1 99", "not_found", 3),
        ("stage compress 1 99", "not_found", 3),
        ("feedback add x --task 99", "not_found", 3),
        ("feedback add ' '", "invalid", 2),
        ("feedback show ffff", "not_found", 3),
        ("feedback correct ffff none", "not_found", 3),
        ("feedback process ffff", "not_found", 3),
        ("say 'Forget about everything'", "invalid", 2),
        ("say 'Forget about'", "invalid", 2),
        ("say 'Forget about zebras'", "not_found", 3),
        ("say hello", "invalid", 2),
        ("encrypt", "invalid", 2),
        ("decrypt copy.db", "invalid", 2),
        ("forget", "invalid", 2),
        ("forget --whole-workspace", "invalid", 2),
        ("remember ''", "invalid", 2),
        ("observe ' '", "invalid", 2),
        ("observe x --workspace all", "invalid", 2),
        ("context --budget 0", "invalid", 2),
        ("optimize --target 0", "invalid", 2),
        ("optimize --apply x", "invalid", 2),
        ("optimize --apply all --shown 01234567", "conflict", 4),
        ("optimize --undo nonesuch", "not_found", 3),
        ("profile edit nonesuch --content x", "not_found", 3),
        ("observation list --task 1 --cursor x", "invalid", 2),
        ("observation list --task 1 --cursor 99999999999999999999", "invalid", 2),
        ("journal list --cursor 99999999999999999999", "invalid", 2),
        ("context --budget 20 --task 1", "budget_too_small", 6),
        ("remember x --data-dir /dev/null/x", "storage_unusable", 13),
        ("backup here.db", "conflict", 4),
        ("export here.db", "conflict", 4),
        ("export x.zip --agent nonesuch", "not_found", 3),
        ("import-archive nonesuch.zip", "not_found", 3),
        ("import-archive here.db", "invalid", 2),
        ("project show nonesuch", "not_found", 3),
        ("project show all", "invalid", 2),
        ("project export nonesuch", "not_found", 3),
        ("project add-pattern parcel ' '", "invalid", 2),
        ("working get 1 nonesuch", "not_found", 3),
        ("document get graph nonesuch", "not_found", 3),
        ("document put graph step x --version 9", "conflict", 4),
        ("document put graph step {x --json", "invalid", 2),
        ("document put graph step x --ttl 0", "invalid", 2),
        ("document clear graph", "invalid", 2),
        ("block show nonesuch", "not_found", 3),
        ("block diff board 9", "not_found", 3),
        ("block replace board nonesuch x", "invalid", 2),
        ("block rethink board x --version 1", "stale", 24),
        ("block create board --shared", "conflict", 4),
        ("block create x --private", "invalid", 2),
        ("block history board --cursor 99999999999999999999", "invalid", 2),
        ("checkpoint rollback 1 99", "not_found", 3),
        ("checkpoint create 1 coding --state []", "invalid", 2),
        ("checkpoint create 1 coding --tokens -1", "invalid", 2),
        ("task note 1 {", "invalid", 2),
        ("agent show nonesuch", "not_found", 3),
        ("working list 99", "not_found", 3),
        ("message show nonesuch", "not_found", 3),
        ("message add 99 text", "not_found", 3),
        ("message add chat ' '", "invalid", 2),
        ("message list 1 --cursor x", "invalid", 2),
        ("working list ''", "invalid", 2),
        ("working put 1 '' x", "invalid", 2),
        ("working put 1 key x --ttl 0", "invalid", 2),
        ("working put 1 key {x --json", "invalid", 2),
    ],
)
def test_a_complaint_is_json_with_its_code_and_exit_code(
    imported: Path, line: str, code: str, exit_code: int
) -> None:
    Path("here.db").touch()
    words = shlex.split(line)
    output = invoke(imported, *words, "--format", "json")
    assert output.out == ""
    assert output.error["code"] == code
    assert output.error["message"]
    assert output.code == exit_code
    if code == "budget_too_small":
        assert invoke(imported, *words[:2], str(output.error["needed"]), *words[3:]).code == 0
    text = invoke(imported, *words)
    assert text.code == exit_code
    assert text.err.startswith(f"error ({code}): ")


@pytest.mark.parametrize(
    "line",
    [
        "nonesuch",
        "search",
        "search x --since yesterday",
        "search x --since 9999999999999999d",
        "context --budget many",
        "observe x --type nonesuch",
        "timeline 1#1 --before 9999",
        "search x --format yaml",
    ],
)
def test_a_mistyped_command_shows_its_usage(imported: Path, line: str) -> None:
    output = invoke(imported, *line.split())
    assert output.code == 2
    assert "Usage: memoranda" in output.err or "Usage: cli" in output.err


def test_text_can_come_from_standard_input_whatever_its_bytes(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    output = forked(
        data_dir, "observe", "-", "--format", "json", given="ünd\n".encode() + b"\xff\xfe"
    )
    assert output.code == 0, output.err
    assert (
        ask(data_dir, "observation", "show", output.json["ref"])["content"] == "ünd\n\ufffd\ufffd"
    )


@pytest.mark.parametrize("command", ["remember", "observe"])
def test_an_argument_is_utf8_in_every_locale_or_refused(tmp_path: Path, command: str) -> None:
    data_dir = tmp_path / "data"
    output = run(data_dir, command, os.fsdecode(b"the caf\xe9 opens at nine"))
    assert output.code == 2
    assert "CONTENT must be UTF-8: its byte 8 is 0xe9; convert it" in output.err
    ascii = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    assert run(data_dir, command, "数据库 opens at ten", **ascii).code == 0
    found = ask(data_dir, "search", "opens")["hits"]
    assert [hit["title"] for hit in found] == ["数据库 opens at ten"]


LACKING = {
    "serve": ("prometheus_client", "server"),
    "web link": ("prometheus_client", "server"),
    "db status --url postgresql://u@127.0.0.1:9/x": ("psycopg", "postgres"),
}


@pytest.mark.parametrize("line", LACKING)
def test_a_command_without_its_extra_names_it(tmp_path: Path, line: str) -> None:
    module, extra = LACKING[line]
    (tmp_path / "without").mkdir()
    missing = f"raise ModuleNotFoundError('No module', name={module!r})\n"
    (tmp_path / "without" / f"{module}.py").write_text(missing)
    path = f"{tmp_path / 'without'}{os.pathsep}{SOURCES}"
    output = run(tmp_path / "data", *line.split(), PYTHONPATH=path)
    assert output.code == 2
    assert output.err == (
        f"error (invalid): this command needs an extra: pip install 'memoranda[{extra}]'\n"
    )


def test_a_note_of_a_task_comes_back_as_text_or_as_json(tmp_path: Path) -> None:
    data_dir, value = tmp_path / "data", '{"created_at": 5, "done": [1, 2.5, null]}'
    ask(data_dir, "observe", "begun", "--task", "one")
    ask(data_dir, "working", "put", "1", "state", value, "--json", "--ttl", "60")
    answer = ask(data_dir, "working", "get", "1", "state")
    assert answer["value"] == json.loads(value)
    assert answer["expires_at"].endswith("Z")
    assert json.loads(invoke(data_dir, "working", "get", "1", "state").out) == json.loads(value)
    ask(data_dir, "working", "put", "1", "state", value)
    assert ask(data_dir, "working", "get", "1", "state")["value"] == value
    assert invoke(data_dir, "working", "put", "1", "long", "-", given="ünd\nmehr").code == 0
    assert invoke(data_dir, "working", "get", "1", "long").out == "ünd\nmehr\n"
    assert [one["key"] for one in ask(data_dir, "working", "list", "1")["items"]] == [
        "long", "state",
    ]  # fmt: skip
    assert ask(data_dir, "working", "delete", "1", "long") == {"deleted": True, "key": "long"}
    assert ask(data_dir, "working", "delete", "1", "long")["deleted"] is False


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_any_terminal_gets_an_answer(tmp_path: Path, encoding: str) -> None:
    data_dir = tmp_path / "data"
    ask(data_dir, "remember", "the size: 数据库 Größe")
    result = run(data_dir, "memory", "list", PYTHONIOENCODING=f"{encoding}:strict")
    assert result.code == 0, result.err
    assert "the size: " in result.out


def test_a_command_applies_to_the_current_folder(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    for name in ("shop", "barn"):
        (tmp_path / name).mkdir()
        event = {"kind": "message", "session": name, "cwd": str(tmp_path / name), "text": "begin"}
        (tmp_path / f"{name}.jsonl").write_text(json.dumps(event) + "\n")
        ask(data_dir, "import", str(tmp_path / f"{name}.jsonl"))
    os.chdir(tmp_path / "barn")
    seen = ask(data_dir, "observe", "the door squeaks")
    assert [hit["id"] for hit in ask(data_dir, "search", "squeaks")["hits"]] == [seen["id"]]
    assert 'workspace="barn"' in ask(data_dir, "context")["text"]
    os.chdir(tmp_path / "shop")
    searched = invoke(data_dir, "search", "squeaks", "--format", "json")
    assert searched.json["hits"] == []
    assert "1 more in other workspaces" in searched.err
    assert len(ask(data_dir, "search", "squeaks", "--workspace", "all")["hits"]) == 1
    task = seen["ref"].split("#")[0]
    assert len(ask(data_dir, "search", "squeaks", "--task", task)["hits"]) == 1
    assert len(ask(data_dir, "observation", "list", "--task", task)["items"]) == 1
    assert 'workspace="barn"' in ask(data_dir, "context", "--task", task)["text"]
    assert invoke(data_dir, "context", "--task", task, "--workspace", "shop").code == 3
    kept = ask(data_dir, "remember", "the shop opens at nine")
    assert [one["id"] for one in ask(data_dir, "memory", "list")["items"]] == [kept["id"]]
    places = ask(data_dir, "workspace", "list")["items"]
    assert sorted(place["name"] for place in places) == ["barn", "shop"]


def test_a_folder_that_was_removed_is_no_reason_to_fail(imported: Path) -> None:
    gone = Path("gone").absolute()
    gone.mkdir()
    os.chdir(gone)
    gone.rmdir()
    try:
        assert invoke(imported, "search", "rounding").code == 0
    finally:
        os.chdir("/")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_a_folder_whose_name_is_not_utf8_is_no_reason_to_fail(tmp_path: Path) -> None:
    folder = tmp_path / "caf\udce9"
    folder.mkdir()
    before = Path.cwd()
    os.chdir(folder)
    try:
        for words in ("install", "uninstall"):
            found = ask(tmp_path / "data", words, "claude-code", "--scope", "project")
            assert found["changed"]
        assert invoke(tmp_path / "data", "remember", "The port is 8080.").code == 0
        for words in ("mirror on", "backup"):
            refused = invoke(tmp_path / "data", *words.split(), str(folder / "new"))
            assert (refused.code, "UTF-8" in refused.err) == (2, True)
            assert not (folder / "new").exists()
    finally:
        os.chdir(before)


def test_the_version_is_shown_without_opening_a_store(tmp_path: Path) -> None:
    result = run(tmp_path / "data", "--version")
    assert result.out == f"memoranda, version {__version__}\n"
    assert not (tmp_path / "data").exists()


def test_data_can_be_read_by_its_owner_alone(imported: Path) -> None:
    for path in [imported, *imported.rglob("*")]:
        assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0, path


def test_installing_for_a_project_leaves_the_home_alone(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    answer = ask(data_dir, "install", "claude-code", "--scope", "project")
    local = Path.cwd() / ".claude" / "settings.local.json"
    assert (answer["changed"], answer["path"]) == (True, str(local))
    assert json.loads(local.read_text("utf-8"))["hooks"]
    assert not (tmp_path / ".claude").exists()
    assert ask(data_dir, "install", "claude-code", "--scope", "project")["changed"] is False
    ask(data_dir, "uninstall", "claude-code", "--scope", "project")
    assert not local.exists()


def test_uninstalling_names_the_hooks_that_remain(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    local = Path.cwd() / ".claude" / "settings.local.json"
    for scope in ("user", "project"):
        ask(data_dir, "install", "claude-code", "--scope", scope)
    remains = f"hooks remain in {local}: memoranda uninstall claude-code --scope project"
    assert remains in invoke(data_dir, "uninstall", "claude-code").out
    assert remains in invoke(data_dir, "uninstall", "claude-code").out, "nothing to change"
    assert (
        "hooks remain" not in invoke(data_dir, "uninstall", "claude-code", "--scope", "project").out
    )


@pytest.mark.parametrize(
    "words", ["remember Prices are net", "search net prices", "memory show one two", "say ho hum"]
)
def test_a_text_without_quotation_marks_gets_a_hint(tmp_path: Path, words: str) -> None:
    output = invoke(tmp_path / "data", *words.split())
    assert output.code == 2
    expected = "memory show" not in words
    assert ("Put quotation marks around" in output.err) is expected


def test_a_dry_run_of_installing_writes_nothing(tmp_path: Path) -> None:
    output = invoke(tmp_path / "data", "install", "claude-code", "--dry-run")
    assert "+++" in output.out
    assert "hook.py" in output.out
    assert not (tmp_path / ".claude").exists()
    assert not (tmp_path / "data").exists()
