"""Summaries of calls of web, plan, agent, question and unknown tools."""

from __future__ import annotations

import re

from memoranda.capture.analysis.call_view import CallSketch, CallView, counted, quoted
from memoranda.capture.analysis.line_search import first_line
from memoranda.capture.analysis.output_digest import ending, salient
from memoranda.json_data import JsonValue
from memoranda.text import clip, one_line

_ADDRESS = re.compile(r"https?://[^\s<>\"'`\]}]{1,1000}")
_STATES = (("completed", "done"), ("in_progress", "in progress"), ("pending", "open"))


def web(call: CallView) -> CallSketch:
    """Describe the fetch of a page or a search of the web."""
    prompt = call.argument("prompt")
    url = call.argument("url") or ", ".join(_addresses(prompt))
    query = call.argument("query", "q", "search_query")
    code, words = call.output_number("code"), call.output_member("codeText")
    result = call.output_member("result")
    body = result if isinstance(result, str) else call.output
    status = f"{code} {words if isinstance(words, str) else ''}".strip() if code else ""
    label = f"{call.tool} {url}" if url else f"{call.tool} {quoted(query, 50)}"
    outcome = status or _extent(call)
    return CallSketch(label, outcome, (*([prompt] if prompt else []), *_opening(body)))


def _addresses(text: str) -> list[str]:
    """Return the URLs in a prompt, which is where Gemini CLI writes them."""
    found = (mark[0].rstrip(".,;:!?*") for mark in _ADDRESS.finditer(text[:4_000]))
    closed = (item[:-1] if item[-1:] == ")" and "(" not in item else item for item in found)
    return list(dict.fromkeys(closed))[:3]


def _extent(call: CallView) -> str:
    first = first_line(call.output)
    if not call.length or first.startswith(("No search results", "No results")):
        return "nothing found"
    return first if call.length == 1 else counted(call.length, "line")


def plan(call: CallView) -> CallSketch:
    """Describe a plan: its progress, the current step, the open steps."""
    text = call.argument("plan")
    if text:
        return CallSketch(f"Plan: {first_line(text).lstrip('# ')}", details=tuple(_opening(text)))
    value = call.event.input if isinstance(call.event.input, dict) else {}
    steps = next((value for value in (value.get("todos"), value.get("plan"), value.get("items"))
                  if isinstance(value, list)), [])  # fmt: skip
    rows = [(_word(step, "status"), _word(step, "content", "step", "description", "title"))
            for step in steps if isinstance(step, dict)]  # fmt: skip
    subject = call.argument("subject", "title", "taskId")
    if not rows:
        return CallSketch(
            f"{call.tool} {subject}".strip(), first_line(call.output) if subject else ""
        )
    counts = [(sum(1 for state, _ in rows if state == name), word) for name, word in _STATES]
    totals = ", ".join(f"{count} {word}" for count, word in counts if count)
    now = next((text for state, text in rows if state == "in_progress"), "")
    details = [f"{word}: {text}" for name, word in _STATES[1:] + _STATES[:1]
               for state, text in rows if state == name]  # fmt: skip
    return CallSketch(f"Plan: {totals}" + (f" \u2014 {now}" if now else ""), details=tuple(details))


def _word(step: dict[str, JsonValue], *keys: str) -> str:
    return next((str(step[key]) for key in keys if isinstance(step.get(key), str)), "")


def agent(call: CallView) -> CallSketch:
    """Describe the task of a subagent and its report."""
    name = call.argument("subagent_type", "agent_type")
    errand = call.argument("description", "prompt", "task", "message")
    label = f"Agent {name}: {errand}" if name else f"Agent: {errand}"
    return CallSketch(label, details=tuple(_opening(call.output)))


def ask(call: CallView) -> CallSketch:
    """Describe a question to the person, with the answer."""
    arguments = call.event.input if isinstance(call.event.input, dict) else {}
    questions = arguments.get("questions")
    texts = [_word(item, "question") for item in questions if isinstance(item, dict)] if isinstance(
        questions, list) else []  # fmt: skip
    texts = [text for text in texts if text] or [call.argument("question", "prompt")]
    answers = call.output_member("answers")
    pairs = list(answers.items()) if isinstance(answers, dict) else []
    own_answers = [
        f"{question} \u2192 {answer}" for question, answer in pairs if isinstance(answer, str)
    ]
    outcome = str(pairs[0][1]) if pairs else first_line(call.output)
    details = (*own_answers, *texts) if own_answers else (*texts, *_opening(call.output))
    return CallSketch(f"Ask: {texts[0]}", outcome, details)


def other(call: CallView) -> CallSketch:
    """Describe a call of any other tool.

    The description has the tool's name, its first arguments, and the end or size of its output.
    """
    name = call.tool
    if name.startswith("mcp__"):
        name = " ".join(part for part in name.split("__")[1:] if part)
    label = f"{name} {_arguments(call.event.input)}".strip()
    output = call.output.strip()
    last = (ending(output) or [""])[0]
    if call.length == 1:
        outcome = output
    elif call.length:
        outcome = last if len(last) <= 40 and last[:1].isalpha() else counted(call.length, "line")
    else:
        outcome = ""
    telling = salient(output) if len(output) > 380 else []
    return CallSketch(label, outcome, (*telling, *_opening(output)))


def _arguments(value: JsonValue) -> str:
    if isinstance(value, str):
        return clip(one_line(value[:200]), 50)
    if not isinstance(value, dict):
        return ""
    plain = [(key, _short(value)) for key, value in list(value.items())[:12]]
    plain = [(key, value) for key, value in plain if value]
    if len(plain) == 1:
        return clip(plain[0][1], 50)
    return " ".join(f"{clip(key, 24)}={clip(value, 24)}" for key, value in plain[:3])


def _short(value: JsonValue) -> str:
    if isinstance(value, str):
        return one_line(value[:200])
    is_small = isinstance(value, float) or (isinstance(value, int) and abs(value) < 10**15)
    return str(value) if is_small else ""


def _opening(text: str) -> list[str]:
    return [line for line in text[:2_000].split("\n", 12)[:12] if line.strip()]
