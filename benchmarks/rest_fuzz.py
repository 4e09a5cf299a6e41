"""Fuzz every REST route from its OpenAPI description, per role."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from measuring.report import Report, parser, progress

MEMORANDA = (sys.executable, "-m", "memoranda")
PHASES = ("examples", "coverage", "fuzzing", "stateful")
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "ignored_auth",
)
"""Enabled checks.

Excluded are those that report refusals not in the schema, such as of an unknown id.
"""
ROLES = ("admin", "agent", "reader", "")
"""Roles of the tokens; the empty role sends none."""
HOOKS = """
import schemathesis

@schemathesis.serializer("application/x-ndjson")
def lines(context, value):
    return value.encode("utf-8", "replace") if isinstance(value, str) else b"{}"

@schemathesis.serializer("application/zip")
def archive(context, value):
    return repr(value).encode("utf-8", "replace")

@schemathesis.deserializer("application/zip")
def opened(context, response):
    return ""

@schemathesis.deserializer("application/x-ndjson")
def told(context, response):
    return response.content.decode()
"""


@dataclass(frozen=True, slots=True)
class Target:
    """A real server over an empty store."""

    url: str
    data_dir: Path
    log: Path

    def token(self, role: str) -> str:
        """Make a key with a role, as the owner would."""
        command = [*MEMORANDA, "auth", "token", "create", "--role", role, "--subject", "fuzz"]
        command += ["--agent", "fuzz"] if role == "agent" else []
        command += ["--data-dir", str(self.data_dir), "--format", "json"]
        made = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        return str(made["secret"])


@contextmanager
def server(folder: Path) -> Iterator[Target]:
    """Run the server within the block."""
    log, data_dir = folder / "log", folder / "data"
    command = [*MEMORANDA, "serve", "--port", "0", "--format", "json", "--data-dir", str(data_dir)]
    environment = {**os.environ, "MEMORANDA_EMBEDDER": "none"}
    with (
        log.open("wb") as file,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, env=environment) as process,
    ):
        assert process.stdout is not None
        try:
            yield Target(json.loads(process.stdout.readline())["url"], data_dir, log)
        finally:
            process.terminate()
            process.wait(60)


def fuzz(target: Target, folder: Path, role: str, options: Namespace) -> str:
    """Return schemathesis's findings for a caller with a role."""
    (folder / "hooks.py").write_text(HOOKS)
    described = folder / "openapi.json"
    bearer = {"Authorization": f"Bearer {target.token('reader')}"}
    described.write_bytes(
        httpx.get(f"{target.url}/api/v1/openapi.json", headers=bearer, timeout=60).content
    )
    program = str(Path(sys.executable).parent / "schemathesis")
    command = [program, "run", str(described), "--url", target.url,
               "--phases", options.phases, "--max-examples", str(options.examples),
               "--checks", ",".join(CHECKS), "--continue-on-failure", "--no-color",
               "--exclude-path", "/api/v1/events", "--seed", "8",
               "--suppress-health-check", "all"]  # fmt: skip
    command += ["--max-time", str(options.seconds)] if options.seconds else []
    command += ["-H", f"Authorization: Bearer {target.token(role)}"] if role else []
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    return done.stdout + done.stderr


def print_section(report: Report, section: str, text: str) -> None:
    """Add the findings to the report."""
    cases = re.search(r"(\d+) generated", text)
    tested = re.search(r"Tested: (\d+)", text)
    failures = re.findall(r"^  \S+ (ST\d+ .*): (\d+)$", text, re.MULTILINE)
    errors = re.findall(r"^  \S+ (.*Error.*|Serialization.*|Network.*): (\d+)$", text, re.MULTILINE)
    strangers = len(re.findall(r"Expected 401 or 403, got `429 ", text))
    failures = [(what, int(n) - strangers * what.startswith("ST401")) for what, n in failures]
    failures = [(what, count) for what, count in failures if count]
    report.add(section, "cases sent", int(cases[1]) if cases else 0)
    report.add(section, "operations tested", int(tested[1]) if tested else 0)
    report.add(section, "wrong keys held back by 429", strangers, note="as is documented")
    for what, count in (*failures, *errors):
        report.add(section, what, int(count))
    finished = cases is not None and int(cases[1]) > 0
    report.claim(f"{section}: no fault", finished and not failures and not errors)


def main() -> int:
    """Fuzz with a token of each kind and without one."""
    options_of = parser(__doc__ or "")
    options_of.add_argument("--examples", type=int, default=20, help="for each operation")
    options_of.add_argument("--seconds", type=int, default=0, help="for each run; 0: no bound")
    options_of.add_argument("--phases", default=",".join(PHASES))
    options_of.add_argument("--roles", default=",".join(ROLES), help="of whom; empty: of nobody")
    options_of.add_argument("--keep", type=Path, help="a folder for what schemathesis says")
    options = options_of.parse_args()
    report = Report("rest_fuzz", vars(options))
    for role in options.roles.split(","):
        with tempfile.TemporaryDirectory(prefix="memoranda-fuzz-") as name:
            who = f"as {role}" if role else "without a token"
            progress(f"fuzzing {who}")
            with server(Path(name)) as target:
                result = fuzz(target, Path(name), role, options)
            print_section(report, who, result)
            log = target.log.read_text("utf-8", "replace")
            report.claim(f"{who}: no traceback in the server's log", "Traceback" not in log)
            if options.keep:
                options.keep.mkdir(parents=True, exist_ok=True)
                (options.keep / f"fuzz-{role or 'nobody'}.txt").write_text(result)
                (options.keep / f"log-{role or 'nobody'}.txt").write_text(log)
    return report.finish(as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
