"""What is asked and what was handed in."""

from submissions.models.access import ApiKey, IdempotencyKey
from submissions.models.jobs import Job
from submissions.models.submission import Answer, Submission, SubmissionEvent
from submissions.models.tasksets import Task, TaskSet
from submissions.models.teams import Membership, Organisation, OrganisationDomain, System, Team

__all__ = [
    "Answer",
    "ApiKey",
    "IdempotencyKey",
    "Job",
    "Membership",
    "Organisation",
    "OrganisationDomain",
    "Submission",
    "SubmissionEvent",
    "System",
    "Task",
    "TaskSet",
    "Team",
]
