"""Write a session with typed passwords at prompts, and similar lines."""

import json
from pathlib import Path

P = "Tr0ub" + "4dor&3x"
TYPED = (
    f"""expect -c 'spawn ssh a@db; expect "password:"; send "{P}\\r"; interact'""",
    f'expect -c "spawn ssh a@db; expect \\"assword\\"; send \\"{P}\\\\r\\"; interact"',
    f"expect -c 'spawn su; expect Password; send -- \"{P}\\n\"; expect eof'",
    f"expect -c 'spawn ssh a@b; expect {{*assword*}} {{send {{{P}\\r}}}}; interact'",
    f"expect -c 'spawn ssh a@b; expect assword:; send {P}\\r; interact'",
    f'expect -c \'spawn x; expect "Enter PIN"; send -s "{P}\\r"\'',
    f'expect -c \'spawn sudo -i; expect "*password*" {{ exp_send "{P}\\r" }}\'',
    f'expect <<EOF\nspawn scp x a@db:\nexpect "*assword:*"\nsend "{P}\\r"\nEOF',
    f'expect <<EOF\nset password "{P}"\nspawn ssh a@db\nexpect x\nsend "$password\\r"\nEOF',
    f"python3 <<EOF\nc = pexpect.spawn('su')\nc.expect('password:')\nc.sendline('{P}')\nEOF",
    f"sudo -S ls <<EOF\n{P}\nEOF",
    f"chpasswd <<EOF\nada:{P}\nEOF",
    f"docker login -u ada --password-stdin <<'EOF'\n{P}\nEOF",
)
KEPT = (
    "expect(page.getByLabel('Password')).toBeVisible(); await send(visible1)",
    "expect(form.password).toBe(''); client.send('visible2');",
    "echo I expect that the token is valid, so send visible3 to the api",
    "expect -c 'spawn ls; expect eof; send \"visible4\\r\"'",
    'expect -c \'expect "login:" { send "visible5\\r" }\'',
)
session = "aaaaaaaa-0000-4000-8000-000000000001"
shared = {"cwd": "/home/x/shop", "sessionId": session, "timestamp": "2026-10-01T10:00:01.000Z"}
rows = []
for number, command in enumerate((*TYPED, *KEPT)):
    call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "done"}
    rows += [
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
        {"type": "user", "message": {"role": "user", "content": [result]}},
    ]
lines = ({**row, **shared, "uuid": f"u{number}"} for number, row in enumerate(rows))
Path(f"{session}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
