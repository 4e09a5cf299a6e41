"""Write a rollout for each context that programs add to a request."""

import json
from pathlib import Path

REQUEST = "Round the cents once."
IDE = "# Context from my IDE setup:\n\n## Open tabs:\n- never_used.py: src/never_used.py\n\n"
FILES = "# Files mentioned by the user:\n\n## a.docx: C:/Users/x/a.docx\n\n"
BROWSER = (
    '<in-app-browser-context source="ambient-ui-state">\nnever_used\n</in-app-browser-context>\n\n'
)
QUOTED = "# Selected text:\n\n## Selection 1\n## My request for Codex:\nNever trust never_used\n\n"
ANSWERS = json.dumps([{"questionItemId": "1", "question": "never_used?", "answer": REQUEST}])
PROMPTS = (
    f"{IDE}## My request:\n{REQUEST}",
    f"{IDE}## My request for Codex CLI:\n{REQUEST}",
    f"{IDE}## My request for GPT-6: {REQUEST}",
    f"{IDE}## My request for Codex:\n{REQUEST}".replace("\n", "\r\n"),
    f"{FILES}Distinguish instructions from the request.\n\n## My request:\n\n{REQUEST}",
    f"{BROWSER}## My request:\n{REQUEST}",
    f"{BROWSER}{FILES}## My request:\n{REQUEST}",
    f"{QUOTED}## My request for Codex:\n{REQUEST}",
    f"<environment_context>\n<cwd>/home/x/w</cwd>\n</environment_context>\n{IDE}"
    f"## My request for Codex:\n{REQUEST}",
    f"<send_user_message_question_reply>\n{ANSWERS}\n</send_user_message_question_reply>",
    f"<environment_context>\n<cwd>/home/x/w</cwd>\n</environment_context>\n"
    f'<send_user_message_question_reply n="1">\n{ANSWERS}\n</send_user_message_question_reply>\n',
)
OWN = "# Plan\n\n## My request\nRound the cents once."
ALONE = (IDE, FILES, f"{FILES}## My request for Codex:\n\n")

for number, text in enumerate((*PROMPTS, OWN, *ALONE)):
    thread = f"019f0000-0000-7000-8000-{number:012x}"
    folder = "requests" if number < len(PROMPTS) else "own" if text == OWN else "alone"
    place = Path("rollouts", folder, f"rollout-2026-10-01T10-00-00-{thread}.jsonl")
    place.parent.mkdir(parents=True, exist_ok=True)
    meta = {"id": thread, "timestamp": "2026-10-01T10:00:00.000Z", "cwd": f"/home/x/{folder}"}
    content = [{"type": "input_text", "text": text}]
    rows = (
        {"type": "session_meta", "payload": meta},
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": content},
        },
    )
    stamped = ({"timestamp": "2026-10-01T10:00:01.000Z", **row} for row in rows)
    place.write_text("".join(json.dumps(row) + "\n" for row in stamped))
