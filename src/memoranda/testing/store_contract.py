"""What every store must do, whatever engine is below it.

An engine's tests take it over by naming their database:

    class TestMyEngine(StoreContract):
        @pytest.fixture
        def database(self, tmp_path):
            opened = MyDatabase(tmp_path)
            yield opened
            opened.close()

The fixture gives an empty store to each test. Everything goes through the seam and the portable
tables, so nothing here knows the engine.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memoranda.store.database import Database
from memoranda.testing.contract_agents import AgentContract
from memoranda.testing.contract_banks import BankContract
from memoranda.testing.contract_blobs import BlobContract
from memoranda.testing.contract_blocks import BlockContract
from memoranda.testing.contract_checkpoints import CheckpointContract
from memoranda.testing.contract_compactions import CompactionContract
from memoranda.testing.contract_completions import CompletionContract
from memoranda.testing.contract_credentials import CredentialContract
from memoranda.testing.contract_documents import DocumentContract
from memoranda.testing.contract_entries import EntryContract
from memoranda.testing.contract_failures import FailureContract
from memoranda.testing.contract_feedback import FeedbackContract
from memoranda.testing.contract_jobs import JobContract
from memoranda.testing.contract_journal import JournalContract
from memoranda.testing.contract_kept_answers import KeptAnswerContract
from memoranda.testing.contract_lessons import (
    ApprovalRuleContract,
    LessonContract,
    MemoryTotalContract,
)
from memoranda.testing.contract_listing import ListingContract
from memoranda.testing.contract_live_outputs import LiveOutputContract
from memoranda.testing.contract_memories import MemoryContract
from memoranda.testing.contract_memory_links import MemoryLinkContract
from memoranda.testing.contract_mirrors import MirrorContract
from memoranda.testing.contract_model_calls import ModelCallContract
from memoranda.testing.contract_observations import ObservationContract
from memoranda.testing.contract_passages import PassageContract
from memoranda.testing.contract_profiles import ProfileContract
from memoranda.testing.contract_proposals import ProposalContract
from memoranda.testing.contract_quarantine import QuarantineContract
from memoranda.testing.contract_recoveries import RecoveryContract
from memoranda.testing.contract_scope import ScopeContract
from memoranda.testing.contract_sources import SourceContract
from memoranda.testing.contract_stages import StageContract
from memoranda.testing.contract_supervised_reading import SupervisedReadingContract
from memoranda.testing.contract_supervision import SupervisionContract
from memoranda.testing.contract_text import TextContract
from memoranda.testing.contract_transactions import TransactionContract
from memoranda.testing.contract_vectors import VectorContract
from memoranda.testing.contract_working import WorkingContract
from memoranda.testing.contract_workspaces import WorkspaceContract


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
    """All promises of a store, to be inherited by the tests of an engine."""

    @pytest.fixture
    def database(self) -> Iterator[Database]:
        """Give an open, empty store and close it afterwards."""
        raise NotImplementedError("a test of an engine says which database it is about")
