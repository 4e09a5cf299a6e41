"""Modules loaded by the package and the hook, to limit their start time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import memoranda
from memoranda import hook

SOURCES = Path(memoranda.__file__).parents[1]
EMBEDDING = frozenset({"numpy", "onnxruntime", "httpx", "Stemmer"})
HEAVY = EMBEDDING | frozenset(
    {"apsw", "rich", "re2", "toktok", "sqlite3", "asyncio", "click", "hypothesis", "pytest"}
    | {"concurrent", "http", "urllib", "socket", "ssl", "email", "subprocess", "tomllib"}
)

LOADED = """
import sys
before = set(sys.modules)
{statement}
import json
print(json.dumps(sorted(set(sys.modules) - before - {{"json"}})))
"""

HOOK = """
import os, sys
before = set(sys.modules)
script, mode, report = sys.argv[1:4]
sys.argv = [script, mode, "claude-code"]
leave = os._exit

def end(code):
    file = os.open(report, os.O_CREAT | os.O_WRONLY, 0o600)
    os.write(file, "\\n".join(sorted(set(sys.modules) - before)).encode())
    leave(code)

os._exit = end
namespace = {"__name__": "__main__", "__file__": script}
exec(compile(open(script, encoding="utf-8").read(), script, "exec"), namespace)
"""

LIVE_HOOK = HOOK.replace('"claude-code"]', '"claude-code", "6000"]')

ALLOWED = frozenset({"__future__", "_thread", "select", "time"})
"""All that a plain event may load; `os` and `sys` are always loaded."""
SHORTENING = frozenset({"itertools", "_json", "_sha2", "_sha256"})
"""Additional modules of a short form, loaded without `json` or `re`."""


def loaded_by(statement: str) -> set[str]:
    """Return the names of modules that a statement loads in a new interpreter."""
    done = subprocess.run(
        [sys.executable, "-S", "-c", LOADED.format(statement=statement)],
        env={"PYTHONPATH": os.pathsep.join([str(SOURCES), *_packages()]), "PATH": ""},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return set(json.loads(done.stdout.splitlines()[-1]))


def _packages() -> list[str]:
    return [path for path in sys.path if path.endswith("site-packages")]


def test_importing_the_package_loads_nothing_heavy() -> None:
    loaded = loaded_by("import memoranda")
    assert not {name.partition(".")[0] for name in loaded} & HEAVY
    assert {name for name in loaded if name.startswith("memoranda")} == {
        "memoranda",
        "memoranda.version",
    }


def test_the_version_on_the_command_line_loads_click_and_nothing_else() -> None:
    call = "from memoranda.cli import main\ntry: main(['--version'])\nexcept SystemExit: pass"
    loaded = {name.partition(".")[0] for name in loaded_by(call)}
    assert "click" in loaded
    assert not loaded & {"apsw", "rich", "re2", "toktok", "sqlite3", "asyncio", "concurrent"}
    assert not loaded & EMBEDDING


def test_the_commands_load_nothing_that_draws_a_dashboard() -> None:
    call = "from memoranda.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    loaded = loaded_by(call)
    assert "memoranda.cli.tui" in loaded
    assert "textual" not in {name.partition(".")[0] for name in loaded}
    assert not any(name.startswith("memoranda.tui") for name in loaded)


MODULES = {
    "--help": 55,
    "status": 123,
    "context": 116,
    "search port": 168,
    "remember We-use-port-81": 196,
}
"""Maximum number of our modules that a command loads, its background jobs included.

`remember` renders the context of the next session.
"""
UNUSED = {
    "status": (
        *("api", "capture.redaction", "context", "jobs.handlers", "memories.memory_service"),
        *("memories.removal", "mirror", "models.embedding", "proposals.decisions", "telemetry"),
    ),
    "context": (
        *("capture.redaction", "context.remarks", "errors", "jobs.handlers", "lessons", "mirror"),
        *("models.embedding", "telemetry", "utterances"),
    ),
    "search port": (
        *("archive", "capture.redaction", "context", "jobs.handlers", "lessons"),
        *("memories.removal", "mirror", "proposals.decisions", "telemetry"),
    ),
    "remember We-use-port-81": (
        *("context.user_sentences", "conversations", "documents", "errors", "feedback", "lessons"),
        *("memories.removal", "profile.optimizer", "proposals.decisions", "stages", "telemetry"),
        "utterances",
    ),
}
"""Nouns and modules that a command does not need."""


@pytest.mark.parametrize("command", MODULES)
def test_a_command_loads_its_own_nouns_and_no_more(tmp_path: Path, command: str) -> None:
    memoranda.Memoranda.open(data_dir=tmp_path).close()
    arguments = [*command.split(), "--data-dir", str(tmp_path)]
    loaded = loaded_by(
        f"from memoranda.cli import main\ntry: main({arguments!r})\nexcept SystemExit: pass"
    )
    ours = {name.removeprefix("memoranda.") for name in loaded if name.startswith("memoranda.")}
    unused = UNUSED.get(command, ("memory", "assembly", "store"))
    assert not {name for name in ours if f"{name}.".startswith(tuple(f"{u}." for u in unused))}
    assert len(ours) <= MODULES[command]


CHOOSING = """
from memoranda.config import load_settings
from memoranda.models import factory
for kind, choices in {chosen!r}.items():
    for choice in choices:
        arguments = {{
            kind: choice, "embedding_key": "k", "embedding_model": "m",
            "embedding_url": "http://localhost", "reranker_key": "k", "reranker_model": "m",
            "reranker_url": "http://localhost", "language_api_key": "k",
            "language_base_url": "http://localhost",
        }}
        getattr(factory, kind)(load_settings(arguments, {{}}))
"""
"""Makes each model of each kind."""


def test_the_lower_floors_load_no_engine() -> None:
    loaded = loaded_by("import memoranda.json_data, memoranda.exceptions, memoranda.config")
    assert not {name.partition(".")[0] for name in loaded} & (HEAVY - {"email", "urllib"})


def test_a_store_that_is_not_encrypted_loads_nothing_that_is_about_keys(tmp_path: Path) -> None:
    call = f"from memoranda import Memoranda\nMemoranda.open({str(tmp_path)!r}).close()"
    loaded = loaded_by(call)
    assert "memoranda.store.sqlite.engine" in loaded
    assert not loaded & {"memoranda.store.sqlite.keys", "memoranda.store.sqlite.file_encryption"}
    assert "keyring" not in loaded


def test_choosing_models_loads_nothing_that_they_run_on() -> None:
    chosen = {
        "embedder": ["local", "openai", "cohere", "compatible", "none"],
        "reranker": ["cohere", "compatible", "none"],
        "language_model": ["openai:m", "anthropic:m", "compatible:m", ""],
    }
    loaded = loaded_by(CHOOSING.format(chosen=chosen))
    clients = {"openai", "anthropic", "httpx2", "pydantic", "genai_prices"}
    unused = EMBEDDING | clients | {"apsw", "toktok"}
    assert not {name.partition(".")[0] for name in loaded} & unused
    assert loaded >= {"memoranda.models.remote_reranker", "memoranda.models.language.provider"}


def test_without_models_nothing_of_them_is_loaded() -> None:
    none = {"embedder": ["none"], "reranker": ["none"], "language_model": [""]}
    loaded = loaded_by(CHOOSING.format(chosen=none))
    assert not loaded & {"memoranda.models.remote_reranker", "memoranda.models.language.provider"}


@pytest.mark.parametrize("chosen", ["none", "prometheus", "opentelemetry"])
def test_only_the_telemetry_that_is_chosen_is_loaded(tmp_path: Path, chosen: str) -> None:
    loaded = loaded_by(
        "from memoranda.config import load_settings\nfrom memoranda.memory import Memoranda\n"
        f"given = {{'data_dir': {str(tmp_path)!r}, 'telemetry': {chosen!r}}}\n"
        "Memoranda.open(settings=load_settings(given, {})).close()"
    )
    clients = {"prometheus_client": "prometheus", "opentelemetry": "opentelemetry"}
    tops = {name.partition(".")[0] for name in loaded}
    assert {name for name in clients if name in tops} == {
        name for name, meant in clients.items() if meant == chosen
    }
    exporters = {f"memoranda.telemetry.{name}" for name in clients.values()}
    assert bool(loaded & exporters) == (chosen != "none")


def test_public_names_are_available_on_request() -> None:
    for name in memoranda.__all__:
        assert getattr(memoranda, name)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        memoranda.Nothing  # noqa: B018


@pytest.mark.parametrize(
    "payload",
    [
        {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Bash"},
        {"session_id": "s", "text": "x" * 200_000},
        {},
    ],
    ids=["a tool call", "a large event", "an empty one"],
)
def test_the_hook_loads_no_more_than_a_few_built_in_modules(
    tmp_path: Path, payload: dict[str, str]
) -> None:
    report = tmp_path / "loaded"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", HOOK, hook.__file__, "spool", str(report)],
        input=json.dumps(payload).encode(),
        env={"MEMORANDA_DATA_DIR": str(tmp_path / "data"), "MEMORANDA_DEBUG": "1"},
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (tmp_path / "data" / "spool").is_dir()
    loaded = {name.partition(".")[0] for name in report.read_text().split()}
    assert loaded <= ALLOWED


def test_shortening_an_output_loads_little_more(tmp_path: Path) -> None:
    report = tmp_path / "loaded"
    event = {
        "session_id": "s",
        "hook_event_name": "PostToolUse",
        "tool_name": "Grep",
        "tool_input": {"pattern": "x"},
        "tool_response": "".join(f"src/cart.py:{n}: total\n" for n in range(2_000)),
        "tool_use_id": "toolu_1",
    }
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", LIVE_HOOK, hook.__file__, "live", str(report)],
        input=json.dumps(event).encode(),
        env={"MEMORANDA_DATA_DIR": str(tmp_path / "data"), "MEMORANDA_DEBUG": "1"},
        capture_output=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"updatedToolOutput" in done.stdout
    loaded = {name.partition(".")[0] for name in report.read_text().split()}
    assert loaded <= ALLOWED | SHORTENING


def test_the_hook_knows_nothing_of_the_package() -> None:
    for script in ("hook.py", "hook_event.py", "hook_output.py", "hook_session.py"):
        source = Path(hook.__file__).with_name(script).read_text("utf-8")
        assert "from memoranda" not in source
        assert "import memoranda" not in source
