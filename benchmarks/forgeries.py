"""Send forged keys and tokens; count those accepted, time refusals.

The text of refusals is checked as well.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from forgeries import FORGERIES, World
from measuring.report import Report, parser, progress
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import Unauthenticated
from memoranda.identity.principal import owner

LETTERS = "ABCXYZabcxyz0189-_.=+/ é"


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("forgeries", vars(options))
    with tempfile.TemporaryDirectory() as folder:
        world = World(Path(folder) / "world")
        try:
            _kinds(report, world)
            _changed(report, world, options.changes, random.Random(options.seed))
            _times(report, world, options.rounds)
        finally:
            world.close()
        _revoking(report, Path(folder) / "two", options.revocations)
    return report.finish(as_json=options.json)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__ or "")
    made.add_argument("--changes", type=int, default=20_000, help="credentials with a change")
    made.add_argument("--rounds", type=int, default=300, help="measurements of each kind")
    made.add_argument("--revocations", type=int, default=3, help="in another process")
    return made.parse_args(arguments)


def _answer(world: World, text: str) -> str | None:
    """Return the refusal of a credential; None if it is accepted."""
    try:
        world.authenticator.principal(text)
    except Unauthenticated as refused:
        return repr(refused)
    return None


def _kinds(report: Report, world: World) -> None:
    taken = {name for name, text in world.genuine().items() if _answer(world, text) is None}
    answers = {name: _answer(world, forge(world)) for name, forge in FORGERIES.items()}
    accepted = [name for name, answer in answers.items() if answer is None]
    report.add("forgeries", "kinds", len(FORGERIES), note="each beside the genuine one it is of")
    report.add("forgeries", "accepted", len(accepted), note=", ".join(accepted))
    report.add("forgeries", "different answers", len(set(answers.values())))
    report.claim("every genuine credential is taken", taken == set(world.genuine()))
    report.claim("25 kinds of forgeries or more", len(FORGERIES) >= 25)
    report.claim("no forgery is accepted", not accepted)
    report.claim("all forgeries are answered alike", len(set(answers.values())) == 1)


def _changed(report: Report, world: World, changes: int, pick: random.Random) -> None:
    genuine = list(world.genuine().values())
    accepted = 0
    for number in range(changes):
        if not number % 1_000:
            progress(f"{number:,} of {changes:,} changed credentials")
        text = pick.choice(genuine)
        place = pick.randrange(len(text))
        other = text[:place] + pick.choice(LETTERS) + text[place + pick.randrange(2) :]
        accepted += other not in genuine and _answer(world, other) is None
    report.add("changed characters", "credentials", changes, note="one replaced or inserted")
    report.add("changed characters", "accepted", accepted)
    report.claim("no changed credential is accepted", accepted == 0)


def _times(report: Report, world: World, rounds: int) -> None:
    known = world.service.home.secrets.known
    key, id = world.key.secret, world.key.credential.id
    cases: dict[str, Callable[[], str]] = {
        "key, unknown id": lambda: key.replace(id, id[:-4] + "0000"),
        "key, wrong secret": lambda: key[:-2] + "AA",
        "key, unknown team": lambda: key.replace("local", "nonesuch"),
        "key, another team's": lambda: FORGERIES["our team and their id"](world),
        "token, wrong signature": lambda: world.edited(role="admin"),
        "token, unknown kid": lambda: FORGERIES["unknown kid"](world),
        "token, outside, wrong aud": lambda: world.outside.token(aud="elsewhere"),
        "a megabyte": lambda: "x" * 1_000_000,
    }
    cases |= {f"genuine {name}": _same(text) for name, text in world.genuine().items()}
    for name, made in cases.items():
        text, took = made(), []
        for _ in range(rounds):
            known.forget()
            start = time.perf_counter()
            _answer(world, text)
            took.append(time.perf_counter() - start)
        report.add("time", name, round(statistics.median(took) * 1e6), "µs", "median, not known")
    _answer(world, key)
    start = time.perf_counter()
    for _ in range(rounds):
        _answer(world, key)
    report.add("time", "known key", round((time.perf_counter() - start) / rounds * 1e6, 1), "µs")


def _same(text: str) -> Callable[[], str]:
    return lambda: text


def _revoking(report: Report, folder: Path, times: int) -> None:
    """Measure how long a key stays valid after another service revokes it.

    Both services are on the same store.
    """
    settings = load_settings({"data_dir": folder, "embedder": "none"}, {})
    here, there = Service(settings), Service(settings)
    delays = []
    for number in range(times):
        progress(f"revocation {number + 1} of {times}")
        made = here.memory(owner()).tokens.create("member", subject="ada")
        there.home.authenticator.principal(made.secret)
        start = time.monotonic()
        here.memory(owner()).tokens.revoke(made.credential.id)
        own = _taken(here, made.secret)
        while _taken(there, made.secret):
            time.sleep(0.01)
        delays.append(time.monotonic() - start)
        report.claim(f"revocation {number + 1} holds at once where it was made", not own)
    here.close()
    there.close()
    report.add("revocation", "until another process refuses", round(max(delays), 2), "s", "longest")
    report.claim("another process refuses within 5 s", max(delays) < 5)


def _taken(service: Service, text: str) -> bool:
    with suppress(Unauthenticated):
        service.home.authenticator.principal(text)
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
