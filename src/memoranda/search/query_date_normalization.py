"""Rewrites dates in questions to the English forms that `dates` parses.

The module covers numeric dates (``31.10.2026``, ``10/31``), ordinal words, and names in other
languages. An ambiguous date such as ``3/4/2026`` is replaced by both of its interpretations.
"""

from __future__ import annotations

import re
from datetime import date

from memoranda.language.lazy_patterns import lazy_pattern
from memoranda.language.months import MONTH, MONTHS, OTHER_MONTHS, OTHER_WEEKDAYS

_ORDINALS = (  # noqa: SIM905
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
    " twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh"
    " twenty-eighth twenty-ninth thirtieth thirty-first"
).split()
_NUMBER_WORDS = {
    word: str(number)
    for number, words in enumerate(
        (
            "einem ein einer un uno una een",
            "zwei deux dos due dois duas twee",
            "drei trois tres tre três drie",
            "vier quatre cuatro quattro quatro",
            "fünf cinq cinco cinque vijf",
            "sechs six seis sei zes",
            "sieben sept siete sette sete zeven",
        ),
        1,
    )
    for word in words.split()
}


def _named(table: dict[str, str]) -> dict[str, str]:
    return {other: name for name, others in table.items() for other in others.split()}


_MONTH_NAMES, _DAY_NAMES = _named(OTHER_MONTHS), _named(OTHER_WEEKDAYS)
_FOREIGN = "|".join(sorted(_MONTH_NAMES, key=len, reverse=True))
_COUNT = rf"\d+|{'|'.join(_NUMBER_WORDS)}"

_ORDINAL_WORD = "|".join(reversed(_ORDINALS)).replace("-", "[- ]")

_DAY_OF_MONTH = lazy_pattern(
    rf"\b(\d{{1,2}})(?:\.|er|º|°)?\s*(?:de |di |d')?({_FOREIGN})\b\.?"
    r"(?:,? (?:de |del )?(\d{4})\b)?"
)
_MONTH_ALONE = lazy_pattern(
    rf"\b(?:(?:im|in|en|em|seit|ende|anfang|mitte) ({_FOREIGN})\b|({_FOREIGN}) (?=(?:19|20)\d\d\b))"
)
_MONTH_FIRST = lazy_pattern(rf"\b({_FOREIGN})\.? (?=\d{{1,2}}\b(?!:))")
_YEAR_FIRST = lazy_pattern(
    r"(?<![\d/.-])((?:19|20)\d\d)(?:[/.](\d{1,2})[/.](\d{1,2})(?![\d/])|(\d\d)(\d\d)(?!\d))"
)
_DOTTED = lazy_pattern(r"(?<![\d.])(\d{1,2})\. ?(\d{1,2})\. ?((?:19|20)\d\d)(?![\d.])")
_DOTTED_DAY = lazy_pattern(  # without a preposition it may be a version number
    r"(?:(?<=\bam )|(?<=\bvom )|(?<=\bbis )|(?<=\bab )|(?<=\bseit )|(?<=\bund )|^)"
    r"(\d{1,2})\.(\d{1,2})\.(\d\d(?![\d.]))?(?!\d)"
)
_DASHED = lazy_pattern(r"(?<![\d-])(\d{1,2})-(\d{1,2})-((?:19|20)\d\d)(?![\d-])")
_SLASHED = lazy_pattern(r"(?<![\d/])(\d{1,2})/(\d{1,2})/((?:19|20)\d\d|\d\d)(?![\d/])")
_SLASHED_DAY = lazy_pattern(r"\b(on|since|by|until|before|after) (\d{1,2})/(\d{1,2})(?![\d/])")
_EAST = lazy_pattern(r"(?:(\d{4})\s*年\s*)?(\d{1,2})\s*月\s*(\d{1,2})\s*[日号]")
_HYPHENATED = lazy_pattern(rf"\b(\d{{1,2}})-({MONTH})-((?:19|20)\d\d)\b")
_AND = r"(?: ?(?P<dash>-|\u2013) ?|,? (?P<and>to|until|till|through|bis|and|or|und|oder|&) |, )"
_DAYS_BEFORE = lazy_pattern(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.)?{_AND}(?:the )?"
    rf"(?P<rest>\d{{1,2}}(?:st|nd|rd|th)?(?: of)? (?P<month>{MONTH})\b)"
)
_DAYS_AFTER = lazy_pattern(
    rf"\b(?P<month>{MONTH})(?P<day> \d{{1,2}}(?:st|nd|rd|th)?){_AND}(?:the )?"
    r"(?P<rest>\d{1,2}(?:st|nd|rd|th)?\b)(?![:.]?\d| \w*(?:am|pm)\b)"
)
_MAX_LISTED = 4
"""Maximum number of days in a list that share a month."""
_ORDINAL = lazy_pattern(
    rf"\b({_ORDINAL_WORD})(?= of (?:{MONTH}|last|this)\b)"
    rf"|\b({'|'.join(MONTHS)}) ({_ORDINAL_WORD})\b"
)
_MONTH_THE = lazy_pattern(rf"\b({MONTH}) the (?=\d{{1,2}}(?:st|nd|rd|th)\b)")

_PHRASES = tuple(
    (lazy_pattern(pattern), plain)
    for pattern, plain in (
        (r"\b(?:vorgestern|avant-hier|anteayer|antes de ayer|l'altro ieri|anteontem|eergisteren"
         r"|позавчера)\b|一昨日|おととい|前天", " the day before yesterday "),
        (r"\b(?:gestern|ayer|ieri|ontem|gisteren|вчера)\b|昨日|昨天|어제", " yesterday "),
        # In German "hier" means "here".
        (r"\bhier\b(?=.*\b(?:nous|avons|a-t-on|qu'|quoi)\b)", " yesterday "),
        (r"\b(?:décidé|fait|dit|discuté) hier\b", " yesterday "),
        (r"\b(?:heute|aujourd'hui|hoy|oggi|vandaag|сегодня)\b|今日|今天|오늘", " today "),
        (r"\b(?:last night|overnight)\b", "yesterday"),
        (r"\b(?:tonight|this (?:morning|afternoon|evening)|earlier today)\b", "today"),
        (r"\b(?:a )?couple of (?=(?:day|week|month|year)s ago\b)", "two "),
        (r"\b(?:letzte[nr]?|vorige[nr]?|vergangene[nr]?) (?:woche)\b"
         r"|\bla semaine dernière\b|\bla semana pasada\b|\bla settimana scorsa\b|先週|上周",
         " last week "),
        (r"\bdiese[rn]? woche\b|\bcette semaine\b|\besta semana\b|\bquesta settimana\b|今週|这周",
         " this week "),
        (r"\b(?:letzten|vorigen|vergangenen) monat\b|\ble mois dernier\b|\bel mes pasado\b|先月"
         r"|上个月", " last month "),
        (r"\b(?:letzte[sn]|vorige[sn]|vergangene[sn]) jahr\b|\bl'année dernière|\bl'an dernier\b"
         r"|\bel año pasado\b|昨年|去年", " last year "),
    )
)  # fmt: skip
_AGO = lazy_pattern(rf"\b(?:vor|il y a|hace) ({_COUNT}) (tag|jour|día|dia|woche|semaine|semana)\w*")
_DAY_NAME = lazy_pattern(rf"\b({'|'.join(_DAY_NAMES)})(?:s|abend|morgen|vormittag|nachmittag)?\b")


def plain_dates(question: str) -> str:
    """Return a question in lower case with its dates in English or ISO form."""
    text = question.lower().replace("\u2019", "'")
    for pattern, plain in _PHRASES:
        text = pattern.sub(plain, text)
    text = _AGO.sub(_ago, text)
    text = _EAST.sub(lambda m: _iso(m[1], m[2], m[3]) or m[0], text)
    text = _YEAR_FIRST.sub(lambda m: _iso(m[1], m[2] or m[4], m[3] or m[5]) or m[0], text)
    for pattern in (_DOTTED, _DOTTED_DAY, _DASHED):
        text = pattern.sub(lambda m: _iso(m[3], m[2], m[1]) or m[0], text)
    text = _SLASHED.sub(lambda m: _either(m[3], m[1], m[2]) or m[0], text)
    text = _SLASHED_DAY.sub(lambda m: f"{m[1]} {_either(None, m[2], m[3]) or m[0]}", text)
    text = _HYPHENATED.sub(r"\1 \2 \3", text)
    text = _DAY_OF_MONTH.sub(lambda m: f"{m[1]} {_MONTH_NAMES[m[2]]} {m[3] or ''}", text)
    text = _MONTH_ALONE.sub(lambda m: f"in {_MONTH_NAMES[m[1] or m[2]]} ", text)
    text = _MONTH_FIRST.sub(lambda m: f"{_MONTH_NAMES[m[1]]} ", text)
    text = _ORDINAL.sub(_ordinal, text)
    for _ in range(_MAX_LISTED):
        text = _DAYS_BEFORE.sub(_each_day_before, text)
        text = _DAYS_AFTER.sub(_each_day_after, text)
    return _DAY_NAME.sub(lambda m: _DAY_NAMES[m[1]], _MONTH_THE.sub(r"\1 ", text))


def _ago(match: re.Match[str]) -> str:
    unit = "week" if match[2] in ("woche", "semaine", "semana") else "day"
    return f"{_NUMBER_WORDS.get(match[1], match[1])} {unit}s ago"


def _each_day_before(match: re.Match[str]) -> str:
    return f"{match['day']} {match['month']} {_joint(match)} {match['rest']}"


def _each_day_after(match: re.Match[str]) -> str:
    return f"{match['month']}{match['day']} {_joint(match)} {match['month']} {match['rest']}"


def _joint(match: re.Match[str]) -> str:
    return "to" if match["dash"] else match["and"] or "and"


def _ordinal(match: re.Match[str]) -> str:
    day = _ORDINALS.index((match[1] or match[3]).replace(" ", "-")) + 1
    return f"{day}th" if match[1] else f"{match[2]} {day}"


def _either(year: str | None, one: str, other: str) -> str:
    """Return the dates that two numbers may represent, month or day first."""
    found = [_iso(year, one, other), _iso(year, other, one)]
    return " ".join(dict.fromkeys(filter(None, found)))


def _iso(year: str | None, month: str, day: str) -> str:
    """Return a date in the form that `dates` parses; empty for invalid days."""
    number = int(year) + (2000 if len(year) == 2 else 0) if year else 2000
    try:
        found = date(number, int(month), int(day))
    except ValueError:
        return ""
    name = MONTHS[found.month - 1]
    return found.isoformat() if year else f" {found.day} {name} "
