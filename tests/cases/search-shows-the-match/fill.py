"""Store messages that answer at the beginning, in the middle, or never."""

from memoranda import Memoranda

MESSAGES = [
    "I looked at the price module first. The totals are rounded half up since the tariff of March. "
    "The build was green afterwards, and nothing else has changed.",
    "Totals are rounded by price.py",
    "The import takes long on Mondays. " * 12
    + "The customs broker of Basel sends its list by fax. "
    + "Nobody has looked at the queue since. " * 12,
    "まず価格モジュールを見ました。\n税込の合計は円単位で切り捨てます。\n他は変わっていません。"
    * 3,
]

with Memoranda.open() as memory:
    for message in MESSAGES:
        memory.observe(message, type="message", task="prices")
