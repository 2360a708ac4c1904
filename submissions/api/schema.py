"""What the OpenAPI document says that views cannot: how keys are sent, and how the API refuses."""

from __future__ import annotations

from typing import Any, Literal

from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.openapi import AutoSchema
from rest_framework import serializers

from submissions.problems import CODES


class ErrorItemOut(serializers.Serializer[Any]):
    """One thing that is wrong."""

    pointer = serializers.CharField(
        help_text="JSON pointer into the body; for bundles the line or file; empty for the whole request."
    )
    code = serializers.ChoiceField(choices=list(CODES))
    detail = serializers.CharField()


class ProblemOut(serializers.Serializer[Any]):
    """RFC 9457."""

    type = serializers.CharField(help_text="urn:evalservice:problem:<code>")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField(help_text="The request's id, as in X-Request-Id.")
    errors = ErrorItemOut(many=True)  # type: ignore[assignment]  # DRF takes declared fields off the class


class ApiSchema(AutoSchema):
    """Every operation may answer with a problem."""

    def _get_response_bodies(self, direction: Literal["request", "response"] = "response") -> dict[str, Any]:
        bodies: dict[str, Any] = super()._get_response_bodies(direction)
        problem = self.resolve_serializer(ProblemOut, "response").ref
        bodies["default"] = {
            "description": "Refused (RFC 9457). docs/api.md lists the codes.",
            "content": {"application/problem+json": {"schema": problem}},
        }
        return bodies


class ApiKeyScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]  # its base registers subclasses
    """How the OpenAPI document describes the keys."""

    target_class = "submissions.api.authentication.ApiKeyAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: object) -> dict[str, str]:
        """A bearer token."""
        return {"type": "http", "scheme": "bearer", "bearerFormat": "evk_<id>_<secret>"}
