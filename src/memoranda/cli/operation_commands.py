"""Commands that each run one operation, with its arguments as options.

`scripts/reference.py` collects the arguments in `parameters.tsv`, because help and parsing must not
load any operation. An option that a command declares itself is used for the argument of the same
name.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from inspect import getfullargspec
from operator import attrgetter
from typing import Any, Literal, NamedTuple, TypeVar

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import MomentParam, page_options, place, stated, workspace_option
from memoranda.cli.output import Output, command
from memoranda.json_data import parse_json

View = TypeVar("View", bound=Callable[..., Any])
Options = Callable[[Callable[..., Any]], Callable[..., Any]]
"""Decorator that adds options to a command."""
Row = tuple[object, ...]

VIEW = "view"
"""Attribute of a command for the function that formats its result as text."""
PARAMETERS = os.path.join(os.path.dirname(__file__), "parameters.tsv")  # noqa: PTH118, PTH120 - fast
TYPES: Mapping[str, Any] = {"text": str, "int": int, "float": float, "time": MomentParam()}


class OperationCommands:
    """Commands of a group, each of which runs one operation.

    Args:
        words: the words that precede the verb of a command.
        options: options that all commands use for the arguments of the same names; the option for
            the acting agent is added to all commands.
    """

    def __init__(self, group: click.Group, words: str, *options: Options) -> None:
        self._group = group
        self._words = words
        self._options = (workspace_option, *options)

    def view(
        self,
        verb: str,
        example: str,
        *options: Options,
        columns: tuple[str, ...] = (),
        form: Literal["text", "recalled", "verbatim"] = "text",
        key: str = "",
        reads: str = "",
        fresh: bool = False,
    ) -> Callable[[View], View]:
        """Add a command; the decorated function formats its result as text.

        The function receives those arguments of the command that it declares as keyword-only
        parameters. Its docstring is appended to the summary of the operation in the help.

        Args:
            columns: headers of a list; with them, the function returns the row of an item,
                otherwise a text.
            form: method of `Output` that shows the text.
            key: name of the result in JSON, if the result is not an object.
            reads: argument that is read from standard input if it is ``-``.
            fresh: store spooled events first.
        """
        standard_input = f"Pass - as {reads.upper()} to read standard input." if reads else ""

        def add(view: View) -> View:
            def run(out: Output, data_dir: str | None, **arguments: Any) -> None:
                if reads:
                    arguments[reads] = stated(arguments[reads])
                result = self.call(verb, data_dir, arguments, fresh=fresh)
                wanted = {name: arguments[name] for name in getfullargspec(view).kwonlyargs}
                if columns:
                    rows = [view(item, **wanted) for item in result]
                    out.rows(result, columns, rows, recalled=form == "recalled")
                else:
                    payload = {key: result} if key else result
                    getattr(out, form)(payload, view(result, **wanted))

            setattr(run, VIEW, view)
            run.__doc__ = view.__doc__ or standard_input
            self.command(verb, example, *options)(run)
            return view

        return add

    def command(
        self, verb: str, example: str, *options: Options, of: str = ""
    ) -> Callable[[Callable[..., None]], click.Command]:
        """Add a command with its own code and the options of an operation."""
        return lambda function: self._group.command(
            verb,
            params=self._parameters(of or verb, options),
            epilog=f"Example: memoranda {example}",
        )(command(function))

    def _parameters(self, verb: str, options: tuple[Options, ...]) -> list[click.Parameter]:
        parameters = dict(_operation(f"{self._words} {verb}")[1])
        used = {"agent", *(name for name in parameters if _is_option(name, parameters))}
        shared = _declared(*self._options)
        own = {name: shared[name] for name in shared if name in used} | _declared(*options)
        if parameters.keys() >= {"cursor", "limit"}:
            own |= _declared(page_options)
            del parameters["cursor"], parameters["limit"]
        made = [one.option(own.pop(name, None)) for name, one in parameters.items()]
        return [*made, *own.values()]

    def call(
        self, verb: str, data_dir: str | None, arguments: Mapping[str, Any], *, fresh: bool = False
    ) -> Any:
        """Call the operation as the agent and for the workspace in the options."""
        method, parameters = _operation(f"{self._words} {verb}")
        passed = dict(arguments)
        acting = None if "agent" in parameters else passed.pop("agent", None)
        with opened(data_dir, agent=acting, fresh=fresh) as memory:
            if _is_option("workspace", parameters):
                passed["workspace"] = place(memory, passed["workspace"], passed.get("task"))
            return attrgetter(method)(memory)(**_with_records(passed, parameters))


def _is_option(name: str, parameters: Mapping[str, Parameter]) -> bool:
    return name in parameters and parameters[name].kind == "option"


def _declared(*options: Options) -> dict[str, click.Parameter]:
    """Return the parameters that decorators add, by name."""
    commands = [click.command()(add(lambda: None)) for add in options]
    return {param.name or "": param for one in commands for param in one.params}


def _with_records(
    arguments: Mapping[str, Any], parameters: Mapping[str, Parameter]
) -> dict[str, Any]:
    """Return the arguments with the fields of a record combined into it."""
    passed: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in parameters and (record := parameters[name].record):
            passed.setdefault(record, {})[name] = value
        else:
            passed[name] = value
    for record in [name for name in passed if "=" in name]:
        argument, module, kind = re.split("[=:]", record)
        passed[argument] = getattr(import_module(module), kind)(**passed.pop(record))
    return passed


class Parameter(NamedTuple):
    """Parameter of an operation, or a field of a parameter that is a record."""

    name: str
    kind: str
    """``argument`` if the parameter may be positional, else ``option``."""
    type: str
    """Name in `TYPES`, or the choices."""
    default: str
    """Default as JSON; empty if the parameter is required."""
    help: str
    record: str
    """As ``parameter=module:class``."""

    def option(self, own: click.Parameter | None) -> click.Parameter:
        """Return a new parameter, or the command's own one with the help added."""
        if own:
            if isinstance(own, click.Option):
                own.help = own.help or self.help
            return own
        flag = f"--{self.name.replace('_', '-')}"
        if self.type == "flag":
            return click.Option([flag], is_flag=True, help=self.help)
        choices = self.type.split("|")
        kind = click.Choice(choices) if len(choices) > 1 else TYPES[self.type]
        details: dict[str, Any] = {"type": kind, "required": not self.default}
        if self.default not in ("", "null"):
            details["default"] = parse_json(self.default)
        if self.kind == "argument":
            return click.Argument([self.name], **details)
        return click.Option([flag], help=self.help, **details)


@cache
def _operation(words: str) -> tuple[str, Mapping[str, Parameter]]:
    """Return the method of a command's operation, and its parameters."""
    lines = [line.split("\t") for line in _table()[words]]
    return lines[0][0], {line[1]: Parameter(*line[1:]) for line in lines if line[1:]}


@cache
def _table() -> Mapping[str, list[str]]:
    """Return the lines of the parameter table, by command."""
    table: dict[str, list[str]] = {}
    with open(PARAMETERS, encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes 7 ms
        for line in file:
            words, _, row = line[:-1].partition("\t")
            table.setdefault(words, []).append(row)
    return table
