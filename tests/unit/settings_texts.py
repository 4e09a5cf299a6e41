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
    "a mark of bytes": '\ufeff{"model": "opus"}\n',
    "a mark of bytes alone": "\ufeff",
    "a mark and lines": '\ufeff{\n  "model": "opus"\n}\n',
    "odd groups": '{"hooks": {"Stop": [{}, null, 3, {"hooks": []}], "Other": 7}}',
}

COMMENTED: dict[str, str] = {
    "a line above": '// mine\n{\n  "model": "opus"\n}\n',
    "at the end of a line": '{\n  "model": "opus" // the best\n}\n',
    "after a comma": '{\n  "model": "opus", // the best\n  "a": [1, 2] /* two */\n}\n',
    "a trailing comma": '{\n    "model": "opus",\n}\n',
    "a trailing comma and a note": '{\n\t"model": "opus", // note\n\t// end\n}\n',
    "one line": '{"model": "opus" /* x */}',
    "nothing but a note": "{ /* later */ }",
    "nothing but lines": "{\n  // later\n}\n",
    "windows lines": '{\r\n  // mine\r\n  "model": "opus"\r\n}\r\n',
    "a mark": '\ufeff{\n  // mine\n  "a": 1\n}\n',
    "not a comment": '{\n  "url": "http://x/*y*/", // one\n  "b": "\\"// no"\n}',
    "empty hooks": '{\n  // mine\n  "hooks": {}\n}\n',
    "an empty list": '{\n  "hooks": {\n    "Stop": [ ] // none\n  }\n}\n',
    "a note among hooks": """{
  "hooks": {
    // tell me
    "Stop": [
      {"hooks": [{"type": "command", "command": "notify-send done"}]} // loud
    ],
    "Other": [1,2,],
  },
  /* the rest */
  "model": "opus"
}
""",
}
