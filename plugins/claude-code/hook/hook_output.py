"""Live mode of the hook, which shows agents a short form of long outputs.

Loaded by `hook.py` from its file; uses only the standard library. The output keeps the host's JSON
structure with shortened texts. A line is shown verbatim and in order, or omitted (a very long one
in pieces). ``(x40)`` after a line is the number of similar lines, ``[... 7 lines]`` marks omitted
ones.
"""

from __future__ import annotations

import os
import sys
from io import StringIO
from itertools import chain, zip_longest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Any, TypeAlias

    Units: TypeAlias = Sequence[str]

TOOLS = frozenset({"Bash", "Grep", "WebFetch", "WebSearch"})
SERVED = "mcp__"
"""Tools whose long output is not read for editing; prefix of MCP tools."""
TEXTS = frozenset({"stdout", "stderr", "content", "result", "results", "text", "output"})
"""Members of an output that contain its text, or nested values with text."""
READERS = frozenset(
    {"cat", "bat", "head", "tail", "nl", "less", "more", "sed", "awk", "tac", "view"}
)
"""Commands that show files unchanged, which a later edit needs in full."""
PASSING = frozenset({"xargs", "-exec"})
"""Programs that run the command in their arguments."""
SECRETIVE = frozenset({"op", "bw", "pass", "gopass", "lpass", "vault", "security", "secret-tool"})
"""Commands whose output is not captured, so that it could not be restored."""
EDITING = frozenset({"read", "view", "open", "cat", "edit", "write", "file", "notebook"})
"""Words in names of MCP tools that read or change files."""
BEFORE = frozenset({"do", "then", "else", "sudo", "time", "command", "nohup", "env", "(", "{"})
"""Words that may precede a command."""
UNCAPTURED = (
    *(".env", ".pem", ".p12", ".pfx", ".keystore", "id_rsa", "id_ed25519", "id_ecdsa", ".ssh"),
    *(".gnupg", ".aws", ".netrc", ".pgpass", ".npmrc", ".pypirc", ".docker/config", ".kube/config"),
)
"""Parts of paths of secret files, which are not captured."""
MARKED = ("<private", "</private", "<memoranda-context", "</memoranda-context")
"""Tags around text that is not captured."""

ALARMS = (
    *("error", "fail", "exception", "traceback", "fatal", "panic", "denied", "refused", "abort"),
    *("cannot", "can't", "could not", "unable to", "not found", "no such", "undefined", "invalid"),
    *("timed out", "timeout", "killed", "segmentation", "conflict", "warning", "exit code"),
    *("exit status", "assert", "missing", "unexpected", "mismatch", "unresolved", "rejected"),
)
CHANGES = (
    *("->", "=>", "passed", "succeeded", "success", "completed", "finished", "created", "deleted"),
    *("removed", "added", "modified", "renamed", "updated", "installed", "started", "stopped"),
    *("changed", "restarted", "ready", "listening", "total", "summary", "skipped", "merged"),
    *("diff --git", "@@ "),
)
"""Words that indicate a problem (`ALARMS`) or a change (`CHANGES`)."""

MIN_SAVED = 0.2
ROOM = 2 / 3
"""Maximum fraction of the limit that is shown; the rest is omitted."""
MAX_SHOWN = 9_000
"""Maximum bytes of text: hosts cut what hooks print at 10,000 characters."""
PREVIEWED = {"Grep": 20_000}
"""Characters of an output above which hosts show 2,000, by tool."""
PREVIEWED_ELSE = 50_000
PREVIEW = 2_000
PERSISTED = "persistedOutputPath"
"""Member of an output that the host itself cut and stored in a file."""
MAX_PRINTED = 60_000
"""Bytes that a pipe accepts at once, so that no output is cut."""
MAX_READ = 1 << 20
"""Maximum characters of a text that are read, half of them at the end."""
DEEPEST = 48
"""Maximum nesting depth; the store accepts slightly more."""
LONG = 400
PIECE = 240
"""Length above which a line is split, and length of the pieces."""
EDGE = 3
TAIL = 20
ALARM_SHARE = 0.6
ALIKE = 6
"""Maximum number of shown lines that differ only in numbers."""
MISSES = 40
"""Number of consecutive lines that do not fit after which selection ends."""
MARK = 24
"""Approximate bytes of a mark for omitted lines."""

BREAKS = ("},", ". ", "; ", ",", " ")
"""Separators at which a long line is split, best first."""

_NUMBERS = {ord(digit): None for digit in "0123456789abcdef"}
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:"
_NAME = frozenset(_LETTERS)
_PLAIN = frozenset(_LETTERS + "/@%+=,")


class JsonRules:
    """Options of the interpreter's JSON scanner."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float = parse_constant = float
    parse_int = int


def replace(place: tuple[str, int], host: str, payload: bytes, limit: int) -> bytes | None:
    """Print the short form of an output whose event is in the spool.

    ``place`` is its file and position. The file is synced before anything is printed. Return the
    record for the spool, or None if the output is unchanged. May raise anything, but then nothing
    was printed.
    """
    event = decoded(payload.decode("utf-8"))
    folder = os.path.dirname(os.path.dirname(os.path.abspath(place[0])))
    if not _is_for_us(event, folder):
        return None
    output = event["tool_response"]
    if sum(map(len, _texts(output))) > PREVIEWED.get(event["tool_name"], PREVIEWED_ELSE):
        shown = shortened(output, limit, command(host, event, folder), PREVIEW)
    else:
        shown = shortened(output, limit, command(host, event, folder))
    if shown is None or not _is_safe(*place):
        return None
    answer = {"hookEventName": "PostToolUse", "updatedToolOutput": shown}
    printed = encoded({"hookSpecificOutput": answer})
    if len(printed) > MAX_PRINTED:
        return None
    os.write(1, printed)
    names = {name: event[name] for name in ("session_id", "tool_use_id")}
    return encoded({**names, "tool_response": shown})


def decoded(text: str) -> Any:
    """Parse JSON without the ``json`` module, which loads slowly."""
    try:
        from _json import make_scanner
    except ImportError:
        from json import loads

        return loads(text)
    value, end = make_scanner(JsonRules())(text, 0)  # type: ignore[arg-type]
    if end != len(text):
        raise ValueError("not one JSON value")
    return value


def encoded(value: Any) -> bytes:
    """Serialise JSON in ASCII, without the ``json`` module."""
    try:
        from _json import encode_basestring_ascii, make_encoder
    except ImportError:
        from json import dumps

        return dumps(value, allow_nan=False).encode()
    encode = make_encoder(None, str, encode_basestring_ascii, None, ":", ",", False, False, False)
    return "".join(encode(value, 0)).encode()


def command(host: str, event: dict[str, Any], folder: str) -> str:
    """Return the command that shows the full output of an event."""
    key = f"{host}\0tool:{event['tool_use_id']}"
    home = os.path.dirname(sys.executable)
    on_path = home in os.environ.get("PATH", "").split(os.pathsep)
    words = ["memoranda" if on_path else f"{home}/memoranda", "observation", "show"]
    words += [_sha256(key), "--full"]
    if os.environ.get("MEMORANDA_DATA_DIR"):
        words += ["--data-dir", folder]
    return " ".join(map(_quoted, words))


def shortened(output: Any, limit: int, command: str, most: int = MAX_SHOWN) -> Any:
    """Return an output with its long texts shortened, or None.

    At most two thirds of a limit and ``most`` bytes; None if it can hardly be shortened.
    """
    texts = list(_texts(output))
    sizes = list(map(_size, texts))
    if sum(sizes) <= limit or any(map(_is_marked, texts)):
        return None
    longest = max(range(len(texts)), key=sizes.__getitem__)
    whole = sum(map(len, texts))
    shares = _shares(sizes, min(int(limit * ROOM), most))
    short = [
        text if size <= share else excerpt(text, share)
        for text, size, share in zip(texts, sizes, shares, strict=True)
    ]
    seen = sum(map(len, short))
    note = f"[memoranda: {seen:,} of {whole:,} characters shown; whole output: {command}]\n"
    short[longest] = note + short[longest]
    if sum(map(_size, short)) > sum(sizes) * (1 - MIN_SAVED):
        return None
    return _with_texts(output, iter(short))


def excerpt(text: str, room: int) -> str:
    """Return the most important lines of a text within ``room`` bytes.

    These are the first and last lines, then problems, the end, changes and rare lines, as space
    allows.
    """
    units = _units(text) or [""]
    forms = _forms(units)
    chosen, left, missed = dict[int, None](), room, 0
    for place in _preferred(units, forms, room):
        cost = _size(units[place])
        cost += 0 if place - 1 in chosen or place + 1 in chosen else MARK
        if cost <= left:
            chosen[place] = None
            left -= cost
        else:
            missed += 1
        if left < MARK or missed > MISSES:
            break
    while _size(shown := "".join(_printed(units, forms, sorted(chosen)))) > room and chosen:
        for _ in range(len(chosen) // 8 + 1):  # the marks took more space than estimated
            chosen.popitem()
    return shown


def _is_for_us(event: Any, folder: str) -> bool:
    """Return whether an output may be shortened: captured, not to be edited."""
    if event.get("hook_event_name") != "PostToolUse" or event.get("agent_id"):
        return False
    tool, arguments = event.get("tool_name"), event.get("tool_input")
    names = [event.get(name) for name in ("session_id", "tool_use_id")]
    if not all(isinstance(name, str) and 0 < len(name) <= 200 for name in names):
        return False
    if not all(frozenset(name) <= _NAME for name in names):
        return False
    if not isinstance(tool, str) or "memoranda" in tool.lower():
        return False
    if f"{event.get('cwd')}/".startswith(f"{folder}/") or _depth(event) > DEEPEST:
        return False
    if any(trace in str(arguments) for trace in UNCAPTURED):
        return False
    response = event.get("tool_response")
    if isinstance(response, dict) and PERSISTED in response:
        return False
    if tool.startswith(SERVED):
        return EDITING.isdisjoint(_words(tool.split("__")[-1]))
    return tool in TOOLS and not (tool == "Bash" and _shows_files(arguments))


def _shows_files(arguments: Any) -> bool:
    """Return whether a command shows files or secrets, or calls Memoranda."""
    text = arguments.get("command") if isinstance(arguments, dict) else None
    if not isinstance(text, str) or ("memoranda" in text and "observation" in text):
        return True
    for mark in ("&", "||", "\n"):
        text = text.replace(mark, ";")
    for part in text.split(";"):
        words = [word for word in part.split() if word not in BEFORE and "=" not in word]
        first = words[0].lstrip("({").rpartition("/")[2] if words else ""
        passed_on = not PASSING.isdisjoint(words) and not READERS.isdisjoint(words)
        of_revision = words[:2] == ["git", "show"] and ":" in "".join(words[2:])
        if first in READERS or first in SECRETIVE or passed_on or of_revision:
            return True
    return False


def _words(name: str) -> list[str]:
    """Split a name such as readFile or read_file into words."""
    apart = (f" {one.lower()}" if one.isupper() else one for one in name)
    return "".join(item if item.isalpha() else " " for item in "".join(apart)).split()


def _sha256(text: str) -> str:
    """Return an event's name: the start of the SHA-256 of its key."""
    for module in ("_sha2", "_sha256", "hashlib"):  # the last one loads OpenSSL
        try:
            return str(__import__(module).sha256(text.encode()).hexdigest()[:12])
        except ImportError:
            continue
    raise ImportError("sha256")


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level and depth <= DEEPEST:
        inner = [x.values() if isinstance(x, dict) else x for x in level if _nested(x)]
        level, depth = list(chain.from_iterable(inner)), depth + 1
    return depth


def _nested(value: Any) -> bool:
    return isinstance(value, dict | list)


def _is_safe(path: str, number: int) -> bool:
    """Sync the event's file to disk; return False if it no longer exists."""
    file = os.open(path, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    try:
        if os.fstat(file).st_ino != number:
            return False
        os.fsync(file)
    finally:
        os.close(file)
    if sys.platform != "win32":
        folder = os.open(os.path.dirname(path), os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    return True


def _quoted(word: str) -> str:
    return word if word and frozenset(word) <= _PLAIN else "'" + word.replace("'", "'\\''") + "'"


def _texts(output: Any) -> Iterator[str]:
    """Yield the texts of an output."""
    if isinstance(output, str):
        yield output
    elif isinstance(output, list):
        yield from chain.from_iterable(map(_texts, output))
    elif isinstance(output, dict) and output.get("isImage") is not True:
        for name, value in output.items():
            if name in TEXTS:
                yield from _texts(value)


def _with_texts(output: Any, texts: Iterator[str]) -> Any:
    """Return an output with its texts replaced, in the order of `_texts`."""
    if isinstance(output, str):
        return next(texts)
    if isinstance(output, list):
        return [_with_texts(item, texts) for item in output]
    if isinstance(output, dict) and output.get("isImage") is not True:
        return {
            name: _with_texts(value, texts) if name in TEXTS else value
            for name, value in output.items()
        }
    return output


def _shares(sizes: Sequence[int], room: int) -> list[int]:
    """Divide the space: short texts are kept, others get equal shares."""
    shares, left = [0] * len(sizes), len(sizes)
    for place in sorted(range(len(sizes)), key=sizes.__getitem__):
        shares[place] = min(sizes[place], room // left)
        room, left = room - shares[place], left - 1
    return shares


def _units(text: str) -> list[str]:
    """Split a text into lines or pieces; a huge text's middle is one unit."""
    if len(text) <= MAX_READ:
        return list(_lines(text))
    half = MAX_READ // 2
    return [*_lines(text[:half]), text[half:-half], *_lines(text[-half:])]


def _lines(text: str) -> Iterator[str]:
    for line in StringIO(text, newline=""):  # splits at LF, CR LF or CR only, unlike splitlines
        if len(line) <= LONG:
            yield line
        else:
            yield from _pieces(line)


def _pieces(line: str) -> Iterator[str]:
    start = 0
    while len(line) - start > LONG:
        ends = (line.rfind(mark, start + PIECE, start + LONG) + len(mark) for mark in BREAKS)
        end = next((end for end in ends if end > start + PIECE), start + LONG)
        yield line[start:end]
        start = end
    yield line[start:]


def _joined(units: Units) -> str:
    """Join units by NUL, except those that are too long.

    Lower-casing and similar steps are much faster on one text; it is split at NUL again.
    """
    return "\0".join(unit.replace("\0", " ") if len(unit) <= LONG else "..." for unit in units)


def _forms(units: Units) -> list[str]:
    """Return the form of each unit without numbers; none for blank units."""
    plain = _joined(units).split("\0")
    forms = "\0".join(plain).translate(_NUMBERS).split("\0")
    return [
        form.strip() or ("#" if not item.isspace() else "")
        for form, item in zip(forms, plain, strict=True)
    ]


def _counted(forms: Units) -> dict[str, int]:
    result: dict[str, int] = {}
    for form in forms:
        result[form] = result.get(form, 0) + 1
    return result


def _is_marked(text: str) -> bool:
    low = text.lower() if "<" in text else ""
    return any(mark in low for mark in MARKED)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))


def _preferred(units: Units, forms: Units, room: int) -> Iterator[int]:
    """Yield unit indices without duplicates, best first."""
    count = len(units)
    kinds = _counted(forms)
    first = {form: place for place, form in reversed([*enumerate(forms)])}
    firsts = sorted(first.values())
    low = _joined([units[place] for place in firsts]).lower()
    alarms = [firsts[number] for number in sorted(_holding(low, ALARMS))]
    changes = [firsts[number] for number in sorted(_holding(low, CHANGES))]
    loud = list(_within(_from_both_ends(alarms), units, room * ALARM_SHARE))
    rare = sorted(firsts, key=lambda place: kinds[forms[place]])
    wanted = chain(
        range(min(EDGE, count)),
        range(count - 1, max(count - 1 - EDGE, -1), -1),
        loud,
        range(count - 1, max(count - 1 - TAIL, -1), -1),
        chain.from_iterable((place + 1, place - 1, place + 2) for place in loud),
        changes,
        rare,
        alarms,
        range(count),
    )
    seen: set[int] = set()
    alike = dict.fromkeys(kinds, 0)
    for place in wanted:
        if 0 <= place < count and place not in seen and forms[place]:
            seen.add(place)
            alike[forms[place]] += 1
            if alike[forms[place]] <= ALIKE:
                yield place


def _holding(joined: str, words: Iterable[str]) -> set[int]:
    """Return the indices of units that contain any of the given words."""
    result: set[int] = set()
    for word in words:
        place, start, at = 0, 0, joined.find(word)
        while at >= 0:
            place += joined.count("\0", start, at)
            result.add(place)
            start = at
            end = joined.find("\0", at)
            at = joined.find(word, end) if end >= 0 else -1
    return result


def _from_both_ends(places: Sequence[int]) -> list[int]:
    """Order indices alternately from both ends."""
    half = (len(places) + 1) // 2
    pairs = zip_longest(places[:half], places[: half - 1 : -1])
    return [place for pair in pairs for place in pair if place is not None]


def _within(places: Iterable[int], units: Units, room: float) -> Iterator[int]:
    for place in places:
        room -= len(units[place]) + MARK
        if room < 0:
            return
        yield place


def _printed(units: Units, forms: Units, chosen: Sequence[int]) -> Iterator[str]:
    """Yield the shown units, with marks for omitted ones."""
    hidden = _counted(forms)
    for place in chosen:
        hidden[forms[place]] -= 1
    printed: set[str] = set()
    next_place = 0
    for place in chosen:
        yield _gap(units, forms, next_place, place, printed)
        unit, form = units[place], forms[place]
        if hidden[form] > 1 and form not in printed:
            printed.add(form)
            words = unit.rstrip()
            unit = f"{words} (x{hidden[form] + 1}){unit[len(words) :]}"
        yield unit
        next_place = place + 1
    yield _gap(units, forms, next_place, len(units), printed)


def _gap(units: Units, forms: Units, start: int, end: int, printed: set[str]) -> str:
    """Return the mark for omitted units, except those of a repeat mark."""
    left = [place for place in range(start, end) if forms[place] and forms[place] not in printed]
    if not left:
        return ""
    if (start and not _ends_line(units[start - 1])) or not _ends_line(units[end - 1]):
        return f" [... {sum(len(units[place]) for place in left):,} characters] "
    lines = sum(units[place].count("\n") or 1 for place in left)
    return f"[... {lines:,} lines]\n"


def _ends_line(unit: str) -> bool:
    return unit.endswith(("\n", "\r"))
