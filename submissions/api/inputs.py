"""What requests may say. What the service answers is described in :mod:`submissions.api.outputs`."""

from __future__ import annotations

from rest_framework import serializers

from submissions.api.fields import LineField, PublicUrlField, StrictSerializer
from submissions.models import System


class SystemChanges(StrictSerializer):
    """What may change of a system; its name and class stay."""

    version = LineField(max_length=60, required=False, allow_blank=True)
    model = LineField(max_length=120, required=False, allow_blank=True)
    licence = LineField(max_length=60, required=False, allow_blank=True)
    url = PublicUrlField()
    paper_url = PublicUrlField()
    code_url = PublicUrlField()


class NewSystem(SystemChanges):
    """A system to be registered."""

    name = LineField(max_length=120)
    system_class = serializers.ChoiceField(choices=System.Class.choices)


class NewSubmission(StrictSerializer):
    """A draft to be made."""

    system = serializers.CharField(max_length=40, help_text="Id of one of your systems.")
    task_set = serializers.CharField(max_length=60, help_text="Slug of an open task set.")
    runs = serializers.IntegerField(
        required=False, allow_null=True, min_value=1, max_value=100, help_text="Default: the set's."
    )
    note = LineField(max_length=500, required=False, allow_blank=True, default="")


class NewBundle(NewSubmission):
    """A whole submission in one form."""

    bundle = serializers.FileField(help_text="A zip of <task>/answer_<run>.md, or JSON lines.")


class AnswerIn(serializers.Serializer[None]):
    """One answer. Describes the body for the OpenAPI document; the body is read by ``bundle.read_record``,
    so that a PUT and a line of a bundle follow the same rules."""

    answer = serializers.CharField(allow_blank=True, trim_whitespace=False, help_text="Markdown.")
    started_at = serializers.DateTimeField(required=False, allow_null=True)
    finished_at = serializers.DateTimeField(required=False, allow_null=True)
    cost_usd = serializers.FloatField(required=False, allow_null=True, min_value=0)
    tokens = serializers.IntegerField(required=False, allow_null=True, min_value=0)
    trace_url = serializers.URLField(required=False, allow_blank=True, allow_null=True, max_length=1000)
