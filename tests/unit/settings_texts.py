"""Settings files of a coding agent, as people leave them."""

from __future__ import annotations

import json
from typing import Any

OTHERS: dict[str, Any] = {
    "hooks": [{"type": "command", "command": "notify-send done", "timeout": 3}]
}

SETTINGS: dict[str, str] = {
    "empty": "",
    "an empty object": "{}",
    "empty hooks": '{"hooks": {}}\n',
    "an empty list": '{"hooks": {"Stop": []}}\n',
    "one line": '{"model":"opus","hooks":{"Stop":[]}}',
    "four spaces": '{\n    "model": "opus",\n    "env": {"A": "1"}\n}\n',
    "tabs": '{\n\t"model": "opus"\n}\n',
    "odd indentation": '{\n   "model" :  "opus" ,\n "env":{ "A" : "ü 名" }   \n\n}   ',
    "trailing spaces": '{"model": "opus"}  \n\n  ',
    "no final newline": '{\n  "model": "opus"\n}',
    "windows lines": '{\r\n  "model": "opus"\r\n}\r\n',
    "escapes and numbers": '{"a": "\\u00fc", "b": 1e3, "c": 1.50, "d": [1,2 , 3]}',
    "hooks of others": json.dumps({"hooks": {"Stop": [OTHERS], "PreToolUse": [OTHERS]}}),
    "a namesake": json.dumps(
        {"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "memoranda-log hook.py"}]}]}}
    ),
    "a folder of that name": json.dumps(
        {"hooks": {"Stop": [{"hooks": [{"command": "~/src/memoranda/my_hook.py spool"}]}]}}
    ),
    "a hook of that name": json.dumps({"hooks": {"Stop": [{"hooks": [{"command": "hook.py"}]}]}}),
    "odd groups": '{"hooks": {"Stop": [{}, null, 3, {"hooks": []}], "Other": 7}}',
}
