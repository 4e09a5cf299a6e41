"""Compact a conversation that has more figures than agreements."""

from memoranda import Memoranda

AGREED = {
    5: "Mara Lind owns the release from here on.",
    40: "The release date is 14 October, the auditors insist on it.",
    77: "We decided to drop Redis because the boxes have no network.",
}
with Memoranda.open(workspace="shop") as memory:
    for number in range(120):
        ticks = " ".join(
            f"[9:{number % 60:02}:{tick:02}] worker {tick} rows {number * tick + 7}"
            for tick in range(9)
        )
        text = f"[9:{number % 60:02}:07] tick {number} of 120, {number * 37} rows\n{ticks}"
        if number in AGREED:
            text = f"{AGREED[number]}\n{text}"
        memory.conversations.add(text, role=("user", "assistant")[number % 2], session="one")
