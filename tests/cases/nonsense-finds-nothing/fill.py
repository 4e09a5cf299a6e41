"""Store a few messages and a memory about a shop, all with vectors."""

from memoranda import Memoranda

MESSAGES = [
    "All amounts are stored as integer cents, never as floating point numbers.",
    "The export job writes its files to the folder of the night run.",
    "We deploy from the ops box with ansible, after the smoke tests.",
    "Totals are rounded half up, once, at the very end.",
    "The customs broker of Basel sends its price list by fax on Mondays.",
    "The release is planned for the third of May.",
]

with Memoranda.open() as memory:
    for message in MESSAGES:
        memory.observe(message, type="message", task="prices")
    memory.remember("Verification: the shop is healthy when /ready answers 200.")
    memory.index.reembed()
