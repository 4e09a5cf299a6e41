"""Run other projects' own tests with Memoranda's classes in their place.

    python scripts/upstream.py langgraph-sqlite [pytest arguments]

The tests come from the source distribution of the installed version, by pip. Failed tests are run
again with the project's own classes and grouped by reason. A failure without a known reason exits
with 1.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
PLACE = ROOT / ".venv" / "suites" / "upstream-tests"
SECONDS = 60
"""Timeout of a test; a few of them make 60,000 calls."""
Report = dict[str, dict[str, str]]


@dataclass(frozen=True)
class Suite:
    """The tests of one distribution, their source and replacements."""

    distribution: str
    plugin: str
    engine: str
    needle: str = ""
    arguments: tuple[str, ...] = ()

    def paths(self, folder: Path) -> Iterator[str]:
        """Yield the files that use the replaced classes."""
        for path in sorted(folder.glob("tests/**/test_*.py")):
            if re.search(self.needle, path.read_text(encoding="utf-8")):
                yield str(path.relative_to(folder))


_SESSIONS = "SQLiteSession|SimpleListSession|CountingSession"
SUITES = {
    "langgraph-sqlite": Suite("langgraph-checkpoint-sqlite", "upstream_langgraph", "sqlite"),
    "langgraph-postgres": Suite("langgraph-checkpoint-postgres", "upstream_langgraph", "postgres"),
    "langgraph": Suite(
        "langgraph", "upstream_langgraph", "sqlite", "sync_checkpointer", ("-k", "sqlite")
    ),
    "agents-sqlite": Suite("openai-agents", "upstream_agents", "sqlite", _SESSIONS),
    "agents-postgres": Suite("openai-agents", "upstream_agents", "postgres", _SESSIONS),
}
INTERNALS = re.compile(
    r"'\w*(?:Saver|Store|Session)' object has no attribute '(?:_\w+|db_path)'"
    r"|UndefinedTable|no such (?:table|column)"
)
"""Reasons of failures in tests that read the project's private data."""
REASONS: Mapping[str, str] = {
    "test_(no_running_loop|informative_async_errors|async_saver_prune_runs_from_another_thread)": (
        "calls from an event loop, or async ones, that work here are to be refused"
    ),
    "test_(checkpoint_search_sql_injection_prevention|sql_injection_vulnerability)": (
        "names of fields that no SQL is made of here are to be refused"
    ),
    "test_walk_terminates_when_put_makes_the_parent_chain_cycle": (
        "a checkpoint that is its own ancestor; InMemorySaver does not end there either"
    ),
    "test_seed_present_when_snapshot_in_ancestor_sync": (
        "a value changed without a new version is lost, as by InMemorySaver and PostgresSaver"
    ),
    "test_ttl_override_default": (
        "reading prolongs unless one says otherwise, as BaseStore has it; not so SqliteStore"
    ),
    "test_(pending_sends_migration|keep_latest_keeps_the_parent_holding_a_pre_v4_heads_sends)": (
        "checkpoints of formats before version 4"
    ),
    "test_keep_latest_refuses": "prune is to refuse delta channels, which are kept whole here",
    "test_inline_primitive_seed_is_found": "None that was stored is to be no value",
    "test_(large_batches|keep_latest_prunes_a_long)": "60,000 single calls take longer",
    "test_(vector_store_initialization|ttl_refresh|nonnull_migrations)": (
        "looks for the project's own tables, or counts what is swept from them"
    ),
    "test_encrypted_pop": "the SDK looks into an item before it pops only with SQLiteSession",
    "test_(encrypted_compaction|backend_read_limit|expired_|new_backend_write|failed_encrypted"
    "|repeated_ttl|prefix_cleanup|partial_compaction|unverifiable_rows|automatic_compaction)": (
        "the SDK compacts a part, or in one step, only sessions with its private methods"
    ),
    "test_sqlite_session_(closed|failed_add_items)": (
        "what is closed, or an item that is no JSON, is to be refused by an error of another class"
    ),
    "test_(keep_latest_keeps_a_checkpoint_saved|keep_latest_keeps_the_history_of_a_delta"
    "|abatch_uses_single_pool_checkout|a?sync_walk_reads_nothing_newer)": (
        "hooks between the project's own statements"
    ),
}


def tests_of(suite: Suite) -> Path:
    """Return a folder with the tests of a distribution's installed version."""
    PLACE.mkdir(parents=True, exist_ok=True)
    exact = f"{suite.distribution}=={version(suite.distribution)}"
    name = exact.replace("-", "_").replace("==", "-")
    if not (PLACE / name / "tests").exists():
        # hatchling, the build backend of all of these, must be installed: pip asks it for the name.
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        command += ["--no-binary", ":all:", "--no-build-isolation", "--dest", str(PLACE), exact]
        subprocess.run(command, check=True)
        with tarfile.open(PLACE / f"{name}.tar.gz") as archive:
            archive.extractall(PLACE, filter="data")
    for path in (PLACE / name / "tests").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        # The tests use a server in Docker; without a host, the environment gives its address.
        local = re.sub(r"postgres://postgres:postgres@localhost:\d+/", "postgres:///", text)
        if local != text:
            path.write_text(local, encoding="utf-8")
    return PLACE / name


def run(suite: Suite, folder: Path, names: list[str], *, own: bool) -> Report:
    """Run tests and return the outcome of each."""
    report = PLACE / f"{suite.distribution}-{suite.engine}.json"
    report.unlink(missing_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(TESTS), str(TESTS / "upstream")]),
        "NO_DOCKER": "true",  # LangGraph's tests then need no other servers
        "UPSTREAM_ENGINE": suite.engine,
        "UPSTREAM_CLASSES": "own" if own else "ours",
        "UPSTREAM_REPORT": str(report),
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "upstream_reasons", "-p", suite.plugin]
    command += ["-p", "no:cacheprovider", "-o", "addopts=", "-o", "asyncio_mode=auto", "-W"]
    command += ["ignore", "--tb=short", f"--timeout={SECONDS}", *names]
    log = report.with_suffix(".own.log" if own else ".log")
    with log.open("w", encoding="utf-8") as out:
        subprocess.run(command, cwd=folder, env=environment, stdout=out, check=False)
    if not report.exists():
        raise SystemExit(f"the tests did not run: {log}")
    found: Report = json.loads(report.read_text(encoding="utf-8"))
    return found


def reason(name: str, result: Mapping[str, str], own: Report) -> str:
    """Return why a test fails; empty if the reason is unknown."""
    if own.get(name, {}).get("outcome") == "failed":
        return "fails with the project's own classes too, in this environment"
    function = name.rpartition("::")[2]
    if INTERNALS.search(result["reason"]):
        return "reads the project's own tables or private attributes"
    return next((why for like, why in REASONS.items() if re.match(like, function)), "")


def main(name: str, arguments: list[str]) -> int:
    """Run a suite and print its counts."""
    suite = SUITES[name]
    folder = tests_of(suite)
    found = run(suite, folder, [*suite.paths(folder), *suite.arguments, *arguments], own=False)
    used = {test: result for test, result in found.items() if result["used"]}
    failed = [test for test, result in used.items() if result["outcome"] == "failed"]
    own = run(suite, folder, failed, own=True) if failed else {}
    groups = Counter(reason(test, used[test], own) for test in failed)
    passed = sum(result["outcome"] == "passed" for result in used.values())
    exact = f"{suite.distribution} {version(suite.distribution)}"
    print(f"{exact} on {suite.engine}: {passed} passed, {len(failed)} failed", end="; ")
    print(f"{len(found) - len(used)} use nothing that is replaced")
    for why, count in groups.most_common():
        print(f"  {count:4} {why or 'NOT EXPLAINED:'}")
    for test in failed:
        if not reason(test, used[test], own):
            print(f"       {test}  {used[test]['reason']}")
    return int("" in groups)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
