"""Print missed secrets and altered ordinary lines, alone and in JSON."""

import json
from pathlib import Path

from memoranda import Memoranda

HERE = Path(__file__).parent
SECRETS = {
    "{P}": "nK4w" + "Ze8Yq2Lm",
    "{W}": "Winter-" + "Sonne_77",
    "{T}": "x7Lk2PqR9vBn4" + "MzT1cYd8WsF5hGj3aQe6Ut",
    "{H}": "9f3c7a1be04d5826" * 2,
}


def lines(name: str) -> list[str]:
    """Return the lines of a file of this case, without comments."""
    return (HERE / name).read_text("utf-8").splitlines()


def filled(form: str) -> str:
    """Return a form with its secrets and escapes filled in."""
    for place, secret in SECRETS.items():
        form = form.replace(place, secret)
    back = form.replace("\\\\", "\0").replace("\\n", "\n").replace("\\r", "\r")
    return back.replace("\0", "\\")


def both(text: str) -> tuple[str, str]:
    """Return a text, and the same text as JSON."""
    return text, json.dumps({"command": text}, ensure_ascii=False)


forms, plain = lines("forms.txt"), lines("plain.txt")
with Memoranda.open(workspace="w") as memory:
    kept = [
        form
        for form in forms
        if any(
            secret[:12] in memory.capture.privacy_test(text).text
            for text in both(filled(form))
            for secret in SECRETS.values()
        )
    ]
    altered = [
        line
        for line in plain
        if any(memory.capture.privacy_test(text).text != text for text in both(line))
    ]
print(json.dumps({"forms": len(forms), "plain": len(plain), "kept": kept, "altered": altered}))
