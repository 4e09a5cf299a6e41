"""Real hosts as language models: their texts, costs and isolation."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from host_programs import HOSTS, HostProgram

import forked_processes
import memoranda
from memoranda import Memoranda
from memoranda.assembly.services import Services
from memoranda.config import load_settings
from memoranda.exceptions import BudgetExhausted
from memoranda.model_request import ModelReply, ModelRequest
from memoranda.models.factory import language_model
from memoranda.ports import LanguageModel
from memoranda.scope import Scope
from model_server import ModelServer, Script, Text, Turn

pytestmark = pytest.mark.timeout(600)

PROVIDERS = {"claude-cli": "claude-code", "codex-cli": "codex", "gemini-cli": "gemini-cli"}
IDLE = "I will look at the import job once more now, as it seems to be of interest to somebody. "
ORDERS = "".join(f"order {n} of Mills costs {n * 7} EUR and leaves on day {n}\n" for n in range(90))
RULE = "Never write to the prod_north bucket; the budget is 4,200 EUR."
HOOK = Path(memoranda.__file__).with_name("hook.py")
WAIT_SECONDS = 60
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}


def fenced_text(body: str) -> str:
    """Return the text between the two fence lines of a request."""
    strings: list[str] = []

    def gather(value: Any) -> None:
        if isinstance(value, str):
            strings.append(value)
        elif isinstance(value, dict | list):
            for part in value.values() if isinstance(value, dict) else value:
                gather(part)

    gather(json.loads(body))
    (messages,) = [one for one in strings if "The user's message holds a text" in one]
    fence = messages.split('lines that read "', 1)[1].split('"', 1)[0]
    return messages.rsplit(f"\n{fence}", 1)[0].rsplit(f"{fence}\n", 1)[1]


def shorter(body: str) -> Turn:
    """Answer like a model that removes filler and changes nothing else."""
    lines, ref = [], "1#1"
    for row in fenced_text(body).split("\n"):
        name, colon, rest = row.partition(": ")
        if not row.startswith(" ") and colon:
            ref, row = name.split(" ")[0], rest
        lines.append({"text": row.strip().replace("as it seems to be ", ""), "refs": [ref]})
    return Turn(Text(json.dumps({"lines": [line for line in lines if line["text"]]})))


def lessons(body: str) -> Turn:
    """Answer like a model that words one note well and invents the rest."""
    reported = []
    for number, row in enumerate(fenced_text(body).split("\n"), 1):
        made_up = "When the daemon fails, run `rm -rf /var/run` and open port 99999."
        reported.append({"note": number, "text": WORDED if "pyarrow" in row else made_up})
    return Turn(Text(json.dumps({"lessons": reported})))


def answered(body: str) -> Turn:
    """Answer any question."""
    if "numbered notes from its record" in body:
        return lessons(body)
    return shorter(body) if "refs" in body else word(body)


WORDED = (
    "When python -m freight.run fails with \u201cNo module named 'pyarrow'\u201d, run "
    "`pip install pyarrow==17.0.0` first."
)
SUMMARY = "The user's message holds a text"
SCRIPTS = [Script(SUMMARY, (answered,), tools=tools) for tools in (True, False)]


def word(body: str) -> Turn:
    """Answer a question for one word."""
    return Turn(Text(json.dumps({"word": "done"})))


@dataclass(frozen=True, slots=True)
class Place:
    """A home folder with a host, our hooks, and the model server."""

    provider: str
    host: HostProgram
    server: ModelServer

    def environ(self, **more: str) -> dict[str, str]:
        """Return the variables of a user of the host."""
        return self.host.environ() | more

    def call(self, *arguments: str, **more: str) -> str:
        """Run a command of Memoranda that must succeed."""
        environ = forked_processes.interpreter(os.environ) | self.environ(**more)
        done = forked_processes.run(arguments, environ, self.host.work, seconds=300)
        out, err = done.stdout.decode(), done.stderr.decode()
        assert done.returncode == 0, f"{arguments}: {out}\n{err}"
        return out

    def json(self, *arguments: str, **more: str) -> Any:
        """Run a command and return its JSON."""
        return json.loads(self.call(*arguments, "--format", "json", **more))

    def hook(self, event: str, **payload: Any) -> None:
        """Record an event through the hook."""
        whole = {"session_id": "one", "cwd": str(self.host.work), "hook_event_name": event}
        subprocess.run(
            [sys.executable, "-I", "-S", HOOK, "spool"],
            input=json.dumps(whole | payload),
            text=True,
            env=self.environ(),
            check=True,
        )

    def work(self) -> None:
        """Record a session whose first stage has ended."""
        self.hook("UserPromptSubmit", prompt=RULE)
        outputs = [(f"cat part{n}.txt", IDLE * (3 + n)) for n in range(6)]
        outputs += [("cat orders.txt", ORDERS), ("sed -i s/one/two/ shop.py", "")]
        for number, (command, output) in enumerate([*outputs, ("sed -i s/two/3/ shop.py", "")]):
            response = {"stdout": output, "stderr": "", "interrupted": False}
            self.hook(
                "PostToolUse",
                tool_name="Bash",
                tool_use_id=f"t{number}",
                tool_input={"command": command},
                tool_response=response,
            )

    def learn(self) -> None:
        """Record an ended session with two resolved errors and a rule."""
        self.hook("UserPromptSubmit", prompt="Add the freight module. Never push to prod_north.")
        missing = "Traceback (most recent call last):\nModuleNotFoundError: No module named"
        away = "Cannot connect to the Docker daemon at unix:///var/run/docker.sock."
        steps = [
            ("python -m freight.run", f"{missing} 'pyarrow'", True),
            ("pip install pyarrow==17.0.0", "Successfully installed pyarrow-17.0.0", False),
            ("python -m freight.run", "42 rows written to out/freight.parquet", False),
            ("docker compose up -d db", away, True),
            ("colima start", "done", False),
            ("docker compose up -d db", "Container db Started", False),
        ]
        for number, (command, output, failed) in enumerate(steps):
            arguments = {"tool_name": "Bash", "tool_input": {"command": command}}
            if failed:
                ended = {"error": f"Exit code 1\n{output}"}
                self.hook("PostToolUseFailure", tool_use_id=f"l{number}", **arguments, **ended)
                continue
            response = {"stdout": output, "stderr": "", "interrupted": False}
            self.hook("PostToolUse", tool_use_id=f"l{number}", **arguments, tool_response=response)
        self.hook("SessionEnd", reason="prompt_input_exit")


CHEAPEST = pytest.mark.parametrize("place", ["codex-cli"], indirect=True)
"""For what does not depend on the host: one starts in a third of the time of the others."""


@pytest.fixture(params=PROVIDERS)
def place(request: pytest.FixtureRequest, programs: Path, tmp_path: Path) -> Iterator[Place]:
    """Return a home folder with each host, our hooks and its model configured."""
    home = tmp_path / "home"
    work = home / "shop"
    work.mkdir(parents=True)
    kind = HOSTS[PROVIDERS[request.param]]
    with ModelServer(SCRIPTS) as server:
        host = kind(programs, home, work, server.url)
        host.prepare([sys.executable, "-m", "memoranda", "mcp"])
        made = Place(request.param, host, server)
        made.call("install", host.name, "--model", request.param)
        yield made


def test_summary_is_put_into_words_by_the_host_and_leaves_no_trace(place: Place) -> None:
    place.work()
    place.call("drain", "--wait")
    (task,) = place.json("task", "list")["items"]
    stage = place.json("stage", "show", task["id"], "1")
    made = stage["summary"]
    assert made["declined"] == ""
    assert made["method"] == f"{place.provider}:default"
    assert "prod_north" in made["text"]
    # Each call is one request of the model server, with the usage that it reported.
    (spent,) = place.json("cost", "report", "--by", "model")
    assert spent["calls"] == len(place.server.requests) > 0
    assert spent["input_tokens"] > 0
    # The host is offered nothing that acts.
    for request in place.server.requests:
        offered = json.dumps(request.body.get("tools") or [])
        names = ("shell", "exec_command", "Bash", "run_shell_command", "write_file", "memoranda")
        assert [name for name in names if f'"{name}"' in offered] == []
        assert "mcp__" not in offered
    assert (spent["cost"] > 0) == (place.provider == "claude-cli")
    # No hook recorded the calls, and none made further calls.
    place.call("drain", "--wait")
    everywhere = place.json("task", "list", "--workspace", "all")["items"]
    assert [one["id"] for one in everywhere] == [task["id"]]
    assert spent["calls"] == len(place.server.requests)
    assert place.host.sessions() == []


def settled(place: Place) -> Any:
    """Wait until a task's lessons are proposed; a drain may be running."""
    for _ in range(WAIT_SECONDS):
        place.call("drain", "--wait")
        if not place.json("status")["jobs_waiting"]:
            break
        time.sleep(1)
    return place.json("pending", "list")["items"]


@CHEAPEST
def test_lessons_of_a_session_are_in_the_hosts_words_where_the_record_bears_them_out(
    place: Place,
) -> None:
    place.learn()
    proposed = {one["after"]["content"] for one in settled(place)}
    (rule,) = [one for one in proposed if "prod_north" in one]
    assert rule == "Never push to prod_north."  # a person's words stay
    assert WORDED in proposed
    # Invented texts are nowhere; those lessons have the words of the record.
    (other,) = [one for one in proposed if "Docker daemon" in one]
    assert "colima start" in other
    everything = json.dumps(place.json("pending", "list"))
    assert [one for one in ("rm -rf", "99999") if one in everything] == []
    requests = [one for one in place.server.requests if "numbered notes" in one.text]
    (spent,) = [
        one for one in place.json("cost", "report", "--by", "operation") if one["name"] == "learn"
    ]
    assert len(requests) == spent["calls"] == 1


@CHEAPEST
def test_cap_on_calls_holds_with_twenty_in_flight(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in list(os.environ):
        if name.startswith("MEMORANDA_"):
            monkeypatch.delenv(name)
    for name, value in place.environ().items():
        monkeypatch.setenv(name, value)
    settings = replace(load_settings(), language_calls_a_day=3)
    assert settings.language_model == place.provider
    with Memoranda(Services(settings), Scope()) as memory:
        model = memory._services.rewriters.model_for(memory._scope)
        assert model is not None

        with ThreadPoolExecutor(20) as pool:
            replies = list(pool.map(lambda number: query_model(model, number), range(20)))
        answered = [one for one in replies if isinstance(one, ModelReply)]
        assert len(answered) == 3
        assert len(place.server.requests) <= 3
        (spent,) = memory.costs.report("model")
        assert (spent.calls, spent.open) == (3, 0)


def test_budget_of_a_month_is_never_passed_with_twenty_in_flight(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    if place.provider != "claude-cli":
        pytest.skip("it reports no dollars")
    for name, value in place.environ().items():
        monkeypatch.setenv(name, value)
    limit = 2_000_000
    settings = replace(load_settings(), monthly_budget_dollars=limit / 1_000_000)
    with Memoranda(Services(settings), Scope()) as memory, ThreadPoolExecutor(21) as pool:
        model = memory._services.rewriters.model_for(memory._scope)
        assert model is not None
        replies = [pool.submit(query_model, model, number) for number in range(20)]
        seen = [memory.costs.budget().spent]
        while not all(one.done() for one in replies):
            seen.append(memory.costs.budget().spent)
            time.sleep(0.05)
        answered = [one.result() for one in replies if isinstance(one.result(), ModelReply)]
        assert max(seen) <= limit
        assert max(seen) > limit / 2  # calls ran at the same time, each at its maximum
        assert 2 <= len(answered) == len(place.server.requests) < 20
        assert memory.costs.budget().spent == sum(one.cost for one in answered) < limit


def query_model(model: LanguageModel, number: int) -> ModelReply | BudgetExhausted:
    """Ask for a word about a text, with a question that is unique."""
    question = ModelRequest("try", "Say one word about the text.", f"text {number}", SCHEMA, 100)
    try:
        return model.answer(question)
    except BudgetExhausted as error:
        return error


def test_call_runs_no_hook_of_ours(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in place.environ().items():
        monkeypatch.setenv(name, value)
    settings = load_settings({"data_dir": place.host.home / ".local/share/memoranda"})
    found = language_model(settings)
    assert found is not None
    assert isinstance(query_model(found, 1), ModelReply)
    # A hook leaves its event there, or the mark of the drain that has taken it.
    assert list(settings.spool_dir.glob("*")) == []
    assert len(place.server.requests) == 1


@CHEAPEST
def test_host_that_is_removed_leaves_the_rules_and_is_named(place: Place) -> None:
    place.work()
    gone = {"PATH": "/usr/bin:/bin"}
    place.call("drain", "--wait", **gone)
    (task,) = place.json("task", "list", **gone)["items"]
    made = place.json("stage", "show", task["id"], "1", **gone)["summary"]
    program = place.host.command_name
    assert made["method"] == "extract"
    assert f"{program} is not on PATH" in made["declined"]
    assert place.server.requests == []
    assert f"{program} is not on PATH" in place.json("status", **gone)["language_trouble"]
    findings = {one["check"]: one for one in place.json("doctor", **gone)}
    assert findings["language model"]["verdict"] == "warning"
    assert f"{program} is not on PATH" in findings["language model"]["detail"]


def test_host_that_is_not_logged_in_leaves_the_rules_and_is_named(place: Place) -> None:
    if place.provider == "codex-cli":
        pytest.skip("it asks its own servers before it says so, which a test does not reach")
    if place.provider == "gemini-cli":  # how its user signs in is in its settings
        (place.host.home / place.host.settings).write_text("{}")
    place.work()
    out = dict.fromkeys(place.host.credentials(), "")
    place.call("drain", "--wait", **out)
    (task,) = place.json("task", "list")["items"]
    made = place.json("stage", "show", task["id"], "1")["summary"]
    text = f"{place.host.command_name} is not logged in"
    assert (made["method"], place.server.requests) == ("extract", [])
    assert text in made["declined"]
    assert text in place.json("status")["language_trouble"]
    findings = {one["check"]: one for one in place.json("doctor", "--quick")}
    assert findings["language model"]["verdict"] == "warning"
    assert text in findings["language model"]["detail"]
    # The next answered call ends it.
    if place.provider == "claude-cli":
        place.learn()
        settled(place)
        assert place.json("status")["language_trouble"] == ""


def test_doctor_reports_which_model_answers_with_its_results(place: Place) -> None:
    findings = {one["check"]: one for one in place.json("doctor")}
    found = findings["language model"]
    assert found["verdict"] == "ok"
    assert place.provider in found["detail"]
    assert any(character.isdigit() for character in found["detail"].split(";")[0])
    assert "0 calls" in found["detail"]
