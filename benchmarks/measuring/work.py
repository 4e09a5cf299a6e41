"""Generated tool outputs of a coding agent's day, from a seed.

Test runs, version control, searches and files. Everything follows from the seed, so a reader of the
store can compute what must be in it.
"""

from __future__ import annotations

import random

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.json_data import JsonValue
from memoranda.observations.model import Origin

HOST = "bench"
AREAS = ("billing", "catalog", "checkout", "inventory", "mailer", "reports", "search", "sessions")
NOUNS = ("cart", "discount", "invoice", "ledger", "order", "parcel", "quote", "refund", "stock")
VERBS = ("apply", "build", "check", "collect", "format", "load", "merge", "parse", "round", "store")
_SPOKEN = (
    "the total is rounded before tax is added so the sum of lines differs from the printed amount "
    "when a customer returns part of an order keep the first rate unless the parcel was reweighed "
    "a missing row means that the import stopped early and should be started again from its mark"
)
WORDS = _SPOKEN.split()


class Desk:
    """Generates one tool call after another from one random source."""

    def __init__(self, seed: str, *, secrets: float = 0.0) -> None:
        """``secrets`` is the share of outputs with an (invented) access key."""
        self._random = random.Random(seed)
        self._secrets = secrets
        self._kinds = (self._tests, self._log, self._diff, self._grep, self._file)

    def call(self) -> tuple[str, JsonValue, str]:
        """Return tool, input and an output of about two thousand characters."""
        tool, values, output = self._random.choice(self._kinds)()
        if self._random.random() < self._secrets:
            key = "".join(self._random.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", k=16))
            output += f"\nexport AWS_ACCESS_KEY_ID={'AKIA'}{key}\n"
        return tool, values, output

    def event(self, session: str, key: str) -> Event:
        """Return the next call as an event."""
        tool, values, output = self.call()
        return Event(
            kind=EventKind.TOOL_RESULT,
            host=HOST,
            session=session,
            source=EventSource.API,
            key=key,
            origin=Origin.TOOL,
            tool=tool,
            input=values,
            output=output,
            failed=tool == "Bash" and " FAILED " in output,
        )

    def said(self, session: str, key: str) -> Event:
        """Return a finding of about 250 characters, as `observe` takes one."""
        text = f"In {self._path()}: {self._words(38)}; see {self._name()}."
        return Event(
            kind=EventKind.MESSAGE,
            host=HOST,
            session=session,
            source=EventSource.API,
            key=key,
            origin=Origin.AGENT,
            text=text,
        )

    def _name(self) -> str:
        return f"{self._random.choice(VERBS)}_{self._random.choice(NOUNS)}"

    def _path(self, suffix: str = ".py") -> str:
        area, name = self._random.choice(AREAS), self._name()
        return f"src/shop/{area}/{name}{suffix}"

    def _words(self, count: int) -> str:
        return " ".join(self._random.choices(WORDS, k=count))

    def _tests(self) -> tuple[str, JsonValue, str]:
        pick, area = self._random, self._random.choice(AREAS)
        lines = ["=" * 28 + " test session starts " + "=" * 28, "collected 48 items", ""]
        failed = 0
        for number in range(22):
            passed = pick.random() > 0.04
            failed += not passed
            verdict = "PASSED" if passed else "FAILED"
            place = f"tests/{area}/test_{self._name()}.py::test_{self._name()}_{number}"
            lines.append(f"{place} {verdict} [{number * 4:3d}%]")
        if failed:
            left, right = pick.randrange(999), pick.randrange(999)
            lines += ["", f"E       AssertionError: assert {left} == {right}"]
            lines.append(f"{self._path()}:{pick.randrange(400)}: AssertionError")
        lines.append(
            f"===== {failed} failed, {22 - failed} passed in {pick.random() * 9:.2f}s ====="
        )
        return "Bash", {"command": f"pytest -v tests/{area}"}, "\n".join(lines)

    def _log(self) -> tuple[str, JsonValue, str]:
        lines = []
        for _ in range(12):
            lines.append(f"commit {self._random.getrandbits(160):040x}")
            lines.append(f"    {self._words(7).capitalize()}")
            lines.append("")
            lines += [f" {self._path()} | {self._random.randrange(60)} ++--" for _ in range(2)]
        command = f"git log --stat -12 -- src/shop/{self._random.choice(AREAS)}"
        return "Bash", {"command": command}, "\n".join(lines)

    def _diff(self) -> tuple[str, JsonValue, str]:
        path = self._path()
        lines = [f"diff --git a/{path} b/{path}", f"--- a/{path}", f"+++ b/{path}"]
        for hunk in range(5):
            lines.append(f"@@ -{hunk * 40},9 +{hunk * 40},11 @@ def {self._name()}(order):")
            lines += [f"     {self._name()}({self._name()}, {hunk})" for _ in range(4)]
            lines += [f"-    return {self._name()}(order)", f"+    # {self._words(8)}"]
            lines.append(f"+    return {self._name()}(order, rate={self._random.random():.3f})")
        return "Bash", {"command": f"git diff {path}"}, "\n".join(lines)

    def _grep(self) -> tuple[str, JsonValue, str]:
        wanted = self._name()
        lines = [
            f"{self._path()}:{self._random.randrange(1, 900)}:    {wanted}({self._words(3)})"
            for _ in range(26)
        ]
        return "Grep", {"pattern": wanted, "path": "src/shop"}, "\n".join(lines)

    def _file(self) -> tuple[str, JsonValue, str]:
        path = self._path()
        lines = [f'"""{self._words(8).capitalize()}."""', ""]
        for _ in range(9):
            lines += [f"def {self._name()}(order, rate={self._random.randrange(30)}):"]
            lines += [f'    """{self._words(9).capitalize()}."""']
            lines += [f"    {self._name()} = {self._name()}(order)", "    return rate * 2", ""]
        output = "\n".join(f"{number:6d}\t{line}" for number, line in enumerate(lines, 1))
        return "Read", {"file_path": path}, output
