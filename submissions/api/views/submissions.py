"""Submissions: made, followed, finalized, cancelled."""

from __future__ import annotations

from contextlib import closing
from typing import Any, BinaryIO, cast

from django.conf import settings
from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from submissions.api.base import TeamView, answered, idempotency_key, request_hash
from submissions.api.inputs import NewBundle, NewSubmission
from submissions.api.outputs import SubmissionOut, SubmissionRow
from submissions.api.pagination import NewestFirst
from submissions.api.parsers import BundleParser, StrictJSONParser
from submissions.bundle import Limits, read_bundle
from submissions.models import Submission, Team
from submissions.services import (
    Reply,
    Upload,
    cancel,
    create_submission,
    delete_draft,
    finalize,
    keep_received,
    once,
    recall,
    submit_bundle,
)

IDEMPOTENCY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Any text of yours. The same request again within 48 h gets the same answer.",
)


def upload_limits() -> Limits:
    """What an upload may weigh on this installation."""
    limits = settings.EVALSERVICE["LIMITS"]
    names = ("answer_bytes", "bundle_bytes", "bundle_files", "bundle_ratio")
    return Limits(**{name: limits[name] for name in names})


def submissions_of(team: Team) -> QuerySet[Submission]:
    """A team's submissions with what every output names."""
    return Submission.objects.of_team(team).select_related("system__team", "task_set")


def submission_or_404(team: Team, submission_id: str) -> Submission:
    """A submission of the team.

    :raises NotFound: there is none, or it is another team's: which, nobody learns.
    """
    submission = submissions_of(team).filter(public_id=submission_id).first()
    if submission is None:
        raise NotFound
    return submission


def _reply(status: int, submission: Submission) -> Reply:
    location = reverse("api:submission", args=[submission.public_id])
    return Reply(status, SubmissionOut(submission).data, {"Location": location})


class SubmissionList(TeamView):
    """The submissions of a team."""

    parser_classes = [StrictJSONParser, BundleParser]
    pagination_class = NewestFirst

    @property
    def throttle_scope(self) -> str:
        """Bundles cost more than drafts and have a rate of their own."""
        return "upload" if self._is_form() and self.request.method == "POST" else super().throttle_scope

    def _is_form(self) -> bool:
        return (self.request.content_type or "").lower().startswith("multipart/")

    @extend_schema(operation_id="submissions", responses=SubmissionRow(many=True), tags=["submissions"])
    def get(self, request: Request) -> Response:
        """The team's submissions, the newest first."""
        pages: NewestFirst[Submission] = NewestFirst()
        rows = pages.paginate_queryset(submissions_of(self.team), request)
        return pages.get_paginated_response(SubmissionRow(rows, many=True).data)

    @extend_schema(
        operation_id="create_submission",
        parameters=[IDEMPOTENCY],
        request={"application/json": NewSubmission, "multipart/form-data": NewBundle},
        responses={201: SubmissionOut, 202: SubmissionOut},
        tags=["submissions"],
    )
    def post(self, request: Request) -> Response:
        """Start a draft (JSON → 201), or hand in everything at once (a form with ``bundle`` → 202)."""
        return self._post_bundle(request) if self._is_form() else self._post_draft(request)

    def _post_draft(self, request: Request) -> Response:
        fields = NewSubmission(data=request.data)
        fields.is_valid(raise_exception=True)
        now = timezone.now()

        def work() -> Reply:
            return _reply(201, create_submission(team=self.team, now=now, **fields.validated_data))

        key, asked = idempotency_key(request), request_hash(request, request.data)
        return answered(once(team=self.team, key=key, request_hash=asked, now=now, work=work))

    def _post_bundle(self, request: Request) -> Response:
        fields = NewBundle(data=request.data)
        fields.is_valid(raise_exception=True)
        values: dict[str, Any] = fields.validated_data
        bundle: UploadedFile[bytes] = values.pop("bundle")
        now = timezone.now()
        key, asked = idempotency_key(request), request_hash(request, values, [bundle])
        before = key and recall(team=self.team, key=key, request_hash=asked, now=now)
        if before:
            return answered(before)
        # Read before the transaction begins: a large zip must not hold others up.
        with closing(read_bundle(cast(BinaryIO, bundle.file), upload_limits())) as reading:
            upload = Upload(team=self.team, reading=reading, now=now, **values)
            keep_received(upload)

            def work() -> Reply:
                return _reply(202, submit_bundle(upload))

            return answered(once(team=self.team, key=key, request_hash=asked, now=now, work=work))


class SubmissionView(TeamView):
    """One submission."""

    @extend_schema(operation_id="submission", responses=SubmissionOut, tags=["submissions"])
    def get(self, request: Request, submission_id: str) -> Response:
        """State, what is missing, and scores as far as they may be known."""
        return Response(SubmissionOut(submission_or_404(self.team, submission_id)).data)

    @extend_schema(operation_id="delete_draft", responses={204: None}, tags=["submissions"])
    def delete(self, request: Request, submission_id: str) -> Response:
        """Remove a draft."""
        delete_draft(submission=submission_or_404(self.team, submission_id))
        return Response(status=204)


class FinalizeView(TeamView):
    """The end of a draft."""

    @extend_schema(
        operation_id="finalize", request=None, responses={202: SubmissionOut}, tags=["submissions"]
    )
    def post(self, request: Request, submission_id: str) -> Response:
        """Freeze the answers and queue the judging; again, it answers the same and changes nothing."""
        submission = submission_or_404(self.team, submission_id)
        return answered(_reply(202, finalize(submission=submission, now=timezone.now())))


class CancelView(TeamView):
    """The early end of a submission."""

    @extend_schema(operation_id="cancel", request=None, responses=SubmissionOut, tags=["submissions"])
    def post(self, request: Request, submission_id: str) -> Response:
        """Stop a submission that has no scores yet, on a test set a draft; again, it changes nothing."""
        submission = submission_or_404(self.team, submission_id)
        return Response(SubmissionOut(cancel(submission=submission, now=timezone.now())).data)
