"""Paths and tools excluded from capture."""

from __future__ import annotations

import pytest

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.redaction.exclusion import Exclusion
from memoranda.exceptions import InvalidInput
from memoranda.json_data import JsonValue
from memoranda.observations.model import Origin
from memoranda.settings import EXCLUDED_COMMANDS, EXCLUDED_PATHS
from tables import each

DEFAULT = Exclusion(EXCLUDED_PATHS, EXCLUDED_COMMANDS)


def call(value: JsonValue, tool: str = "Bash") -> Event:
    return Event(
        kind=EventKind.TOOL_RESULT,
        host="h",
        session="s",
        source=EventSource.HOOK,
        key="k",
        origin=Origin.TOOL,
        tool=tool,
        input=value,
    )


@each(
    "path",
    [
        "/srv/shop/.env",
        ".env",
        "./.env",
        "../other/.env.production",
        "/home/x/.ssh/config",
        "/home/x/.ssh/keys/deep/one",
        "~/.aws/credentials",
        "/etc/ssl/server.pem",
        "id_rsa",
        "id_ed25519.pub",
        "C:/keys/site.pfx",
        "/home/x/.netrc",
        "/home/x/a folder/.env",
    ],
)
def test_files_that_hold_secrets_are_excluded_whatever_names_them(path: str) -> None:
    for name in ("file_path", "path", "notebook_path"):
        assert DEFAULT.applies(call({name: path}, "Read"))
    assert DEFAULT.applies(call({"command": f"cat {path} | head"}))
    assert DEFAULT.applies(call({"cmd": f'grep key "{path}"'}))
    assert DEFAULT.applies(call({"command": f"curl --cert={path} https://x; ls"}))


@each(
    "path",
    [
        "/srv/shop/environment.py",
        "src/env",
        "docs/pem.md",
        "/srv/.envrc",
        "ssh/config",
        "/home/x/.aws/config",
        "my_id_rsa_notes",
    ],
)
def test_other_files_are_captured(path: str) -> None:
    assert not DEFAULT.applies(call({"file_path": path}, "Read"))
    assert not DEFAULT.applies(call({"command": f"cat {path}"}))


@pytest.mark.parametrize(
    "command",
    ["pass show mail", "  op read op://x", "vault kv get a", "echo | secret-tool lookup a"],
)
def test_password_managers_are_excluded(command: str) -> None:
    assert DEFAULT.applies(call({"command": command}))


@pytest.mark.parametrize("command", ["echo pass", "passwd --help", "pytest -k pass", "vaults"])
def test_commands_that_only_sound_like_it_are_captured(command: str) -> None:
    assert not DEFAULT.applies(call({"command": command}))


@each("value", [None, "", "cat a.env.py", [], ["/x/y"], 5, {"path": 7}, {}])
def test_input_of_any_shape_is_taken(value: JsonValue) -> None:
    assert DEFAULT.applies(call(value)) is False


def test_no_patterns_exclude_nothing() -> None:
    nothing = Exclusion((), ())
    assert not nothing.applies(call({"command": "cat /x/.env"}))
    assert not nothing.applies(call({"command": "", "path": ""}))


def test_patterns_are_united() -> None:
    own = Exclusion(("**/secret/*",), ("^a|b", "c"))
    assert own.applies(call({"file_path": "/x/secret/y"}))
    assert own.applies(call({"command": "xc"}))
    assert own.applies(call({"command": "xb"}))
    assert not own.applies(call({"command": "xa"}))


def test_a_pattern_that_re2_refuses_is_invalid_input() -> None:
    for pattern in ("(", r"(?=x)", r"(a)\1"):
        with pytest.raises(InvalidInput, match="exclude_commands"):
            Exclusion((), (pattern,))


def test_a_hostile_command_is_looked_through_in_good_time() -> None:
    for text in ("a" * 2_000_000, "/.env" * 4_000 + "x", "x " * 500_000, "**/" * 100_000):
        DEFAULT.applies(call({"command": text, "file_path": text}))


@each(
    "line",
    [
        "cd /srv && pass show db",
        "DB=$(op read op://v/db/pw) && echo $DB",
        "sudo pass show db",
        'echo "$(pass show db)"',
        "X=`vault read x`",
        "bash -lc 'cd x; bw get password y'",
    ],
)
def test_a_password_manager_is_excluded_wherever_it_runs(line: str) -> None:
    assert DEFAULT.applies(call({"command": line}))
    assert DEFAULT.applies(call({"command": ["bash", "-lc", line]}, "shell"))


@pytest.mark.parametrize(
    "line", ['grep "pass show" README', 'git commit -m "use op read"', "ls pass && cat security.md"]
)
def test_naming_a_password_manager_is_not_running_it(line: str) -> None:
    assert not DEFAULT.applies(call({"command": line}))


@each(
    ("tool", "value"),
    [
        ("shell", {"command": ["bash", "-lc", "cat .env"]}),
        ("shell", {"command": ["pass", "show", "x"]}),
        ("read_file", {"absolute_path": "/srv/shop/.env"}),
        ("read_many_files", {"include": [".env"]}),
        ("read_many_files", {"paths": ["a.py", "/srv/.env"]}),
        ("Grep", {"path": "/srv", "glob": ".env", "pattern": "A"}),
        ("mcp__files__read_multiple_files", {"paths": ["/srv/.env"]}),
        ("mcp__files__read", {"uri": "file:///srv/.env"}),
        ("mcp__files__read", {"relative_path": ".env"}),
        ("apply_patch", {"input": "*** Begin Patch\n*** Add File: .env\n+A=1\n*** End Patch"}),
        ("apply_patch", "*** Begin Patch\n*** Add File: .env\n+A=1\n*** End Patch"),
        ("Bash", "cat .env"),
        ("Bash", ["cat", "/x/.env"]),
        ("Bash", {"command": "git show HEAD:.env"}),
        ("Bash", {"command": "cat .env*"}),
        ("Bash", {"command": "cat {.env,x}"}),
    ],
)
def test_files_that_hold_secrets_are_excluded_in_every_form_of_a_call(
    tool: str, value: JsonValue
) -> None:
    assert DEFAULT.applies(call(value, tool))


def test_a_patch_that_mentions_a_file_does_not_touch_it() -> None:
    patch = "*** Begin Patch\n*** Update File: README.md\n+Copy .env.example to .env\n*** End Patch"
    assert not DEFAULT.applies(call({"input": patch}, "apply_patch"))
