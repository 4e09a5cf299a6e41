"""Start the server in a terminal and as a host does; print its output."""

import json
import os
import pty
import subprocess

_, terminal = pty.openpty()
with subprocess.Popen(
    ["memoranda", "mcp"],
    stdin=terminal,
    stdout=subprocess.DEVNULL,
    stderr=subprocess.PIPE,
    text=True,
) as started:
    assert started.stderr
    said = started.stderr.readline().strip()
    started.kill()
os.close(terminal)
host = subprocess.run(["memoranda", "mcp"], input="", capture_output=True, text=True, check=False)
waiting = [line for line in host.stderr.splitlines() if "waiting" in line]
print(json.dumps({"terminal": said, "host": "".join(waiting) + host.stdout}))
