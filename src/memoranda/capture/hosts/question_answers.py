"""A person's answers to the questions of an agent's question tool.

Each host reports them in its own form: Claude Code by the text of the question, Gemini CLI by its
number, and Codex by its id, as a list of chosen options and notes. All are stored in the form of
Claude Code. Text that the person typed is a message by the person as well; a chosen option is the
agent's wording, and is only in the decision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from memoranda.capture.event import Event, EventKind
from memoranda.capture.hosts.event_keys import answer_key
from memoranda.capture.hosts.json_fields import Payload, decoded, mapping, string
from memoranda.json_data import JsonValue
from memoranda.observations.model import Origin

QUESTION_TOOLS = frozenset({"AskUserQuestion", "ask_user", "request_user_input"})
"""Question tools of Claude Code, Gemini CLI and Codex."""
SECRET_ANSWER = "[secret answer, not stored]"

_NOTE = "user_note: "
"""Prefix of text typed below the options of Codex."""
_NONE_CHOSEN = frozenset({"None of the above", "Other"})
"""Options that hosts add themselves."""


@dataclass(frozen=True, slots=True)
class QuestionAnswer:
    """One question with the options chosen and the text typed by the person."""

    question: str
    chosen: tuple[str, ...]
    typed: tuple[str, ...]

    @property
    def text(self) -> str:
        """Everything that the person chose and typed, on one line."""
        return ", ".join((*self.chosen, *self.typed))


def with_answers(event: Event) -> tuple[Event, ...]:
    """Return a question's result with readable answers, and what the person typed.

    Any other event is returned unchanged.
    """
    if event.kind is not EventKind.TOOL_RESULT or event.tool not in QUESTION_TOOLS:
        return (event,)
    answers = list(_answers(mapping(event.input), event.output))
    if not answers:
        return (event,)
    result = replace(event, output={"answers": {one.question: one.text for one in answers}})
    typed = "\n".join(text for one in answers for text in one.typed)
    return (result, _statement(event, typed)) if typed else (result,)


def _statement(result: Event, text: str) -> Event:
    return replace(
        result,
        kind=EventKind.MESSAGE,
        key=answer_key(result.key),
        origin=Origin.HUMAN,
        text=text,
        tool=None,
        input=None,
        output=None,
        tokens_used=None,
        duration_ms=None,
        hook_report=None,
        former_keys=tuple(answer_key(key) for key in result.former_keys),
    )


def _answers(arguments: Payload, output: JsonValue) -> Iterator[QuestionAnswer]:
    result = mapping(decoded(output))
    listed = arguments.get("questions")
    questions = [mapping(item) for item in listed] if isinstance(listed, list) else []
    notes = mapping(result.get("annotations"))
    for name, value in mapping(result.get("answers")).items():
        question = _question(questions, name)
        note = string(mapping(notes.get(name)), "notes")
        if question.get("isSecret") is True or question.get("is_secret") is True:
            yield QuestionAnswer(_text_of(question, name), (SECRET_ANSWER,), ())
        elif parts := [*_parts(value), *([note] if note else [])]:
            labels = _labels(question)
            chosen = [part for part in parts if _is_chosen(part, labels)]
            typed = [part.removeprefix(_NOTE) for part in parts if part not in chosen]
            shown = [part for part in chosen if part not in _NONE_CHOSEN or not typed]
            yield QuestionAnswer(_text_of(question, name), tuple(shown), tuple(typed))


def _question(questions: list[Payload], name: str) -> Payload:
    """Return the question with this text, id or number; an empty one if unknown."""
    for question in questions:
        if name in (question.get("question"), question.get("id")):
            return question
    number = int(name) if name.isdecimal() and len(name) < 4 else len(questions)
    return questions[number] if number < len(questions) else {}


def _text_of(question: Payload, name: str) -> str:
    return string(question, "question", "header") or name


def _parts(value: JsonValue) -> list[str]:
    """Return the answers to one question, as a string or a list of strings."""
    value = mapping(value).get("answers", value)
    parts = value if isinstance(value, list) else [value]
    return [text for part in parts if isinstance(part, str) and (text := part.strip())]


def _labels(question: Payload) -> frozenset[str]:
    options = question.get("options")
    found = (mapping(item).get("label", item) for item in options if item) if isinstance(
        options, list) else ()  # fmt: skip
    return frozenset(label.strip() for label in found if isinstance(label, str)) | _NONE_CHOSEN


def _is_chosen(answer: str, labels: frozenset[str]) -> bool:
    """Return whether an answer is an option, or several of them joined by commas."""
    rest = answer
    while rest:
        label = max((one for one in labels if rest.startswith(one)), key=len, default="")
        after = rest[len(label) :]
        if not label or (after and not after.startswith(", ")):
            return False
        rest = after.removeprefix(", ")
    return True
