"""Contract of every store, whatever its engine.

An engine's tests inherit it and define their database:

    class TestMyEngine(StoreContract):
        @pytest.fixture
        def database(self, tmp_path):
            opened = MyDatabase(tmp_path)
            yield opened
            opened.close()

The fixture provides an empty store to each test. All calls go through `Database` and the portable
tables, so nothing here depends on the engine.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from contract.contract_agents import AgentContract
from contract.contract_banks import BankContract
from contract.contract_blobs import BlobContract
from contract.contract_blocks import BlockContract
from contract.contract_checkpoints import CheckpointContract
from contract.contract_compactions import CompactionContract
from contract.contract_completions import CompletionContract
from contract.contract_credentials import CredentialContract
from contract.contract_documents import DocumentContract
from contract.contract_entries import EntryContract
from contract.contract_failures import FailureContract
from contract.contract_feedback import FeedbackContract
from contract.contract_jobs import JobContract
from contract.contract_journal import JournalContract
from contract.contract_kept_answers import KeptAnswerContract
from contract.contract_lessons import (
    ApprovalRuleContract,
    LessonContract,
    MemoryTotalContract,
)
from contract.contract_listing import ListingContract
from contract.contract_live_outputs import LiveOutputContract
from contract.contract_memories import MemoryContract
from contract.contract_memory_links import MemoryLinkContract
from contract.contract_mirrors import MirrorContract
from contract.contract_model_calls import ModelCallContract
from contract.contract_observations import ObservationContract
from contract.contract_passages import PassageContract
from contract.contract_profiles import ProfileContract
from contract.contract_proposals import ProposalContract
from contract.contract_quarantine import QuarantineContract
from contract.contract_recoveries import RecoveryContract
from contract.contract_scope import ScopeContract
from contract.contract_sources import SourceContract
from contract.contract_stages import StageContract
from contract.contract_supervised_reading import SupervisedReadingContract
from contract.contract_supervision import SupervisionContract
from contract.contract_text import TextContract
from contract.contract_transactions import TransactionContract
from contract.contract_vectors import ManyVectorsContract, VectorContract
from contract.contract_working import WorkingContract
from contract.contract_workspaces import WorkspaceContract
from memoranda.store.database import Database


class StoreContract(
    TransactionContract,
    ScopeContract,
    ObservationContract,
    SourceContract,
    CompletionContract,
    ListingContract,
    WorkspaceContract,
    BlobContract,
    MemoryContract,
    QuarantineContract,
    FailureContract,
    MemoryLinkContract,
    TextContract,
    EntryContract,
    VectorContract,
    ManyVectorsContract,
    PassageContract,
    JournalContract,
    JobContract,
    KeptAnswerContract,
    WorkingContract,
    DocumentContract,
    CompactionContract,
    StageContract,
    BlockContract,
    CheckpointContract,
    AgentContract,
    ModelCallContract,
    ProposalContract,
    ProfileContract,
    LessonContract,
    ApprovalRuleContract,
    MemoryTotalContract,
    FeedbackContract,
    MirrorContract,
    LiveOutputContract,
    BankContract,
    SupervisionContract,
    SupervisedReadingContract,
    CredentialContract,
    RecoveryContract,
):
    """The whole contract of a store, to be inherited by an engine's tests."""

    @pytest.fixture
    def database(self) -> Iterator[Database]:
        """Return an open, empty store and close it afterwards."""
        raise NotImplementedError("a test of an engine says which database it is about")
