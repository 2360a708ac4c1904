"""A team's systems."""

from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.api.base import TeamView, answered, idempotency_key, request_hash
from submissions.api.inputs import NewSystem, SystemChanges
from submissions.api.outputs import SystemOut
from submissions.api.pagination import ByName
from submissions.models import System
from submissions.services import Reply, create_system, once, update_system


class SystemList(TeamView):
    """The systems of a team."""

    pagination_class = ByName

    @extend_schema(operation_id="systems", responses=SystemOut(many=True), tags=["systems"])
    def get(self, request: Request) -> Response:
        """The team's systems by name."""
        pages: ByName[System] = ByName()
        rows = pages.paginate_queryset(System.objects.filter(team=self.team), request)
        return pages.get_paginated_response(SystemOut(rows, many=True).data)

    @extend_schema(
        operation_id="create_system", request=NewSystem, responses={201: SystemOut}, tags=["systems"]
    )
    def post(self, request: Request) -> Response:
        """Register a system: one lineage on the boards, whatever its versions."""
        fields = NewSystem(data=request.data)
        fields.is_valid(raise_exception=True)
        now = timezone.now()

        def work() -> Reply:
            system = create_system(team=self.team, now=now, **fields.validated_data)
            location = reverse("api:system", args=[system.public_id])
            return Reply(201, SystemOut(system).data, {"Location": location})

        key, asked = idempotency_key(request), request_hash(request, request.data)
        return answered(once(team=self.team, key=key, request_hash=asked, now=now, work=work))


class SystemView(TeamView):
    """One system."""

    def _system(self, system_id: str) -> System:
        system = System.objects.filter(team=self.team, public_id=system_id).first()
        if system is None:
            raise NotFound
        return system

    @extend_schema(operation_id="system", responses=SystemOut, tags=["systems"])
    def get(self, request: Request, system_id: str) -> Response:
        """A system of the team."""
        return Response(SystemOut(self._system(system_id)).data)

    @extend_schema(operation_id="change_system", request=SystemChanges, responses=SystemOut, tags=["systems"])
    def patch(self, request: Request, system_id: str) -> Response:
        """Change version, model, licence or links; past submissions keep the version they were made with."""
        system = self._system(system_id)
        fields = SystemChanges(data=request.data)
        fields.is_valid(raise_exception=True)
        changes: dict[str, Any] = fields.validated_data
        return Response(SystemOut(update_system(system=system, **changes)).data)
