"""Language model provided by a local coding agent, with its user's login."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from memoranda.exceptions import ModelAnswerUnusable, ModelUnavailable
from memoranda.model_request import ModelReply, ModelRequest, TokenUsage
from memoranda.models.language import answer_reader as reading
from memoranda.models.language.agent_programs import AGENTS, DEFAULT, CallableAgent
from memoranda.models.language.program_output import ProgramOutcome
from memoranda.models.language.prompt import fenced, instructions, most_tokens
from memoranda.text import text_lines

MAX_BYTES = 2 << 20
"""Maximum size of an answer in bytes.

A longer answer is truncated and therefore unusable.
"""


@dataclass(frozen=True, slots=True)
class FinishedProcess:
    """Result of a finished program."""

    code: int
    out: bytes
    err: bytes


def run(
    command: Sequence[str], text: str, environ: Mapping[str, str], folder: Path, seconds: float
) -> FinishedProcess:
    """Run a program in a folder with a text on standard input, until it ends.

    On a timeout, everything that it started in its process group ends with it.

    Raises:
        TimeoutError: the program did not end in time.
        OSError: the program cannot be started.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(environ),
        cwd=folder,
        start_new_session=True,
    )
    try:
        sent = text.encode("utf-8", "replace")
        out, err = process.communicate(sent, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"no answer within {seconds:g} seconds") from None
    finally:
        if process.returncode is None:
            _kill(process)
    return FinishedProcess(process.returncode, out[:MAX_BYTES], err[:MAX_BYTES])


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and its children.

    Pipes that unrelated processes have open are not waited for.
    """
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):  # unwritten input is discarded
                pipe.close()


MARK = "MEMORANDA_DISABLED"
"""Variable that disables Memoranda's hooks in a child process.

The variable prevents a call from being recorded as a session.
"""
THINKING = 8_000
"""Maximum number of thinking tokens before an answer."""
VERSION_SECONDS = 20.0
MAX_COMPLAINT_LENGTH = 300
_SIGNED_OUT = re.compile(
    r"not logged in|log ?in\b|sign ?in\b|auth method|unauthori[sz]ed|\b401\b|authenticat"
    r"|invalid api key|no api key",
    re.IGNORECASE,
)
_STORES = ("MEMORANDA_",)
"""Prefixes of Memoranda's variables that contain addresses and keys.

These variables are not passed to the program.
"""


@dataclass(frozen=True, slots=True)
class ProgramAccess:
    """Program to call, its working folder and its timeout."""

    provider: str
    model: str
    folder: Path
    """Memoranda folder without any user files."""
    seconds: float
    path: str = ""
    """Path of the program, if it is not on PATH."""

    @property
    def name(self) -> str:
        """Provider and model."""
        return f"{self.provider}:{self.model or DEFAULT}"


class ProgramModel:
    """Model that calls a coding agent on this machine.

    There is one process per query. Thread-safe.
    """

    def __init__(self, access: ProgramAccess) -> None:
        """Create the model; it starts nothing before the first query."""
        self.name = access.name
        self._access = access
        self._agent = AGENTS[access.provider]

    def bound(self, question: ModelRequest) -> TokenUsage:
        """Return an upper bound of the tokens of one answer.

        The bound includes the tokens that the agent adds.
        """
        most = most_tokens(question)
        return replace(
            most,
            input_tokens=most.input_tokens + self._agent.overhead,
            output_tokens=most.output_tokens + THINKING,
        )

    def answer(self, question: ModelRequest) -> ModelReply:
        """Return a complete answer that matches the query's schema.

        Raises:
            ModelUnavailable: the program is missing, logged out, too slow, or fails.
            ModelAnswerUnusable: the program returns something else, or an incomplete answer.
        """
        environ = child_environ(self._agent)
        finished = self._run(question, environ)
        outcome = self._agent.outcome(finished.out, finished.err)
        self._agent.forget(outcome.session, self._access.folder, environ)
        if finished.code or outcome.text is None:
            raise self._failure(finished, outcome)
        usage = outcome.usage
        if outcome.cut:
            raise ModelAnswerUnusable(f"{self.name} did not complete its answer", usage=usage)
        data = reading.data(outcome.text, question, self.name, usage)
        return ModelReply(data, outcome.model or self.name, usage)

    def close(self) -> None:
        """Do nothing, since every process ends with its answer."""

    def _run(self, question: ModelRequest, environ: dict[str, str]) -> FinishedProcess:
        access, agent = self._access, self._agent
        program = located(access.provider, access.path)
        model = "" if access.model == DEFAULT else access.model
        text = f"{instructions(question)}\n\n{fenced(question.text)}\n"
        most = question.max_tokens + THINKING
        try:
            _prepare(access.folder, agent)
            return run(
                [program, *agent.arguments(model, environ)],
                text,
                environ | agent.environ(access.folder, most),
                access.folder,
                access.seconds,
            )
        except TimeoutError:
            agent.forget("", access.folder, environ)
            raise ModelUnavailable(
                f"{agent.title} did not answer within {access.seconds:g} seconds and was"
                f" terminated; language_timeout_seconds sets the limit",
                charged=True,
            ) from None
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise ModelUnavailable(f"{program} cannot be started: {reason}") from None

    def _failure(self, finished: FinishedProcess, outcome: ProgramOutcome) -> ModelUnavailable:
        """Return the error for a program that ended without an answer."""
        agent, usage = self._agent, outcome.usage
        output = " ".join(outcome.complaint.split())[:MAX_COMPLAINT_LENGTH]
        if _SIGNED_OUT.search(output):
            return ModelUnavailable(
                f"{agent.program} is not logged in: run `{agent.sign_in}` in a terminal ({output})"
            )
        how = f"exit code {finished.code}" if finished.code else "without an answer"
        unused = usage is not None and not (usage.input_tokens or usage.output_tokens)
        return ModelUnavailable(
            f"{agent.program} failed ({how}): {output or 'it says nothing'}", charged=not unused
        )


def located(provider: str, path: str = "") -> str:
    """Return the path of a provider's program.

    Raises:
        ModelUnavailable: the program does not exist.
    """
    program = AGENTS[provider].program
    result = shutil.which(path or program)
    if result is None and path:
        raise ModelUnavailable(f"{path} cannot be executed; see language_program")
    if result is None:
        raise ModelUnavailable(f"{program} is not on PATH: install it, or set language_program")
    return result


def version(provider: str, path: str = "") -> str:
    """Return the output of a provider's program for ``--version``.

    Raises:
        ModelUnavailable: the program does not exist, or does not respond.
    """
    agent = AGENTS[provider]
    program = located(provider, path)
    try:
        done = run([program, "--version"], "", child_environ(agent), Path("/"), VERSION_SECONDS)
    except (OSError, TimeoutError) as error:
        raise ModelUnavailable(f"{program} does not respond to --version: {error}") from None
    lines = text_lines(done.out.decode("utf-8", "replace").strip())
    if done.code or not lines:
        raise ModelUnavailable(f"{program} --version exited with code {done.code}")
    return lines[-1]


def child_environ(agent: CallableAgent) -> dict[str, str]:
    """Return the environment variables for a provider's program."""
    environ = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_STORES) and not agent.nested.fullmatch(name)
    }
    return environ | {MARK: "1", "NO_COLOR": "1"}


def _prepare(folder: Path, agent: CallableAgent) -> None:
    """Create the working folder, accessible only to its owner."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    for name, text in agent.files().items():
        path = folder / name
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not path.is_file() or path.read_text("utf-8") != text:
            made = path.with_name(f"{path.name}.{os.getpid()}.{id(path)}")
            made.write_text(text, "utf-8")
            made.replace(path)
