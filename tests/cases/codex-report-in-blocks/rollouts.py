"""Write a rollout of calls that failed, each reported in another form."""

import json
from pathlib import Path


def block(text, kind="input_text"):
    """Return a block of text."""
    return {"type": kind, "text": text}


REPORT = "Exit code: 3\nWall time: 0.1 seconds\nOutput:\nboom"
UNIFIED = "Chunk ID: a1\nWall time: 0.05 seconds\nProcess exited with code 3\nOutput:\nboom\n"
OLD = {"metadata": {"exit_code": 3, "duration_seconds": 0.1}, "output": "boom"}
FAILED = (
    [block("Exit code: 3"), block("Wall time: 0.1 seconds"), block("Output:"), block("boom")],
    [block("\n"), block(REPORT)],
    f"\n{REPORT}",
    [block(UNIFIED.replace("\n", "\r\n"))],
    [block("Warning: 61 processes are open."), block(UNIFIED)],
    [REPORT],
    json.dumps([block(REPORT)], indent=2),
    json.dumps(OLD),
    json.dumps(OLD, indent=2),
    [block(json.dumps(OLD))],
    [{"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}, block(REPORT)],
)
FINE = (
    [block("Exit code: 0\nWall time: 0.1 seconds\nOutput:"), block("fine")],
    [block("Process exited with code 0\nOutput:\nProcess exited with code 1\nfine")],
    [block("fine\nExit code: 3")],
)


def item(**payload):
    """Return a record of an item."""
    return {"timestamp": "2026-10-01T10:00:01.000Z", "type": "response_item", "payload": payload}


THREAD = "019f0000-0000-7000-8000-000000000001"
META = {"id": THREAD, "timestamp": "2026-10-01T10:00:00.000Z", "cwd": "/home/x/shop"}
rows = [{"timestamp": "2026-10-01T10:00:00.000Z", "type": "session_meta", "payload": META}]
for number, output in enumerate((*FAILED, *FINE)):
    arguments = json.dumps({"cmd": f"./make-{number}"})
    call = f"call_{number}"
    rows += [
        item(type="function_call", name="exec_command", arguments=arguments, call_id=call),
        item(type="function_call_output", call_id=call, output=output),
    ]
Path(f"rollout-2026-10-01T10-00-00-{THREAD}.jsonl").write_text(
    "".join(json.dumps(row) + "\n" for row in rows)
)
