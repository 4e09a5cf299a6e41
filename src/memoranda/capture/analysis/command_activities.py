"""Activity (test, build …) and language of a shell command's steps."""

from __future__ import annotations

from memoranda.language.shell import CommandStep
from memoranda.language.words import word_set

_PROGRAMS = {
    program: tag
    for tag, programs in {
        "test": "pytest py.test tox nox unittest nosetests jest vitest mocha rspec phpunit ctest",
        "git": "git gh hg svn jj",
        "build": "make cmake ninja gcc g++ clang clang++ cc tsc javac rustc bazel msbuild webpack"
        " vite rollup esbuild docker mvn gradle gradlew just meson",
        "install": "pip pip3 apt apt-get brew gem bundle composer conda dnf yum apk npm pnpm yarn"
        " pipx",
        "lint": "ruff flake8 pylint eslint mypy pyright black isort prettier golangci-lint"
        " shellcheck rubocop gofmt biome stylelint bandit",
        "search": "grep egrep rg ag ack find fd search_dir search_file find_file",
        "read": "cat head tail less more bat nl open goto scroll_up scroll_down",
        "edit": "patch apply_patch edit create",
        "web": "curl wget http httpie",
    }.items()
    for program in programs.split()
}
_VERBS = {
    verb: tag
    for tag, verbs in {
        "test": "test tests check nextest verify unittest",
        "build": "build compile package vet bundle",
        "install": "install add ci i get sync update upgrade lock remove uninstall mod",
        "lint": "lint clippy fmt format typecheck",
    }.items()
    for verb in verbs.split()
}
_GENERAL = word_set(
    "npm pnpm yarn cargo go mvn gradle gradlew make just dotnet poetry uv pdm hatch bun deno rake"
    " swift mix sbt bazel docker"
)
_TOOL_LANGUAGES = {
    program: language
    for language, programs in {
        "python": "python pip pip3 pytest unittest tox nox ruff mypy flake8 pylint black uv poetry"
        " pyright",
        "javascript": "node npm pnpm yarn jest vitest mocha eslint bun prettier",
        "typescript": "tsc ts-node tsx deno", "rust": "cargo rustc", "go": "go gofmt golangci-lint",
        "java": "java javac mvn gradle gradlew", "c": "gcc cc clang", "cpp": "g++ clang++",
        "ruby": "ruby rspec bundle gem rake rubocop", "php": "php composer phpunit",
        "csharp": "dotnet", "shell": "shellcheck", "terraform": "terraform",
    }.items()
    for program in programs.split()
}  # fmt: skip


def activities(step: CommandStep) -> list[str]:
    """Return the activity tags and the language tag of a command step."""
    name = step.program.rpartition("/")[2]
    result = [_TOOL_LANGUAGES[name]] if name in _TOOL_LANGUAGES else []
    if name in _GENERAL:
        verbs = [word.partition(":")[0] for word in step.words[1:4] if word[:1] != "-"]
        verb = next((_VERBS[verb] for verb in verbs if verb in _VERBS), None)
        plain = "build" if _PROGRAMS.get(name) == "build" else None
        return result + [tag for tag in (verb or plain,) if tag]
    if name == "sed":
        return [*result, "edit" if any(w.startswith("-i") for w in step.words) else "read"]
    if step.writes and _PROGRAMS.get(name, "read") == "read":
        return [*result, "edit"] if name in ("cat", "echo", "printf", "tee") else result
    if name in _PROGRAMS:
        result.append(_PROGRAMS[name])
    return result
