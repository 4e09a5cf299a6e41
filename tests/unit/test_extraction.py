"""Extraction of tags, files, identifiers and targets of calls."""

from __future__ import annotations

import time

from hypothesis import given, strategies as st

import tool_outputs as outputs
from memoranda.capture.analysis import event_subjects as extraction
from memoranda.capture.analysis.failures import failure
from memoranda.capture.event import Event
from memoranda.json_data import JsonValue
from tables import each
from tool_events import ROOT, called, hostile, message_event, ran, text_of


def _tags(event: Event) -> tuple[str, ...]:
    text = text_of(event)
    return extraction.tags(event, text, failure(text, event.tool, event.failed))


def _files(event: Event, root: str | None = ROOT) -> tuple[str, ...]:
    return extraction.files(event, text_of(event), root)


# --- tags ---------------------------------------------------------------------------------------


@each(
    ("event", "expected"),
    [
        (ran("cd x && python -m pytest -q tests/test_a.py"), ("bash", "python", "test")),
        (ran("npm run test:unit"), ("bash", "javascript", "test")),
        (ran("cargo clippy --all"), ("bash", "lint", "rust")),
        (ran("go build ./..."), ("bash", "build", "go")),
        (ran("pip install -e ."), ("bash", "install", "python")),
        (ran("git commit -m x && npm ci"), ("bash", "git", "install", "javascript")),
        (ran("grep -rn total src | head"), ("bash", "read", "search")),
        (ran("sed -i s/a/b/ src/a.rs"), ("bash", "edit", "rust")),
        (ran("cat > src/a.go <<'EOF'\nx\nEOF"), ("bash", "edit", "go")),
        (ran("curl -s https://x.example/a.json"), ("bash", "web")),
        (called("Edit", {"file_path": "/srv/shop/a.tsx"}), ("edit", "typescript")),
        (called("Read", {"file_path": "/srv/shop/A.java"}), ("java", "read")),
        (called("TodoWrite", {"todos": []}), ("plan", "todowrite")),
        (called("WebFetch", {"url": "https://x.example"}), ("web", "webfetch")),
        (called("mcp__github__create_issue", {}), ("mcp-github-create-issue",)),
        (message_event("please run pytest"), ()),
    ],
)
def test_tags_include_activity_language_and_tool(event: Event, expected: tuple[str, ...]) -> None:
    assert _tags(event) == expected


def test_a_failing_test_run_is_tagged_with_kind_and_tests() -> None:
    assert _tags(ran("make check", outputs.PYTEST_ASSERT)) == (
        "bash",
        "test",
        "test:test_rounds_once",
        "test:test_sum",
        "test_failure",
    )


def test_a_named_test_is_tagged_even_when_it_passes() -> None:
    event = ran("pytest tests/test_cart.py::TestCart::test_total", "1 passed in 0.1s")

    assert "test:test_total" in _tags(event)


def test_tags_are_bounded_and_keep_the_kind_and_five_tests() -> None:
    names = "".join(f"FAILED tests/test_{n}.py::test_case_{n} - assert 0\n" for n in range(30))
    command = "git a; make b; pip c; ruff d; grep e; cat f.py g.rs h.go i.ts; curl j; pytest"
    found = _tags(ran(command, f"{names}30 failed in 1s"))

    assert len(found) <= extraction.MAX_TAGS
    assert "test_failure" in found
    assert sum(tag.startswith("test:") for tag in found) == 5


# --- files --------------------------------------------------------------------------------------


@each(
    ("event", "expected"),
    [
        (called("Edit", {"file_path": "/srv/shop/src/cart.py"}), ("src/cart.py",)),
        (called("Edit", {"file_path": "/srv/shop/src/../tests/a.py"}), ("tests/a.py",)),
        (called("Write", {"file_path": "src\\shop\\a.py"}), ("src/shop/a.py",)),
        (called("Read", {"file_path": "/etc/hosts"}), ("/etc/hosts",)),
        (called("NotebookEdit", {"notebook_path": "/srv/shop/a.ipynb"}), ("a.ipynb",)),
        (called("Grep", {"pattern": "x", "path": "/srv/shop"}, "src/a.py:3:x"), ()),
        (called("apply_patch", "*** Begin Patch\n*** Update File: a.py\n*** Add File: b/c.rs\n"),
         ("a.py", "b/c.rs")),
        (ran("pytest tests/test_cart.py::test_total -q"), ("tests/test_cart.py",)),
        (ran("cd web && npx eslint src/app.js"), ("web/src/app.js",)),
        (ran("cp ../other/a.toml ./b.toml"), ("/srv/other/a.toml", "b.toml")),
        (ran("curl -o out.json https://x.example/in.json"), ("out.json",)),
        (ran("git checkout origin/main -- src/"), ("src",)),
        (ran("python x.py > log.txt 2>&1"), ("x.py", "log.txt")),
        (ran("ruff check --config=ci/ruff.toml ."), ("ci/ruff.toml",)),
        (ran("sed 's/a/b.py/' && awk '{print $1}' > /dev/null"), ()),
        (ran("go test ./..."), ()),
        (message_event("look at src/cart.py"), ()),
    ],
)  # fmt: skip
def test_files_come_from_the_input_and_the_command(event: Event, expected: tuple[str, ...]) -> None:
    assert _files(event) == expected


@each(
    ("command", "output", "expected"),
    [
        ("make check", outputs.PYTEST, ("tests/test_cart.py", "src/shop/cart.py")),
        ("run", outputs.TRACEBACK, ("run.py", "src/shop/tax.py")),
        ("run", outputs.GCC, ("src/cart.c", "Makefile")),
        ("run", outputs.TSC, ("src/cart.ts", "src/tax.ts")),
        ("run", outputs.CARGO_BUILD, ("src/cart.rs", "src/tax.rs")),
        ("run", outputs.NODE, ("src/server.js",)),
        ("run", outputs.ESLINT, ("src/cart.js",)),
        ("run", outputs.GIT_CONFLICT, ("src/shop/cart.py",)),
        ("git diff", "diff --git a/src/a.py b/src/a.py\n--- a/src/a.py\n", ("src/a.py",)),
        ("date", "10:30:15 http://x.example:8080/a.py", ()),
    ],
)
def test_files_come_from_diagnostics(command: str, output: str, expected: tuple[str, ...]) -> None:
    assert _files(ran(command, output)) == expected


def test_what_a_tool_only_shows_names_no_files() -> None:
    assert _files(ran("cat notes.md", outputs.TRACEBACK)) == ("notes.md",)
    assert _files(called("Read", {"file_path": "/srv/shop/log"}, outputs.TRACEBACK)) == ("log",)


def test_a_library_counts_only_when_it_was_edited() -> None:
    path = "/usr/lib/python3/dist-packages/x.py"

    assert _files(called("Read", {"file_path": path})) == ()
    assert _files(called("Edit", {"file_path": path})) == (path,)


def test_without_a_root_paths_are_absolute_where_the_folder_is_known() -> None:
    event = called("Edit", {"file_path": "src/cart.py"})

    assert _files(event, None) == ("/srv/shop/src/cart.py",)
    assert _files(called("Edit", {"file_path": "src/cart.py"}, cwd=None), None) == ("src/cart.py",)


def test_files_are_bounded_and_distinct() -> None:
    output = "".join(f"src/m{n % 40}.py:{n}: error: x\n" for n in range(400))

    found = _files(ran("mypy src", output))

    assert len(found) == extraction.MAX_FILES == len(set(found))


# --- identifiers --------------------------------------------------------------------------------


def test_identifiers_are_names_and_codes_and_no_prose() -> None:
    text = (
        "The total was wrong in cart_total and cartTotal of CartItem, see shop.cart and cart.py. "
        "MAX_RETRIES, python3.11, v2.1, 3.11.7, claude-3-opus, E0308, TS2322, ORA-00942, ENOENT, "
        "9f8e7d6c, 0f3c9a52-7d41-4b1e, __init__ and HTTPServer; not e.g. 12, 0.5, well-known."
    )

    assert extraction.identifiers(text) == (
        "cart_total",
        "cartTotal",
        "CartItem",
        "shop.cart",
        "cart.py",
        "MAX_RETRIES",
        "python3.11",
        "v2.1",
        "3.11.7",
        "claude-3-opus",
        "E0308",
        "TS2322",
        "ORA-00942",
        "ENOENT",
        "9f8e7d6c",
        "0f3c9a52-7d41-4b1e",
        "__init__",
        "HTTPServer",
    )


def test_runs_of_cjk_are_identifiers_of_at_most_forty_characters() -> None:
    run = "\u3042" * 90
    found = extraction.identifiers(f"\u4fee\u590dcart.py\u7684\u9519\u8bef {run} ok")

    assert found[:3] == ("\u4fee\u590d", "cart.py", "\u7684\u9519\u8bef")
    assert found[3] == run[:40]
    assert max(map(len, found)) <= 40


def test_identifiers_are_bounded_distinct_and_in_order() -> None:
    names = [f"name_{n}" for n in range(5_000)]

    found = extraction.identifiers(" ".join(names + names))

    assert found == tuple(names[: len(found)])
    assert len(found) == extraction.MAX_IDENTIFIERS
    long = extraction.identifiers(" ".join(f"name_{n}_{'x' * 90}" for n in range(400)))
    assert sum(map(len, long)) <= extraction.MAX_IDENTIFIER_CHARACTERS


# --- target -------------------------------------------------------------------------------------


@each(
    "command",
    [
        "cd /srv/x && python -m pytest -q tests/test_a.py | tail -5",
        "pytest tests/test_a.py",
        "FOO=1 .venv/bin/pytest /srv/x/tests/test_a.py --tb=short -x 2>&1 | tee out.log",
        'cd /srv/x; uv run --frozen pytest -vv ./tests/test_a.py; echo "exit: $?"',
        "timeout 60 python3.11 -m pytest tests/test_a.py --tb short || true",
        "bash -lc 'pytest tests/test_a.py'",
        "# run it again\npytest tests/test_a.py > log 2>&1",
    ],
)
def test_a_retry_has_the_target_of_the_first_try(command: str) -> None:
    first = ran("pytest tests/test_a.py", cwd="/srv/x")

    assert extraction.target(ran(command, cwd="/srv/x")) == extraction.target(first)


@each(
    ("one", "other"),
    [
        ("pytest tests/test_a.py", "pytest tests/test_b.py"),
        ("pytest tests", "pytest tests -k total"),
        ("npm test", "npm run build"),
        ("cargo test", "cargo build"),
        ("python - <<'E'\nprint(1)\nE", "python - <<'E'\nprint(2)\nE"),
        ("cat > a.py <<'E'\nx\nE", "cat > b.py <<'E'\nx\nE"),
        (f"run {'x' * 300} 1", f"run {'x' * 300} 2"),
        ("true && " * 40 + "one", "true && " * 40 + "two"),
        ("x" * 9_000 + "1", "x" * 9_000 + "2"),
    ],
)
def test_other_commands_have_other_targets(one: str, other: str) -> None:
    assert extraction.target(ran(one)) != extraction.target(ran(other))


def test_tools_of_one_family_share_the_target_of_a_file() -> None:
    edited = called("Edit", {"file_path": "/srv/shop/a.py", "old_string": "x", "new_string": "y"})
    written = called("Write", {"file_path": "a.py", "content": "y"})
    read = called("Read", {"file_path": "/srv/shop/a.py"})

    assert extraction.target(edited) == extraction.target(written) != extraction.target(read)


def test_other_tools_are_distinguished_by_their_input() -> None:
    def target(**value: JsonValue) -> str | None:
        return extraction.target(called("WebFetch", value))

    assert target(url="a", timeout=5) == target(url="a", timeout=60, description="again")
    assert target(url="a") != target(url="b")


def test_words_have_no_target() -> None:
    assert extraction.target(message_event("run pytest")) is None


# --- any event ----------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=8,
)
KEYS = st.sampled_from(["command", "file_path", "path", "edits", "pattern", "patch", "todos", "x"])
TOOLS = st.sampled_from(["Bash", "shell", "Read", "Edit", "Grep", "apply_patch", "TodoWrite", "x"])
EVENTS = st.builds(called, TOOLS, JSON | st.dictionaries(KEYS, JSON), JSON)


@given(EVENTS, st.none() | st.just(ROOT) | st.text(max_size=20))
def test_any_event_has_bounded_tags_and_files(event: Event, root: str | None) -> None:
    text = text_of(event)
    tags = _tags(event)
    files = extraction.files(event, text, root)

    assert tags == tuple(sorted(set(tags))) and len(tags) <= extraction.MAX_TAGS
    assert all(tag == tag.lower() for tag in tags)
    assert len(files) <= extraction.MAX_FILES and len(set(files)) == len(files)
    assert extraction.target(event) == extraction.target(event)


@given(st.text(max_size=600))
def test_identifiers_of_identifiers_are_the_same(text: str) -> None:
    found = extraction.identifiers(text)

    assert extraction.identifiers(" ".join(found)) == found


@each("unit", ["a", "_", ".", "a.", "a-", "/", "a/", ":1", "\u4e00", "'", "\\"])
def test_hostile_repetition_is_read_in_linear_time(unit: str) -> None:
    blob = hostile(unit)
    started = time.process_time()

    for event in (ran(blob, blob), called("Edit", {"file_path": blob, "old_string": blob}, blob)):
        text = text_of(event)
        extraction.tags(event, text, None)
        extraction.files(event, text, ROOT)
        extraction.identifiers(text)
        extraction.target(event)

    assert time.process_time() - started < 4
