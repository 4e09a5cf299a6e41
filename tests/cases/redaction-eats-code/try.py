"""Print lines of code that redaction changes, alone and in a file."""

import json
from pathlib import Path

from memoranda import Memoranda

here = Path(__file__).parent
lines = [line for name in ("lines.txt", "further.txt", "r.txt") for line in (here / name).open()]
lines = [line.rstrip("\n") for line in lines if line.strip()]
with Memoranda.open(workspace="w") as memory:
    altered = [line for line in lines if memory.capture.privacy_test(line).text != line]
    whole = "\n".join(lines)
    if memory.capture.privacy_test(whole).text != whole:
        altered.append("all lines together")
print(json.dumps({"lines": len(lines), "altered": altered}))
