"""The endpoints: each translates a request, makes one call, and translates back."""

from submissions.api.views.answers import AnswerList, AnswerView
from submissions.api.views.submissions import CancelView, FinalizeView, SubmissionList, SubmissionView
from submissions.api.views.systems import SystemList, SystemView
from submissions.api.views.tasksets import MeView, TaskList, TaskSetList, TaskSetView

__all__ = [
    "AnswerList",
    "AnswerView",
    "CancelView",
    "FinalizeView",
    "MeView",
    "SubmissionList",
    "SubmissionView",
    "SystemList",
    "SystemView",
    "TaskList",
    "TaskSetList",
    "TaskSetView",
]
