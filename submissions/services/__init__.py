"""What the rest of the service does to submissions: one function per deed, each one transaction."""

from submissions.services.accounts import (
    SystemNameTaken,
    create_system,
    create_team,
    issue_key,
    revoke_key,
    update_system,
)
from submissions.services.answers import AnswerChanged, UnknownRun, UnknownTask, put_answer, version_of
from submissions.services.bundles import BundleRefused, submit_bundle
from submissions.services.drafts import (
    DraftExpired,
    NotADraft,
    RunsOutOfRange,
    SealedNeedsLease,
    SubmissionEmpty,
    TaskSetClosed,
    TaskSetNotOpen,
    TooLateToCancel,
    UnknownSystem,
    cancel,
    create_submission,
    delete_draft,
    expire_drafts,
    finalize,
)
from submissions.services.idempotency import IdempotencyKeyReused, Reply, forget_old_replies, once, recall

__all__ = [
    "AnswerChanged",
    "BundleRefused",
    "DraftExpired",
    "IdempotencyKeyReused",
    "NotADraft",
    "Reply",
    "RunsOutOfRange",
    "SealedNeedsLease",
    "SubmissionEmpty",
    "SystemNameTaken",
    "TaskSetClosed",
    "TaskSetNotOpen",
    "TooLateToCancel",
    "UnknownRun",
    "UnknownSystem",
    "UnknownTask",
    "cancel",
    "create_submission",
    "create_system",
    "create_team",
    "delete_draft",
    "expire_drafts",
    "finalize",
    "forget_old_replies",
    "issue_key",
    "once",
    "put_answer",
    "recall",
    "revoke_key",
    "submit_bundle",
    "update_system",
    "version_of",
]
