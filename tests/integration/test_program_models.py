"""Programs as language models, tested with small stand-in programs."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from acting import opened

from contract.clock import FixedClock
from memoranda import Memoranda
from memoranda.config import Settings, load_settings
from memoranda.exceptions import (
    BudgetExhausted,
    InvalidInput,
    ModelAnswerUnusable,
    ModelUnavailable,
)
from memoranda.model_request import ModelRequest, TokenUsage
from memoranda.models.factory import language_model, language_model_problem, language_price
from memoranda.ports import LanguageModel

pytestmark = pytest.mark.integration

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
TEXT = "the text about a door"
QUESTION = ModelRequest("name", "Name the word.", TEXT, SCHEMA, 200)
PROVIDERS = {"claude-cli": "claude", "codex-cli": "codex", "gemini-cli": "gemini"}
DAY = 86_400_000_000


def claude(text: str, *, error: bool = False, used: bool = True, **more: Any) -> str:
    """Return the output of Claude Code."""
    model = {"inputTokens": 100, "outputTokens": 30, "cacheReadInputTokens": 20,
             "cacheCreationInputTokens": 5, "costUSD": 0.0021}  # fmt: skip
    return json.dumps(
        {
            "type": "result",
            "is_error": error,
            "result": text,
            "stop_reason": "end_turn",
            "total_cost_usd": 0.0021 if used else 0,
            "modelUsage": {"small": model} if used else {},
        }
        | more
    )


def codex(text: str) -> str:
    """Return the output of Codex."""
    usage = {"input_tokens": 125, "cached_input_tokens": 20, "output_tokens": 30}
    events = [
        {"type": "thread.started", "thread_id": "1"},
        {"type": "turn.started"},
        {"type": "error", "message": "Reconnecting... 1/5"},
        {"type": "item.completed", "item": {"type": "reasoning", "text": "hm"}},
        {"type": "item.completed", "item": {"type": "agent_message", "text": text}},
        {"type": "turn.completed", "usage": usage},
    ]
    return "\n".join(map(json.dumps, events))


def gemini(text: str) -> str:
    """Return the output of Gemini CLI."""
    tokens = {"prompt": 125, "candidates": 25, "thoughts": 5, "cached": 20}
    stats = {"models": {"small": {"tokens": tokens}}}
    return json.dumps({"session_id": "s-1", "response": text, "stats": stats}, indent=2)


PRINTED: dict[str, Callable[[str], str]] = {
    "claude-cli": claude, "codex-cli": codex, "gemini-cli": gemini,
}  # fmt: skip


class Bin:
    """A folder on PATH for programs."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir()

    def add(self, name: str, body: str) -> None:
        """Add a Python program."""
        path = self.folder / name
        path.write_text(f"#!{sys.executable}\nimport json, os, sys, time\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def prints(self, name: str, out: str, *, err: str = "", code: int = 0) -> None:
        """Add a program that stores its input, prints and exits."""
        self.add(
            name,
            f"given = dict(argv=sys.argv, text=sys.stdin.read(), env=dict(os.environ), "
            f"cwd=os.getcwd(), files=os.listdir())\n"
            f"open({str(self.folder / 'given')!r}, 'w').write(json.dumps(given))\n"
            f"sys.stdout.write({out!r}); sys.stderr.write({err!r}); sys.exit({code})",
        )

    def given(self) -> dict[str, Any]:
        """Return the input of the last program."""
        found: dict[str, Any] = json.loads((self.folder / "given").read_text())
        return found


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bin:
    """Return a folder that is all of PATH."""
    made = Bin(tmp_path / "bin")
    monkeypatch.setenv("PATH", str(made.folder))
    monkeypatch.setenv("HOME", str(tmp_path))
    return made


def model(tmp_path: Path, provider: str, **changes: Any) -> LanguageModel:
    """Return the model of a provider."""
    arguments = {"data_dir": tmp_path / "data", "language_model": provider}
    made = language_model(load_settings(arguments | changes, {}))
    assert made is not None
    return made


@pytest.mark.parametrize("provider", PROVIDERS)
def test_answer_and_usage_are_read(programs: Bin, tmp_path: Path, provider: str) -> None:
    programs.prints(PROVIDERS[provider], PRINTED[provider]('```json\n{"word": "door"}\n```'))
    reply = model(tmp_path, provider).answer(QUESTION)
    assert reply.data == {"word": "door"}
    cost = 2_100 if provider == "claude-cli" else None
    assert reply.usage == TokenUsage(125, 30, 20, cost)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_text_goes_by_standard_input_to_a_program_that_records_nothing(
    programs: Bin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, provider: str
) -> None:
    monkeypatch.setenv("MEMORANDA_LANGUAGE_API_KEY", "sk-hunter2")
    for name in ("CLAUDECODE", "CODEX_THREAD_ID", "GEMINI_CLI"):
        monkeypatch.setenv(name, "1")
    programs.prints(PROVIDERS[provider], PRINTED[provider]('{"word": "door"}'))
    model(tmp_path, f"{provider}:small").answer(QUESTION)
    values = programs.given()
    assert TEXT in values["text"]
    assert TEXT not in json.dumps(values["argv"])
    assert QUESTION.system not in json.dumps(values["argv"])
    assert "small" in values["argv"]
    assert values["env"]["MEMORANDA_DISABLED"] == "1"
    assert "sk-hunter2" not in json.dumps(values)
    nested = {"claude-cli": "CLAUDECODE", "codex-cli": "CODEX_THREAD_ID"}
    assert nested.get(provider, "GEMINI_CLI") not in values["env"]
    assert values["cwd"].startswith(str(tmp_path / "data"))
    assert set(values["files"]) <= {".gemini"}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_missing_program_is_named(programs: Bin, tmp_path: Path, provider: str) -> None:
    with pytest.raises(ModelUnavailable, match=f"{PROVIDERS[provider]} is not on PATH") as caught:
        model(tmp_path, provider).answer(QUESTION)
    assert not caught.value.charged
    assert not caught.value.may_pass


def test_program_beside_path_is_found_by_the_setting(programs: Bin, tmp_path: Path) -> None:
    other = Bin(tmp_path / "opt")
    other.prints("my-claude", claude('{"word": "door"}'))
    path = str(other.folder / "my-claude")
    model_client = model(tmp_path, "claude-cli", language_program=path)
    assert model_client.answer(QUESTION).data == {"word": "door"}
    with pytest.raises(ModelUnavailable, match="language_program"):
        model(tmp_path, "claude-cli", language_program=f"{path}-gone").answer(QUESTION)


SIGNED_OUT = json.dumps({"error": {"type": "Error", "message": "Please set an Auth method"}})
FAILED = '{"type":"turn.started"}\n{"type":"turn.failed","error":{"message":"%s"}}'


@pytest.mark.parametrize(
    ("provider", "out", "err", "code", "message", "charged"),
    [
        ("claude-cli", claude("Not logged in · Please run /login", error=True, used=False), "", 1,
         "claude is not logged in: run `claude /login`", False),
        ("codex-cli", FAILED % "unexpected status 401 Unauthorized", "", 1,
         "codex is not logged in: run `codex login`", False),
        ("gemini-cli", "", SIGNED_OUT, 41, "gemini is not logged in", False),
        ("claude-cli", claude("API Error: 500", error=True, used=False), "", 1,
         r"claude failed \(exit code 1\): API Error: 500", False),
        ("claude-cli", "", "Segmentation fault", 139, "exit code 139.*Segmentation fault", True),
        ("codex-cli", FAILED % "stream disconnected", "", 1, "stream disconnected", True),
        ("codex-cli", "", "Error loading config.toml", 1, "Error loading config.toml", False),
        ("gemini-cli", "<html>", "", 0, "without an answer", True),
        ("claude-cli", '{"type": "res', "", 0, "without an answer", True),
    ],
)  # fmt: skip
def test_failure_states_what_failed(
    programs: Bin, tmp_path: Path, provider: str, out: str, err: str, code: int, message: str,
    charged: bool,
) -> None:  # fmt: skip
    programs.prints(PROVIDERS[provider], out, err=err, code=code)
    with pytest.raises(ModelUnavailable, match=message) as caught:
        model(tmp_path, provider).answer(QUESTION)
    assert caught.value.charged == charged


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("text", ["", "I cannot do that.", '{"sword": 1}', '{"word": "d'])
def test_answer_of_another_form_is_refused_and_counted(
    programs: Bin, tmp_path: Path, provider: str, text: str
) -> None:
    programs.prints(PROVIDERS[provider], PRINTED[provider](text))
    with pytest.raises(ModelAnswerUnusable) as caught:
        model(tmp_path, provider).answer(QUESTION)
    assert caught.value.usage is not None
    assert caught.value.usage.output_tokens == 30


def test_answer_that_was_cut_off_is_refused(programs: Bin, tmp_path: Path) -> None:
    programs.prints("claude", claude('{"word": "door"}', stop_reason="max_tokens"))
    with pytest.raises(ModelAnswerUnusable, match="did not complete its answer"):
        model(tmp_path, "claude-cli").answer(QUESTION)


def test_time_out_ends_the_program_and_all_it_started(programs: Bin, tmp_path: Path) -> None:
    note = tmp_path / "child"
    programs.add(
        "claude",
        "import subprocess\n"
        f"child = subprocess.Popen([{sys.executable!r}, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(note)!r}, 'w').write(str(child.pid))\n"
        "time.sleep(60)",
    )
    started = time.monotonic()
    with pytest.raises(ModelUnavailable, match="within 3 seconds") as caught:
        model(tmp_path, "claude-cli", language_timeout_seconds=3).answer(QUESTION)
    assert time.monotonic() - started < 20
    assert caught.value.charged
    child = int(note.read_text())
    give_up = time.monotonic() + 10
    while _runs(child) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert not _runs(child)


def _runs(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return False
        return not Path("/proc").exists()
    return state != "Z"


def opened_with(engine: Settings, tmp_path: Path, clock: FixedClock, **changes: Any) -> Memoranda:
    """Open a store whose model is a program."""
    arguments: dict[str, Any] = {"language_model": "claude-cli"}
    return opened(replace(engine, **(arguments | changes)), clock)


def call_model(memory: Memoranda, number: int) -> int:
    """Ask a unique question; return its cost."""
    found = memory._services.rewriters.model_for(memory._scope)
    assert found is not None
    return found.answer(replace(QUESTION, text=f"{TEXT} {number}")).cost


def test_calls_of_a_day_are_capped_and_come_again_the_next(
    engine: Settings, programs: Bin, tmp_path: Path
) -> None:
    programs.prints("claude", claude('{"word": "door"}'))
    clock = FixedClock()
    with opened_with(engine, tmp_path, clock, language_calls_a_day=2) as memory:
        assert [call_model(memory, n) for n in range(2)] == [2_100, 2_100]
        with pytest.raises(BudgetExhausted, match="language_calls_a_day"):
            call_model(memory, 2)
        clock.advance(DAY)
        assert call_model(memory, 2) == 2_100
        (spent,) = memory.costs.report("model")
        assert (spent.calls, spent.input_tokens, spent.cost) == (3, 375, 6_300)
        assert memory.costs.budget().spent == 6_300


def test_tokens_of_a_day_are_capped(engine: Settings, programs: Bin, tmp_path: Path) -> None:
    programs.prints("codex", codex('{"word": "door"}'))
    arguments = {"language_model": "codex-cli", "language_tokens_a_day": 60_000}
    with opened_with(engine, tmp_path, FixedClock(), **arguments) as memory:
        call_model(memory, 0)
        with pytest.raises(BudgetExhausted, match="language_tokens_a_day"):
            for number in range(1, 100):
                call_model(memory, number)


def test_month_without_dollars_calls_no_program_that_reports_them(
    engine: Settings, programs: Bin, tmp_path: Path
) -> None:
    programs.prints("claude", claude('{"word": "door"}'))
    with opened_with(engine, tmp_path, FixedClock()) as memory:
        memory.costs.set_budget(0.01)
        with pytest.raises(BudgetExhausted):
            call_model(memory, 0)
    assert not (programs.folder / "given").exists()


@pytest.mark.parametrize("name", ["claude-cli", "codex-cli:gpt-5.5", "gemini-cli:pro"])
def test_programs_are_settings(tmp_path: Path, name: str) -> None:
    assert load_settings({"data_dir": tmp_path, "language_model": name}, {}).language_model == name


@pytest.mark.parametrize("name", ["claude", "claude-cli:", "ollama", "openai", "cursor-cli"])
def test_what_is_no_model_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match="claude-cli"):
        load_settings({"data_dir": tmp_path, "language_model": name}, {})


def test_ollama_needs_neither_address_nor_key_and_costs_nothing(tmp_path: Path) -> None:
    settings = load_settings({"data_dir": tmp_path, "language_model": "ollama:qwen3"}, {})
    made, price = language_model(settings), language_price(settings)
    assert made is not None
    assert (made.name, language_model_problem(settings)) == ("ollama:qwen3", "")
    assert price is not None
    assert (price.source, price.cost(TokenUsage(10**6, 10**6))) == ("free", 0)
    away = replace(settings, language_base_url="https://models.example/v1")
    assert language_price(away) is None


def install(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Install hooks in a new home folder."""
    home = tmp_path / "home"
    home.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, "-m", "memoranda", "install", "claude-code", *arguments],
        env={"HOME": str(home), "PATH": os.defpath, "PYTHONPATH": os.pathsep.join(sys.path)},
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )


def test_install_writes_the_model_and_takes_it_out_again(tmp_path: Path) -> None:
    config = tmp_path / "home/.local/share/memoranda/config.toml"
    shown = install(tmp_path, "--model", "claude-cli", "--dry-run")
    assert shown.returncode == 0, shown.stderr
    assert not config.exists()
    done = install(tmp_path, "--model", "claude-cli:haiku", "--format", "json")
    assert json.loads(done.stdout)["model"] == "claude-cli:haiku"
    assert any("claude is not on PATH" in note for note in json.loads(done.stdout)["notes"])
    assert config.read_text() == 'language_model = "claude-cli:haiku"\n'
    table = '[language_prices]\nsmall = "1/2"\n'
    config.write_text('# mine\nteam = "us"\n' + config.read_text() + table)
    refused = install(tmp_path, "--model", "claude-cly")
    assert refused.returncode == 2
    assert 'language_model = "claude-cli:haiku"' in config.read_text()
    assert install(tmp_path, "--model", "none").returncode == 0
    left = '# mine\nteam = "us"\n[language_prices]\nsmall = "1/2"\n'
    assert config.read_text() == left
    assert install(tmp_path).returncode == 0
    assert "language_model" not in config.read_text()
