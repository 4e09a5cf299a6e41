"""What a machine that reads our description sends: every route fuzzed, with a token and without."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from measuring.report import Report, parser, progress
from servers import free_port

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
"""Left out are those that take a refusal of what the schema does not forbid for a fault, such as
an id that nobody has."""
SERVER = """
import sys
sys.path.insert(0, sys.argv[1])
import uvicorn
from memoranda.config import load_settings
from memoranda.service import Service
from rest_apps import rest_app
service = Service(load_settings({"data_dir": sys.argv[2], "embedder": "none"}, {}))
uvicorn.run(rest_app(service), port=int(sys.argv[3]), log_level="error")
"""
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


@contextmanager
def server(folder: Path) -> Iterator[tuple[str, Path]]:
    """Give the address of a real server over an empty store, and its log."""
    port, log = free_port(), folder / "log"
    tests = Path(__file__).parents[1] / "tests"
    command = [sys.executable, "-c", SERVER, str(tests), str(folder / "data"), str(port)]
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file)
        try:
            _wait(f"http://127.0.0.1:{port}/api/v1")
            yield f"http://127.0.0.1:{port}/api/v1", log
        finally:
            process.terminate()
            process.wait(30)


def _wait(address: str) -> None:
    import httpx

    for _ in range(300):
        try:
            httpx.get(f"{address}/stats")
        except httpx.TransportError:
            time.sleep(0.2)
        else:
            return
    raise TimeoutError("the server does not answer")


def fuzz(address: str, folder: Path, token: str, phases: str, examples: int, seconds: int) -> str:
    """Return what schemathesis says of a server."""
    hooks = folder / "hooks.py"
    hooks.write_text(HOOKS)
    import httpx

    described = folder / "openapi.json"
    bearer = {"Authorization": "Bearer ada"}
    described.write_bytes(httpx.get(f"{address}/openapi.json", headers=bearer).content)
    program = str(Path(sys.executable).parent / "schemathesis")
    command = [program, "run", str(described), "--url", address.removesuffix("/api/v1"),
               "--phases", phases, "--max-examples", str(examples), "--checks", ",".join(CHECKS),
               "--continue-on-failure", "--no-color", "--exclude-path", "/api/v1/events",
               "--seed", "8", "--suppress-health-check", "all"]  # fmt: skip
    command += ["--max-time", str(seconds)] if seconds else []
    command += ["-H", f"Authorization: Bearer {token}"] if token else []
    environment = {**os.environ, "SCHEMATHESIS_HOOKS": "hooks", "PYTHONPATH": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, env=environment)
    return done.stdout + done.stderr


def tell(report: Report, section: str, said: str) -> None:
    """Put what was found into the report."""
    cases = re.search(r"(\d+) generated", said)
    tested = re.search(r"Tested: (\d+)", said)
    failures = re.findall(r"^  \S+ (ST\d+ .*): (\d+)$", said, re.MULTILINE)
    errors = re.findall(r"^  \S+ (.*Error.*|Serialization.*|Network.*): (\d+)$", said, re.MULTILINE)
    report.add(section, "cases sent", int(cases[1]) if cases else 0)
    report.add(section, "operations tested", int(tested[1]) if tested else 0)
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
    options_of.add_argument("--tokens", default="ada,bot,eye,", help="of whom; empty: of nobody")
    options_of.add_argument("--keep", type=Path, help="a folder for what schemathesis says")
    options = options_of.parse_args()
    report = Report("fuzz", vars(options))
    for token in options.tokens.split(","):
        with tempfile.TemporaryDirectory(prefix="memoranda-fuzz-") as name:
            folder = Path(name)
            with server(folder) as (address, log):
                who = f"as {token}" if token else "without a token"
                progress(f"fuzzing {who}")
                said = fuzz(
                    address, folder, token, options.phases, options.examples, options.seconds
                )
                tell(report, who, said)
                faults = log.read_text("utf-8", "replace").count("Traceback")
                report.claim(f"{who}: no traceback in the server's log", faults == 0)
                if options.keep:
                    (options.keep / f"fuzz-{token or 'nobody'}.txt").write_text(said)
                    (options.keep / f"log-{token or 'nobody'}.txt").write_text(
                        log.read_text("utf-8", "replace")
                    )
    return report.finish(as_json=options.json)


if __name__ == "__main__":
    sys.exit(main())
