"""Resolves proposal references: number, ``#number``, id or id prefix.

Every interface resolves references here, so that all accept the same forms.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated

from memoranda.id_prefix import full_id
from memoranda.proposals import table as proposals
from memoranda.proposals.model import Proposal
from memoranda.scope import Scope
from memoranda.store.database import Transaction

ProposalReference = Annotated[
    str, "A proposal: its number (`3` or `#3`), its id, or the beginning of its id."
]
"""Type of arguments that identify a proposal."""

_NUMBER = re.compile(r"#?([1-9][0-9]{0,8})", re.ASCII)
"""A number as displayed in lists. Ids start with a zero, so that no id prefix is a number."""


def find_proposal(tx: Transaction, scope: Scope, reference: str) -> Proposal | None:
    """Return the referenced proposal, or None; an agent sees only its own.

    Raises:
        InvalidInput: several ids have the prefix.
    """
    text, agent = reference.strip(), scope.agent
    if match := _NUMBER.fullmatch(text):
        proposal = proposals.by_number(tx, scope.team, int(match[1]), agent)
        if proposal or text.startswith("#"):
            return proposal
    beginning = partial(proposals.by_prefix, agent=agent)
    whole = full_id(tx, scope.team, text, beginning, "proposal")
    return proposals.by_id(tx, scope.team, whole, agent) if whole else None
