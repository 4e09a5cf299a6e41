"""Suspicion: which text from outside speaks to the assistant instead of informing it.

An alarm for text of tools, pages and imports, and no gate: what raises none is still data. Pure
functions over text; they know neither store nor settings.
"""

from memoranda.suspicion.judging import Suspicion, suspicion
from memoranda.suspicion.orders import facts
from memoranda.suspicion.reasons import Reason

__all__ = ["Reason", "Suspicion", "facts", "suspicion"]
