"""Times in the reader's time zone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given, strategies as st

from memoranda import local_time as zone, time_zone_names as zone_names
from memoranda.clock import LATEST, MICROSECONDS
from memoranda.exceptions import InvalidInput
from tables import each

Use = Callable[[str], None]


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Use]:
    def use(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield use
    monkeypatch.undo()
    time.tzset()


def at(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp() * MICROSECONDS)


@pytest.mark.parametrize(
    ("name", "moment", "shown"),
    [
        ("UTC", "2026-10-01T23:00:00+00:00", "2026-10-01 23:00 UTC"),
        ("Asia/Tokyo", "2026-10-01T23:00:00+00:00", "2026-10-02 08:00 +09:00"),
        ("Asia/Kathmandu", "2026-10-01T23:00:00+00:00", "2026-10-02 04:45 +05:45"),
        ("America/St_Johns", "2026-10-01T23:00:00+00:00", "2026-10-01 20:30 -02:30"),
        ("America/St_Johns", "2026-12-01T23:00:00+00:00", "2026-12-01 19:30 -03:30"),
        ("Pacific/Kiritimati", "2026-10-01T10:00:00+00:00", "2026-10-02 00:00 +14:00"),
        ("Pacific/Pago_Pago", "2026-10-01T10:59:00+00:00", "2026-09-30 23:59 -11:00"),
        ("Europe/London", "2026-01-01T12:00:00+00:00", "2026-01-01 12:00 UTC"),
        ("Europe/London", "2026-07-01T12:00:00+00:00", "2026-07-01 13:00 +01:00"),
        ("No/Where", "2026-01-01T12:00:00+00:00", "2026-01-01 12:00 UTC"),
    ],
)
def test_a_time_is_shown_with_the_offset_of_its_own_day(
    in_zone: Use, name: str, moment: str, shown: str
) -> None:
    in_zone(name)
    assert zone.minute(at(moment)) == shown
    assert zone.day(at(moment)) == shown[:10]


@pytest.mark.parametrize(
    ("name", "text", "moment"),
    [
        ("Asia/Tokyo", "2026-10-02", "2026-10-01T15:00:00+00:00"),
        ("Asia/Kathmandu", "2026-10-02", "2026-10-01T18:15:00+00:00"),
        ("America/New_York", "2026-03-08", "2026-03-08T05:00:00+00:00"),
        ("America/New_York", "2026-03-09", "2026-03-09T04:00:00+00:00"),
        ("America/New_York", "2026-03-08T02:30", "2026-03-08T07:30:00+00:00"),  # skipped
        ("America/New_York", "2026-11-01T01:30", "2026-11-01T05:30:00+00:00"),  # occurs twice
        ("America/Sao_Paulo", "2018-11-04", "2018-11-04T03:00:00+00:00"),  # no midnight
        ("Asia/Tokyo", "2026-10-02T08:00Z", "2026-10-02T08:00:00+00:00"),
        ("Asia/Tokyo", "2026-10-02T08:00+05:45", "2026-10-02T02:15:00+00:00"),
        ("UTC", "20261002", "2026-10-02T00:00:00+00:00"),
    ],
)
def test_what_names_no_zone_is_of_the_readers(
    in_zone: Use, name: str, text: str, moment: str
) -> None:
    in_zone(name)
    assert zone.parse_local_time(text) == at(moment)


@each("text", ["", "soon", "2026-13-01", "2026-02-30", "10-02", "2026"])
def test_what_is_no_time_is_none(text: str) -> None:
    assert zone.parse_local_time(text) is None


def test_a_named_zone_takes_precedence(in_zone: Use) -> None:
    in_zone("Asia/Tokyo")
    assert zone.parse_local_time("2026-10-02", UTC) == at("2026-10-02T00:00:00+00:00")


@given(st.integers(-62_135_596_800_000_000, LATEST))
def test_every_time_of_the_calendar_is_shown_and_read(moment: int) -> None:
    whole = moment // (60 * MICROSECONDS) * 60 * MICROSECONDS
    shown = zone.minute(max(whole, -62_135_596_800_000_000))
    assert zone.parse_local_time(shown[:16] + "+00:00") is not None


@pytest.mark.parametrize("name", ["Asia/Tokyo", "America/Los_Angeles"])
@pytest.mark.parametrize("moment", [-62_135_596_800_000_000, LATEST, LATEST * 2])
def test_the_ends_of_the_calendar_are_no_error(in_zone: Use, name: str, moment: int) -> None:
    in_zone(name)
    assert zone.minute(moment)
    assert zone.ordinal(moment) > 0


@each(
    ("names", "offset"),
    [
        ("Asia/Tokyo", "+09:00"),
        ("America/Argentina/Buenos_Aires", "-03:00"),
        ("Etc/GMT+5", "-05:00"),
        ("+0545", "+05:45"),
        ("-03:30", "-03:30"),
        ("UTC", "+00:00"),
        ("Nowhere/Land, +09:00", "+09:00"),
        (" Asia/Tokyo ,-01:00", "+09:00"),
    ],
)
def test_a_zone_is_known_by_its_name_or_its_offset(names: str, offset: str) -> None:
    found = zone_names.zone_of(names)
    assert datetime(2026, 10, 2, tzinfo=found).isoformat()[-6:] == offset


@each(
    "names",
    [
        "", ",", "Nowhere/Land", "+25:00", "9", "../../etc/passwd", "/etc/localtime", "America",
        "Asia/Tokyo\x00", "\u00e9", "posixrules/..", "x" * 9_000, ", " * 20 + "UTC",
    ],
)  # fmt: skip
def test_what_is_no_zone_is_refused(names: str) -> None:
    with pytest.raises(InvalidInput, match="IANA name") as result:
        zone_names.zone_of(names)
    assert len(str(result.value)) < 250


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("Asia/Tokyo", "Asia/Tokyo, +09:00"),
        (":Asia/Tokyo", "Asia/Tokyo, +09:00"),
        ("JST-9", "+09:00"),
        ("UTC", "UTC, +00:00"),
        ("Nowhere/Land", "+00:00"),
    ],
)
def test_a_client_sends_its_zone_by_name_and_offset(in_zone: Use, name: str, sent: str) -> None:
    in_zone(name)
    assert zone_names.own_zone() == sent
    zone_names.zone_of(sent)


def test_the_client_of_a_request_has_its_own_days(in_zone: Use) -> None:
    in_zone("America/New_York")
    moment = at("2026-10-01T22:00:00+00:00")
    with zone.client_zone(zone_names.zone_of("Asia/Tokyo")):
        assert zone.minute(moment) == "2026-10-02 07:00 +09:00"
        assert zone.parse_local_time("2026-10-02T07:00") == moment
        assert zone_names.reader_zone() == "Asia/Tokyo"
    assert zone.day(moment) == "2026-10-01"
    assert zone.parse_local_time("2026-10-01T18:00") == moment


@each(
    ("text", "moment"),
    [
        ("2026-05-07t08:09:10z", "2026-05-07T08:09:10+00:00"),
        ("1998-12-31T23:59:60Z", "1999-01-01T00:00:00+00:00"),
        ("1998-12-31T18:59:60.5-05:00", "1999-01-01T00:00:00.5+00:00"),
        ("19981231T235960Z", "1999-01-01T00:00:00+00:00"),
        ("2026-02-28T24:00:00+01:00", "2026-02-28T23:00:00+00:00"),
        ("20260228T2400Z", "2026-03-01T00:00:00+00:00"),
        ("2026-05-07T10:09:10+02:00[Europe/Oslo]", "2026-05-07T08:09:10+00:00"),
        ("2026-05-07T08:09:10Z[!Etc/UTC][u-ca=hebrew]", "2026-05-07T08:09:10+00:00"),
    ],
)
def test_the_rarer_forms_of_a_time_are_parsed(text: str, moment: str) -> None:
    assert zone.parse_local_time(text, UTC) == at(moment)


@pytest.mark.parametrize(
    "text",
    [
        "2026-02-28T24:00:01Z",
        "2026-05-07T08:30:60Z",
        "2026-05-07T08:09:10[Europe/Oslo]",
        "9999-12-31T24:00:00Z",
        "[Europe/Oslo]",
    ],
)
def test_what_is_no_time_is_not_parsed(text: str) -> None:
    assert zone.parse_local_time(text, UTC) is None
