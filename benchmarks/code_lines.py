"""Measure how many lines of ordinary code the redactor alters.

No line holds a secret. Lines about tokens, passwords, keys and sessions in twelve languages are
made from statement forms and names with a fixed seed. Run from the root of the repository:
``python benchmarks/code_lines.py [--lines N] [--json]``.
"""

from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator, Mapping

from memoranda.capture.redaction.redactor import Redactor

SEED = 11
LINES = 22_000
AIM = 0.0005
"""Maximum share of lines that may be altered."""

SNAKE = (
    *("session_id", "token", "access_token", "auth_token", "password", "api_key", "secret_key"),
    *(
        "client_secret",
        "refresh_token",
        "csrf_token",
        "db_password",
        "private_key",
        "sid",
        "cookie",
    ),
    *("credentials", "page_token", "next_token", "trace_id", "request_id", "nonce", "etag"),
)
OBJECTS = ("session", "request", "config", "user", "account", "response", "client", "state", "row")
FUNCTIONS = ("fetch", "load", "issue", "decode", "build", "read", "lookup", "resolve")

FORMS: Mapping[str, tuple[str, ...]] = {
    "python": (
        "{s} = {o}.{s}",
        "{s}: str | None = None",
        "def {f}(self, {s}: str, *, {o}: Any) -> bool:",
        '{s} = os.environ["{S}"]',
        '{s}={o}.get("{s}", ""),',
        "{s} = await {f}_{o}({o}_id)",
        "return {f}({s}={s}, {o}={o})",
        "if {s} != {o}.{s}:",
        '{s} = f"{{{o}.prefix}}-{{{o}.id}}"',
        "{s} = {o}s[0].{s}",
        'assert {s} is not None, "{s} is missing"',
    ),
    "javascript": (
        "const {c} = this.#{c};",
        "const {{ {c} }} = await this.#{o}.{f}();",
        "{c}: {o}.{c} ?? '',",
        "this.{c} = {o}?.{c};",
        "const {c} = process.env.{S};",
        "{c} = {o}s?.[0]?.value",
        "headers: {{ Authorization: `Bearer ${{{c}}}` }},",
        "if ({c} === {o}.{c}) return {f}({c});",
    ),
    "typescript": (
        "private readonly {c}!: string;",
        "{c}?: string | undefined;",
        "const {c} = (await {f}())!.{c}",
        "{c}: z.string().min(1),",
        "export type {C} = Pick<{O}, '{c}'>;",
        "{c}: process.env.{S}!,",
        "async {f}({c}: string, {o}: {O}): Promise<void> {{",
    ),
    "go": (
        '{c} := r.Header.Get("X-{C}")',
        "{c}, err := {o}.{F}(ctx, opts)",
        "{C}: {o}.{C},",
        "{c} := <-{o}s",
        '{C} string `json:"{s}"`',
        '{c} = strings.TrimPrefix({o}.{C}, "Bearer ")',
        'if {c} == "" {{ return ErrNo{C} }}',
    ),
    "rust": (
        'let {s} = format!("{{}}", {o}.id);',
        "let {s} = self.{s}.as_deref()?;",
        "pub {s}: Option<String>,",
        "{s}: {o}.{s}.clone(),",
        "let {s}: &'static str = {o}.{s};",
        '{s}: env!("{S}"),',
        "pub {s}_token: Token![where],",
        "let {s} = &{o}.{s};",
    ),
    "ruby": (
        "{s} = params.require(:{s})",
        "@{s} = {o}.{s}!",
        '{s}: ENV.fetch("{S}"),',
        "{s} = {o}&.{s} || {f}_{s}",
        "validates :{s}, presence: true",
        "{o}.update!({s}: {f}_{s})",
    ),
    "elixir": (
        "where: s.{s} == ^{s},",
        "{s} = Keyword.fetch!(opts, :{s})",
        "%{{{s}: {s}}} = {o}",
        "def {f}(%{{{s}: {s}}} = {o}), do: {s}",
        "{s} = Ecto.UUID.generate()",
    ),
    "java": (
        "private final String {c};",
        'this.{c} = Objects.requireNonNull({c}, "{c}");',
        "String {c} = {o}.get{C}();",
        ".{c}({o}.get{C}())",
        '{o}.set{C}(properties.getProperty("{s}"));',
    ),
    "kotlin": (
        "val {c} = checkNotNull({o}.{c})",
        "private val {c}: String?,",
        'val {c} = requireNotNull({o}.get<String>("{c}"))',
        "{c} = {o}.{c}!!,",
    ),
    "php": (
        "${s} = $request->header('X-{C}');",
        "'{s}' => ${o}->{s},",
        "$this->{c} = ${c};",
        "public function __construct(private string ${c}) {{}}",
        "${s} = $_SESSION['{s}'] ?? null;",
    ),
    "r": (
        "{s} <- {o}${s}",
        "{s} = {o}$data${s},",
        '{s} <- Sys.getenv("{S}")',
        '{s} = httr::oauth2.0_{f}({o}, {s} = "{s}")',
        "{o}${s} <<- {f}_{o}({o}_id)",
        "self${c} <- private${c}",
        'if (is.null({s}) || !nzchar({s})) stop("{S} is not set")',
        "{s} = jsonlite::fromJSON(body)${s},",
        "{f}.{o} <- function({o}, {s} = NULL) {{",
        "#' @param {s} The {s} of the {o}.",
        "query = list({s}={o}_{f}${s})",
    ),
    "sql and shell": (
        "WHERE {s} = $1",
        "AND {o}.{s} = :{s}",
        "{s} varchar(255) NOT NULL,",
        '{S}="${{{S}:-}}"',
        "{s}=$({f}-{o} --quiet)",
        "export {S}=$(cat /run/secrets/{s})",
        '--{k} "${S}" \\',
    ),
}
"""Statement forms by language; the braces take the keys of `names`."""


def names(rng: random.Random) -> dict[str, str]:
    """Draw a sensitive name in every spelling, an object and a function."""
    snake = rng.choice(SNAKE)
    if rng.random() < 0.3:
        snake = f"{rng.choice(OBJECTS)}_{snake}"
    pascal = "".join(part.title() for part in snake.split("_"))
    thing, function = rng.choice(OBJECTS), rng.choice(FUNCTIONS)
    return {
        "s": snake,
        "S": snake.upper(),
        "k": snake.replace("_", "-"),
        "c": pascal[0].lower() + pascal[1:],
        "C": pascal,
        "o": thing,
        "O": thing.title(),
        "f": function,
        "F": function.title(),
    }


def made_lines(count: int) -> Iterator[tuple[str, str]]:
    """Yield (language, line) pairs, each language equally often."""
    rng = random.Random(SEED)
    languages = list(FORMS)
    for number in range(count):
        language = languages[number % len(languages)]
        yield language, rng.choice(FORMS[language]).format(**names(rng))


def measure(count: int) -> dict[str, object]:
    """Return the altered lines, and their number in total and by language."""
    redactor = Redactor(b"a key for measuring only, no secret")
    altered: dict[str, list[str]] = {language: [] for language in FORMS}
    for language, line in made_lines(count):
        if redactor.text(line)[0] != line or redactor.value({"line": line}).counts:
            altered[language].append(line)
    total = sum(map(len, altered.values()))
    return {
        "lines": count,
        "altered": total,
        "share": total / count,
        "aim": AIM,
        "by_language": {language: len(lines) for language, lines in altered.items()},
        "examples": sorted({line for lines in altered.values() for line in lines})[:20],
    }


def main() -> None:
    """Print the measurement as lines, or as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lines", type=int, default=LINES)
    parser.add_argument("--json", action="store_true", help="print JSON")
    values = parser.parse_args()
    found = measure(values.lines)
    if values.json:
        print(json.dumps(found, indent=2))
        return
    for name, value in found.items():
        print(f"{name:14}{value}")


if __name__ == "__main__":
    main()
