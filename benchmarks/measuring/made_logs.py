"""Generated program outputs with the facts that must be found in them."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class MadeLog:
    """An output and the facts that must be found in it."""

    name: str
    text: str
    facts: tuple[str, ...]


def made_logs(seed: int) -> list[MadeLog]:
    """Make one output of each kind."""
    draw = random.Random(seed)
    return [make(draw) for make in (_service, _tests, _install, _history, _build, _query, _deploy)]


def _service(draw: random.Random) -> MadeLog:
    lines = ["starting relay build 3.41.0 (commit 7c0be91d), queue=parcels-north"]
    for at in range(700):
        clock = f"2032-05-11 08:{at // 60 % 60:02d}:{at % 60:02d},{draw.randrange(1000):03d}"
        lines.append(
            f"{clock} DEBUG relay: tick depth={draw.randint(0, 60)} lag={draw.random():.2f}"
        )
        if at % 8 == 0:
            lines.append(f"{clock} INFO store: read {draw.randint(1, 900)} rows in {at % 40} ms")
        if at == 150:
            lines.append(f"{clock} WARNING disk: /var/spool/relay is at 93% (limit 90%)")
        if at == 410:
            lines += [
                f"{clock} ERROR relay: parcel batch 6612 failed code=E_RELAY_2207",
                "Traceback (most recent call last):",
                '  File "/opt/relay/send.py", line 118, in push',
                "    raise LinkLost(peer)",
                "relay.errors.LinkLost: peer 10.17.4.88:7443 closed the link",
            ]
        if at == 520:
            lines.append(f"{clock} INFO relay: switched to peer relay-b7.internal:7443")
    lines.append("batch 6612 sent again, 877 parcels delivered, 4 held back")
    lines.append("relay stopped, exit status 0, uptime 11m40s")
    facts = ("3.41.0", "7c0be91d", "/var/spool/relay", "93%", "6612", "E_RELAY_2207", "LinkLost")
    more = ("10.17.4.88:7443", "relay-b7.internal", "877 parcels", "exit status 0")
    return MadeLog("service", "\n".join(lines), facts + more)


def _tests(draw: random.Random) -> MadeLog:
    names = [f"tests/test_cart.py::test_case[{n}]" for n in range(160)]
    results = [f"{name} PASSED [{n * 100 // 164:3d}%]" for n, name in enumerate(names)]
    for failed in ("test_vat_is_rounded", "test_empty_cart", "test_lost_file"):
        results.insert(draw.randrange(len(results)), f"tests/test_cart.py::{failed} FAILED")
    failures = [
        "E       AssertionError: assert 118.42 == 118.41",
        "tests/test_cart.py:31: AssertionError",
        "E       KeyError: 'sku_9917'",
        "tests/test_cart.py:52: KeyError",
        "E       FileNotFoundError: [Errno 2] No such file: '/srv/samples/carts_2032.csv'",
    ]
    summary = "===== 3 failed, 160 passed, 2 skipped in 4.12s ====="
    head = ["===== test session starts =====", "platform linux -- Python 3.12.4, pytest-8.3.2"]
    lines = [*head, *results, "===== FAILURES =====", *failures, summary, "[exit code 1]"]
    facts = ("test_vat_is_rounded", "118.42", "test_empty_cart", "sku_9917", "test_lost_file")
    more = ("/srv/samples/carts_2032.csv", "3 failed", "160 passed", "exit code 1")
    return MadeLog("tests", "\n".join(lines), facts + more)


def _install(draw: random.Random) -> MadeLog:
    lines = ["$ install -r requirements.txt"]
    for number in range(60):
        name = f"lib{draw.randrange(10**6)}"
        lines.append(f"Collecting {name}=={number % 9}.{number % 5}.2")
        lines.append(f"  Downloading {name}-{number % 9}.{number % 5}.2.whl ({number * 7} kB)")
    lines += [
        "ERROR: Cannot install glazier==2.7.1 because these package versions conflict.",
        "  sash 5.0.3 depends on putty<1.9",
        "  glazier 2.7.1 depends on putty>=2.0",
        "ResolutionImpossible: see the manual about dependency conflicts",
        "[exit code 1]",
    ]
    facts = ("glazier", "2.7.1", "putty<1.9", "putty>=2.0", "ResolutionImpossible", "exit code 1")
    return MadeLog("install", "\n".join(lines), facts)


def _history(draw: random.Random) -> MadeLog:
    expected = {
        9: "Close CVE-2032-1187: quote shell arguments",
        30: 'Revert "store times as text" (breaks readers < 6.1)',
        48: "BREAKING: schema v23, drop the legacy importer",
    }
    lines = []
    for number in range(60):
        subject = expected.get(number, f"tidy {draw.choice(('parser', 'cache', 'router'))} names")
        lines += [
            f"commit {draw.randrange(1 << 39, 1 << 40):010x}",
            "Author: Ada <ada@example.net>",
            f"Date:   2032-03-{1 + number % 28:02d}",
            f"    {subject}",
            f" src/part{draw.randint(0, 9)}.py | {draw.randint(1, 40)} +-",
        ]
    facts = ("CVE-2032-1187", "quote shell arguments", "readers < 6.1", "schema v23", "importer")
    return MadeLog("history", "\n".join(lines), facts)


def _build(draw: random.Random) -> MadeLog:
    units = [f"[{n}/240] CC obj/core/unit_{n}.o" for n in range(1, 240)]
    units.insert(131, "src/core/arena.c:412:17: error: 'slab_t' has no member named 'watermark'")
    units.insert(90, "src/net/dial.c:77:9: warning: unused variable 'retry_cap'")
    lines = ["configuring with -O2 -DARENA=2", *units]
    lines += ["make: *** [Makefile:88: obj/core/arena.o] Error 1", "[exit code 2]"]
    facts = ("arena.c:412", "slab_t", "watermark", "dial.c:77", "Makefile:88", "exit code 2")
    return MadeLog("build", "\n".join(lines), facts)


def _query(draw: random.Random) -> MadeLog:
    rows = [f" {n} | order-{draw.randrange(10**6)} | {draw.randint(5, 900)}.00" for n in range(180)]
    rows[77] = " 77 | order-550173 | -4821.00 | flagged: refund exceeds total"
    lines = ["select id, name, total from orders", " id | name | total", *rows, "(180 rows)"]
    lines.append("ERROR: canceling statement due to lock timeout on relation orders_2032")
    facts = ("order-550173", "-4821.00", "180 rows", "lock timeout", "orders_2032")
    return MadeLog("query", "\n".join(lines), facts)


def _deploy(draw: random.Random) -> MadeLog:
    pods = [f"pod/web-{draw.randrange(16**5):05x} Running 0 {n}m" for n in range(120)]
    pods[44] = "pod/web-9c1fe CrashLoopBackOff 17 44m"
    lines = ["rollout of web:5.18.2 to cluster eu-central-7", *pods]
    lines += ["deadline exceeded: 119 of 120 replicas updated", "rolled back to web:5.17.9"]
    facts = ("5.18.2", "eu-central-7", "web-9c1fe", "CrashLoopBackOff", "119 of 120", "5.17.9")
    return MadeLog("deploy", "\n".join(lines), facts)


def found(logs: Sequence[MadeLog], text: str) -> tuple[int, int]:
    """Return the number of facts that a text contains, and of all facts."""
    facts = [fact for log in logs for fact in log.facts]
    return sum(fact in text for fact in facts), len(facts)
