"""Unsupported versions of other packages are refused before use."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from memoranda.integrations.version_check import supported

ADAPTERS = {  # module: package, a version before its range, the first one after it
    "anthropic_memory": ("anthropic", "2.11.9", "3.0.0"),
    "crewai": ("crewai", "1.14.9", "2.0rc1"),
    "google_adk": ("google-adk", "1.18.0", "3.0"),
    "haystack": ("haystack-ai", "2.9.1", "4.0.0"),
    "langchain": ("langchain-core", "1.3.99", "2.0.0"),
    "langgraph": ("langgraph-checkpoint", "4.2.1", "5"),
    "llama_index": ("llama-index-core", "0.13.6", "0.15.0"),
    "openai_session": ("openai-agents", "0.23.9", "1.0"),
}

IMPORTED = """
import importlib, sys
for folder in folders:
    sys.path.insert(0, folder)
    try:
        importlib.import_module(f"memoranda.integrations.{module}")
    except ImportError as error:
        print(error)
    sys.path.remove(folder)
"""
"""Imports an adapter beside each version, and prints the errors."""


def test_a_version_within_the_range_is_taken() -> None:
    here = version("pytest")
    with supported("pytest", "0.1", "999"):
        pass
    with supported("pytest", here, "999"):
        pass
    with pytest.raises(ImportError), supported("pytest", "0.1", here):
        raise AssertionError("unreachable")


def test_what_is_missing_is_named_with_what_to_install() -> None:
    with pytest.raises(ImportError) as result, supported("no-such-package", "1.2", "3"):
        raise AssertionError("unreachable")
    assert str(result.value) == (
        "this needs no-such-package 1.2 or newer, below 3; none is installed: "
        "pip install 'no-such-package>=1.2,<3'"
    )


def test_a_removed_name_is_reported_like_another_version() -> None:
    with (
        pytest.raises(ImportError, match="this needs pytest") as result,
        supported("pytest", "1", "999"),
    ):
        from pytest import no_such_name  # type: ignore[attr-defined]  # noqa: F401
    assert "no_such_name" in str(result.value.__cause__)


@pytest.mark.parametrize("module", ADAPTERS)
def test_every_adapter_names_its_range(tmp_path: Path, module: str) -> None:
    package, *versions = ADAPTERS[module]
    for found in versions:
        folder = tmp_path / found / f"{package.replace('-', '_')}-{found}.dist-info"
        folder.mkdir(parents=True)
        text = f"Metadata-Version: 2.1\nName: {package}\nVersion: {found}\n"
        (folder / "METADATA").write_text(text, "utf-8")
    folders = [str(tmp_path / found) for found in versions]
    code = f"module, folders = {module!r}, {folders!r}\n{IMPORTED}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    errors = done.stdout.splitlines()
    assert len(errors) == len(versions), done.stderr
    for found, error in zip(versions, errors, strict=True):
        assert error.startswith(f"this needs {package} "), error
        assert f"{found} is installed: pip install '" in error
