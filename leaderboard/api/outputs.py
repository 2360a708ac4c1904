"""The shapes of what the board endpoints answer, for the OpenAPI document. The documents are served as stored."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from leaderboard.candidates import Status
from leaderboard.metrics import MARKS, REASONS
from leaderboard.ranking import Direction, Unit
from submissions.models import System, TaskSet


class BoardRefOut(serializers.Serializer[Any]):
    """Which board."""

    id = serializers.CharField()
    number = serializers.IntegerField(help_text="Counts the publications of this task-set version.")
    published_at = serializers.DateTimeField()


class BoardTaskSetOut(serializers.Serializer[Any]):
    """The task set of a board; nothing of a task."""

    slug = serializers.CharField()
    version = serializers.CharField()
    title = serializers.CharField()
    description = serializers.CharField()
    protocol = serializers.ChoiceField(choices=TaskSet.Protocol.choices)
    split = serializers.ChoiceField(choices=TaskSet.Split.choices)
    delivery = serializers.ChoiceField(choices=TaskSet.Delivery.choices)
    licence = serializers.CharField()
    tasks = serializers.IntegerField()
    runs = serializers.IntegerField()
    as_of = serializers.DateField(allow_null=True)


class MethodOut(serializers.Serializer[Any]):
    """How the ranked rows were judged: one way for all of them."""

    judge = serializers.CharField()
    model = serializers.CharField()
    judge_profile = serializers.CharField()
    scoring_profile = serializers.CharField()
    constants = serializers.DictField(allow_null=True)
    marks = serializers.ListField(child=serializers.ChoiceField(choices=sorted(MARKS)))


class ColumnOut(serializers.Serializer[Any]):
    """A metric: what it means and how it is shown."""

    key = serializers.CharField()
    label = serializers.CharField()  # type: ignore[assignment]  # DRF takes declared fields off the class
    meaning = serializers.CharField()
    direction = serializers.ChoiceField(choices=list(Direction))
    decimals = serializers.IntegerField()
    unit = serializers.ChoiceField(choices=list(Unit))
    low = serializers.FloatField(allow_null=True)
    high = serializers.FloatField(allow_null=True)
    primary = serializers.BooleanField()
    interval = serializers.CharField(allow_blank=True)
    line = serializers.FloatField(allow_null=True)
    line_meaning = serializers.CharField(allow_blank=True)


class RowSystemOut(serializers.Serializer[Any]):
    """The system of a row."""

    id = serializers.CharField()
    name = serializers.CharField()
    version = serializers.CharField()
    model = serializers.CharField()
    organisation = serializers.CharField()
    licence = serializers.CharField()
    class_label = serializers.CharField()
    links = serializers.DictField(child=serializers.URLField())

    def get_fields(self) -> dict[str, Any]:
        """``class`` is a word of the language, so that field cannot be declared above."""
        fields = super().get_fields()
        return {**fields, "class": serializers.ChoiceField(choices=System.Class.choices)}


class RowOut(serializers.Serializer[Any]):
    """One system on a board. Values are rounded as shown; null is unknown, never zero."""

    id = serializers.CharField(help_text="The entry's id.")
    position = serializers.IntegerField()
    rank = serializers.IntegerField(allow_null=True)
    status = serializers.ChoiceField(choices=list(Status))
    system = RowSystemOut()
    values = serializers.DictField(child=serializers.FloatField(allow_null=True))
    intervals = serializers.DictField(
        child=serializers.ListField(child=serializers.FloatField(), allow_null=True)
    )
    tasks = serializers.DictField(child=serializers.IntegerField())
    at_least = serializers.ListField(child=serializers.CharField())
    coverage = serializers.FloatField(allow_null=True)
    runs = serializers.IntegerField()
    attempts = serializers.IntegerField()
    judge = serializers.CharField()
    model = serializers.CharField()
    judge_profile = serializers.CharField()
    marks = serializers.ListField(child=serializers.ChoiceField(choices=sorted(MARKS)))
    provenance = serializers.ChoiceField(choices=["self_service"])
    reasons = serializers.ListField(child=serializers.ChoiceField(choices=sorted(REASONS)))
    published_at = serializers.DateTimeField(allow_null=True)


class BoardOut(serializers.Serializer[Any]):
    """A board, as the page and the CSV show it."""

    layout = serializers.IntegerField()
    board = BoardRefOut()
    task_set = BoardTaskSetOut()
    method = MethodOut()
    columns = ColumnOut(many=True)
    rows = RowOut(many=True)


class BoardSummaryOut(serializers.Serializer[Any]):
    """A board in the list of boards."""

    slug = serializers.CharField()
    version = serializers.CharField()
    title = serializers.CharField()
    protocol = serializers.ChoiceField(choices=TaskSet.Protocol.choices)
    state = serializers.ChoiceField(choices=TaskSet.State.choices)
    board = BoardRefOut()
    entries = serializers.IntegerField()
    url = serializers.CharField()
    page = serializers.CharField()


class BoardListOut(serializers.Serializer[Any]):
    """All current boards."""

    results = BoardSummaryOut(many=True)


class EntryOut(serializers.Serializer[Any]):
    """One row with the board around it."""

    board = BoardRefOut()
    superseded_at = serializers.DateTimeField(allow_null=True)
    task_set = BoardTaskSetOut()
    method = MethodOut()
    columns = ColumnOut(many=True)
    row = RowOut()
