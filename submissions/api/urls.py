"""Addresses under ``/api/v1/`` that deal with submitting."""

from __future__ import annotations

from django.urls import path, register_converter

from submissions.api import views


class PublicIdConverter:
    """What a public id may look like; anything else is no address at all."""

    regex = "[0-9a-z]{16}"

    def to_python(self, value: str) -> str:
        """As it stands."""
        return value

    def to_url(self, value: str) -> str:
        """As it stands."""
        return value


class RunConverter:
    """A number of at most three digits: larger ones would not fit the column."""

    regex = "[1-9][0-9]{0,2}"

    def to_python(self, value: str) -> int:
        """The number."""
        return int(value)

    def to_url(self, value: int) -> str:
        """Its digits."""
        return str(value)


register_converter(PublicIdConverter, "publicid")
register_converter(RunConverter, "run")

app_name = "api"
_ONE = "submissions/<publicid:submission_id>"
urlpatterns = [
    path("me", views.MeView.as_view(), name="me"),
    path("task-sets", views.TaskSetList.as_view(), name="task-sets"),
    path("task-sets/<slug:slug>", views.TaskSetView.as_view(), name="task-set"),
    path("task-sets/<slug:slug>/tasks", views.TaskList.as_view(), name="tasks"),
    path("systems", views.SystemList.as_view(), name="systems"),
    path("systems/<publicid:system_id>", views.SystemView.as_view(), name="system"),
    path("submissions", views.SubmissionList.as_view(), name="submissions"),
    path(_ONE, views.SubmissionView.as_view(), name="submission"),
    path(f"{_ONE}/finalize", views.FinalizeView.as_view(), name="finalize"),
    path(f"{_ONE}/cancel", views.CancelView.as_view(), name="cancel"),
    path(f"{_ONE}/answers", views.AnswerList.as_view(), name="answers"),
    path(f"{_ONE}/answers/<publicid:task_id>/<run:run>", views.AnswerView.as_view(), name="answer"),
]
