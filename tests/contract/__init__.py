"""Contract tests for engines and doors, with their clocks and records.

`store_contract` tests a store, `service_contract` a door, `clock` makes time and ids repeatable,
`records` makes values to store. The contracts need pytest, hypothesis and numpy; `clock` and
`records` need none of them.
"""

from __future__ import annotations

from importlib.util import find_spec

CONTRACTS = (
    "contract_blobs",
    "contract_completions",
    "contract_entries",
    "contract_jobs",
    "contract_journal",
    "contract_listing",
    "contract_memories",
    "contract_observations",
    "contract_passages",
    "contract_scope",
    "contract_text",
    "contract_transactions",
    "contract_vectors",
    "contract_working",
    "contract_working_memory",
    "service_capture",
    "service_doors",
    "service_holding",
    "service_memories",
)
"""The modules of the contract."""

if find_spec("pytest"):
    import pytest

    pytest.register_assert_rewrite(*(f"{__name__}.{part}" for part in CONTRACTS))
