"""Run an integration's example with a scripted model: scripts/try NAME."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from language_servers import completion, message, response, streamed, text_answer, uses
from scripted_servers import Answer, Request, ScriptedServer

ROOT = Path(__file__).parents[1]
NOTE = "/memories/person.md"


class Running(Protocol):
    """A command that runs."""

    def wait(self, timeout: float) -> int:
        """Return the code that it ends with."""


Start = Callable[[Sequence[str], Path, Mapping[str, str]], Running]


@dataclass(frozen=True, slots=True)
class Play:
    """The run of an example."""

    commands: Sequence[Sequence[str]]
    """The commands: script and arguments; they run one after another."""
    answers: Sequence[Mapping[str, Any] | Answer] = ()
    """The model's answers to successive requests; further answers are "ok"."""
    at_once: bool = False
    """Whether the commands run at the same time."""
    served: bool = False
    """Whether a Memoranda server must be running."""


class _Model(ScriptedServer):
    def _serve(self, handler: Any) -> None:
        if not self.answers:
            self.answers.append(streamed(text_answer("ok")))
        super()._serve(handler)


def _uses(id: str, **command: object) -> dict[str, Any]:
    part = {"type": "tool_use", "id": id, "name": "memory", "input": command}
    return message(part, stop_reason="tool_use")


def _gemini(text: str) -> dict[str, Any]:
    content = {"role": "model", "parts": [{"text": text}]}
    return {"candidates": [{"content": content, "finishReason": "STOP"}]}


NOTES = (
    _uses("t1", command="view", path="/memories"),
    _uses("t2", command="create", path=NOTE, file_text="Likes tea.\n"),
    message(text_answer("Noted: tea.")),
    _uses("t3", command="view", path=NOTE),
    message(text_answer("You like tea.")),
)
TEA, CAR = "She drinks green tea every morning.", "The car is repaired in May."
DRINK = "What is her favourite hot beverage?"
SHIP = "Parcels for Portugal go by ship."
COLLEGE = ("critic", "professor", "scribe")
MONDAY = ("monday", "My parcels go to Porto.")
TUESDAY = ("tuesday", "Where do my parcels go to?")
PORTO = ("Noted.", "To Porto.")
PLAYS: Mapping[str, Play] = {
    "anthropic-memory": Play((("notes.py", "I like tea"), ("notes.py", "What do I like?")), NOTES),
    "claude-agent-sdk": Play(
        (("helper.py", "Which test fails?"), ("helper.py", "--continue", "Then mend it.")),
        (
            streamed(uses("Bash", "toolu_1", command="echo 1 failed", description="test")),
            streamed(text_answer("One fails.")),
            streamed(text_answer("Mended.")),
        ),
    ),
    "claude-code": Play((("sessions.py",),)),
    "college": Play([("college.py", one) for one in COLLEGE], at_once=True),
    "crewai": Play((
        ("taste.py", "keep", "/crew/tea", TEA),
        ("taste.py", "keep", "/crew/car", CAR),
        ("taste.py", "ask", DRINK),
    )),
    "google-adk": Play(
        (("helper.py", *MONDAY), ("helper.py", *TUESDAY)), [_gemini(one) for one in PORTO]
    ),
    "haystack": Play(
        (
            ("parcels.py", "add", SHIP, "Invoices are sent on Fridays."),
            ("parcels.py", "ask", "How do parcels get to Lisbon?"),
        ),
        [completion("By ship.")],
    ),
    "langchain": Play((("library.py", "add", TEA, CAR), ("library.py", "ask", DRINK))),
    "langgraph": Play(
        (("companion.py", "monday", "I like oolong tea"),
         ("companion.py", "tuesday", "What shall I drink?"),
         ("companion.py", "monday", "Again, please")),
        [message(text_answer(one)) for one in ("Noted.", "Oolong.", "As I said.")],
    ),
    "llama-index": Play(
        (("porter.py", *MONDAY), ("porter.py", *TUESDAY)), [completion(one) for one in PORTO]
    ),
    "mcp-memory": Play((("people.py",),)),
    "mem0": Play((("habits.py", "I like oolong tea"), ("habits.py",)), served=True),
    "openai-agents": Play(
        (("waiter.py", "ada", "I like oolong tea"), ("waiter.py", "ada", "What shall I drink?"),
         ("waiter.py", "eve", "Good morning")),
        [response(one) for one in ("Noted.", "Oolong.", "Hello Eve.")],
    ),
    "pydantic-ai": Play((("notes.py", "I like tea"), ("notes.py", "What do I like?")), NOTES),
}  # fmt: skip


def main(name: str) -> int:
    """Run an example; return 0 if each of its commands succeeded."""
    return tried(name)[0]


def started(
    command: Sequence[str], work: Path, environ: Mapping[str, str]
) -> subprocess.Popen[bytes]:
    """Start a command of an example: a script and its arguments."""
    return subprocess.Popen([sys.executable, *command], cwd=work, env=environ)


def tried(name: str, start: Start = started) -> tuple[int, list[Request]]:
    """Run an example; return its exit code and the requests to the model.

    ``start`` starts its commands.
    """
    play = PLAYS[name]
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        answers = (one if isinstance(one, Answer) else Answer(200, one) for one in play.answers)
        model = stack.enter_context(_Model(*answers))
        environ = {**os.environ, **_environment(folder, model.url)}
        if play.served:
            environ |= _server(folder, stack.callback)
        code = _run(name, play, folder, partial(start, environ=environ))
        if len(model.requests) < len(play.answers) and not code:
            sys.stderr.write(f"the model was asked {len(model.requests)} times\n")
            code = 1
    return code, model.requests


def _environment(folder: Path, url: str) -> dict[str, str]:
    """Return variables that keep everything in a folder and use our model."""
    base = url.removesuffix("/v1")
    return {
        "MEMORANDA_DATA_DIR": str(folder / "data"),
        "HOME": str(folder),
        "ANTHROPIC_API_KEY": "key", "ANTHROPIC_BASE_URL": base,
        "OPENAI_API_KEY": "key", "OPENAI_BASE_URL": url,
        "GOOGLE_API_KEY": "key", "GOOGLE_GEMINI_BASE_URL": base,
        "MEM0_TELEMETRY": "False", "CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true",
        "HAYSTACK_TELEMETRY_ENABLED": "False", "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "CLAUDE_CONFIG_DIR": str(folder / "claude"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }  # fmt: skip


def _server(folder: Path, afterwards: Callable[..., object]) -> dict[str, str]:
    from serving import Served

    server = Served(folder / "data")
    afterwards(server.stop)
    return {
        "MEM0_HOST": f"http://127.0.0.1:{server.port}/mem0",
        "MEM0_API_KEY": server.token,
    }


def _run(name: str, play: Play, folder: Path, start: Callable[..., Running]) -> int:
    """Run the commands in an empty folder."""
    work = folder / "work"
    work.mkdir()
    running: list[Running] = []
    codes: list[int] = []
    for script, *words in play.commands:
        path = f"examples/{name}/{script}"
        print(f"$ python {shlex.join([path, *words])}", flush=True)
        running.append(start([str(ROOT / path), *words], work))
        if not play.at_once:
            codes.append(running.pop().wait(300))
    codes += [one.wait(300) for one in running]
    return max(codes)


if __name__ == "__main__":
    if sys.argv[1:2] and sys.argv[1] in PLAYS:
        sys.exit(main(sys.argv[1]))
    sys.exit(f"name an example: {', '.join(PLAYS)}")
