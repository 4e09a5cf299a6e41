"""Store rules and similar sentences; print which are recognised as rules."""

import json

from memoranda import Memoranda

RULES = (
    "All totals have to be in cents.",
    "Under no circumstances log the card number.",
    "We can't use Redis here.",
    "Mandatory: every call goes through the gateway.",
    "It is compulsory to sign in through SSO.",
    "Spending beyond 500 EUR is off the table.",
    "Nobody but the release job may write to dist.",
    "Anything that touches billing needs a second reviewer.",
    "All timestamps are UTC, without exception.",
    "From now on every migration gets a down script.",
)
OTHERS = (
    "It has to be the cache.",
    "We have to restart the server first.",
    "I can't reproduce it.",
    "The build has to be broken again.",
    "Nobody knows why.",
)
with Memoranda.open(workspace="shop") as memory:
    for text in (*RULES, *OTHERS):
        memory.conversations.add(text, session="one")
    memory.capture.drain()
    found = {one for seen in memory.observations.list(task="1").items for one in seen.constraints}
print(
    json.dumps(
        {
            "missed": [one for one in RULES if one not in found],
            "false": [one for one in OTHERS if one in found],
        }
    )
)
