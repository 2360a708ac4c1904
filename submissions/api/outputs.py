"""What the service answers, field by field. A column that is not named here is not shown."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from submissions.api import standing
from submissions.models import Answer, ApiKey, Submission, System, Task, TaskSet, Team
from submissions.reasons import StateReason
from submissions.services import version_of


class LimitsOut(serializers.Serializer[Any]):
    """The sizes an upload may have."""

    answer_bytes = serializers.IntegerField()
    bundle_bytes = serializers.IntegerField()
    bundle_files = serializers.IntegerField()
    bundle_ratio = serializers.IntegerField()
    urls_per_answer = serializers.IntegerField()
    faults_listed = serializers.IntegerField()


class TeamOut(serializers.ModelSerializer[Team]):
    """A team."""

    id = serializers.CharField(source="public_id")
    organisation = serializers.CharField(source="organisation.name")

    class Meta:
        model = Team
        fields = ("id", "name", "organisation")


class KeyOut(serializers.ModelSerializer[ApiKey]):
    """An API key, without anything that opens a door."""

    id = serializers.CharField(source="public_id")
    scopes = serializers.ListField(child=serializers.ChoiceField(choices=ApiKey.SCOPES))

    class Meta:
        model = ApiKey
        fields = ("id", "name", "scopes", "created_at", "expires_at", "last_used_at")


class MeOut(serializers.Serializer[Any]):
    """Who the key stands for, and what an upload may weigh."""

    team = TeamOut()
    key = KeyOut()
    limits = LimitsOut()


class TaskSetOut(serializers.ModelSerializer[TaskSet]):
    """A version of a task set, with nothing of a task."""

    runs = serializers.IntegerField()  # named here, since a model's field would bring its database's bounds
    tasks = serializers.IntegerField(source="task_count")
    limits = serializers.SerializerMethodField()

    class Meta:
        model = TaskSet
        fields = (
            "slug", "version", "title", "description", "protocol", "split", "delivery", "delivery_reason",
            "state", "runs", "tasks", "licence", "as_of", "opens_at", "closes_at", "content_hash", "limits",
        )  # fmt: skip

    @extend_schema_field(LimitsOut)
    def get_limits(self, task_set: TaskSet) -> dict[str, int]:
        """The same for all sets, and known before an upload."""
        return dict(settings.EVALSERVICE["LIMITS"])


class TaskSetListOut(serializers.Serializer[Any]):
    """All task sets anyone may know of."""

    results = TaskSetOut(many=True)


class TaskOut(serializers.ModelSerializer[Task]):
    """What a system is asked."""

    id = serializers.CharField(source="public_id")

    class Meta:
        model = Task
        fields: tuple[str, ...] = ("id", "prompt", "language")


class DevTaskOut(TaskOut):
    """A task of a dev set, which shows the author's key as well: bundles may use it."""

    class Meta(TaskOut.Meta):
        fields = ("id", "key", "prompt", "language")


class AnswerRulesOut(serializers.Serializer[Any]):
    """How answers are to be given."""

    format = serializers.CharField()
    runs = serializers.IntegerField()
    answer_bytes = serializers.IntegerField()


class TasksOut(serializers.Serializer[Any]):
    """The tasks of an open set. ``key`` is there on dev sets only."""

    task_set = serializers.CharField()
    version = serializers.CharField()
    answer_rules = AnswerRulesOut()
    tasks = DevTaskOut(many=True)


class SystemOut(serializers.ModelSerializer[System]):
    """A system of the team."""

    id = serializers.CharField(source="public_id")

    class Meta:
        model = System
        fields = (
            "id", "name", "version", "system_class", "model", "licence", "url", "paper_url", "code_url",
            "created_at",
        )  # fmt: skip


class SystemRef(serializers.ModelSerializer[System]):
    """Which system."""

    id = serializers.CharField(source="public_id")

    class Meta:
        model = System
        fields = ("id", "name")


class TaskSetRef(serializers.ModelSerializer[TaskSet]):
    """Which version of which set."""

    class Meta:
        model = TaskSet
        fields = ("slug", "version", "split", "content_hash")


class SubmissionRow(serializers.ModelSerializer[Submission]):
    """A submission in a list."""

    id = serializers.CharField(source="public_id")
    system = SystemRef()
    task_set = TaskSetRef()
    runs = serializers.IntegerField()
    state = serializers.SerializerMethodField()
    progress = serializers.SerializerMethodField()

    class Meta:
        model = Submission
        fields: tuple[str, ...] = (
            "id", "system", "task_set", "runs", "note", "system_version", "state", "progress", "listing",
            "created_at", "finalized_at", "published_at",
        )  # fmt: skip

    @extend_schema_field(serializers.ChoiceField(choices=Submission.State.choices))
    def get_state(self, submission: Submission) -> str:
        """The state as its team may know it."""
        return standing.shown_state(submission)

    @extend_schema_field(serializers.ChoiceField(choices=standing.PROGRESS))
    def get_progress(self, submission: Submission) -> str:
        """How far it is, in coarse steps."""
        return standing.progress(submission)


class MissingOut(serializers.Serializer[Any]):
    """An answer that cannot earn anything, and why."""

    task = serializers.CharField()
    run = serializers.IntegerField()
    reason = serializers.ChoiceField(choices=standing.MISSING_REASONS)


class AnswerCountsOut(serializers.Serializer[Any]):
    """How many answers the submission needs, and has."""

    expected = serializers.IntegerField()
    given = serializers.IntegerField()


class SubmissionOut(SubmissionRow):
    """A submission as its team sees it."""

    state_reason = serializers.SerializerMethodField()
    incomplete_reasons = serializers.SerializerMethodField()
    answers = serializers.SerializerMethodField()
    missing = serializers.SerializerMethodField()
    scores = serializers.SerializerMethodField()
    not_listed_because = serializers.SerializerMethodField()

    class Meta(SubmissionRow.Meta):
        fields = (
            *SubmissionRow.Meta.fields, "state_reason", "incomplete_reasons", "answers", "missing", "scores",
            "not_listed_because",
        )  # fmt: skip

    @extend_schema_field(serializers.ChoiceField(choices=list(StateReason), allow_blank=True))
    def get_state_reason(self, submission: Submission) -> str:
        """Why it stands where it does, as far as its team may know; a code."""
        return standing.state_reason(submission)

    @extend_schema_field(
        serializers.ListField(child=serializers.ChoiceField(choices=standing.INCOMPLETE_REASONS))
    )
    def get_incomplete_reasons(self, submission: Submission) -> list[str]:
        """Why judging left it incomplete; codes."""
        return standing.incomplete_reasons(submission)

    @extend_schema_field(AnswerCountsOut)
    def get_answers(self, submission: Submission) -> dict[str, int]:
        """Counts of answers."""
        return standing.answer_counts(submission)

    @extend_schema_field(MissingOut(many=True))
    def get_missing(self, submission: Submission) -> list[dict[str, Any]]:
        """Answers that are not there or hold no text."""
        return standing.missing(submission)

    @extend_schema_field({"type": ["object", "null"], "additionalProperties": True})
    def get_scores(self, submission: Submission) -> dict[str, Any] | None:
        """Dev sets: the full summary as soon as judged. Test sets: the board's rounded numbers, once published."""
        return standing.scores(submission)

    @extend_schema_field(
        serializers.ListField(child=serializers.ChoiceField(choices=standing.UNLISTED_REASONS))
    )
    def get_not_listed_because(self, submission: Submission) -> list[str]:
        """Why no board shows it; empty if nothing stands against it."""
        return standing.not_listed_because(submission)


class AnswerRow(serializers.ModelSerializer[Answer]):
    """An answer without its text."""

    task = serializers.CharField(source="task.public_id")
    run = serializers.IntegerField()
    tokens = serializers.IntegerField(allow_null=True)
    sha256 = serializers.CharField()
    etag = serializers.SerializerMethodField()
    flags = serializers.ListField(child=serializers.CharField())
    result = serializers.SerializerMethodField()

    class Meta:
        model = Answer
        fields: tuple[str, ...] = (
            "task", "run", "given", "sha256", "flags", "started_at", "finished_at", "cost_usd", "tokens",
            "trace_url", "received_at", "etag", "result",
        )  # fmt: skip

    def get_etag(self, answer: Answer) -> str:
        """What ``If-Match`` wants, without its quotes."""
        return version_of(answer)

    @extend_schema_field({"type": ["object", "null"], "additionalProperties": True})
    def get_result(self, answer: Answer) -> dict[str, Any] | None:
        """Dev sets: score, metrics and feedback once judged. Test sets: always null."""
        return standing.answer_result(answer)


class AnswerOut(AnswerRow):
    """An answer with its text."""

    class Meta(AnswerRow.Meta):
        fields = (*AnswerRow.Meta.fields, "text")
