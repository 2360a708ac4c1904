"""Who I am, which task sets there are, and what they ask."""

from __future__ import annotations

from django.conf import settings
from django.db.models import Count, QuerySet
from django.utils import timezone
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.api.base import PublicView, TeamView
from submissions.api.outputs import DevTaskOut, MeOut, TaskOut, TaskSetListOut, TaskSetOut, TasksOut
from submissions.api.renderers import JSONLinesRenderer, JSONLRenderer
from submissions.models import TaskSet
from submissions.services import SealedNeedsLease, TaskSetNotOpen


class MeView(TeamView):
    """Who the key stands for."""

    @extend_schema(operation_id="me", responses=MeOut, tags=["account"])
    def get(self, request: Request) -> Response:
        """The team, the key with its scopes, and the limits of an upload."""
        limits = settings.EVALSERVICE["LIMITS"]
        return Response(MeOut({"team": self.team, "key": request.auth, "limits": limits}).data)


def _public() -> QuerySet[TaskSet]:
    return TaskSet.objects.public().annotate(task_count=Count("tasks"))


def _named(slug: str) -> TaskSet:
    """The active version of a set; the newest of its old ones if none is active."""
    versions = _public().filter(slug=slug).order_by("-created_at", "-id")
    found = sorted(versions, key=lambda version: version.state != TaskSet.State.ACTIVE)
    if not found:
        raise NotFound
    return found[0]


class TaskSetList(PublicView):
    """Task sets."""

    @extend_schema(operation_id="task_sets", responses=TaskSetListOut, tags=["task sets"])
    def get(self, request: Request) -> Response:
        """Every version of every set that anyone may know of."""
        return Response({"results": TaskSetOut(_public(), many=True).data})


class TaskSetView(PublicView):
    """One task set."""

    @extend_schema(operation_id="task_set", responses=TaskSetOut, tags=["task sets"])
    def get(self, request: Request, slug: str) -> Response:
        """The active version, or the newest of the old ones."""
        return Response(TaskSetOut(_named(slug)).data)


class TaskList(TeamView):
    """What a set with open delivery asks."""

    renderer_classes = [JSONRenderer, JSONLinesRenderer, JSONLRenderer]

    @extend_schema(
        operation_id="tasks",
        responses={
            (200, "application/json"): TasksOut,
            # Lines of JSON are no JSON: nothing but text describes them.
            (200, JSONLinesRenderer.media_type): OpenApiTypes.STR,
            (200, JSONLRenderer.media_type): OpenApiTypes.STR,
        },
        tags=["task sets"],
    )
    def get(self, request: Request, slug: str) -> Response:
        """Ids and prompts; one a line with ``Accept: application/x-ndjson``."""
        task_set = _named(slug)
        if task_set.opens_at is not None and timezone.now() < task_set.opens_at:
            raise TaskSetNotOpen  # the set is announced, its prompts are not
        if task_set.delivery != TaskSet.Delivery.OPEN:
            raise SealedNeedsLease
        shape = DevTaskOut if task_set.split == TaskSet.Split.DEV else TaskOut
        rules = {
            "format": "markdown",
            "runs": task_set.runs,
            "answer_bytes": settings.EVALSERVICE["LIMITS"]["answer_bytes"],
        }
        body = {"task_set": task_set.slug, "version": task_set.version, "answer_rules": rules}
        return Response({**body, "tasks": shape(task_set.tasks.all(), many=True).data})
