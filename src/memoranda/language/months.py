"""Names of months and weekdays, and patterns that match them."""

from __future__ import annotations

from collections.abc import Iterable

OTHER_MONTHS = {
    "january": "januar jänner janvier enero gennaio janeiro januari января stycznia",
    "february": "februar feber février fevrier febrero febbraio fevereiro februari февраля lutego",
    "march": "märz maerz mär mrz mars marzo março maart марта marca",
    "april": "avril abril aprile апреля kwietnia",
    "may": "mai mayo maggio maio mei мая maja",
    "june": "juni juin junio giugno junho июня czerwca",
    "july": "juli juillet julio luglio julho июля lipca",
    "august": "août aout agosto augustus августа sierpnia",
    "september": "septembre septiembre settembre setembro сентября września",
    "october": "oktober okt octobre octubre ottobre outubro октября października",
    "november": "novembre noviembre novembro ноября listopada",
    "december": "dezember dez décembre decembre diciembre dicembre dezembro декабря grudnia",
}
"""Names in other languages by English name, in calendar order."""
OTHER_WEEKDAYS = {
    "monday": "montag lundi lunes lunedì segunda-feira maandag",
    "tuesday": "dienstag mardi martes martedì terça-feira dinsdag",
    "wednesday": "mittwoch mercredi miércoles miercoles mercoledì quarta-feira woensdag",
    "thursday": "donnerstag jeudi jueves giovedì quinta-feira donderdag",
    "friday": "freitag vendredi viernes venerdì sexta-feira vrijdag",
    "saturday": "samstag sonnabend samedi sábado sabado sabato zaterdag",
    "sunday": "sonntag dimanche domingo domenica zondag",
}
"""Names in other languages by English name, in weekday order."""
MONTHS = tuple(OTHER_MONTHS)
WEEKDAYS = tuple(OTHER_WEEKDAYS)
MONTH_NUMBERS = {name: number for number, name in enumerate(MONTHS, 1)}
MONTH_NUMBERS |= {name[:3]: number for name, number in MONTH_NUMBERS.items()} | {"sept": 9}
"""Numbers of the months, from 1, by name and abbreviation."""


def _any_of(names: Iterable[str]) -> str:
    return f"(?:{'|'.join(sorted(names, key=len, reverse=True))})"


MONTH_NAMES = frozenset(MONTH_NUMBERS).union(*(names.split() for names in OTHER_MONTHS.values()))
"""Names and abbreviations of months in all languages, in lower case."""
MONTH = _any_of(MONTH_NUMBERS)
"""Pattern for a month or its abbreviation in lower case."""
FULL_MONTH = _any_of(MONTHS)
CAPITAL_MONTH = _any_of(map(str.title, MONTH_NUMBERS))
CAPITAL_FULL_MONTH = _any_of(map(str.title, MONTHS))
WEEKDAY = _any_of(WEEKDAYS)
