"""Run the cases: folders of inputs and expected results from reports."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import jmespath
import pytest
from click.testing import CliRunner

import forked_processes
import memoranda
from memoranda.cli import cli

SOURCES = Path(memoranda.__file__).parents[1]
HOOK = SOURCES / "memoranda" / "hook.py"
CASES = sorted(path.parent for path in Path(__file__).parent.glob("*/case.toml"))
ACTIONS = ("shell", "run", "hook", "rpc", "get", "post", "python")
APART = {"--hook", "demo", "mcp", "replay", "rpc", "serve", "tui"}
"""Commands that are always processes of their own: they read a stream, or start or await others."""
EXPECTATIONS = {
    "query", "equals", "matches",
    "stdout_contains", "stdout_lacks", "stderr_contains", "stderr_lacks",
}  # fmt: skip
PATIENT = """
import sys
sys.path.insert(0, sys.argv.pop(1))
import hook, hook_event
hook_event.DEADLINE_SECONDS = hook_event.WAIT_SECONDS = 60.0
hook_event.record(sys.argv[1:], hook.part)
"""
"""The hook, whose time limit is raised for busy machines."""
EACH = """
import os, sys
sys.path.insert(0, sys.argv.pop(1))
import hook, hook_event
hook_event.DEADLINE_SECONDS = hook_event.WAIT_SECONDS = 60.0
mark = sys.argv.pop(1)
for line in open(0, "rb", closefd=False).read().split(b"\\n"):
    os.close(os.open(mark, os.O_CREAT | os.O_WRONLY, 0o600))
    os.utime(mark)
    payload = os.memfd_create("payload")
    os.write(payload, line)
    os.lseek(payload, 0, os.SEEK_SET)
    child = os.fork()
    if not child:
        os.dup2(payload, 0)
        os.close(payload)
        hook_event.record(sys.argv[1:], hook.part)
        sys.exit()
    os.close(payload)
    if code := os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]):
        sys.exit(abs(code))
"""
"""The same for several payloads, each in a process that is forked: most hooks spool an event, and
to start an interpreter for each takes longer than all else. It marks a drain as starting."""

pytestmark = pytest.mark.e2e


@dataclass(frozen=True)
class Answer:
    """The output of a step and its exit code."""

    code: int
    out: str
    err: str


class World:
    """A new home with its own data, in which the steps of one case run."""

    def __init__(self, case: Path, work: Path) -> None:
        self.case, self.work, self.data = case, work, work / "data"
        programs = map(str, (forked_processes.shell_commands(), Path(sys.executable).parent))
        plain = {
            name: value
            for name, value in os.environ.items()
            if "MEMORANDA" not in name and not name.startswith(("GIT_", "XDG_"))
        }
        self.environ = plain | {
            "HOME": str(work),
            "PYTHONPATH": str(SOURCES),
            "PATH": os.pathsep.join((*programs, plain["PATH"])),
            "MEMORANDA_DATA_DIR": str(self.data),
            "MEMORANDA_EMBEDDER": "none",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
            "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org",
        }  # fmt: skip

    def perform(self, step: dict[str, Any]) -> Answer:
        """Run one step through its door."""
        (action,) = (name for name in ACTIONS if name in step)
        answer: Answer = getattr(self, f"_{action}")(step)
        return answer

    def _start(self, command: list[str], step: dict[str, Any], text: str = "") -> Answer:
        done = subprocess.run(
            command,
            input=text.encode(),
            capture_output=True,
            env=self._variables(step),
            cwd=self.work / step.get("cwd", "."),
            timeout=120,
            check=False,
        )
        return _answer(done)

    def _command(self, arguments: list[str], step: dict[str, Any], text: str = "") -> Answer:
        place = self.work / step.get("cwd", ".")
        return _answer(forked_processes.run(arguments, self._variables(step), place, text.encode()))

    def _invoke(self, words: list[str], step: dict[str, Any]) -> Answer:
        """Run a command in this process, which takes half as long, unless that could matter."""
        values = self._variables(step)
        same = forked_processes.interpreter(values) == forked_processes.interpreter(os.environ)
        if APART.intersection(words) or values.get("TZ") != os.environ.get("TZ") or not same:
            return self._command(words, step)
        with (
            patch.dict(os.environ, values, clear=True),
            chdir(self.work / step.get("cwd", ".")),
        ):
            done = CliRunner().invoke(cli, words, prog_name="memoranda")
        if done.exception and not isinstance(done.exception, SystemExit):
            raise done.exception
        out, err = (
            one.decode("utf-8", "replace") for one in (done.stdout_bytes, done.stderr_bytes)
        )
        return Answer(done.exit_code, out, err)

    def _variables(self, step: dict[str, Any]) -> dict[str, str]:
        return self.environ | {k: self._filled(v) for k, v in step.get("env", {}).items()}

    def _filled(self, text: str) -> str:
        return text.replace("{case}", str(self.case)).replace("{work}", str(self.work))

    def _shell(self, step: dict[str, Any]) -> Answer:
        return self._start(["sh", "-ec", self._filled(step["shell"])], step)

    def _run(self, step: dict[str, Any]) -> Answer:
        files = sorted(self.work.glob(step["each"])) if "each" in step else [Path()]
        assert files, "no file is there"
        printed = []
        for file in files:
            for line in filter(None, step["run"].split("\n")):
                words = shlex.split(self._filled(line).replace("{each}", str(file)))
                answer = self._invoke(words, step)
                if answer.code:
                    return answer
                printed.append(answer)
        return Answer(0, "".join(x.out for x in printed), "".join(x.err for x in printed))

    def _python(self, step: dict[str, Any]) -> Answer:
        place, values = self.work / step.get("cwd", "."), self._variables(step)
        if forked_processes.interpreter(values) != forked_processes.interpreter(os.environ):
            return self._start([sys.executable, str(self.case / step["python"])], step)
        started = forked_processes.script(self.case / step["python"], [], values, place)
        out, err = started.communicate(timeout=120)
        return Answer(started.wait(), out, err)

    def _hook(self, step: dict[str, Any]) -> Answer:
        words = [*shlex.split(step.get("arguments", "spool")), *filter(None, [step.get("host")])]
        command = [sys.executable, "-I", "-S", "-c"]
        text = (self.case / step["hook"]).read_text("utf-8")
        lines = [self._filled(line) for line in text.split("\n") if line.strip()]
        mark = self.data / "spool" / ".due"
        if words[0] != "context":
            # A drain is marked as starting, so that no hook starts one: the next step stores what
            # was spooled, without a new interpreter.
            self.data.mkdir(mode=0o700, exist_ok=True)
            mark.parent.mkdir(mode=0o700, exist_ok=True)
            command += [EACH, str(HOOK.parent), str(mark), *words]
            answer = self._start(command, step, "\n".join(lines))
            assert (answer.code, answer.err) == (0, ""), answer
            return answer
        printed = []
        for line in lines:  # a start of a session needs the drain: it prints what that prepares
            mark.unlink(missing_ok=True)
            answer = self._start([*command, PATIENT, str(HOOK.parent), *words], step, line)
            if (answer.code, answer.err) != (0, ""):
                return answer
            printed.append(answer.out)
        return Answer(0, "".join(printed), "")

    def _rpc(self, step: dict[str, Any]) -> Answer:
        request = json.dumps({"jsonrpc": "2.0", "id": 1, **step["rpc"]})
        return self._command(["rpc"], step, self._filled(request) + "\n")

    def _get(self, step: dict[str, Any]) -> Answer:
        return self._request(step, "GET", step["get"], None)

    def _post(self, step: dict[str, Any]) -> Answer:
        return self._request(step, "POST", step["post"], step.get("body", {}))

    def _request(self, step: dict[str, Any], method: str, path: str, body: Any) -> Answer:
        with self._served(step) as (url, token):
            request = urllib.request.Request(
                url + self._filled(path),
                method=method,
                headers={
                    "Authorization": f"Bearer {token}",
                    "Content-Type": "application/json",
                    **step.get("headers", {}),
                },
                data=None if body is None else self._filled(json.dumps(body)).encode(),
            )
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return Answer(0, answer.read().decode(), "")
            except urllib.error.HTTPError as error:
                return Answer(error.code, error.read().decode(), "")

    @contextmanager
    def _served(self, step: dict[str, Any]) -> Iterator[tuple[str, str]]:
        environ = self.environ | step.get("env", {})
        server = forked_processes.serve(["--port", "0", "--format", "json"], environ)
        try:
            ready = json.loads(server.stdout.readline())
            yield ready["url"], Path(ready["token_file"]).read_text().strip()
        finally:
            server.kill()
            server.wait(30)
            server.close()


def _answer(done: subprocess.CompletedProcess[bytes]) -> Answer:
    out, err = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    return Answer(done.returncode, out, err)


@pytest.mark.parametrize("case", CASES, ids=lambda path: path.name)
def test_case(case: Path, tmp_path: Path) -> None:
    """Each step exits as expected and prints the expected values."""
    described = tomllib.loads((case / "case.toml").read_text("utf-8"))
    assert described["title"]
    assert any(step.get("expect") or step.get("exit") for step in described["step"]), (
        "checks nothing"
    )
    world = World(case, tmp_path)
    for number, step in enumerate(described["step"], 1):
        for left in reversed(range(step.get("tries", 1))):
            try:
                _carry_out(world, step, f"{case.name}, step {number}")
                break
            except AssertionError:
                if not left:
                    raise


def _carry_out(world: World, step: dict[str, Any], name: str) -> None:
    answer = world.perform(step)
    place = f"{name}\nout: {answer.out[-3000:]}\nerr: {answer.err[-3000:]}"
    assert answer.code == step.get("exit", 0), place
    for expected in step.get("expect", ()):
        assert set(expected) <= EXPECTATIONS, expected
        _check(answer, expected, place)


def _check(answer: Answer, expected: dict[str, Any], place: str) -> None:
    if "query" in expected:
        found = jmespath.search(expected["query"], json.loads(answer.out))
        assert found == expected["equals"], f"{expected['query']} gives {found!r}; {place}"
    for stream, text in (("stdout", answer.out), ("stderr", answer.err)):
        if (part := expected.get(f"{stream}_contains")) is not None:
            assert part in text, f"{part!r} is missing; {place}"
        if (part := expected.get(f"{stream}_lacks")) is not None:
            assert part not in text, f"{part!r} is there; {place}"
    if (pattern := expected.get("matches")) is not None:
        assert re.search(pattern, answer.out), f"{pattern!r} does not match; {place}"
