"""The redactor: removes secrets from texts and JSON before any other step.

Takes time linear in the size of the input: patterns run on RE2, and one pass over the text finds
the rules that can match. A secret becomes ``[redacted:<rule>:<fp8>]``, where fp8 is a keyed
fingerprint of 8 hexadecimal digits: equal secrets have equal fingerprints, and no secret can be
recovered from a fingerprint.
"""

from __future__ import annotations

import hmac
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, get_args

import re2

from memoranda.capture.redaction import note_rules as notes, prose_value_checks, secret_checks
from memoranda.capture.redaction.code_expressions import is_word_list
from memoranda.capture.redaction.rule_list import BESIDE, CERTAIN, PLACED, RULES
from memoranda.capture.redaction.rule_patterns import Comparison, Judgement, SecretRule
from memoranda.capture.redaction.secret_names import NameStrength, is_label, strength
from memoranda.capture.redaction.url_credentials import UrlCredentials
from memoranda.json_data import JsonValue

_MARK = "[redacted:"
_PLACEHOLDER = re.compile(rb"\[redacted:[a-z0-9-]+:[0-9a-f]{8}\]")
_OPENING_QUOTE = re.compile(rb"[bfruBFRU$@]{0,2}\\*[\"'`]")
# Matched backwards from a sensitive word: the rest of its name, up to an escape or colour code.
_NAME_HEAD = re.compile(rb"([\w.\-]*?)(?:[nrtbf]\\|m[0-9;]*\[|(?![\w.\-]))")
_KEY_END = re.compile(rb"\\*[\"'`](?::|[ \t]+:[\s\"'{\[])")
"""End of a text that is the name of another member."""
_TOKEN_NAME = re.compile(
    rb"(?i)[\w-]*(?:page|continuation|cursor|pagination|resume|scroll|sync)[ _-]?[\w-]*token"
    rb"(?!.*token)"
)
_CHECKS: Mapping[str, Callable[..., bool]] = {
    "": lambda *_: True,
    "assigned": secret_checks.assigned,
    "setting": secret_checks.setting,
    "called": secret_checks.called,
    "block": secret_checks.block,
    "before-name": secret_checks.block,
    "cell": secret_checks.cell,
    "encoded": secret_checks.encoded,
    "encoded-settings": secret_checks.encoded_settings,
    "labelled": secret_checks.labelled,
    "argument": secret_checks.argument,
    "login": secret_checks.login,
    "dense": secret_checks.dense,
    "literal": secret_checks.literal,
    "present": secret_checks.is_present,
    "entropy": secret_checks.entropy,
    "luhn": secret_checks.luhn,
    "crumbs": secret_checks.crumbs,
    "phrase": notes.phrase,
    "pair": notes.pair,
    "code": notes.code,
    "opaque": prose_value_checks.opaque,
    "spelled": prose_value_checks.spelled,
    "chosen": prose_value_checks.chosen,
    "distinct": prose_value_checks.distinct,
    "stated": prose_value_checks.stated,
    "picked": prose_value_checks.picked,
    "mixed": prose_value_checks.mixed,
    "announced": prose_value_checks.announced,
    "answer": prose_value_checks.answer,
    "phrase-words": is_word_list,
    "random": prose_value_checks.random,
    "vendor-key": prose_value_checks.vendor_key,
}
_NAMED = frozenset(get_args(Judgement))
_LED = frozenset(get_args(Comparison))
_JUDGED_BYTES = 512
_NAME_BYTES = 64
_ENCODED_BYTES = 65_536
"""Number of bytes of a base64 file that are searched for a secret."""
_HEAD = 4_096
# Replacing one secret can expose another; two passes are usual, and the limit is for hostile text.
_MAX_PASSES = 8
_FLAG = re.compile(r"--?[A-Za-z][\w-]*")
_KEY_HEADER = re.compile(r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----\s*$")
_KEY_LINE = re.compile(r"\s*(?:[A-Za-z0-9+/=]{16}|Proc-Type|DEK-Info)")
_BYTES = re.compile(
    r"(?:data:[\w.+/;=-]{0,200};base64,)?([A-Za-z0-9+/]{256,}={0,2})"  # images, signatures
    r"|(gAAAA[\w-]{95,}={0,2})"  # Fernet, such as encrypted reasoning of providers
)
_NO_CHANCE = frozenset({"pem-base64", "custom"})


@dataclass(frozen=True, slots=True)
class RedactedValue:
    """A value without its secrets, and the number of removed items by rule."""

    value: JsonValue
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True, order=True)
class _RedactedSpan:
    start: int
    end: int
    rank: int
    """Index of the rule; if several match, the lowest one names the secret."""


class Redactor:
    """Replaces secrets with placeholders. Idempotent."""

    def __init__(self, key: bytes, extra_patterns: Sequence[str] = ()) -> None:
        """Compile the user's RE2 patterns; built-in rules are compiled on demand.

        If a user's pattern has groups, the first group is the secret, otherwise the whole match is.

        Raises:
            ValueError: the key is empty, or a pattern is not valid RE2.
        """
        if not key:
            raise ValueError("the redaction key is empty")
        self._key = key
        self._rules = list(RULES)
        self._extra = [_compiled(pattern, latin1=False) for pattern in extra_patterns]
        self._rules += (SecretRule("custom", pattern) for pattern in extra_patterns)
        every = range(len(self._rules))
        self._every = frozenset(every)
        self._telling = frozenset(rank for rank in every if self._rules[rank].name not in BESIDE)
        self._certain = frozenset(rank for rank in every if self._rules[rank].name in CERTAIN)
        self._always = frozenset(every[len(RULES) :])
        self._keywords, self._ranks_of = _keyword_set()
        # Events share a few member names, so names without a secret are cached.
        self._plain_name = lru_cache(maxsize=4096)(self._is_plain)

    def text(self, text: str) -> tuple[str, Counter[str]]:
        """Redact a text; return it with the counts by rule.

        A text without secrets is returned as the same object.
        """
        return self._redacted(text, self._every)

    def name(self, name: str) -> tuple[str, Counter[str]]:
        """Redact a session, agent or folder name by the rules that need no surrounding text.

        Ids, hashes and paths are not changed.
        """
        return self._redacted(name, self._telling)

    def credentials(self, text: str) -> Counter[str]:
        """Count the credentials that their format proves, by rule.

        Values that only follow a label such as ``password`` are not counted; credentials in URLs
        and headers are counted only if they are as long and random as a key.
        """
        result: Counter[str] = Counter()
        if len(text) > _HEAD and _BYTES.fullmatch(text):
            text = text[:_HEAD]  # encoded bytes are a key only if they start like one
        data = _encoded(text)
        for span in self._spans(data, self._certain):
            name = self._rules[span.rank].name
            secret = data[span.start : span.end].decode(errors="replace")
            if name not in PLACED or secret_checks.entropy(secret):
                result[name] += 1
        if result and _is_chance(text, self.text(text)[0], result):
            return Counter()
        return result

    def value(self, value: JsonValue) -> RedactedValue:
        """Redact every string in a JSON value, including keys; keep its structure.

        A string is also a secret if its key or the preceding command-line flag indicates this. The
        value may be nested to any depth.
        """
        counts: Counter[str] = Counter()
        root: list[JsonValue] = [None]
        stack: list[tuple[Any, Any, JsonValue, str]] = [(root, 0, value, "")]
        while stack:
            parent, place, item, name = stack.pop()
            if isinstance(item, str):
                parent[place] = self._leaf(item, name, counts)
            elif isinstance(item, dict):
                parent[place] = copy = self._with_keys_redacted(item, counts)
                named = zip(copy, item.values(), _member_names(copy, item, name), strict=True)
                stack += [(copy, key, member, name) for key, member, name in named]
            elif isinstance(item, list):
                parent[place] = [None] * len(item)
                names = _item_names(item, name)
                stack += [(parent[place], i, member, names[i]) for i, member in enumerate(item)]
            else:
                parent[place] = self._scalar(item, name, counts)
        return RedactedValue(root[0], counts)

    def _redacted(self, text: str, allowed: frozenset[int]) -> tuple[str, Counter[str]]:
        counts: Counter[str] = Counter()
        data = _encoded(text)
        spans = self._spans(data, allowed)
        if not spans:
            return text, counts
        for _ in range(_MAX_PASSES):
            data = self._replaced(data, spans, counts)
            spans = self._spans(data, allowed)
            if not spans:
                break
        return data.decode("utf-8", "surrogatepass"), counts

    def _is_plain(self, name: str) -> bool:
        return not self._spans(_encoded(name), self._every)

    def _scalar(self, item: JsonValue, name: str, counts: Counter[str]) -> JsonValue:
        """Redact a number under a name such as password or otp.

        true, false and null are never secrets.
        """
        is_number = isinstance(item, int | float) and not isinstance(item, bool)
        is_code = is_number and 4 <= len(str(item)) <= 8 and notes.names_code(name)
        if not is_number or not (is_code or strength(name) is NameStrength.STRONG):
            return item
        counts["member"] += 1
        return self._placeholder("member", str(item).encode()).decode()

    def _leaf(self, text: str, name: str, counts: Counter[str]) -> str:
        redacted, found = self.text(text)
        if found and _is_chance(text, redacted, found):
            redacted, found = text, Counter()
        if name and (strength(name) or is_label(name) or notes.is_noted(name)):
            redacted, found = self._member(text, name, redacted, found)
        if found:
            counts.update(found)
        return redacted

    def _member(
        self, text: str, name: str, redacted: str, found: Counter[str]
    ) -> tuple[str, Counter[str]]:
        if _MARK not in text and secret_checks.assigned(text[:_JUDGED_BYTES], name, '="'):
            if found.total() == 1 and _PLACEHOLDER.fullmatch(_encoded(redacted)):
                return redacted, found
            return self._placeholder("member", _encoded(text)).decode(), Counter(member=1)
        # {"Cookie": "a=b"} is redacted like "Cookie: a=b".
        lead = f"{name[-_NAME_BYTES:]}: "
        line, found_in_line = self.text(lead + text)
        if line.startswith(lead):
            return line[len(lead) :], found_in_line
        return redacted, found

    def _with_keys_redacted(
        self, members: dict[str, JsonValue], counts: Counter[str]
    ) -> dict[str, JsonValue]:
        copy: dict[str, JsonValue] = {}
        for key in members:
            redacted = key if self._plain_name(key[:_NAME_BYTES]) else ""
            if redacted != key or len(key) > _NAME_BYTES:
                redacted = self._leaf(key, "", counts)
            while redacted in copy:
                redacted += "'"
            copy[redacted] = None
        return copy

    def _spans(self, data: bytes, allowed: frozenset[int]) -> list[_RedactedSpan]:
        """Return the spans that allowed rules replace, in order, disjoint.

        The spans do not overlap existing placeholders either.
        """
        found_signs = self._keywords.Match(data) or ()
        ranks = {rank for sign in found_signs for rank in self._ranks_of[sign]} | self._always
        ranks &= allowed
        if not ranks:
            return []
        urls = UrlCredentials.of(data)
        spans = [span for rank in ranks for span in self._matches(rank, data, urls)]
        placeholders = [match.span() for match in _PLACEHOLDER.finditer(data)]
        if not placeholders:
            return _merged(spans)
        merged = _merged([span for span in spans if not _starts_inside(span, placeholders)])
        return [piece for span in merged for piece in _outside(span, placeholders, data)]

    def _matches(self, rank: int, data: bytes, urls: UrlCredentials) -> Iterator[_RedactedSpan]:
        rule = self._rules[rank]
        if rule.check == "column":
            from memoranda.capture.redaction.column_secrets import column_secrets

            yield from (_RedactedSpan(start, end, rank) for start, end in column_secrets(data))
            return
        regex = _regex(rank) if rank < len(RULES) else self._extra[rank - len(RULES)]
        group = 2 if rule.check in _NAMED and rule.check != "before-name" else min(1, regex.groups)
        # The text of a rejected match is searched again, as it may contain another secret; a budget
        # keeps the total time linear.
        budget, position = 4 * len(data) + _JUDGED_BYTES, 0
        while position <= len(data) and (match := regex.search(data, position)):
            start, end = match.span(group)
            if rule.check in _NAMED and (quote := _OPENING_QUOTE.match(data, start)):
                start = quote.end()
            if start < end and _is_secret(rule, match, data, start, end):
                first, last = urls.limited(start, end) if rank < len(RULES) else (start, end)
                yield _RedactedSpan(first, last, rank)
                position = match.end()
            else:
                budget -= end - start
                position = max(position + 1, start if budget > 0 else match.end())

    def _replaced(self, data: bytes, spans: list[_RedactedSpan], counts: Counter[str]) -> bytes:
        pieces: list[bytes] = []
        done = 0
        for span in spans:
            name = self._rules[span.rank].name
            counts[name] += 1
            pieces += (
                data[done : span.start],
                self._placeholder(name, data[span.start : span.end]),
            )
            done = span.end
        return b"".join((*pieces, data[done:]))

    def _placeholder(self, rule: str, secret: bytes) -> bytes:
        fingerprint = hmac.digest(self._key, secret, "sha256")[:4].hex()
        return f"{_MARK}{rule}:{fingerprint}]".encode()


def _encoded(text: str) -> bytes:
    # JSON may contain half of a surrogate pair, which must not prevent redaction.
    return text.encode("utf-8", "surrogatepass")


def _options(*, latin1: bool) -> Any:
    options = re2.Options()
    options.log_errors = False
    if latin1:
        options.encoding = re2.Options.Encoding.LATIN1
    return options


def _compiled(pattern: str | bytes, *, latin1: bool) -> Any:
    try:
        return re2.compile(pattern, _options(latin1=latin1))
    except re2.error as error:
        raise ValueError(f"not a valid RE2 pattern: {pattern!r}: {error}") from error


@cache  # all redactors of a process have the same rules, and most texts need few of them
def _regex(rank: int) -> Any:
    return _compiled(RULES[rank].pattern.encode(), latin1=True)


@cache
def _keyword_set() -> tuple[Any, list[list[int]]]:
    """Return an automaton of the rules' keywords, and the rules of each.

    A rule that has neither keywords nor a trace is its own keyword. Users' rules are not included,
    as they always run.
    """
    keywords = re2.Set.SearchSet(_options(latin1=True))
    ranks: dict[str, list[int]] = {}
    for rank, rule in enumerate(RULES):
        for sign in _signs(rule):
            ranks.setdefault(sign, []).append(rank)
    for sign in ranks:
        keywords.Add(sign.encode())
    keywords.Compile()
    return keywords, list(ranks.values())


def _signs(rule: SecretRule) -> Iterator[str]:
    """Yield patterns, one of which is in every text that the rule matches."""
    if not rule.keywords:
        yield rule.trace or rule.pattern
    for keyword in rule.keywords:
        any_case = "(?i)" if keyword.islower() and keyword.isascii() else ""
        yield f"{any_case}{re2.escape(keyword)}"


def _is_secret(rule: SecretRule, match: Any, data: bytes, start: int, end: int) -> bool:
    """Apply the rule's check to a matched value.

    Some checks also receive the name of the value, or the matched text before it.
    """
    check = _CHECKS[rule.check]
    if rule.check == "luhn" and secret_checks.row(
        data[max(0, start - _JUDGED_BYTES) : start].decode(errors="replace"),
        data[end : end + _JUDGED_BYTES].decode(errors="replace"),
    ):
        return False
    if rule.check in _LED:
        lead = data[match.start() : start].decode(errors="replace")
        return check(data[start:end].decode(errors="replace"), lead)
    if rule.check == "chosen" and _names_cursor(data, match.start(), start):
        return False
    if rule.check not in _NAMED:
        judged = _ENCODED_BYTES if rule.check == "encoded-settings" else _JUDGED_BYTES
        return check(data[start : min(end, start + judged)].decode(errors="replace"))
    if rule.check == "called" and _KEY_END.match(data, end):
        return False
    precedes = rule.check == "before-name"
    name_start, name_end = match.span(2 if precedes else 1)
    head = _NAME_HEAD.match(data[max(0, name_start - _NAME_BYTES) : name_start][::-1])
    name = (head[1][::-1] if head else b"") + data[
        name_start : name_end if precedes else min(name_end, start)
    ][:_NAME_BYTES]
    if not strength(name.decode(errors="replace")):
        return False  # the most frequent case
    value = data[start : min(end, start + _JUDGED_BYTES)].decode(errors="replace")
    return check(
        value, name.decode(errors="replace"), data[name_end:start].decode(errors="replace")
    )


def _names_cursor(data: bytes, at: int, end: int) -> bool:
    """Return whether the text before a value names a user interface cursor."""
    lead = data[max(0, at - _NAME_BYTES) : end]
    match = _TOKEN_NAME.search(lead)
    return match is not None and not strength(match[0].decode(errors="replace").replace(" ", "_"))


def _is_chance(text: str, redacted: str, found: Mapping[str, int]) -> bool:
    """Return whether secrets matched by chance in encoded bytes.

    In encoded data as long as an image, some part will look like a short token, and redacting that
    part would destroy the image. A long token would match at the beginning, and an encoded key has
    a unique beginning, so matches of these are not due to chance.
    """
    match = _BYTES.fullmatch(text)
    return (
        match is not None
        and _NO_CHANCE.isdisjoint(found)
        and not redacted.startswith(_MARK, match.start(match.lastindex or 0))
    )


def _merged(found: list[_RedactedSpan]) -> list[_RedactedSpan]:
    merged: list[_RedactedSpan] = []
    for span in sorted(found):
        if merged and span.start < merged[-1].end:
            last = merged.pop()
            span = _RedactedSpan(last.start, max(last.end, span.end), min(last.rank, span.rank))
        merged.append(span)
    return merged


def _starts_inside(span: _RedactedSpan, placeholders: list[tuple[int, int]]) -> bool:
    index = bisect_right(placeholders, (span.start, -1)) - 1
    return index >= 0 and span.start < placeholders[index][1]


def _outside(
    span: _RedactedSpan, placeholders: list[tuple[int, int]], data: bytes
) -> Iterator[_RedactedSpan]:
    """Yield a span's parts outside placeholders, except mere punctuation."""
    cuts = placeholders[
        bisect_right(placeholders, (span.start, -1)) : bisect_right(placeholders, (span.end, -1))
    ]
    if not cuts:
        yield span
        return
    bounds = [span.start, *(edge for cut in cuts for edge in cut), span.end]
    for start, end in zip(bounds[::2], bounds[1::2], strict=True):
        if any(byte > 0x7F or chr(byte).isalnum() for byte in data[start:end]):
            yield _RedactedSpan(start, end, span.rank)


_LABEL_KEY = re.compile(r"(?i)(?:parameter|output|option|variable|env|secret)?_?(?:name|key)")
_VALUE_KEY = re.compile(r"(?i)(?:parameter|output|option|variable|env|secret)?_?value|SecretString")
_FIELD_END = re.compile(r"(?i)[ _-]+(?:field|input|box|textbox)\s*$")


def _member_names(
    redacted_keys: Mapping[str, JsonValue], item: dict[str, JsonValue], inherited: str
) -> list[str]:
    """Return the name of each member for the rules, by default its key.

    The name of the member ``value`` is X in ``{"name": "X", "value": …}`` and in ``{"X": {"value":
    …}}``.
    """
    labels = (one for key, one in item.items() if _LABEL_KEY.fullmatch(key))
    label = next((one for one in labels if one and isinstance(one, str)), inherited)
    field = item.get("element")
    typed = _FIELD_END.sub("", field) if isinstance(field, str) else ""
    return [
        typed if typed and key == "text" else label if label and _VALUE_KEY.fullmatch(key) else key
        for key in redacted_keys
    ]


def _item_names(items: list[JsonValue], inherited: str) -> list[str]:
    """Return the name of each item of a list for the rules.

    The default is the name of the list, the preceding flag, or ``passphrase`` in lines of a PEM
    key.
    """
    names = [inherited] * len(items)
    in_key = False
    for i, item in enumerate(items):
        before, after = items[i - 1] if i else None, items[i + 1] if i + 1 < len(items) else None
        if isinstance(before, str) and _FLAG.fullmatch(before):
            names[i] = before.lstrip("-")
        if isinstance(item, str) and _KEY_HEADER.search(item):
            in_key = isinstance(after, str) and bool(_KEY_LINE.match(after))
        if in_key:
            names[i] = "passphrase"
            in_key = not (isinstance(item, str) and "-----END" in item)
    return names
