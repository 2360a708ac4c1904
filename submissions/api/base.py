"""What all views share: who may, how often, and how a reply that may be repeated is given."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any, ClassVar, cast

from django.core.files.uploadedfile import UploadedFile
from rest_framework.permissions import SAFE_METHODS, AllowAny
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from submissions.api.authentication import KeyHolder
from submissions.api.parsers import StrictJSONParser
from submissions.api.permissions import HasScope
from submissions.models import Team
from submissions.problems import Refusal
from submissions.services import Reply

_KEY = re.compile(r"[\x21-\x7e]{1,200}")


class IdempotencyKeyInvalid(Refusal):
    """Empty, too long, or not printable ASCII."""

    code = "idempotency_key_invalid"


class ApiView(APIView):
    """JSON in, JSON out; reading and writing are counted apart."""

    # OPTIONS would describe views to strangers; the OpenAPI document describes them better.
    http_method_names = ["get", "head", "post", "put", "patch", "delete"]
    parser_classes = [StrictJSONParser]
    write_scope: ClassVar[str] = "write"

    @property
    def throttle_scope(self) -> str:
        """The name of the rate that applies."""
        return "read" if self.request.method in SAFE_METHODS else self.write_scope


class PublicView(ApiView):
    """For anyone."""

    permission_classes = [AllowAny]


class TeamView(ApiView):
    """For the holder of a key, within what is the team's own."""

    permission_classes = [HasScope]

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """What a team sees is kept by no cache in between."""
        response = super().finalize_response(request, response, *args, **kwargs)
        response["Cache-Control"] = "no-store"
        return response

    @property
    def team(self) -> Team:
        """Whose key came with the request."""
        return cast(KeyHolder, self.request.user).team


def idempotency_key(request: Request) -> str | None:
    """The ``Idempotency-Key`` header.

    :raises IdempotencyKeyInvalid: as named.
    """
    key = request.headers.get("Idempotency-Key")
    if key is not None and not _KEY.fullmatch(key):
        raise IdempotencyKeyInvalid
    return key


def request_hash(request: Request, fields: Any, files: Iterable[UploadedFile[bytes]] = ()) -> str:
    """SHA-256 of what a request asks for: method, path, fields and files."""
    digest = hashlib.sha256(f"{request.method} {request.path}\n".encode())
    digest.update(json.dumps(fields, sort_keys=True, default=str).encode())
    for file in files:
        digest.update(b"\0file\0")
        for chunk in file.chunks():
            digest.update(chunk)
    return digest.hexdigest()


def answered(reply: Reply) -> Response:
    """The reply over HTTP; one that was given before says so."""
    headers = dict(reply.headers)
    if reply.replayed:
        headers["Idempotency-Replayed"] = "true"
    return Response(reply.body, status=reply.status, headers=headers)
