"""Call a server in UTC from clients in Tokyo and New York."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from click.testing import CliRunner

from memoranda.cli import cli


def client(zone, *words):
    os.environ.update(TZ=zone, MEMORANDA_TOKEN=token, MEMORANDA_URL=ready["url"])
    time.tzset()
    done = CliRunner().invoke(cli, words)
    return done.stdout or done.stderr


serve = [sys.executable, "-m", "memoranda", "serve", "--port", "0", "--format", "json"]
with subprocess.Popen(
    serve, env={**os.environ, "TZ": "UTC"}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
) as server:
    try:
        ready = json.loads(server.stdout.readline())
        token = Path(ready["token_file"]).read_text().strip()
        os.environ.pop("MEMORANDA_DATA_DIR")
        place = ("--workspace", "w")
        tell = ("observation", "list", *place)
        best = {}
        for zone in ("Asia/Tokyo", "America/New_York", "JST-9"):
            for day in ("1 October", "2 October", "2026-10-02"):
                question = f"what did I note of the boiler on {day}"
                found = json.loads(client(zone, "search", question, *place, "--format", "json"))
                best.setdefault(zone, {})[day] = found["hits"][0]["title"][-4:]
        shown = {
            "since": client("Asia/Tokyo", *tell, "--since", "2026-10-02"),
            "until": client("Asia/Tokyo", *tell, "--until", "2026-10-02"),
        }
        context = client("Asia/Tokyo", "context", *place, "--query", "boiler pressure at dawn")
        print(json.dumps({"best": best, "context": context, **shown}))
    finally:
        server.kill()
