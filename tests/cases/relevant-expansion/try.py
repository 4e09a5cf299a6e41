"""Print the expansion for a query with one long answer, and with none."""

import json

from memoranda import Memoranda

ROUNDING = "Rounding of totals is done in cents by the ledger and never by the page. "
LATE = "The bus to the office is late on Mondays and the till room is cold. "
with Memoranda.open(workspace="shop") as memory:
    memory.observe("The till rounds half up, once, at the very end of the bill.", task="a")
    memory.observe(f"How totals are rounded: {ROUNDING * 12}", task="a")
    memory.observe(f"Meeting notes: {LATE * 12}", task="a")
    found = memory.observations.relevant("how are totals rounded by the till")
    other = memory.observations.relevant("which room has the violin of the opera")
    answer = {
        "expanded": [one.content.partition(":")[0] for one in found.expanded],
        "summaries": [one.summary for one in found.summaries],
        "nothing": [one.content for one in other.expanded],
    }
print(json.dumps(answer))
